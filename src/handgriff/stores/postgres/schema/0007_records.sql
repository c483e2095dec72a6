-- Effect records, proposals, hooks, ledger rows and prefixes, written. A record comes as JSON with its columns as members.

-- record claim: tenant, the effect. One that failed with the same digest is claimed anew and keeps its steps.
CREATE FUNCTION handgriff.claim_effect(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.effect := jsonb_populate_record(NULL::handgriff.effect, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    INSERT INTO handgriff.effect AS e SELECT (v_new).*
    ON CONFLICT (tenant, tool, key) DO UPDATE SET
        claim = excluded.claim,
        session = excluded.session,
        "user" = excluded."user",
        turn = excluded.turn,
        call = excluded.call,
        state = excluded.state,
        lease_until = excluded.lease_until,
        claimed_at = excluded.claimed_at,
        settled_at = excluded.settled_at,
        result = excluded.result,
        proposal = excluded.proposal,
        resolved_by = excluded.resolved_by
    WHERE e.state = 'failed' AND e.digest = excluded.digest;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('effect', v_new.key);
    END IF;
END
$$;

-- record step: tenant, tool, key, claim, the step as an item of a JSON list.
CREATE FUNCTION handgriff.step_effect(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handgriff.effect
    SET steps = CASE WHEN steps = '[]' THEN '[' ELSE left(steps, -1) || ',' END || p[i + 5] || ']'
    WHERE tenant = p[i + 1] AND tool = p[i + 2] AND key = p[i + 3] AND claim = p[i + 4] AND state = 'running';
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('effect', p[i + 3]);
    END IF;
END
$$;

-- record settle: tenant, tool, key, claim, state, moment, result, who resolved it.
CREATE FUNCTION handgriff.settle_effect(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handgriff.effect
    SET state = p[i + 5], settled_at = p[i + 6]::timestamptz, result = p[i + 7], resolved_by = p[i + 8]
    WHERE tenant = p[i + 1] AND tool = p[i + 2] AND key = p[i + 3] AND claim = p[i + 4]
        AND (state = 'running' OR (state = 'indeterminate' AND resolved_by IS NULL));
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('effect', p[i + 3]);
    END IF;
END
$$;

-- record hold: tenant, the proposal.
CREATE FUNCTION handgriff.hold_proposal(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.proposal := jsonb_populate_record(NULL::handgriff.proposal, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    INSERT INTO handgriff.proposal SELECT (v_new).* ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('proposal', v_new.id);
    END IF;
END
$$;

-- record decide: tenant, proposal, the state that is expected, the new one, the moment, by whom.
CREATE FUNCTION handgriff.decide_proposal(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handgriff.proposal
    SET state = p[i + 4], decided_at = p[i + 5]::timestamptz, decided_by = p[i + 6]
    WHERE tenant = p[i + 1] AND id = p[i + 2] AND state = p[i + 3];
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('proposal', p[i + 2]);
    END IF;
END
$$;

-- record queue: tenant, the hook.
CREATE FUNCTION handgriff.queue_hook(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.hook := jsonb_populate_record(NULL::handgriff.hook, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    INSERT INTO handgriff.hook SELECT (v_new).* ON CONFLICT DO NOTHING;
END
$$;

-- ledger open: tenant, the row.
CREATE FUNCTION handgriff.open_request(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.request := jsonb_populate_record(NULL::handgriff.request, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    INSERT INTO handgriff.request SELECT (v_new).* ON CONFLICT DO NOTHING;
END
$$;

-- ledger close: tenant, the row. It takes the place of the open one.
CREATE FUNCTION handgriff.close_request(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.request := jsonb_populate_record(NULL::handgriff.request, p[i + 2]::jsonb);
BEGIN
    UPDATE handgriff.request SET
        "user" = v_new."user",
        session = v_new.session,
        turn = v_new.turn,
        attempt = v_new.attempt,
        assistant = v_new.assistant,
        lane = v_new.lane,
        provider = v_new.provider,
        model = v_new.model,
        opened_at = v_new.opened_at,
        reserved_tokens = v_new.reserved_tokens,
        status = v_new.status,
        served_model = v_new.served_model,
        closed_at = v_new.closed_at,
        aborted_by = v_new.aborted_by,
        input_tokens = v_new.input_tokens,
        cache_read_tokens = v_new.cache_read_tokens,
        cache_write_5m_tokens = v_new.cache_write_5m_tokens,
        cache_write_1h_tokens = v_new.cache_write_1h_tokens,
        output_tokens = v_new.output_tokens,
        reasoning_tokens = v_new.reasoning_tokens,
        server_tool_uses = v_new.server_tool_uses,
        estimated = v_new.estimated,
        price_version = v_new.price_version,
        cost_pico = v_new.cost_pico,
        first_token_us = v_new.first_token_us,
        duration_us = v_new.duration_us,
        miss_reason = v_new.miss_reason
    WHERE tenant = v_new.tenant AND id = v_new.id AND status = 'open';
END
$$;
