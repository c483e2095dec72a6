-- Sessions and their lease.

-- name: create_session
INSERT INTO handgriff_session (
    tenant, user, id, created_at, head, title, alias, pinned, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
)
VALUES (
    :tenant, :user, :id, :created_at, :head, :title, :alias, :pinned, :lease_epoch, :lease_turn, :lease_holder, :lease_until, :lease_stop
)
ON CONFLICT DO NOTHING;

-- name: session_exists
SELECT 1 FROM handgriff_session WHERE tenant = :tenant AND id = :session;

-- name: delete_session
DELETE FROM handgriff_session WHERE tenant = :tenant AND id = :session;

-- name: delete_events
DELETE FROM handgriff_event WHERE tenant = :tenant AND session = :session;

-- name: delete_state
DELETE FROM handgriff_state WHERE tenant = :tenant AND scope = 'session' AND scope_id = :session;

-- name: delete_seen
DELETE FROM handgriff_seen WHERE tenant = :tenant AND session = :session;

-- name: delete_typed
DELETE FROM handgriff_typed WHERE tenant = :tenant AND session = :session;

-- name: delete_effects
DELETE FROM handgriff_effect WHERE tenant = :tenant AND session = :session AND (:since IS NULL OR claimed_at < :since);

-- name: delete_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant AND session = :session;

-- name: delete_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant AND session = :session AND :since IS NULL;

-- name: pin_session
UPDATE handgriff_session
SET pinned = :pinned, title = COALESCE(:title, title)
WHERE tenant = :tenant AND id = :session AND (pinned IS NULL OR pinned = :pinned);

-- name: hold_lease
UPDATE handgriff_session
SET lease_epoch = lease_epoch + 1, lease_turn = :turn, lease_holder = :holder, lease_until = :until, lease_stop = 0
WHERE tenant = :tenant AND id = :session AND lease_epoch = :after
    AND (lease_turn IS NULL OR lease_until IS NULL OR lease_until <= :now);

-- name: check_lease
SELECT 1 FROM handgriff_session WHERE tenant = :tenant AND id = :session AND lease_epoch = :epoch AND lease_turn = :turn;

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
SELECT tenant, user, id, created_at, head, title, alias, pinned, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
FROM handgriff_session
WHERE tenant = :tenant AND id = :session;

-- name: session_by_alias
SELECT tenant, user, id, created_at, head, title, alias, pinned, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
FROM handgriff_session
WHERE tenant = :tenant AND user = :user AND alias = :alias;

-- name: newest_sessions
SELECT tenant, user, id, created_at, head, title, alias, pinned, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
FROM handgriff_session
WHERE tenant = :tenant AND user = :user
ORDER BY created_at DESC, id DESC
LIMIT :limit;

-- name: older_sessions
SELECT tenant, user, id, created_at, head, title, alias, pinned, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
FROM handgriff_session
WHERE tenant = :tenant AND user = :user
    AND (created_at, id) < (SELECT created_at, id FROM handgriff_session WHERE tenant = :tenant AND id = :before AND user = :user)
ORDER BY created_at DESC, id DESC
LIMIT :limit;
