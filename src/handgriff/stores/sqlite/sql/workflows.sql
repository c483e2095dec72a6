-- Kept instances of machines. What a firing call asks takes its parameters by place, which is faster than by name.

-- name: start_workflow
INSERT INTO handgriff_workflow (
    tenant, machine, handle, user, session, hash, snapshot, created_at, expires_at, version, claim, tool, key, next, next_hash
)
SELECT
    :tenant, :machine, :handle, :user, :session, :hash, :snapshot, :created_at, :expires_at, :version, :claim, :tool, :key, :next, :next_hash
WHERE :session IS NULL OR EXISTS (SELECT 1 FROM handgriff_session WHERE tenant = :tenant AND id = :session)
ON CONFLICT DO NOTHING;

-- name: claim_workflow
UPDATE handgriff_workflow
SET claim = ?, tool = ?, key = ?, next = ?, next_hash = ?
WHERE tenant = ? AND machine = ? AND handle = ? AND version = ? AND claim IS NULL;

-- name: settle_workflow
UPDATE handgriff_workflow
SET
    snapshot = IIF(?1, COALESCE(next, snapshot), snapshot),
    hash = IIF(?1, COALESCE(next_hash, hash), hash),
    version = version + 1,
    claim = NULL,
    tool = NULL,
    key = NULL,
    next = NULL,
    next_hash = NULL
WHERE tenant = ?2 AND machine = ?3 AND handle = ?4 AND claim = ?5;

-- Apart, because an index on a column that is set is written also where the value stays. What never expires goes on so.
-- name: settle_and_prolong_workflow
UPDATE handgriff_workflow
SET
    snapshot = IIF(?1, COALESCE(next, snapshot), snapshot),
    hash = IIF(?1, COALESCE(next_hash, hash), hash),
    version = version + 1,
    claim = NULL,
    tool = NULL,
    key = NULL,
    next = NULL,
    next_hash = NULL,
    expires_at = MAX(expires_at, ?6)
WHERE tenant = ?2 AND machine = ?3 AND handle = ?4 AND claim = ?5;

-- name: workflow_version
SELECT version FROM handgriff_workflow WHERE tenant = ? AND machine = ? AND handle = ?;

-- name: sweep_workflows
DELETE FROM handgriff_workflow
WHERE rowid IN (
    SELECT rowid
    FROM handgriff_workflow
    WHERE tenant = :tenant AND expires_at <= :now AND claim IS NULL
    ORDER BY expires_at, machine, handle
    LIMIT :limit
);

-- name: own_workflows
SELECT machine, handle, claim FROM handgriff_workflow WHERE tenant = ? AND session = ? ORDER BY machine, handle;

-- name: drop_workflow
DELETE FROM handgriff_workflow WHERE tenant = ? AND machine = ? AND handle = ?;

-- name: drop_free_workflow
DELETE FROM handgriff_workflow WHERE tenant = ? AND machine = ? AND handle = ? AND version = ? AND claim IS NULL;

-- A stored one keeps counting, and only what is the session's own is replaced.
-- name: put_workflow
INSERT INTO handgriff_workflow (
    tenant, machine, handle, user, session, hash, snapshot, created_at, expires_at, version, claim, tool, key, next, next_hash
)
VALUES (
    :tenant, :machine, :handle, :user, :session, :hash, :snapshot, :created_at, :expires_at, :version, :claim, :tool, :key, :next, :next_hash
)
ON CONFLICT (tenant, machine, handle) DO UPDATE SET
    user = excluded.user,
    session = excluded.session,
    hash = excluded.hash,
    snapshot = excluded.snapshot,
    created_at = excluded.created_at,
    expires_at = excluded.expires_at,
    version = handgriff_workflow.version + 1,
    claim = excluded.claim,
    tool = excluded.tool,
    key = excluded.key,
    next = excluded.next,
    next_hash = excluded.next_hash
WHERE handgriff_workflow.session = :own;

-- name: workflow
SELECT tenant, machine, handle, user, session, hash, snapshot, created_at, expires_at, version, claim, tool, key, next, next_hash
FROM handgriff_workflow
WHERE tenant = :tenant AND machine = :machine AND handle = :handle;

-- name: workflows
SELECT tenant, machine, handle, user, session, hash, snapshot, created_at, expires_at, version, claim, tool, key, next, next_hash
FROM handgriff_workflow
WHERE tenant = :tenant AND :filters
ORDER BY machine, handle;
