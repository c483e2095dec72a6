-- State changed by a delta. A batch comes as one array of words; a function is told where its operation (`i`) or part (`j`) begins in it.
--
-- The words of a part, which is what a delta does to one place:
--   how many words it has, scope, owner, namespace,
--   its way: 'plain' where each key is changed once and nothing is guarded or cleared, 'clear' where the record is emptied first, 'remove'
--   where none is left, 'full' otherwise,
--   the moment and the deadline of its `Renew` or NULL, where the versions of a record begun by it start,
--   the number of keys, the keys, and then
--   of a plain part: the kinds of their changes, their values, and for `append` and `add` the items where a list can hold them;
--   of another: the number of guards, then of each the key's number and the version or NULL for absence; the number of changes, then of
--   each its kind, the key's number, its value and its item.

-- A place's totals after it has grown or shrunk. What was too much already may still shrink.
CREATE FUNCTION handgriff.grow(
    p_tenant text, p_scope text, p_owner text, p_namespace text, p_keys bigint, p_bytes bigint, p_most_keys bigint, p_most_bytes bigint
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_keys bigint;
    v_bytes bigint;
BEGIN
    INSERT INTO handgriff.place AS r (tenant, scope, owner, namespace, keys, bytes, is_written)
    VALUES (p_tenant, p_scope, p_owner, p_namespace, p_keys, p_bytes, TRUE)
    ON CONFLICT (tenant, scope, owner, namespace) DO UPDATE
    SET keys = r.keys + excluded.keys, bytes = r.bytes + excluded.bytes, is_written = TRUE
    RETURNING keys, bytes INTO v_keys, v_bytes;
    IF (p_keys > 0 AND v_keys > p_most_keys) OR (p_bytes > 0 AND v_bytes > p_most_bytes) THEN
        PERFORM handgriff.refuse('limit', CASE WHEN p_namespace = '' THEN p_scope ELSE p_namespace END);
    END IF;
END
$$;

-- The cells of one place after a plain part, written. The place is locked by the caller. Answers by how many keys and bytes it has
-- grown, and how many cells were written.
CREATE FUNCTION handgriff.change_plain(p text[], i integer, j integer, p_first bigint) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    n CONSTANT integer := p[j + 8];
    v_grown bigint[];
    v_big integer;
BEGIN
    -- In order, so that of several operations that can't work on what they find the first one is named.
    WITH found AS (
        SELECT f.number, f.key, f.kind, f.value, f.item, s.value AS before, coalesce(s.version, p_first) + 1 AS version
        FROM unnest(
            p[j + 9 : j + 8 + n], p[j + 9 + n : j + 8 + 2 * n], p[j + 9 + 2 * n : j + 8 + 3 * n], p[j + 9 + 3 * n : j + 8 + 4 * n]
        ) WITH ORDINALITY AS f (key, kind, value, item, number)
        LEFT JOIN (
            SELECT key, value, version
            FROM handgriff.state
            WHERE tenant = p[i + 1] AND scope = p[j + 1] AND owner = p[j + 2] AND namespace = p[j + 3] AND key = ANY (p[j + 9 : j + 8 + n])
        ) AS s ON s.key = f.key
        ORDER BY f.number
    ), cell AS (
        SELECT number, key, kind, before, version,
            CASE kind
                WHEN 'set' THEN value
                WHEN 'delete' THEN NULL
                WHEN 'increment' THEN handgriff.incremented(key, before, value)
                WHEN 'append' THEN handgriff.appended(key, before, item)
                ELSE handgriff.changed(kind, key, before, value, item)
            END AS after
        FROM found
    ), wrote AS (
        SELECT * FROM cell WHERE kind IN ('set', 'increment', 'append', 'merge') OR after IS DISTINCT FROM before
    ), put AS (
        INSERT INTO handgriff.state (tenant, scope, owner, namespace, key, value, version)
        SELECT p[i + 1], p[j + 1], p[j + 2], p[j + 3], key, after, version FROM wrote
        ON CONFLICT (tenant, scope, owner, namespace, key) DO UPDATE SET value = excluded.value, version = excluded.version
    )
    SELECT
        ARRAY[
            count(after) - count(before),
            coalesce(sum(octet_length(key || after)), 0) - coalesce(sum(octet_length(key || before)), 0),
            count(*)
        ],
        min(number) FILTER (WHERE octet_length(after) > greatest(p[i + 9]::bigint, octet_length(before)))
    INTO v_grown, v_big
    FROM wrote;
    IF v_big IS NOT NULL THEN
        PERFORM handgriff.refuse('limit', p[j + 8 + v_big]);
    END IF;
    RETURN v_grown;
END
$$;

-- The same for a part of any other way, one operation after the other.
CREATE FUNCTION handgriff.change_full(p text[], i integer, j integer, p_first bigint) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    v_keys CONSTANT text[] := p[j + 9 : j + 8 + p[j + 8]::integer];
    v_count CONSTANT integer := cardinality(v_keys);
    v_at integer := j + 9 + v_count;
    v_before text[];
    v_after text[];
    v_versions bigint[];
    v_wrote boolean[] := array_fill(FALSE, ARRAY[v_count]);
    v_key integer;
    v_text text;
    v_grown bigint[] := ARRAY[0, 0, 0];
BEGIN
    SELECT array_agg(s.value ORDER BY k.number), array_agg(s.version ORDER BY k.number)
    INTO v_before, v_versions
    FROM unnest(v_keys) WITH ORDINALITY AS k (key, number)
    LEFT JOIN handgriff.state AS s
        ON s.tenant = p[i + 1] AND s.scope = p[j + 1] AND s.owner = p[j + 2] AND s.namespace = p[j + 3] AND s.key = k.key
        AND s.key = ANY (v_keys);

    FOR n IN 1 .. p[v_at]::integer LOOP
        v_key := p[v_at + 2 * n - 1];
        IF (CASE WHEN v_before[v_key] IS NOT NULL THEN v_versions[v_key] END) IS DISTINCT FROM p[v_at + 2 * n]::bigint THEN
            PERFORM handgriff.refuse('state', v_keys[v_key]);
        END IF;
    END LOOP;
    v_at := v_at + 1 + 2 * p[v_at]::integer;

    IF p[j + 4] <> 'full' THEN
        DELETE FROM handgriff.state WHERE tenant = p[i + 1] AND scope = p[j + 1] AND owner = p[j + 2] AND namespace = p[j + 3];
        v_before := array_fill(NULL::text, ARRAY[v_count]);
        v_versions := array_fill(NULL::bigint, ARRAY[v_count]);
    END IF;

    v_after := v_before;
    FOR n IN 0 .. p[v_at]::integer - 1 LOOP
        v_key := p[v_at + 4 * n + 2];
        v_text := handgriff.changed(p[v_at + 4 * n + 1], v_keys[v_key], v_after[v_key], p[v_at + 4 * n + 3], p[v_at + 4 * n + 4]);
        CONTINUE WHEN p[v_at + 4 * n + 1] IN ('delete', 'add', 'remove') AND v_text IS NOT DISTINCT FROM v_after[v_key];
        v_after[v_key] := v_text;
        v_versions[v_key] := coalesce(v_versions[v_key], p_first) + 1;
        v_wrote[v_key] := TRUE;
    END LOOP;

    FOR n IN 1 .. v_count LOOP
        CONTINUE WHEN NOT v_wrote[n];
        IF octet_length(v_after[n]) > greatest(p[i + 9]::bigint, octet_length(v_before[n])) THEN
            PERFORM handgriff.refuse('limit', v_keys[n]);
        END IF;
        v_grown[1] := v_grown[1] + (v_after[n] IS NOT NULL)::integer - (v_before[n] IS NOT NULL)::integer;
        v_grown[2] := v_grown[2] + coalesce(octet_length(v_keys[n] || v_after[n]), 0) - coalesce(octet_length(v_keys[n] || v_before[n]), 0);
        v_grown[3] := v_grown[3] + 1;
    END LOOP;

    INSERT INTO handgriff.state (tenant, scope, owner, namespace, key, value, version)
    SELECT p[i + 1], p[j + 1], p[j + 2], p[j + 3], c.key, c.value, c.version
    FROM unnest(v_keys, v_after, v_versions, v_wrote) AS c (key, value, version, wrote)
    WHERE c.wrote
    ON CONFLICT (tenant, scope, owner, namespace, key) DO UPDATE SET value = excluded.value, version = excluded.version;
    RETURN v_grown;
END
$$;

-- The cells of one place after a part, and its totals where they count: a scope that was never written is nobody's.
CREATE FUNCTION handgriff.change_place(p text[], i integer, j integer, p_first bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_grown bigint[];
BEGIN
    IF p[j + 4] = 'plain' THEN
        v_grown := handgriff.change_plain(p, i, j, p_first);
    ELSE
        v_grown := handgriff.change_full(p, i, j, p_first);
    END IF;
    IF v_grown[3] > 0 THEN
        PERFORM handgriff.grow(
            p[i + 1], p[j + 1], p[j + 2], p[j + 3], v_grown[1], v_grown[2],
            p[i + 10]::bigint, p[i + CASE WHEN p[j + 1] = 'scratch' THEN 12 ELSE 11 END]::bigint
        );
    END IF;
END
$$;

-- The lock of a scope that sessions share; its row is made where there is none.
CREATE FUNCTION handgriff.lock_place(p_tenant text, p_scope text, p_owner text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        PERFORM FROM handgriff.place WHERE tenant = p_tenant AND scope = p_scope AND owner = p_owner AND namespace = '' FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO handgriff.place (tenant, scope, owner, namespace) VALUES (p_tenant, p_scope, p_owner, '') ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
END
$$;

-- A scratch record removed, with everything in it.
CREATE FUNCTION handgriff.drop_record(p_tenant text, p_session text, p_namespace text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM handgriff.place
    WHERE tenant = p_tenant AND scope = 'scratch' AND owner = p_session AND namespace = p_namespace;
    DELETE FROM handgriff.state
    WHERE tenant = p_tenant AND scope = 'scratch' AND owner = p_session AND namespace = p_namespace;
END
$$;

-- A part on a scratch record: what is expired is gone first, and the deadline never comes earlier. Its session is locked, so that nobody
-- else begins the record; the record's own row is locked against the sweep, which locks no session.
CREATE FUNCTION handgriff.change_record(p text[], i integer, j integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_held handgriff.place;
BEGIN
    SELECT * INTO v_held
    FROM handgriff.place
    WHERE tenant = p[i + 1] AND scope = 'scratch' AND owner = p[j + 2] AND namespace = p[j + 3]
    FOR NO KEY UPDATE;
    IF v_held.expires_at <= p[j + 5]::timestamptz THEN
        PERFORM handgriff.drop_record(p[i + 1], p[j + 2], p[j + 3]);
        v_held := NULL;
    END IF;
    IF p[j + 4] = 'remove' THEN
        PERFORM handgriff.change_place(p, i, j, 0);
        PERFORM handgriff.drop_record(p[i + 1], p[j + 2], p[j + 3]);
    ELSIF v_held.expires_at IS NOT NULL AND p[j + 4] <> 'clear' THEN
        UPDATE handgriff.place
        SET expires_at = greatest(expires_at, p[j + 6]::timestamptz)
        WHERE tenant = p[i + 1] AND scope = 'scratch' AND owner = p[j + 2] AND namespace = p[j + 3];
        PERFORM handgriff.change_place(p, i, j, v_held.first_version);
    ELSE
        INSERT INTO handgriff.place AS r (tenant, scope, owner, namespace, is_written, expires_at, first_version)
        VALUES (p[i + 1], 'scratch', p[j + 2], p[j + 3], TRUE, p[j + 6]::timestamptz, p[j + 7]::bigint)
        ON CONFLICT (tenant, scope, owner, namespace) DO UPDATE
        SET keys = 0, bytes = 0, expires_at = excluded.expires_at, first_version = excluded.first_version;
        PERFORM handgriff.change_place(p, i, j, p[j + 7]::bigint);
    END IF;
END
$$;

-- Values put in the place of all that a session's scope holds. What is the same already keeps its version; what goes keeps counting.
CREATE FUNCTION handgriff.replace_values(p_tenant text, p_session text, p_keys text[], p_values text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handgriff.state AS s (tenant, scope, owner, namespace, key, value, version)
    SELECT p_tenant, 'session', p_session, '', v.key, v.value, 1
    FROM unnest(p_keys, p_values) AS v (key, value)
    ON CONFLICT (tenant, scope, owner, namespace, key) DO UPDATE
    SET value = excluded.value, version = s.version + 1
    WHERE s.value IS DISTINCT FROM excluded.value;
    UPDATE handgriff.state
    SET value = NULL, version = version + 1
    WHERE tenant = p_tenant AND scope = 'session' AND owner = p_session AND namespace = ''
        AND value IS NOT NULL AND key <> ALL (p_keys);
    INSERT INTO handgriff.place (tenant, scope, owner, namespace, keys, bytes, is_written)
    SELECT p_tenant, 'session', p_session, '', count(*), coalesce(sum(octet_length(v.key || v.value)), 0), TRUE
    FROM unnest(p_keys, p_values) AS v (key, value)
    ON CONFLICT (tenant, scope, owner, namespace) DO UPDATE SET keys = excluded.keys, bytes = excluded.bytes;
END
$$;
