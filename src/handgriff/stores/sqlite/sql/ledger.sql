-- Ledger rows and kept prefixes.

-- name: open_request
INSERT INTO handgriff_request (
    tenant, user, session, turn, id, attempt, assistant, lane, provider, model, opened_at, reserved_tokens, status, served_model, closed_at,
    aborted_by, input_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
    server_tool_uses, estimated, price_version, cost_pico, first_token_us, duration_us, miss_reason
)
VALUES (
    :tenant, :user, :session, :turn, :id, :attempt, :assistant, :lane, :provider, :model, :opened_at, :reserved_tokens, :status,
    :served_model, :closed_at, :aborted_by, :input_tokens, :cache_read_tokens, :cache_write_5m_tokens, :cache_write_1h_tokens,
    :output_tokens, :reasoning_tokens, :server_tool_uses, :estimated, :price_version, :cost_pico, :first_token_us, :duration_us, :miss_reason
)
ON CONFLICT DO NOTHING;

-- name: close_request
UPDATE handgriff_request
SET
    user = :user,
    session = :session,
    turn = :turn,
    attempt = :attempt,
    assistant = :assistant,
    lane = :lane,
    provider = :provider,
    model = :model,
    opened_at = :opened_at,
    reserved_tokens = :reserved_tokens,
    status = :status,
    served_model = :served_model,
    closed_at = :closed_at,
    aborted_by = :aborted_by,
    input_tokens = :input_tokens,
    cache_read_tokens = :cache_read_tokens,
    cache_write_5m_tokens = :cache_write_5m_tokens,
    cache_write_1h_tokens = :cache_write_1h_tokens,
    output_tokens = :output_tokens,
    reasoning_tokens = :reasoning_tokens,
    server_tool_uses = :server_tool_uses,
    estimated = :estimated,
    price_version = :price_version,
    cost_pico = :cost_pico,
    first_token_us = :first_token_us,
    duration_us = :duration_us,
    miss_reason = :miss_reason
WHERE tenant = :tenant AND id = :id AND status = 'open';

-- name: requests
SELECT
    tenant, user, session, turn, id, attempt, assistant, lane, provider, model, opened_at, reserved_tokens, status, served_model, closed_at,
    aborted_by, input_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
    server_tool_uses, estimated, price_version, cost_pico, first_token_us, duration_us, miss_reason
FROM handgriff_request
WHERE tenant = :tenant AND :filters
ORDER BY opened_at, rowid;

-- What was erased keeps its ledger rows under another name.
-- name: pseudonymise
UPDATE OR REPLACE handgriff_request SET tenant = :owner, user = :pseudonym WHERE tenant = :tenant AND :filters;

-- name: keep_prefix
INSERT INTO handgriff_prefix (tenant, hash, text) VALUES (:tenant, :hash, :text) ON CONFLICT DO NOTHING;

-- name: prefix
SELECT text FROM handgriff_prefix WHERE tenant = :tenant AND hash = :hash;
