-- Kept instances of machines: a call that moves one holds it from its claim to its outcome.
--
-- Servers of the version before may go on for a while. They name no transition with an effect, and they fork and rewind sessions with the
-- words they know; what is written here for more words has new kinds.

ALTER TABLE handgriff.effect ADD COLUMN fires text COLLATE "C";
-- Whether what moves is outside the store, and has not followed yet.
ALTER TABLE handgriff.effect ADD COLUMN owes boolean NOT NULL DEFAULT FALSE;
-- Whether what moves is still there once the user is erased.
ALTER TABLE handgriff.effect ADD COLUMN outlives boolean NOT NULL DEFAULT FALSE;
CREATE INDEX effect_owing ON handgriff.effect (tenant, session, claimed_at) WHERE state = 'done' AND owes;

CREATE TABLE handgriff.workflow (
    tenant text COLLATE "C" NOT NULL,
    machine text COLLATE "C" NOT NULL,
    handle text COLLATE "C" NOT NULL,
    "user" text COLLATE "C",
    session text COLLATE "C",
    hash text COLLATE "C" NOT NULL,
    snapshot text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    version bigint NOT NULL,
    claim text COLLATE "C",
    tool text COLLATE "C",
    key text COLLATE "C",
    next text COLLATE "C",
    next_hash text COLLATE "C",
    PRIMARY KEY (tenant, machine, handle)
) PARTITION BY HASH (tenant);

CREATE INDEX workflow_by_session ON handgriff.workflow (tenant, session) WHERE session IS NOT NULL;
CREATE INDEX workflow_by_deadline ON handgriff.workflow (tenant, expires_at) WHERE expires_at IS NOT NULL;

DO $$
BEGIN
    FOR v_part IN 0 .. 7 LOOP
        EXECUTE format(
            'CREATE TABLE handgriff.%I PARTITION OF handgriff.workflow FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
            'workflow_' || v_part, v_part
        );
        EXECUTE format('ALTER TABLE handgriff.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', 'workflow_' || v_part);
    END LOOP;
END
$$;

ALTER TABLE handgriff.workflow ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON handgriff.workflow USING (tenant = nullif(current_setting('handgriff.tenant', TRUE), ''));
CREATE POLICY every_tenant ON handgriff.workflow FOR SELECT USING (current_setting('handgriff.every_tenant', TRUE) = 'on');

