-- What an effect record keeps for its `reconcile`, who must confirm a proposal and with which code, and batches within a transaction that is
-- the application's too.
--
-- Servers of the version before may go on for a while. They write no members for the new columns, so those must be given their defaults here.

ALTER TABLE handgriff.effect
    ADD COLUMN arguments text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN transaction boolean NOT NULL DEFAULT FALSE;

ALTER TABLE handgriff.proposal
    ADD COLUMN confirm text COLLATE "C" NOT NULL DEFAULT 'person',
    ADD COLUMN code text COLLATE "C",
    ADD COLUMN codes_sent bigint NOT NULL DEFAULT 0,
    ADD COLUMN code_sent_at timestamptz,
    ADD COLUMN code_tries bigint NOT NULL DEFAULT 0;

-- Each holds only the few rows that wait for somebody.
CREATE INDEX effect_unsettled ON handgriff.effect (tenant, session, claimed_at) WHERE state IN ('running', 'indeterminate');
CREATE INDEX effect_by_lease ON handgriff.effect (lease_until, tenant, session) WHERE state = 'running';
CREATE INDEX proposal_waiting ON handgriff.proposal (tenant, "user", expires_at) WHERE state = 'pending';
CREATE INDEX proposal_for_second_person ON handgriff.proposal (tenant, created_at) WHERE state = 'pending' AND confirm = 'second_person';

-- When codes were sent to a user. It outlives their proposals and sessions, so that deleting those buys nobody new ones.
CREATE TABLE handgriff.code (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    arrival bigint NOT NULL DEFAULT nextval('handgriff.arrival'),
    PRIMARY KEY (tenant, "user", at, arrival)
);

ALTER TABLE handgriff.code ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON handgriff.code USING (tenant = nullif(current_setting('handgriff.tenant', TRUE), ''));
CREATE POLICY every_tenant ON handgriff.effect FOR SELECT USING (current_setting('handgriff.every_tenant', TRUE) = 'on');
CREATE POLICY every_tenant ON handgriff.hook FOR SELECT USING (current_setting('handgriff.every_tenant', TRUE) = 'on');

