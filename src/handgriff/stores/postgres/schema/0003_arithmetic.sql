-- The arithmetic of state, as the core has it, on JSON texts as the core writes them: compact, members in the order they have.
-- `json` keeps a text as it is, escapes and digits included; `jsonb` would not.

-- A guard of a batch does not hold. The whole batch is undone by it.
CREATE FUNCTION handgriff.refuse(p_guard text, p_subject text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'HG001', MESSAGE = format('the %s guard does not hold', p_guard), DETAIL = p_subject, CONSTRAINT = p_guard;
END
$$;

-- A value as text, compact; with `p_sorted` the members of objects stand in the order of their names, so that equal values are equal texts.
CREATE FUNCTION handgriff.written(p_value json, p_sorted boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    CASE json_typeof(p_value)
        WHEN 'object' THEN
            RETURN (
                SELECT '{' || coalesce(string_agg(
                    to_json(m.name)::text || ':' || CASE
                        WHEN json_typeof(m.value) IN ('object', 'array') THEN handgriff.written(m.value, p_sorted)
                        ELSE m.value::text
                    END,
                    ',' ORDER BY CASE WHEN p_sorted THEN m.name END COLLATE "C", m.n
                ), '') || '}'
                FROM json_each(p_value) WITH ORDINALITY AS m (name, value, n)
            );
        WHEN 'array' THEN
            RETURN (
                SELECT '[' || coalesce(string_agg(
                    CASE WHEN json_typeof(i.value) IN ('object', 'array') THEN handgriff.written(i.value, p_sorted) ELSE i.value::text END,
                    ',' ORDER BY i.n
                ), '') || ']'
                FROM json_array_elements(p_value) WITH ORDINALITY AS i (value, n)
            );
        ELSE
            RETURN p_value::text;
    END CASE;
END
$$;

-- A text that is equal for equal values.
CREATE FUNCTION handgriff.canonical(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE WHEN left(p_text, 1) IN ('{', '[') THEN handgriff.written(p_text::json, TRUE) ELSE p_text END;
END
$$;

-- `p_target` after the merge patch `p_patch` (RFC 7396): members keep their order, new ones come last.
CREATE FUNCTION handgriff.merged(p_target json, p_patch json) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    v_target json := CASE WHEN json_typeof(p_target) = 'object' THEN p_target ELSE '{}' END;
BEGIN
    IF json_typeof(p_patch) <> 'object' THEN
        RETURN handgriff.written(p_patch, FALSE);
    END IF;
    RETURN (
        SELECT '{' || coalesce(string_agg(to_json(m.name)::text || ':' || m.text, ',' ORDER BY m.is_new, m.n), '') || '}'
        FROM (
            SELECT FALSE AS is_new, t.n, t.name,
                CASE
                    WHEN p.name IS NULL THEN handgriff.written(t.value, FALSE)
                    WHEN json_typeof(p.value) <> 'null' THEN handgriff.merged(t.value, p.value)
                END AS text
            FROM json_each(v_target) WITH ORDINALITY AS t (name, value, n)
            LEFT JOIN json_each(p_patch) AS p (name, value) ON p.name = t.name
            UNION ALL
            SELECT TRUE, p.n, p.name, handgriff.merged(NULL, p.value)
            FROM json_each(p_patch) WITH ORDINALITY AS p (name, value, n)
            LEFT JOIN json_each(v_target) AS t (name, value) ON t.name = p.name
            WHERE t.name IS NULL AND json_typeof(p.value) <> 'null'
        ) AS m
        WHERE m.text IS NOT NULL
    );
END
$$;

-- A whole number after another was added. 100 digits are what JSON texts here may have.
CREATE FUNCTION handgriff.incremented(p_key text, p_before text, p_by text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_sum text;
BEGIN
    IF p_before !~ '^-?[0-9]+$' THEN
        PERFORM handgriff.refuse('state', p_key);
    END IF;
    v_sum := (coalesce(p_before, '0')::numeric + p_by::numeric)::text;
    IF length(ltrim(v_sum, '-')) > 100 THEN
        PERFORM handgriff.refuse('state', p_key);
    END IF;
    RETURN v_sum;
END
$$;

-- A list after an item was put at its end; `p_item` is NULL where it is none that a list can hold.
CREATE FUNCTION handgriff.appended(p_key text, p_before text, p_item text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF p_item IS NULL OR left(p_before, 1) <> '[' THEN
        PERFORM handgriff.refuse('state', p_key);
    END IF;
    RETURN CASE WHEN p_before IS NULL OR p_before = '[]' THEN '[' || p_item || ']' ELSE left(p_before, -1) || ',' || p_item || ']' END;
END
$$;

-- A list without the items equal to `p_item`.
CREATE FUNCTION handgriff.without(p_key text, p_before text, p_item text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_item text := handgriff.canonical(p_item);
    v_kept text;
    v_gone bigint;
BEGIN
    IF p_before IS NULL THEN
        RETURN NULL;
    END IF;
    IF left(p_before, 1) <> '[' THEN
        PERFORM handgriff.refuse('state', p_key);
    END IF;
    SELECT string_agg(handgriff.written(i.value, FALSE), ',' ORDER BY i.n) FILTER (WHERE NOT i.is_equal), count(*) FILTER (WHERE i.is_equal)
    INTO v_kept, v_gone
    FROM (
        SELECT e.value, e.n, handgriff.canonical(e.value::text) = v_item AS is_equal
        FROM json_array_elements(p_before::json) WITH ORDINALITY AS e (value, n)
    ) AS i;
    RETURN CASE WHEN v_gone = 0 THEN p_before ELSE '[' || coalesce(v_kept, '') || ']' END;
END
$$;

-- Whether a list holds an item equal to `p_item`.
CREATE FUNCTION handgriff.holds(p_key text, p_before text, p_item text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_item text := handgriff.canonical(p_item);
BEGIN
    IF left(p_before, 1) <> '[' THEN
        PERFORM handgriff.refuse('state', p_key);
    END IF;
    RETURN EXISTS (
        SELECT FROM json_array_elements(coalesce(p_before, '[]')::json) AS e (value) WHERE handgriff.canonical(e.value::text) = v_item
    );
END
$$;

-- PostgreSQL takes no JSON object apart that holds `\u0000` somewhere, so this one escape is written as another for as long as it is
-- computed with: `\ue000`, which the core never writes, because only control characters need an escape. Names of members hold no NUL.
CREATE FUNCTION handgriff.masked(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN regexp_replace(p_text, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ue000', 'g');
END
$$;

CREATE FUNCTION handgriff.unmasked(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN regexp_replace(p_text, '(?<!\\)((?:\\\\)*)\\ue000', '\1\\u0000', 'g');
END
$$;

-- The value after an operation; NULL is absence. `p_item` is the item of an `append` or `add` where a list can hold it.
CREATE FUNCTION handgriff.changed(p_kind text, p_key text, p_before text, p_value text, p_item text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF p_kind IN ('add', 'remove', 'merge') AND concat(p_before, p_value) ~ '(?<!\\)(?:\\\\)*\\u0000' THEN
        RETURN handgriff.unmasked(
            handgriff.changed(p_kind, p_key, handgriff.masked(p_before), handgriff.masked(p_value), handgriff.masked(p_item))
        );
    END IF;
    CASE p_kind
        WHEN 'set' THEN
            RETURN p_value;
        WHEN 'delete' THEN
            RETURN NULL;
        WHEN 'increment' THEN
            RETURN handgriff.incremented(p_key, p_before, p_value);
        WHEN 'append' THEN
            RETURN handgriff.appended(p_key, p_before, p_item);
        WHEN 'add' THEN
            RETURN CASE WHEN handgriff.holds(p_key, p_before, p_value) THEN p_before ELSE handgriff.appended(p_key, p_before, p_item) END;
        WHEN 'remove' THEN
            RETURN handgriff.without(p_key, p_before, p_value);
        WHEN 'merge' THEN
            IF left(p_before, 1) <> '{' THEN
                PERFORM handgriff.refuse('state', p_key);
            END IF;
            RETURN handgriff.merged(p_before::json, p_value::json);
    END CASE;
END
$$;
