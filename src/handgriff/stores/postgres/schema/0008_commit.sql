-- The one way to write.

-- Locks first, each kind in one order: sessions, then scopes that sessions share. They come as triples: 'session' or the scope, tenant, id.
CREATE FUNCTION handgriff.lock(p_locks text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 0 .. cardinality(p_locks) / 3 - 1 LOOP
        PERFORM set_config('handgriff.tenant', p_locks[3 * n + 2], TRUE);
        IF p_locks[3 * n + 1] = 'session' THEN
            PERFORM FROM handgriff.session WHERE tenant = p_locks[3 * n + 2] AND id = p_locks[3 * n + 3] FOR NO KEY UPDATE;
        ELSE
            PERFORM handgriff.lock_place(p_locks[3 * n + 2], p_locks[3 * n + 1], p_locks[3 * n + 3]);
        END IF;
    END LOOP;
END
$$;

-- The lease of a session, guarded and changed: the tenant and the session follow the kind.
CREATE FUNCTION handgriff.apply_lease(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE p[i]
        WHEN 'lease check' THEN  -- turn, epoch
            PERFORM FROM handgriff.session
            WHERE tenant = p[i + 1] AND id = p[i + 2] AND lease_turn = p[i + 3] AND lease_epoch = p[i + 4]::bigint
            FOR NO KEY UPDATE;
        WHEN 'lease hold' THEN  -- turn, epoch before, holder, now, until
            UPDATE handgriff.session
            SET lease_epoch = lease_epoch + 1, lease_turn = p[i + 3], lease_holder = p[i + 5], lease_until = p[i + 7]::timestamptz,
                lease_stop = FALSE
            WHERE tenant = p[i + 1] AND id = p[i + 2] AND lease_epoch = p[i + 4]::bigint
                AND (lease_turn IS NULL OR lease_until IS NULL OR lease_until <= p[i + 6]::timestamptz);
        WHEN 'lease renew' THEN  -- turn, epoch, until
            UPDATE handgriff.session
            SET lease_until = p[i + 5]::timestamptz
            WHERE tenant = p[i + 1] AND id = p[i + 2] AND lease_turn = p[i + 3] AND lease_epoch = p[i + 4]::bigint;
        WHEN 'lease release' THEN  -- turn, epoch
            UPDATE handgriff.session
            SET lease_turn = NULL, lease_holder = NULL, lease_until = NULL, lease_stop = FALSE
            WHERE tenant = p[i + 1] AND id = p[i + 2] AND lease_turn = p[i + 3] AND lease_epoch = p[i + 4]::bigint;
        WHEN 'lease stop' THEN  -- turn
            UPDATE handgriff.session SET lease_stop = TRUE WHERE tenant = p[i + 1] AND id = p[i + 2] AND lease_turn = p[i + 3];
            RETURN;
    END CASE;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('lease', p[i + 2]);
    END IF;
END
$$;

-- Scratch records removed that are expired at a moment, longest over first. One that somebody writes just now is left alone.
CREATE FUNCTION handgriff.sweep_records(p_tenant text, p_now timestamptz, p_limit bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_swept bigint := 0;
    v_row record;
BEGIN
    FOR v_row IN
        SELECT owner, namespace
        FROM handgriff.place
        WHERE tenant = p_tenant AND expires_at <= p_now
        ORDER BY expires_at, owner, namespace
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM handgriff.drop_record(p_tenant, v_row.owner, v_row.namespace);
        v_swept := v_swept + 1;
    END LOOP;
    RETURN v_swept;
END
$$;

-- What was seen in a session: the tenant and the session follow the kind.
CREATE FUNCTION handgriff.apply_seen(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE p[i]
        WHEN 'seen values' THEN PERFORM handgriff.introduce_seen(p, i);
        WHEN 'seen typed' THEN  -- text
            INSERT INTO handgriff.typed (tenant, session, seq, text)
            VALUES (p[i + 1], p[i + 2], handgriff.lock_session(p[i + 1], p[i + 2]), p[i + 3]);
    END CASE;
END
$$;

CREATE FUNCTION handgriff.apply_record(p text[], i integer) RETURNS void
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
    END CASE;
END
$$;

CREATE FUNCTION handgriff.apply_ledger(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE p[i]
        WHEN 'ledger open' THEN PERFORM handgriff.open_request(p, i);
        WHEN 'ledger close' THEN PERFORM handgriff.close_request(p, i);
        WHEN 'ledger prefix' THEN  -- tenant, hash, text
            INSERT INTO handgriff.prefix (tenant, hash, text) VALUES (p[i + 1], p[i + 2], p[i + 3]) ON CONFLICT DO NOTHING;
    END CASE;
END
$$;

CREATE FUNCTION handgriff.apply_session(p text[], i integer) RETURNS void
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
    END CASE;
END
$$;

-- A batch: its words, where its operations begin among them, what is to be locked before the first of them, whether it must have reached
-- the disk when this is over, and whether it comes again because an event is stored already. Answers the seqs of appended events, in their
-- order, and how many records were swept.
CREATE FUNCTION handgriff.commit(
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
            WHEN 'sweep' THEN swept := swept + handgriff.sweep_records(v_tenant, p_words[i + 2]::timestamptz, p_words[i + 3]::bigint);
        END CASE;
    END LOOP;
END
$$;