-- An instance's row is its lock. Where there is none yet, a number made of its names is, so that it is not begun meanwhile.
CREATE FUNCTION handgriff.lock_workflow(p_tenant text, p_machine text, p_handle text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM handgriff.workflow WHERE tenant = p_tenant AND machine = p_machine AND handle = p_handle FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM pg_advisory_xact_lock(
            hashtextextended(p_handle, hashtextextended(p_machine, hashtextextended(p_tenant, x'68616E6467726966'::bigint)))
        );
        PERFORM FROM handgriff.workflow WHERE tenant = p_tenant AND machine = p_machine AND handle = p_handle FOR NO KEY UPDATE;
    END IF;
END
$$;

-- Locks first, each kind in one order: sessions, then scopes that sessions share, then instances. Each comes as its kind ('session', the
-- scope or 'workflow'), its tenant and its id, which of an instance is machine and handle.
CREATE OR REPLACE FUNCTION handgriff.lock(p_locks text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    i integer := 1;
    v_tenant text;
BEGIN
    WHILE i <= cardinality(p_locks) LOOP
        v_tenant := set_config('handgriff.tenant', p_locks[i + 1], TRUE);
        CASE p_locks[i]
            WHEN 'session' THEN
                PERFORM FROM handgriff.session WHERE tenant = v_tenant AND id = p_locks[i + 2] FOR NO KEY UPDATE;
            WHEN 'workflow' THEN
                PERFORM handgriff.lock_workflow(v_tenant, p_locks[i + 2], p_locks[i + 3]);
                i := i + 1;
            ELSE
                PERFORM handgriff.lock_place(v_tenant, p_locks[i], p_locks[i + 2]);
        END CASE;
        i := i + 3;
    END LOOP;
END
$$;

-- An instance where none of this key is.
CREATE FUNCTION handgriff.put_workflow(p_row handgriff.workflow) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handgriff.workflow SELECT (p_row).* ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('workflow', p_row.handle);
    END IF;
END
$$;

-- A new instance, of whomever.
CREATE FUNCTION handgriff.start_workflow(p_row handgriff.workflow) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_row.session IS NOT NULL THEN
        PERFORM handgriff.lock_session(p_row.tenant, p_row.session);
    END IF;
    PERFORM handgriff.put_workflow(p_row);
END
$$;

-- workflow check: tenant, machine, handle, version.
CREATE FUNCTION handgriff.check_workflow(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_version bigint;
BEGIN
    SELECT version INTO v_version FROM handgriff.workflow
    WHERE tenant = p[i + 1] AND machine = p[i + 2] AND handle = p[i + 3]
    FOR NO KEY UPDATE;
    IF coalesce(v_version, 0) <> p[i + 4]::bigint THEN
        PERFORM handgriff.refuse('workflow', p[i + 3]);
    END IF;
END
$$;

-- workflow claim: tenant, machine, handle, version, claim, tool, key, the next snapshot, its machine's hash.
CREATE FUNCTION handgriff.claim_workflow(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handgriff.workflow
    SET claim = p[i + 5], tool = p[i + 6], key = p[i + 7], next = p[i + 8], next_hash = p[i + 9]
    WHERE tenant = p[i + 1] AND machine = p[i + 2] AND handle = p[i + 3] AND version = p[i + 4]::bigint AND claim IS NULL;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('workflow', p[i + 3]);
    END IF;
END
$$;

-- workflow settle: tenant, machine, handle, claim, whether it moves, its time or NULL. One whose time never comes keeps that.
CREATE FUNCTION handgriff.settle_workflow(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_moves CONSTANT boolean := p[i + 5];
BEGIN
    UPDATE handgriff.workflow
    SET snapshot = CASE WHEN v_moves THEN coalesce(next, snapshot) ELSE snapshot END,
        hash = CASE WHEN v_moves THEN coalesce(next_hash, hash) ELSE hash END,
        expires_at = CASE WHEN p[i + 6]::timestamptz > expires_at THEN p[i + 6]::timestamptz ELSE expires_at END,
        version = version + 1, claim = NULL, tool = NULL, key = NULL, next = NULL, next_hash = NULL
    WHERE tenant = p[i + 1] AND machine = p[i + 2] AND handle = p[i + 3] AND claim = p[i + 4];
END
$$;

-- workflow drop: tenant, machine, handle, version.
CREATE FUNCTION handgriff.drop_workflow(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM handgriff.workflow
    WHERE tenant = p[i + 1] AND machine = p[i + 2] AND handle = p[i + 3] AND version = p[i + 4]::bigint AND claim IS NULL;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('workflow', p[i + 3]);
    END IF;
END
$$;

CREATE FUNCTION handgriff.apply_workflow(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE p[i]
        WHEN 'workflow claim' THEN PERFORM handgriff.claim_workflow(p, i);
        WHEN 'workflow settle' THEN PERFORM handgriff.settle_workflow(p, i);
        WHEN 'workflow check' THEN PERFORM handgriff.check_workflow(p, i);
        WHEN 'workflow drop' THEN PERFORM handgriff.drop_workflow(p, i);
        WHEN 'workflow start' THEN  -- tenant, the instance
            PERFORM handgriff.start_workflow(jsonb_populate_record(NULL::handgriff.workflow, p[i + 2]::jsonb));
    END CASE;
END
$$;

-- Instances removed that are expired at a moment and that nobody holds, longest over first.
CREATE FUNCTION handgriff.sweep_workflows(p_tenant text, p_now timestamptz, p_limit bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_swept bigint;
BEGIN
    -- Chosen once and kept, as effects are.
    WITH doomed AS MATERIALIZED (
        SELECT machine, handle
        FROM handgriff.workflow
        WHERE tenant = p_tenant AND expires_at <= p_now AND claim IS NULL
        ORDER BY expires_at, machine, handle
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM handgriff.workflow AS w
    USING doomed AS d
    WHERE w.tenant = p_tenant AND w.machine = d.machine AND w.handle = d.handle;
    GET DIAGNOSTICS v_swept = ROW_COUNT;
    RETURN v_swept;
END
$$;

-- record claim: as before, with the transition that hangs on the effect.
CREATE OR REPLACE FUNCTION handgriff.claim_effect(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_new handgriff.effect := jsonb_populate_record(NULL::handgriff.effect, p[i + 2]::jsonb);
BEGIN
    v_new.arrival := nextval('handgriff.arrival');
    v_new.arguments := coalesce(v_new.arguments, '');
    v_new.transaction := coalesce(v_new.transaction, FALSE);
    v_new.owes := coalesce(v_new.owes, FALSE);
    v_new.outlives := coalesce(v_new.outlives, FALSE);
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
        transaction = excluded.transaction,
        fires = excluded.fires,
        owes = excluded.owes,
        outlives = excluded.outlives
    WHERE e.state = 'failed' AND e.digest = excluded.digest AND e."user" = excluded."user";
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('effect', v_new.key);
    END IF;
END
$$;

-- record settle: tenant, tool, key, claim, state, moment, result, who resolved it, whether only what still runs.
CREATE OR REPLACE FUNCTION handgriff.settle_effect(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handgriff.effect
    SET state = p[i + 5], settled_at = p[i + 6]::timestamptz, result = p[i + 7], resolved_by = p[i + 8]
    WHERE tenant = p[i + 1] AND tool = p[i + 2] AND key = p[i + 3] AND claim = p[i + 4]
        AND (state = 'running' OR (state = 'indeterminate' AND resolved_by IS NULL AND NOT p[i + 9]::boolean));
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('effect', p[i + 3]);
    END IF;
END
$$;

-- record guard: tenant, now, session or NULL, user or NULL; as before, and nothing there is owed,
-- and of a user nothing holds what outlives them.
CREATE OR REPLACE FUNCTION handgriff.check_nothing_runs(p text[], i integer) RETURNS void
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
        IF v_key IS NULL THEN
            SELECT key INTO v_key FROM handgriff.effect
            WHERE tenant = v_tenant AND session = v_session AND state = 'done' AND owes AND (v_user IS NULL OR "user" = v_user)
            LIMIT 1;
        END IF;
        IF v_key IS NULL AND v_user IS NOT NULL THEN
            SELECT key INTO v_key FROM handgriff.effect
            WHERE tenant = v_tenant AND session = v_session AND state IN ('running', 'indeterminate') AND outlives AND "user" = v_user
            LIMIT 1;
        END IF;
    ELSE
        PERFORM FROM handgriff.session WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user) ORDER BY id FOR UPDATE;
        SELECT key INTO v_key FROM handgriff.effect
        WHERE tenant = v_tenant AND state = 'running' AND lease_until > p[i + 2]::timestamptz AND (v_user IS NULL OR "user" = v_user)
        LIMIT 1;
        IF v_key IS NULL THEN
            SELECT key INTO v_key FROM handgriff.effect
            WHERE tenant = v_tenant AND state = 'done' AND owes AND (v_user IS NULL OR "user" = v_user)
            LIMIT 1;
        END IF;
        IF v_key IS NULL AND v_user IS NOT NULL THEN
            SELECT key INTO v_key FROM handgriff.effect
            WHERE tenant = v_tenant AND state IN ('running', 'indeterminate') AND outlives AND "user" = v_user
            LIMIT 1;
        END IF;
    END IF;
    IF v_key IS NOT NULL THEN
        PERFORM handgriff.refuse('effect', v_key);
    END IF;
END
$$;

-- Settled effects of sessions that do not exist, claimed before a moment and owing nothing, removed; oldest claim first.
CREATE OR REPLACE FUNCTION handgriff.sweep_effects(p_tenant text, p_before timestamptz, p_limit bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_swept bigint;
BEGIN
    -- Chosen once and kept: within a join they would be chosen anew for every row, and each time others.
    WITH doomed AS MATERIALIZED (
        SELECT e.tool, e.key
        FROM handgriff.effect AS e
        WHERE e.tenant = p_tenant AND e.state IN ('done', 'failed') AND e.claimed_at < p_before AND NOT (e.state = 'done' AND e.owes)
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
        WHEN 'record follow' THEN  -- tenant, tool, key, claim
            UPDATE handgriff.effect SET owes = FALSE
            WHERE tenant = p[i + 1] AND tool = p[i + 2] AND key = p[i + 3] AND claim = p[i + 4] AND owes;
    END CASE;
END
$$;

-- Everything of some sessions removed. With `p_keep_since`, effects that were claimed since then or whose outcome nobody knows stay, and so
-- do queued hooks. Whoever locks several instances does so in one order, and before effects.
CREATE OR REPLACE FUNCTION handgriff.delete_sessions(p_tenant text, p_sessions text[], p_keep_since timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM handgriff.session WHERE tenant = p_tenant AND id = ANY (p_sessions);
    PERFORM FROM handgriff.workflow WHERE tenant = p_tenant AND session = ANY (p_sessions) ORDER BY machine, handle FOR UPDATE;
    DELETE FROM handgriff.workflow WHERE tenant = p_tenant AND session = ANY (p_sessions);
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

-- session erase: tenant, user or NULL, pseudonym.
CREATE OR REPLACE FUNCTION handgriff.erase(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_tenant CONSTANT text := p[i + 1];
    v_user CONSTANT text := p[i + 2];
    v_sessions text[] := '{}';
    v_session text;
BEGIN
    FOR v_session IN
        SELECT id FROM handgriff.session WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user) ORDER BY id FOR UPDATE
    LOOP
        v_sessions := v_sessions || v_session;
    END LOOP;
    PERFORM FROM handgriff.workflow
    WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user OR session = ANY (v_sessions))
    ORDER BY machine, handle
    FOR UPDATE;
    DELETE FROM handgriff.workflow WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user OR session = ANY (v_sessions));
    PERFORM handgriff.delete_sessions(v_tenant, v_sessions, NULL);
    DELETE FROM handgriff.place WHERE tenant = v_tenant AND (v_user IS NULL OR (scope = 'user' AND owner = v_user));
    DELETE FROM handgriff.state WHERE tenant = v_tenant AND (v_user IS NULL OR (scope = 'user' AND owner = v_user));
    DELETE FROM handgriff.effect WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user);
    DELETE FROM handgriff.proposal WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user);
    DELETE FROM handgriff.hook WHERE tenant = v_tenant AND (v_user IS NULL OR "user" = v_user);
    DELETE FROM handgriff.prefix WHERE tenant = v_tenant AND v_user IS NULL;
    IF v_user IS NULL THEN
        PERFORM handgriff.move_requests(v_tenant, p[i + 3]);
    ELSE
        UPDATE handgriff.request SET "user" = p[i + 3] WHERE tenant = v_tenant AND "user" = v_user;
    END IF;
END
$$;

-- session branch: what `session fork` has, then the number of the new session's own instances, and these.
CREATE FUNCTION handgriff.branch_session(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_at CONSTANT integer := i + 6 + 2 * p[i + 5]::integer;
BEGIN
    PERFORM handgriff.fork_session(p, i);
    FOR n IN 1 .. p[v_at]::integer LOOP
        PERFORM handgriff.start_workflow(jsonb_populate_record(NULL::handgriff.workflow, p[v_at + n]::jsonb));
    END LOOP;
END
$$;

-- session cut: what `session rewind` has, then the number of the session's own instances afterwards, and these. Stored ones keep counting.
CREATE FUNCTION handgriff.cut_session(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_tenant CONSTANT text := p[i + 1];
    v_session CONSTANT text := p[i + 2];
    v_at integer := i + 6 + 2 * p[i + 5]::integer;
    v_new handgriff.workflow;
    v_rows handgriff.workflow[];
    v_version bigint;
    v_held text;
BEGIN
    PERFORM handgriff.rewind_session(p, i);
    PERFORM FROM handgriff.workflow WHERE tenant = v_tenant AND session = v_session ORDER BY machine, handle FOR UPDATE;
    SELECT handle INTO v_held FROM handgriff.workflow
    WHERE tenant = v_tenant AND session = v_session AND claim IS NOT NULL
    ORDER BY machine, handle
    LIMIT 1;
    IF FOUND THEN
        PERFORM handgriff.refuse('workflow', v_held);
    END IF;
    v_at := v_at + 1 + p[v_at]::integer;
    v_rows := ARRAY(
        SELECT jsonb_populate_record(NULL::handgriff.workflow, r.text::jsonb)
        FROM unnest(p[v_at + 1 : v_at + p[v_at]::integer]) WITH ORDINALITY AS r (text, n)
        ORDER BY r.n
    );
    DELETE FROM handgriff.workflow AS w
    WHERE w.tenant = v_tenant AND w.session = v_session
        AND NOT EXISTS (SELECT FROM unnest(v_rows) AS r WHERE r.machine = w.machine AND r.handle = w.handle);
    FOREACH v_new IN ARRAY v_rows LOOP
        DELETE FROM handgriff.workflow
        WHERE tenant = v_tenant AND machine = v_new.machine AND handle = v_new.handle AND session = v_session
        RETURNING version + 1 INTO v_version;
        v_new.version := coalesce(v_version, v_new.version);
        PERFORM handgriff.put_workflow(v_new);
    END LOOP;
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
        WHEN 'session branch' THEN PERFORM handgriff.branch_session(p, i);
        WHEN 'session rewind' THEN PERFORM handgriff.rewind_session(p, i);
        WHEN 'session cut' THEN PERFORM handgriff.cut_session(p, i);
        WHEN 'session erase' THEN PERFORM handgriff.erase(p, i);
        WHEN 'session forget' THEN PERFORM handgriff.forget(p, i);
    END CASE;
END
$$;

CREATE OR REPLACE FUNCTION handgriff.apply_sweep(p text[], i integer) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE p[i]
        WHEN 'sweep' THEN handgriff.sweep_records(p[i + 1], p[i + 2]::timestamptz, p[i + 3]::bigint)
        WHEN 'sweep effects' THEN handgriff.sweep_effects(p[i + 1], p[i + 2]::timestamptz, p[i + 3]::bigint)
        WHEN 'sweep workflows' THEN handgriff.sweep_workflows(p[i + 1], p[i + 2]::timestamptz, p[i + 3]::bigint)
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
            WHEN 'workflow' THEN PERFORM handgriff.apply_workflow(p_words, i);
            WHEN 'sweep' THEN swept := swept + handgriff.apply_sweep(p_words, i);
        END CASE;
    END LOOP;
END
$$;

-- Records that are done and owe something, of one session or all, of one user or all.
CREATE FUNCTION handgriff.read_owing(p_tenant text, p_session text, p_user text) RETURNS SETOF handgriff.effect
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT * FROM handgriff.effect
    WHERE tenant = p_tenant AND state = 'done' AND owes AND (p_session IS NULL OR session = p_session)
        AND (p_user IS NULL OR "user" = p_user)
    ORDER BY claimed_at, arrival;
END
$$;

CREATE FUNCTION handgriff.read_workflow(p_tenant text, p_machine text, p_handle text) RETURNS SETOF handgriff.workflow
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY SELECT * FROM handgriff.workflow WHERE tenant = p_tenant AND machine = p_machine AND handle = p_handle;
END
$$;

-- The own ones of a session, or all.
CREATE FUNCTION handgriff.read_workflows(p_tenant text, p_session text) RETURNS SETOF handgriff.workflow
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_session IS NOT NULL THEN
        RETURN QUERY SELECT * FROM handgriff.workflow WHERE tenant = p_tenant AND session = p_session ORDER BY machine, handle;
    ELSE
        RETURN QUERY SELECT * FROM handgriff.workflow WHERE tenant = p_tenant ORDER BY machine, handle;
    END IF;
END
$$;

-- A tenant of whom only instances are left is one still: they must be swept.
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
            (SELECT w.tenant FROM handgriff.workflow AS w WHERE w.tenant > v_tenant ORDER BY w.tenant LIMIT 1),
            (SELECT r.tenant FROM handgriff.request AS r WHERE r.tenant > v_tenant ORDER BY r.tenant LIMIT 1),
            (SELECT p.tenant FROM handgriff.place AS p WHERE p.tenant > v_tenant AND p.is_written ORDER BY p.tenant LIMIT 1)
        );
        EXIT WHEN v_tenant IS NULL;
        RETURN NEXT v_tenant;
    END LOOP;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;