-- record claim: tenant, the effect. One that failed with the same digest and user is claimed anew and keeps its steps. Its session's row is
-- held, so that nobody who looks whether something runs there, and then removes it, misses what is claimed at the same moment.
CREATE OR REPLACE FUNCTION handgriff.claim_effect(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.effect := jsonb_populate_record(NULL::handgriff.effect, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    v_new.arguments := coalesce(v_new.arguments, '');
    v_new.transaction := coalesce(v_new.transaction, FALSE);
    PERFORM FROM handgriff.session WHERE tenant = v_new.tenant AND id = v_new.session FOR KEY SHARE;
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
        resolved_by = excluded.resolved_by,
        arguments = excluded.arguments,
        transaction = excluded.transaction
    WHERE e.state = 'failed' AND e.digest = excluded.digest AND e."user" = excluded."user";
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('effect', v_new.key);
    END IF;
END
$$;

-- record guard: tenant, now, session or NULL, user or NULL. Sessions are locked in the order in which they are erased.
CREATE FUNCTION handgriff.check_nothing_runs(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_tenant CONSTANT text := p[i + 1];
    v_session CONSTANT text := p[i + 3];
    v_user CONSTANT text := p[i + 4];
    v_key text;
BEGIN
    IF v_session IS NOT NULL THEN
        PERFORM FROM handgriff.session WHERE tenant = v_tenant AND id = v_session FOR UPDATE;
        SELECT key INTO v_key FROM handgriff.effect
        WHERE tenant = v_tenant AND session = v_session AND state = 'running' AND lease_until > p[i + 2]::timestamptz
            AND (v_user IS NULL OR "user" = v_user)
        LIMIT 1;
    ELSE
        PERFORM FROM handgriff.session WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user) ORDER BY id FOR UPDATE;
        SELECT key INTO v_key FROM handgriff.effect
        WHERE tenant = v_tenant AND state = 'running' AND lease_until > p[i + 2]::timestamptz AND (v_user IS NULL OR "user" = v_user)
        LIMIT 1;
    END IF;
    IF v_key IS NOT NULL THEN
        PERFORM handgriff.refuse('effect', v_key);
    END IF;
END
$$;

-- Settled effects of sessions that do not exist, claimed before a moment, removed; oldest claim first.
CREATE FUNCTION handgriff.sweep_effects(p_tenant text, p_before timestamptz, p_limit bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_swept bigint;
BEGIN
    -- Chosen once and kept: within a join they would be chosen anew for every row, and each time others.
    WITH doomed AS MATERIALIZED (
        SELECT e.tool, e.key
        FROM handgriff.effect AS e
        WHERE e.tenant = p_tenant AND e.state IN ('done', 'failed') AND e.claimed_at < p_before
            AND NOT EXISTS (SELECT FROM handgriff.session AS s WHERE s.tenant = p_tenant AND s.id = e.session)
        ORDER BY e.claimed_at, e.arrival
        LIMIT p_limit
        FOR UPDATE OF e SKIP LOCKED
    )
    DELETE FROM handgriff.effect AS e
    USING doomed AS d
    WHERE e.tenant = p_tenant AND e.tool = d.tool AND e.key = d.key;
    GET DIAGNOSTICS v_swept = ROW_COUNT;
    RETURN v_swept;
END
$$;

-- Everything of some sessions removed. With `p_keep_since`, effects that were claimed since then or whose outcome nobody knows stay, and so
-- do queued hooks.
CREATE OR REPLACE FUNCTION handgriff.delete_sessions(p_tenant text, p_sessions text[], p_keep_since timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM handgriff.session WHERE tenant = p_tenant AND id = ANY (p_sessions);
    DELETE FROM handgriff.event WHERE tenant = p_tenant AND session = ANY (p_sessions);
    DELETE FROM handgriff.seen WHERE tenant = p_tenant AND session = ANY (p_sessions);
    DELETE FROM handgriff.typed WHERE tenant = p_tenant AND session = ANY (p_sessions);
    DELETE FROM handgriff.place WHERE tenant = p_tenant AND scope IN ('session', 'scratch') AND owner = ANY (p_sessions);
    DELETE FROM handgriff.state WHERE tenant = p_tenant AND scope IN ('session', 'scratch') AND owner = ANY (p_sessions);
    DELETE FROM handgriff.proposal WHERE tenant = p_tenant AND session = ANY (p_sessions);
    DELETE FROM handgriff.effect
    WHERE tenant = p_tenant AND session = ANY (p_sessions)
        AND (p_keep_since IS NULL OR (claimed_at < p_keep_since AND state IN ('done', 'failed')));
    DELETE FROM handgriff.hook WHERE tenant = p_tenant AND session = ANY (p_sessions) AND p_keep_since IS NULL;
END
$$;

-- session forget: tenant, user or NULL, pseudonym, both names as JSON. It is what `session erase` was, and what others keep of a user gets
-- the pseudonym too. A body ends with the member that names who decided; no text within it can look so, because there quotes are escaped.
CREATE FUNCTION handgriff.forget(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_tenant CONSTANT text := p[i + 1];
    v_user CONSTANT text := p[i + 2];
    v_named CONSTANT text := ',"by":' || p[i + 4] || '}';
BEGIN
    PERFORM handgriff.erase(p, i);
    DELETE FROM handgriff.code WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user);
    IF v_user IS NULL THEN
        RETURN;
    END IF;
    UPDATE handgriff.proposal SET decided_by = p[i + 3] WHERE tenant = v_tenant AND decided_by = v_user;
    UPDATE handgriff.effect SET resolved_by = p[i + 3] WHERE tenant = v_tenant AND resolved_by = v_user;
    UPDATE handgriff.event
    SET body = left(body, -length(v_named)) || ',"by":' || p[i + 5] || '}'
    WHERE tenant = v_tenant AND kind IN ('decision', 'operator_change') AND right(body, length(v_named)) = v_named;
END
$$;

-- record hold: tenant, the proposal.
CREATE OR REPLACE FUNCTION handgriff.hold_proposal(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.proposal := jsonb_populate_record(NULL::handgriff.proposal, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    v_new.confirm := coalesce(v_new.confirm, 'person');
    v_new.codes_sent := coalesce(v_new.codes_sent, 0);
    v_new.code_tries := coalesce(v_new.code_tries, 0);
    INSERT INTO handgriff.proposal SELECT (v_new).* ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('proposal', v_new.id);
    END IF;
END
$$;

-- record code: tenant, proposal, how many were sent for it so far, the hash, the moment, since when sent ones count, how many there may be.
-- The codes of a user stand in several rows, of which none is everybody's; so what is locked is the user, by a number made of both names.
CREATE FUNCTION handgriff.keep_code(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_user text;
BEGIN
    SELECT "user" INTO v_user FROM handgriff.proposal WHERE tenant = p[i + 1] AND id = p[i + 2];
    PERFORM pg_advisory_xact_lock(hashtextextended(v_user, hashtextextended(p[i + 1], x'68616E6467726966'::bigint)));
    PERFORM FROM handgriff.proposal
    WHERE tenant = p[i + 1] AND id = p[i + 2] AND state = 'pending' AND codes_sent = p[i + 3]::bigint
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('proposal', p[i + 2]);
    END IF;
    DELETE FROM handgriff.code WHERE tenant = p[i + 1] AND "user" = v_user AND at < p[i + 6]::timestamptz;
    IF p[i + 7]::bigint <= (SELECT count(*) FROM handgriff.code WHERE tenant = p[i + 1] AND "user" = v_user) THEN
        PERFORM handgriff.refuse('limit', p[i + 2]);
    END IF;
    INSERT INTO handgriff.code (tenant, "user", at) VALUES (p[i + 1], v_user, p[i + 5]::timestamptz);
    UPDATE handgriff.proposal
    SET code = p[i + 4], codes_sent = codes_sent + 1, code_sent_at = p[i + 5]::timestamptz
    WHERE tenant = p[i + 1] AND id = p[i + 2];
END
$$;

-- record try: tenant, proposal, how many were counted so far.
CREATE FUNCTION handgriff.count_try(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handgriff.proposal
    SET code_tries = code_tries + 1
    WHERE tenant = p[i + 1] AND id = p[i + 2] AND state = 'pending' AND code_tries = p[i + 3]::bigint;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('proposal', p[i + 2]);
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION handgriff.apply_record(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE p[i]
        WHEN 'record settle' THEN PERFORM handgriff.settle_effect(p, i);
        WHEN 'record claim' THEN PERFORM handgriff.claim_effect(p, i);
        WHEN 'record step' THEN PERFORM handgriff.step_effect(p, i);
        WHEN 'record queue' THEN PERFORM handgriff.queue_hook(p, i);
        WHEN 'record deliver' THEN  -- tenant, id of a hook
            DELETE FROM handgriff.hook WHERE tenant = p[i + 1] AND id = p[i + 2];
        WHEN 'record hold' THEN PERFORM handgriff.hold_proposal(p, i);
        WHEN 'record decide' THEN PERFORM handgriff.decide_proposal(p, i);
        WHEN 'record code' THEN PERFORM handgriff.keep_code(p, i);
        WHEN 'record try' THEN PERFORM handgriff.count_try(p, i);
        WHEN 'record guard' THEN PERFORM handgriff.check_nothing_runs(p, i);
    END CASE;
END
$$;

CREATE OR REPLACE FUNCTION handgriff.apply_session(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE p[i]
        WHEN 'session create' THEN PERFORM handgriff.create_session(jsonb_populate_record(NULL::handgriff.session, p[i + 2]::jsonb));
        WHEN 'session pin' THEN  -- tenant, session, what is pinned, title
            UPDATE handgriff.session
            SET pinned = p[i + 3], title = coalesce(p[i + 4], title)
            WHERE tenant = p[i + 1] AND id = p[i + 2] AND (pinned IS NULL OR pinned = p[i + 3]);
            IF NOT FOUND THEN
                PERFORM handgriff.refuse('session', p[i + 2]);
            END IF;
        WHEN 'session scratch' THEN  -- tenant, session, namespace, now, until
            UPDATE handgriff.place
            SET expires_at = greatest(expires_at, p[i + 5]::timestamptz)
            WHERE tenant = p[i + 1] AND scope = 'scratch' AND owner = p[i + 2] AND namespace = p[i + 3]
                AND expires_at > p[i + 4]::timestamptz;
        WHEN 'session delete' THEN PERFORM handgriff.delete_session(p, i);
        WHEN 'session fork' THEN PERFORM handgriff.fork_session(p, i);
        WHEN 'session rewind' THEN PERFORM handgriff.rewind_session(p, i);
        WHEN 'session erase' THEN PERFORM handgriff.erase(p, i);
        WHEN 'session forget' THEN PERFORM handgriff.forget(p, i);
    END CASE;
END
$$;

-- What removes so many of what is old: a moment and a number follow the tenant.
CREATE FUNCTION handgriff.apply_sweep(p text[], i integer) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE p[i]
        WHEN 'sweep' THEN handgriff.sweep_records(p[i + 1], p[i + 2]::timestamptz, p[i + 3]::bigint)
        WHEN 'sweep effects' THEN handgriff.sweep_effects(p[i + 1], p[i + 2]::timestamptz, p[i + 3]::bigint)
    END;
END
$$;

CREATE OR REPLACE FUNCTION handgriff.commit(
    p_words text[], p_starts integer[], p_locks text[], p_durable boolean, p_again boolean, OUT seqs bigint[], OUT swept bigint
)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    i integer;
    v_tenant text;
    v_set text := CASE WHEN p_durable THEN handgriff.keep() ELSE set_config('synchronous_commit', 'off', TRUE) END;
BEGIN
    seqs := '{}';
    swept := 0;
    IF p_locks <> '{}' THEN
        PERFORM handgriff.lock(p_locks);
    END IF;
    FOREACH i IN ARRAY p_starts LOOP
        IF p_words[i + 1] IS DISTINCT FROM v_tenant THEN
            v_tenant := set_config('handgriff.tenant', p_words[i + 1], TRUE);
        END IF;
        -- Every comparison costs, so a kind begins with its group.
        CASE split_part(p_words[i], ' ', 1)
            WHEN 'append' THEN seqs := seqs || handgriff.apply_append(p_words, i, p_again);
            WHEN 'lease' THEN PERFORM handgriff.apply_lease(p_words, i);
            WHEN 'ledger' THEN PERFORM handgriff.apply_ledger(p_words, i);
            WHEN 'record' THEN PERFORM handgriff.apply_record(p_words, i);
            WHEN 'seen' THEN PERFORM handgriff.apply_seen(p_words, i);
            WHEN 'session' THEN PERFORM handgriff.apply_session(p_words, i);
            WHEN 'sweep' THEN swept := swept + handgriff.apply_sweep(p_words, i);
        END CASE;
    END LOOP;
END
$$;

-- A durable batch in a transaction that somebody else has begun, and marked by setting `handgriff.begun` until its end: where it has ended
-- since, the mark is gone. A guard that does not hold comes as an answer, and then the transaction is as it was before, and so are its
-- settings: nobody finds a tenant in them. An event that is stored already makes the batch go the long way.
CREATE FUNCTION handgriff.commit_within(
    p_words text[], p_starts integer[], p_locks text[], OUT seqs bigint[], OUT swept bigint, OUT guard text, OUT subject text
)
LANGUAGE plpgsql AS $$
DECLARE
    v_again boolean := FALSE;
BEGIN
    IF current_setting('handgriff.begun', TRUE) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION USING ERRCODE = 'HG002', MESSAGE = 'the transaction has ended';
    END IF;
    LOOP
        BEGIN
            SELECT c.seqs, c.swept INTO seqs, swept FROM handgriff.commit(p_words, p_starts, p_locks, TRUE, v_again) AS c;
            RETURN;
        EXCEPTION
            WHEN SQLSTATE 'HG001' THEN
                GET STACKED DIAGNOSTICS guard = CONSTRAINT_NAME, subject = PG_EXCEPTION_DETAIL;
                RETURN;
            WHEN unique_violation THEN
                IF v_again THEN
                    RAISE;
                END IF;
                v_again := TRUE;
        END;
    END LOOP;
END
$$;

-- Records that are running or indeterminate, of one session or all.
CREATE FUNCTION handgriff.read_unsettled(p_tenant text, p_session text) RETURNS SETOF handgriff.effect
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_session IS NOT NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.effect
        WHERE tenant = p_tenant AND session = p_session AND state IN ('running', 'indeterminate')
        ORDER BY claimed_at, arrival;
    ELSE
        RETURN QUERY
        SELECT * FROM handgriff.effect WHERE tenant = p_tenant AND state IN ('running', 'indeterminate') ORDER BY claimed_at, arrival;
    END IF;
END
$$;

CREATE FUNCTION handgriff.read_for_second_person(p_tenant text, p_now timestamptz) RETURNS SETOF handgriff.proposal
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT * FROM handgriff.proposal
    WHERE tenant = p_tenant AND state = 'pending' AND confirm = 'second_person' AND expires_at > p_now
    ORDER BY created_at, arrival;
END
$$;

-- Asked over all tenants, as `read_interrupted` is. A session with several such effects is named once.
CREATE FUNCTION handgriff.read_abandoned(p_now timestamptz, p_limit bigint) RETURNS TABLE (tenant text, session text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM set_config('handgriff.every_tenant', 'on', TRUE);
    RETURN QUERY
    SELECT e.tenant, e.session FROM handgriff.effect AS e
    WHERE e.state = 'running' AND e.lease_until <= p_now
    GROUP BY e.tenant, e.session
    ORDER BY min(e.lease_until), e.tenant, e.session
    LIMIT p_limit;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;

CREATE FUNCTION handgriff.read_waiting(p_tenant text, p_user text, p_session text, p_now timestamptz) RETURNS SETOF handgriff.proposal
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT * FROM handgriff.proposal
    WHERE tenant = p_tenant AND "user" = p_user AND state = 'pending' AND expires_at > p_now AND (p_session IS NULL OR session = p_session)
    ORDER BY created_at, arrival;
END
$$;

-- Behind a place in the index of what is unsettled.
CREATE FUNCTION handgriff.read_uncertain(p_tools text[], p_tenant text, p_session text, p_limit bigint)
RETURNS TABLE (tenant text, session text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM set_config('handgriff.every_tenant', 'on', TRUE);
    RETURN QUERY
    SELECT DISTINCT e.tenant, e.session FROM handgriff.effect AS e
    WHERE e.state IN ('running', 'indeterminate') AND e.state = 'indeterminate' AND e.tool = ANY (p_tools)
        AND (e.tenant, e.session) > (p_tenant, p_session)
    ORDER BY e.tenant, e.session
    LIMIT p_limit;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;

-- From tenant to tenant by the index, as `read_tenants` goes.
CREATE FUNCTION handgriff.read_queueing(p_after text, p_limit bigint) RETURNS SETOF text
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    v_tenant text := p_after;
BEGIN
    PERFORM set_config('handgriff.every_tenant', 'on', TRUE);
    FOR n IN 1..p_limit LOOP
        v_tenant := (SELECT h.tenant FROM handgriff.hook AS h WHERE h.tenant > v_tenant ORDER BY h.tenant LIMIT 1);
        EXIT WHEN v_tenant IS NULL;
        RETURN NEXT v_tenant;
    END LOOP;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;

-- A tenant of whom only effects are left is one still: they must be swept.
CREATE OR REPLACE FUNCTION handgriff.read_tenants() RETURNS SETOF text
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    v_tenant text := '';
BEGIN
    PERFORM set_config('handgriff.every_tenant', 'on', TRUE);
    LOOP
        v_tenant := least(
            (SELECT s.tenant FROM handgriff.session AS s WHERE s.tenant > v_tenant ORDER BY s.tenant LIMIT 1),
            (SELECT e.tenant FROM handgriff.effect AS e WHERE e.tenant > v_tenant ORDER BY e.tenant LIMIT 1),
            (SELECT r.tenant FROM handgriff.request AS r WHERE r.tenant > v_tenant ORDER BY r.tenant LIMIT 1),
            (SELECT p.tenant FROM handgriff.place AS p WHERE p.tenant > v_tenant AND p.is_written ORDER BY p.tenant LIMIT 1)
        );
        EXIT WHEN v_tenant IS NULL;
        RETURN NEXT v_tenant;
    END LOOP;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;
