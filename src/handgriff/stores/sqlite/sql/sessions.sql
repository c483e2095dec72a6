-- Sessions, what they keep for life, and their lease.

-- name: create_session
INSERT INTO handgriff_session (
    tenant, user, id, created_at, head, active_at, active_day, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
)
VALUES (
    :tenant, :user, :id, :created_at, :head, :active_at, :active_day, :title, :alias, :lease_epoch, :lease_turn, :lease_holder, :lease_until,
    :lease_stop
)
ON CONFLICT DO NOTHING;

-- name: session_exists
SELECT 1 FROM handgriff_session WHERE tenant = :tenant AND id = :session;

-- name: is_active_since
SELECT 1 FROM handgriff_session WHERE tenant = :tenant AND id = :session AND COALESCE(active_at, created_at) >= :since;

-- name: pin
INSERT INTO handgriff_pin (tenant, session, pinned)
SELECT tenant, id, :pinned FROM handgriff_session WHERE tenant = :tenant AND id = :session
ON CONFLICT (tenant, session) DO UPDATE SET pinned = excluded.pinned WHERE pinned = excluded.pinned;

-- name: entitle
UPDATE handgriff_session SET title = :title WHERE tenant = :tenant AND id = :session;

-- name: hold_lease
UPDATE handgriff_session
SET lease_epoch = lease_epoch + 1, lease_turn = :turn, lease_holder = :holder, lease_until = :until, lease_stop = 0
WHERE tenant = :tenant AND id = :session AND lease_epoch = :after
    AND (lease_turn IS NULL OR lease_until IS NULL OR lease_until <= :now);

-- name: check_lease
SELECT 1 FROM handgriff_session WHERE tenant = ? AND id = ? AND lease_epoch = ? AND lease_turn = ?;

-- name: renew_lease
UPDATE handgriff_session
SET lease_until = :until
WHERE tenant = :tenant AND id = :session AND lease_epoch = :epoch AND lease_turn = :turn;

-- name: release_lease
UPDATE handgriff_session
SET lease_turn = NULL, lease_holder = NULL, lease_until = NULL, lease_stop = 0
WHERE tenant = :tenant AND id = :session AND lease_epoch = :epoch AND lease_turn = :turn;

-- name: request_stop
UPDATE handgriff_session SET lease_stop = 1 WHERE tenant = :tenant AND id = :session AND lease_turn = :turn;

-- name: session
SELECT
    tenant, user, id, created_at, head, active_at, active_day, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop,
    (SELECT pinned FROM handgriff_pin AS pin WHERE pin.tenant = handgriff_session.tenant AND pin.session = handgriff_session.id) AS pinned
FROM handgriff_session
WHERE tenant = :tenant AND id = :session;

-- name: session_by_alias
SELECT
    tenant, user, id, created_at, head, active_at, active_day, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop,
    (SELECT pinned FROM handgriff_pin AS pin WHERE pin.tenant = handgriff_session.tenant AND pin.session = handgriff_session.id) AS pinned
FROM handgriff_session
WHERE tenant = :tenant AND user = :user AND alias = :alias;

-- name: newest_sessions
SELECT
    tenant, user, id, created_at, head, active_at, active_day, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop,
    (SELECT pinned FROM handgriff_pin AS pin WHERE pin.tenant = handgriff_session.tenant AND pin.session = handgriff_session.id) AS pinned
FROM handgriff_session
WHERE tenant = :tenant AND user = :user
ORDER BY created_at DESC, id DESC
LIMIT :limit;

-- name: older_sessions
SELECT
    tenant, user, id, created_at, head, active_at, active_day, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop,
    (SELECT pinned FROM handgriff_pin AS pin WHERE pin.tenant = handgriff_session.tenant AND pin.session = handgriff_session.id) AS pinned
FROM handgriff_session
WHERE tenant = :tenant AND user = :user
    AND (created_at, id) < (SELECT created_at, id FROM handgriff_session WHERE tenant = :tenant AND id = :before AND user = :user)
ORDER BY created_at DESC, id DESC
LIMIT :limit;
