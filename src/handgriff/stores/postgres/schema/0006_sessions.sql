-- Sessions, written. Each function is one operation of a batch: `p` holds the words of the batch, `i` says where the operation begins; its
-- kind stands there, then the tenant.

-- A new session.
CREATE FUNCTION handgriff.create_session(p_row handgriff.session) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handgriff.session SELECT (p_row).* ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        -- Only two rules can be broken: if the id is free, it was the alias.
        PERFORM FROM handgriff.session WHERE tenant = p_row.tenant AND id = p_row.id;
        IF FOUND THEN
            PERFORM handgriff.refuse('session', p_row.id);
        ELSE
            PERFORM handgriff.refuse('alias', p_row.alias);
        END IF;
    END IF;
END
$$;

-- Everything of some sessions removed, or of all (`p_all`). What was claimed since `p_keep_since` stays, and then so do queued hooks.
CREATE FUNCTION handgriff.delete_sessions(p_tenant text, p_sessions text[], p_keep_since timestamptz) RETURNS void
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
    WHERE tenant = p_tenant AND session = ANY (p_sessions) AND (p_keep_since IS NULL OR claimed_at < p_keep_since);
    DELETE FROM handgriff.hook WHERE tenant = p_tenant AND session = ANY (p_sessions) AND p_keep_since IS NULL;
END
$$;

-- session delete: tenant, session, keep since, idle since.
CREATE FUNCTION handgriff.delete_session(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM handgriff.session
    WHERE tenant = p[i + 1] AND id = p[i + 2] AND coalesce(active_at, created_at) >= p[i + 4]::timestamptz
    FOR UPDATE;
    IF FOUND THEN
        PERFORM handgriff.refuse('session', p[i + 2]);
    END IF;
    PERFORM handgriff.delete_sessions(p[i + 1], ARRAY[p[i + 2]], p[i + 3]::timestamptz);
END
$$;

-- session fork: tenant, source, the new session as JSON, the last event of the copy, the number of values, their keys, their texts.
CREATE FUNCTION handgriff.fork_session(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_tenant CONSTANT text := p[i + 1];
    v_source CONSTANT text := p[i + 2];
    v_upto CONSTANT bigint := p[i + 4];
    v_count CONSTANT integer := p[i + 5];
    v_new handgriff.session := jsonb_populate_record(NULL::handgriff.session, p[i + 3]::jsonb);
BEGIN
    v_new.head := least(v_upto, handgriff.lock_session(v_tenant, v_source));
    PERFORM handgriff.create_session(v_new);
    INSERT INTO handgriff.event (tenant, session, seq, id, turn, at, kind, body, delta)
    SELECT tenant, v_new.id, seq, id, turn, at, kind, body, delta
    FROM handgriff.event
    WHERE tenant = v_tenant AND session = v_source AND seq <= v_upto;
    INSERT INTO handgriff.seen (tenant, session, kind, digest, value, seq)
    SELECT tenant, v_new.id, kind, digest, value, seq
    FROM handgriff.seen
    WHERE tenant = v_tenant AND session = v_source AND seq <= v_upto;
    INSERT INTO handgriff.typed (tenant, session, seq, text)
    SELECT tenant, v_new.id, seq, text
    FROM handgriff.typed
    WHERE tenant = v_tenant AND session = v_source AND seq <= v_upto;
    PERFORM handgriff.replace_values(
        v_tenant, v_new.id, p[i + 6 : i + 5 + v_count], p[i + 6 + v_count : i + 5 + 2 * v_count]
    );
END
$$;

-- session rewind: tenant, session, head, the last event that stays, the number of values, their keys, their texts, the number of
-- proposals, their ids.
CREATE FUNCTION handgriff.rewind_session(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_tenant CONSTANT text := p[i + 1];
    v_session CONSTANT text := p[i + 2];
    v_to CONSTANT bigint := p[i + 4];
    v_count CONSTANT integer := p[i + 5];
    v_at CONSTANT integer := i + 6 + 2 * v_count;
BEGIN
    IF handgriff.lock_session(v_tenant, v_session) <> p[i + 3]::bigint THEN
        PERFORM handgriff.refuse('session', v_session);
    END IF;
    DELETE FROM handgriff.event WHERE tenant = v_tenant AND session = v_session AND seq > v_to;
    DELETE FROM handgriff.seen WHERE tenant = v_tenant AND session = v_session AND seq > v_to;
    DELETE FROM handgriff.typed WHERE tenant = v_tenant AND session = v_session AND seq > v_to;
    DELETE FROM handgriff.proposal WHERE tenant = v_tenant AND id = ANY (p[v_at + 1 : v_at + p[v_at]::integer]);
    PERFORM handgriff.replace_values(v_tenant, v_session, p[i + 6 : i + 5 + v_count], p[i + 6 + v_count : i + 5 + 2 * v_count]);
END
$$;

-- session erase: tenant, user or NULL, pseudonym.
CREATE FUNCTION handgriff.erase(p text[], i integer) RETURNS void
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

-- A tenant's ledger rows given to a pseudonym, which is another tenant: the fence lets nobody write on both of its sides at once.
CREATE FUNCTION handgriff.move_requests(p_tenant text, p_pseudonym text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_rows handgriff.request[];
    v_row handgriff.request;
    v_arrival bigint;
BEGIN
    WITH moved AS (DELETE FROM handgriff.request AS r WHERE tenant = p_tenant RETURNING r AS line, arrival)
    SELECT array_agg(line ORDER BY arrival) INTO v_rows FROM moved;
    PERFORM set_config('handgriff.tenant', p_pseudonym, TRUE);
    FOREACH v_row IN ARRAY coalesce(v_rows, '{}') LOOP
        v_row.tenant := p_pseudonym;
        v_row."user" := p_pseudonym;
        DELETE FROM handgriff.request WHERE tenant = p_pseudonym AND id = v_row.id RETURNING arrival INTO v_arrival;
        v_row.arrival := coalesce(v_arrival, nextval('handgriff.arrival'));
        INSERT INTO handgriff.request SELECT (v_row).*;
    END LOOP;
    PERFORM set_config('handgriff.tenant', p_tenant, TRUE);
END
$$;
