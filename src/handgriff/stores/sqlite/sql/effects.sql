-- Effect records, proposals, queued hooks.

-- name: claim_effect
INSERT INTO handgriff_effect (
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by, arguments, "transaction", fires, owes, outlives
)
VALUES (
    :tenant, :tool, :key, :digest, :claim, :session, :user, :turn, :call, :state, :lease_until, :claimed_at, :settled_at, :steps, :result,
    :proposal, :resolved_by, :arguments, :transaction, :fires, :owes, :outlives
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
    resolved_by = excluded.resolved_by,
    arguments = excluded.arguments,
    "transaction" = excluded."transaction",
    fires = excluded.fires,
    owes = excluded.owes,
    outlives = excluded.outlives
WHERE state = 'failed' AND digest = excluded.digest AND user = excluded.user;

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
    AND (state = 'running' OR (state = 'indeterminate' AND resolved_by IS NULL AND NOT :only_running));

-- name: follow_effect
UPDATE handgriff_effect SET owes = 0 WHERE tenant = :tenant AND tool = :tool AND key = :key AND claim = :claim AND owes = 1;

-- What the index holds is said in its own words, else it would not be used; of that only what runs counts.
-- name: running_in_session
SELECT key
FROM handgriff_effect INDEXED BY handgriff_effect_unsettled
WHERE tenant = :tenant AND session = :session AND state IN ('running', 'indeterminate') AND state = 'running' AND lease_until > :now
    AND (:user IS NULL OR user = :user)
LIMIT 1;

-- name: running_of_user
SELECT key
FROM handgriff_effect INDEXED BY handgriff_effect_unsettled
WHERE tenant = :tenant AND state IN ('running', 'indeterminate') AND state = 'running' AND lease_until > :now
    AND (:user IS NULL OR user = :user)
LIMIT 1;

-- name: holding_in_session
SELECT key
FROM handgriff_effect INDEXED BY handgriff_effect_unsettled
WHERE tenant = :tenant AND session = :session AND state IN ('running', 'indeterminate') AND outlives = 1 AND user = :user
LIMIT 1;

-- name: holding_of_user
SELECT key
FROM handgriff_effect INDEXED BY handgriff_effect_unsettled
WHERE tenant = :tenant AND state IN ('running', 'indeterminate') AND outlives = 1 AND user = :user
LIMIT 1;

-- name: owing_in_session
SELECT key
FROM handgriff_effect INDEXED BY handgriff_effect_owing
WHERE tenant = :tenant AND session = :session AND state = 'done' AND owes = 1 AND (:user IS NULL OR user = :user)
LIMIT 1;

-- name: owing_of_user
SELECT key
FROM handgriff_effect INDEXED BY handgriff_effect_owing
WHERE tenant = :tenant AND state = 'done' AND owes = 1 AND (:user IS NULL OR user = :user)
LIMIT 1;

-- name: sweep_effects
DELETE FROM handgriff_effect
WHERE rowid IN (
    SELECT rowid
    FROM handgriff_effect AS e
    WHERE tenant = :tenant AND state IN ('done', 'failed') AND claimed_at < :before AND NOT (state = 'done' AND owes = 1)
        AND NOT EXISTS (SELECT 1 FROM handgriff_session AS s WHERE s.tenant = e.tenant AND s.id = e.session)
    ORDER BY claimed_at, rowid
    LIMIT :limit
);

-- name: hold_proposal
INSERT INTO handgriff_proposal (
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed, confirm, code, codes_sent, code_sent_at, code_tries
)
VALUES (
    :tenant, :user, :session, :turn, :id, :call, :tool, :arguments, :digest, :contract, :summary, :diff, :before, :fingerprint, :created_at,
    :expires_at, :state, :decided_by, :decided_at, :count, :sample, :grant, :wire_id, :typed, :confirm, :code, :codes_sent,
    :code_sent_at, :code_tries
)
ON CONFLICT DO NOTHING;

-- name: decide_proposal
UPDATE handgriff_proposal
SET state = :state, decided_by = :by, decided_at = :at
WHERE tenant = :tenant AND id = :proposal AND state = :expected;

-- name: owner_of_code
SELECT user FROM handgriff_proposal WHERE tenant = :tenant AND id = :proposal AND state = 'pending' AND codes_sent = :sent;

-- name: forget_codes
DELETE FROM handgriff_code WHERE tenant = :tenant AND user = :user AND at < :since;

-- name: codes_of_user
SELECT COUNT(*) FROM handgriff_code WHERE tenant = :tenant AND user = :user;

-- name: code_of_user
INSERT INTO handgriff_code (tenant, user, at, n)
SELECT :tenant, :user, :at, COALESCE(MAX(n), 0) + 1
FROM handgriff_code
WHERE tenant = :tenant AND user = :user;

-- name: keep_code
UPDATE handgriff_proposal
SET code = :code, codes_sent = codes_sent + 1, code_sent_at = :at
WHERE tenant = :tenant AND id = :proposal;

-- name: count_try
UPDATE handgriff_proposal
SET code_tries = code_tries + 1
WHERE tenant = :tenant AND id = :proposal AND state = 'pending' AND code_tries = :tries;

-- name: queue_hook
INSERT INTO handgriff_hook (tenant, id, session, user, call, tool, payload, at)
VALUES (:tenant, :id, :session, :user, :call, :tool, :payload, :at)
ON CONFLICT DO NOTHING;

-- name: deliver_hook
DELETE FROM handgriff_hook WHERE tenant = :tenant AND id = :id;

-- name: effect
SELECT
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by, arguments, "transaction", fires, owes, outlives
FROM handgriff_effect
WHERE tenant = :tenant AND tool = :tool AND key = :key;

-- name: effects
SELECT
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by, arguments, "transaction", fires, owes, outlives
FROM handgriff_effect
WHERE tenant = :tenant AND :filters
ORDER BY claimed_at, rowid;

-- name: unsettled
SELECT
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by, arguments, "transaction", fires, owes, outlives
FROM handgriff_effect
WHERE tenant = :tenant AND state IN ('running', 'indeterminate') AND :filters
ORDER BY claimed_at, rowid;

-- name: owing
SELECT
    tenant, tool, key, digest, claim, session, user, turn, call, state, lease_until, claimed_at, settled_at, steps, result, proposal,
    resolved_by, arguments, "transaction", fires, owes, outlives
FROM handgriff_effect INDEXED BY handgriff_effect_owing
WHERE tenant = :tenant AND state = 'done' AND owes = 1 AND :filters
ORDER BY claimed_at, rowid;

-- name: proposal
SELECT
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed, confirm, code, codes_sent, code_sent_at, code_tries
FROM handgriff_proposal
WHERE tenant = :tenant AND id = :proposal;

-- name: proposals
SELECT
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed, confirm, code, codes_sent, code_sent_at, code_tries
FROM handgriff_proposal
WHERE tenant = :tenant AND :filters
ORDER BY created_at, rowid;

-- What was never decided stays pending and expires; of those the index knows fewest.
-- name: for_second_person
SELECT
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed, confirm, code, codes_sent, code_sent_at, code_tries
FROM handgriff_proposal INDEXED BY handgriff_proposal_for_second_person
WHERE tenant = :tenant AND state = 'pending' AND confirm = 'second_person' AND expires_at > :now
ORDER BY created_at, rowid;

-- name: waiting
SELECT
    tenant, user, session, turn, id, call, tool, arguments, digest, contract, summary, diff, before, fingerprint, created_at, expires_at,
    state, decided_by, decided_at, count, sample, "grant", wire_id, typed, confirm, code, codes_sent, code_sent_at, code_tries
FROM handgriff_proposal INDEXED BY handgriff_proposal_waiting
WHERE tenant = :tenant AND user = :user AND state = 'pending' AND expires_at > :now AND (:session IS NULL OR session = :session)
ORDER BY created_at, rowid;

-- name: hooks
SELECT tenant, id, session, user, call, tool, payload, at FROM handgriff_hook WHERE tenant = :tenant ORDER BY rowid;
