-- Events with their deltas, and what was seen, written.
--
-- What is called from outside makes its plans once for all parameters, and by indexes alone: planning costs more than most of these
-- statements, and a plan that was made while a table was small must hold when it has grown.

-- Said of a transaction that must have reached the disk when it is over. Who waits for more, such as a second server, goes on doing so.
CREATE FUNCTION handgriff.keep() RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', TRUE) END;
END
$$;

-- The last seq of a session, which is locked by asking.
CREATE FUNCTION handgriff.lock_session(p_tenant text, p_session text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_head bigint;
BEGIN
    SELECT head INTO v_head FROM handgriff.session WHERE tenant = p_tenant AND id = p_session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM handgriff.refuse('session', p_session);
    END IF;
    RETURN v_head;
END
$$;

-- An append whose delta only sets values of the session's own scope, each key once and within the bound of a value, as nearly all are, also
-- without any. It is one statement, because most of what a commit costs is the beginning and the end of its statements: the session is
-- locked by its new head, and event and cells wait for it. The totals are left alone where nothing has grown or shrunk.
-- With `p_durable` it is a batch of its own. An event that is stored already is not looked for, because nearly none is: its id is taken, which
-- ends the batch, and it comes again the long way.
CREATE FUNCTION handgriff.append_sets(
    p_tenant text, p_session text, p_id text, p_turn text, p_at timestamptz, p_kind text, p_body text, p_delta text,
    p_most_keys bigint, p_most_bytes bigint, p_keys text[], p_values text[], p_durable boolean
) RETURNS bigint
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    v_set text;
    v_seq bigint;
    v_keys bigint;
    v_bytes bigint;
BEGIN
    v_set := CASE WHEN p_durable IS NOT NULL THEN concat(
        set_config('handgriff.tenant', p_tenant, TRUE),
        CASE WHEN p_durable THEN handgriff.keep() ELSE set_config('synchronous_commit', 'off', TRUE) END
    ) END;
    WITH head AS (
        UPDATE handgriff.session
        SET head = head + 1, active_at = greatest(p_at, coalesce(active_at, created_at)),
            active_day = (greatest(p_at, coalesce(active_at, created_at)) AT TIME ZONE 'UTC')::date
        WHERE tenant = p_tenant AND id = p_session
        RETURNING head
    ), told AS (
        INSERT INTO handgriff.event (tenant, session, seq, id, turn, at, kind, body, delta)
        SELECT p_tenant, p_session, head, p_id, p_turn, p_at, p_kind, p_body, p_delta FROM head
    ), put AS (
        INSERT INTO handgriff.state AS s (tenant, scope, owner, namespace, key, value, version)
        SELECT p_tenant, 'session', p_session, '', v.key, v.value, 1 FROM head CROSS JOIN unnest(p_keys, p_values) AS v (key, value)
        ON CONFLICT (tenant, scope, owner, namespace, key) DO UPDATE
        SET value = excluded.value, version = s.version + 1, replaced = octet_length(s.value)
        RETURNING key, value, replaced
    )
    SELECT (SELECT head FROM head), count(*) - count(replaced), sum(octet_length(value) - coalesce(replaced, -octet_length(key)))
    INTO v_seq, v_keys, v_bytes
    FROM put;
    IF v_seq IS NULL THEN
        PERFORM handgriff.refuse('session', p_session);
    ELSIF v_keys <> 0 OR v_bytes <> 0 THEN
        PERFORM handgriff.grow(p_tenant, 'session', p_session, '', v_keys, v_bytes, p_most_keys, p_most_bytes);
    END IF;
    RETURN v_seq;
END
$$;

-- append parts: tenant, session, event id, turn, moment, kind, body, delta, the bounds (bytes of a value, keys, bytes of a scope, bytes of
-- a record), the number of parts, the parts.
CREATE FUNCTION handgriff.append_event(p text[], i integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_seq CONSTANT bigint := handgriff.append_sets(
        p[i + 1], p[i + 2], p[i + 3], p[i + 4], p[i + 5]::timestamptz, p[i + 6], p[i + 7], p[i + 8], 0, 0, '{}', '{}', NULL
    );
    j integer := i + 14;
BEGIN
    FOR n IN 1 .. p[i + 13]::integer LOOP
        CASE p[j + 1]
            WHEN 'session' THEN
                PERFORM handgriff.change_place(p, i, j, 0);
            WHEN 'scratch' THEN
                PERFORM handgriff.change_record(p, i, j);
            ELSE
                PERFORM handgriff.lock_place(p[i + 1], p[j + 1], p[j + 2]);
                PERFORM handgriff.change_place(p, i, j, 0);
        END CASE;
        j := j + p[j]::integer;
    END LOOP;
    RETURN v_seq;
END
$$;

-- append sets: tenant, session, event id, turn, moment, kind, body, delta, the bounds (keys, bytes of a scope), the number of values,
-- their keys, their texts.
CREATE FUNCTION handgriff.append_some(p text[], i integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    n CONSTANT integer := p[i + 11];
BEGIN
    RETURN handgriff.append_sets(
        p[i + 1], p[i + 2], p[i + 3], p[i + 4], p[i + 5]::timestamptz, p[i + 6], p[i + 7], p[i + 8], p[i + 9]::bigint, p[i + 10]::bigint,
        p[i + 12 : i + 11 + n], p[i + 12 + n : i + 11 + 2 * n], NULL
    );
END
$$;

-- An append. The long way, `p_again`, locks the session and looks for the event first: it answers the seq of one that is stored already,
-- if it is the same.
CREATE FUNCTION handgriff.apply_append(p text[], i integer, p_again boolean) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_seq bigint;
    v_is_same boolean;
BEGIN
    IF p_again THEN
        PERFORM handgriff.lock_session(p[i + 1], p[i + 2]);
        SELECT seq, (kind, body) = (p[i + 6], p[i + 7]) AND delta IS NOT DISTINCT FROM p[i + 8]
        INTO v_seq, v_is_same
        FROM handgriff.event
        WHERE tenant = p[i + 1] AND session = p[i + 2] AND id = p[i + 3];
        IF v_is_same THEN
            RETURN v_seq;
        ELSIF v_seq IS NOT NULL THEN
            PERFORM handgriff.refuse('event', p[i + 3]);
        END IF;
    END IF;
    IF p[i] = 'append sets' THEN
        RETURN handgriff.append_some(p, i);
    END IF;
    RETURN handgriff.append_event(p, i);
END
$$;

-- seen values: tenant, session, the number of values, their kinds, the values.
CREATE FUNCTION handgriff.introduce_seen(p text[], i integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_head CONSTANT bigint := handgriff.lock_session(p[i + 1], p[i + 2]);
    v_count CONSTANT integer := p[i + 3];
BEGIN
    INSERT INTO handgriff.seen (tenant, session, kind, digest, value, seq)
    SELECT p[i + 1], p[i + 2], s.kind, sha256(convert_to(s.value, 'UTF8')), s.value, v_head
    FROM unnest(p[i + 4 : i + 3 + v_count], p[i + 4 + v_count : i + 3 + 2 * v_count]) AS s (kind, value)
    ON CONFLICT DO NOTHING;
END
$$;
