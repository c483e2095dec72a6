-- Effect records, proposals, queued hooks.

-- name: claim_effect
INSERT INTO handgriff_effect (
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by
)
VALUES (
    :tenant, :tool, :key, :digest, :claim, :session, :user, :turn, :call, :state, :lease_until, :claimed_at, :settled_at, :steps, :result,
    :proposal, :resolved_by
)
ON CONFLICT (tenant, tool, key) DO UPDATE SET
    claim = excluded.claim,
    session = excluded.session,
    user = excluded.user,
    turn = excluded.turn,
    call = excluded.call,
    state = excluded.state,
    lease_until = excluded.lease_until,
    claimed_at = excluded.claimed_at,
    settled_at = excluded.settled_at,
    result = excluded.result,
    proposal = excluded.proposal,
    resolved_by = excluded.resolved_by
WHERE state = 'failed' AND digest = excluded.digest;

-- name: running_steps
SELECT steps
FROM handgriff_effect
WHERE tenant = :tenant AND tool = :tool AND key = :key AND claim = :claim AND state = 'running';

-- name: keep_steps
UPDATE handgriff_effect SET steps = :steps WHERE tenant = :tenant AND tool = :tool AND key = :key;

-- name: settle_effect
UPDATE handgriff_effect
SET state = :state, settled_at = :at, result = :result, resolved_by = :resolved_by
WHERE tenant = :tenant AND tool = :tool AND key = :key AND claim = :claim
    AND (state = 'running' OR (state = 'indeterminate' AND resolved_by IS NULL));

-- name: hold_proposal
INSERT INTO handgriff_proposal (
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed
)
VALUES (
    :tenant, :user, :session, :turn, :id, :call, :tool, :arguments, :digest, :contract, :summary, :diff, :before, :fingerprint, :created_at,
    :expires_at, :state, :decided_by, :decided_at, :count, :sample, :grant, :wire_id, :typed
)
ON CONFLICT DO NOTHING;

-- name: decide_proposal
UPDATE handgriff_proposal
SET state = :state, decided_by = :by, decided_at = :at
WHERE tenant = :tenant AND id = :proposal AND state = :expected;

-- name: queue_hook
INSERT INTO handgriff_hook (tenant, id, session, user, call, tool, payload, at)
VALUES (:tenant, :id, :session, :user, :call, :tool, :payload, :at)
ON CONFLICT DO NOTHING;

-- name: deliver_hook
DELETE FROM handgriff_hook WHERE tenant = :tenant AND id = :id;

-- name: effect
SELECT
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by
FROM handgriff_effect
WHERE tenant = :tenant AND tool = :tool AND key = :key;

-- name: effects
SELECT
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by
FROM handgriff_effect
WHERE tenant = :tenant AND :filters
ORDER BY claimed_at, rowid;

-- name: proposal
SELECT
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed
FROM handgriff_proposal
WHERE tenant = :tenant AND id = :proposal;

-- name: proposals
SELECT
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed
FROM handgriff_proposal
WHERE tenant = :tenant AND :filters
ORDER BY created_at, rowid;

-- name: hooks
SELECT tenant, id, session, user, call, tool, payload, at FROM handgriff_hook WHERE tenant = :tenant ORDER BY rowid;
