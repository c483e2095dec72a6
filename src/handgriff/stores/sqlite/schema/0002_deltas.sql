-- State changes with events: what an event did is kept beside it, each place knows what it holds, and scratch records have a deadline.

-- A session's row is written again with every event, so what it keeps for life moves to a table of its own. `active_day` is the day of
-- `active_at`: its index changes once a day and not with every event.
CREATE TABLE handgriff_pin (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    pinned TEXT NOT NULL,
    PRIMARY KEY (tenant, session)
) STRICT, WITHOUT ROWID;

INSERT INTO handgriff_pin (tenant, session, pinned)
SELECT tenant, id, pinned FROM handgriff_session WHERE pinned IS NOT NULL;

CREATE TABLE handgriff_session_2 (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    user TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    head INTEGER NOT NULL,
    active_at INTEGER,
    active_day INTEGER NOT NULL,
    title TEXT,
    alias TEXT,
    lease_epoch INTEGER NOT NULL,
    lease_turn TEXT,
    lease_holder TEXT,
    lease_until INTEGER,
    lease_stop INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

INSERT INTO handgriff_session_2 (
    tenant, id, user, created_at, head, active_at, active_day, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
)
SELECT
    tenant, id, user, created_at, head,
    (
        SELECT MAX(created_at, COALESCE(MAX(event.at), created_at))
        FROM handgriff_event AS event
        WHERE event.tenant = handgriff_session.tenant AND event.session = handgriff_session.id
    ),
    0, title, alias, lease_epoch, lease_turn, lease_holder, lease_until, lease_stop
FROM handgriff_session;

-- Rounded down, also before 1970.
UPDATE handgriff_session_2
SET active_day = (active_at - (active_at % 86400000000 + 86400000000) % 86400000000) / 86400000000;

DROP TABLE handgriff_session;

ALTER TABLE handgriff_session_2 RENAME TO handgriff_session;

CREATE INDEX handgriff_session_by_user ON handgriff_session (tenant, user, created_at, id);

CREATE UNIQUE INDEX handgriff_session_by_alias ON handgriff_session (tenant, user, alias) WHERE alias IS NOT NULL;

CREATE INDEX handgriff_session_by_day ON handgriff_session (tenant, active_day);

-- The one index without the tenant in front: whoever looks after crashes asks over all of them.
CREATE INDEX handgriff_session_by_lease ON handgriff_session (lease_until, tenant, id) WHERE lease_turn IS NOT NULL;

CREATE TABLE handgriff_state_2 (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    scope_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT,
    PRIMARY KEY (tenant, scope, scope_id, namespace, key)
) STRICT, WITHOUT ROWID;

INSERT INTO handgriff_state_2 (tenant, scope, scope_id, namespace, key, version, value)
SELECT tenant, scope, scope_id, '', key, version, value FROM handgriff_state;

DROP TABLE handgriff_state;

ALTER TABLE handgriff_state_2 RENAME TO handgriff_state;

-- A place is one scope of one owner, or one scratch record: what it holds, and of a record its deadline and where its versions begin.
CREATE TABLE handgriff_place (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    scope_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    keys INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    expires_at INTEGER,
    first_version INTEGER NOT NULL,
    PRIMARY KEY (tenant, scope, scope_id, namespace)
) STRICT, WITHOUT ROWID;

INSERT INTO handgriff_place (tenant, scope, scope_id, namespace, keys, bytes, expires_at, first_version)
SELECT
    tenant, scope, scope_id, namespace, COUNT(value),
    COALESCE(SUM(LENGTH(CAST(key AS BLOB)) + LENGTH(CAST(value AS BLOB))), 0), NULL, 0
FROM handgriff_state
GROUP BY tenant, scope, scope_id, namespace;

CREATE INDEX handgriff_place_by_deadline ON handgriff_place (tenant, expires_at, scope_id, namespace) WHERE expires_at IS NOT NULL;

ALTER TABLE handgriff_event ADD COLUMN delta TEXT;

-- How the state of before came about is not known, so a session's last event brings all of it: copies made by replaying start from there.
UPDATE handgriff_event
SET delta = (
    SELECT JSON_GROUP_ARRAY(JSON_ARRAY('set', 'session', key, value, ''))
    FROM handgriff_state AS state
    WHERE
        state.tenant = handgriff_event.tenant AND state.scope = 'session' AND state.scope_id = handgriff_event.session
        AND state.value IS NOT NULL
)
WHERE
    (tenant, session, seq) IN (
        SELECT owner.tenant, owner.id, owner.head
        FROM handgriff_session AS owner JOIN handgriff_place AS place
            ON place.tenant = owner.tenant AND place.scope = 'session' AND place.scope_id = owner.id
        WHERE place.keys > 0
    );

-- The event that a seen value came with. For the values of before the last one is taken: a copy cut off earlier has not seen them.
ALTER TABLE handgriff_seen ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;

UPDATE handgriff_seen
SET seq = COALESCE((SELECT head FROM handgriff_session AS owner WHERE owner.tenant = handgriff_seen.tenant AND owner.id = session), 0);

ALTER TABLE handgriff_typed ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;

UPDATE handgriff_typed
SET seq = COALESCE((SELECT head FROM handgriff_session AS owner WHERE owner.tenant = handgriff_typed.tenant AND owner.id = session), 0);
