-- The reads. Each sets the tenant for the fence and asks in the same transaction, so that it is one round trip.

CREATE FUNCTION handgriff.within(p_tenant text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('handgriff.tenant', p_tenant, TRUE);
END
$$;

CREATE FUNCTION handgriff.read_session(p_tenant text, p_session text) RETURNS SETOF handgriff.session
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY SELECT * FROM handgriff.session WHERE tenant = p_tenant AND id = p_session;
END
$$;

CREATE FUNCTION handgriff.read_alias(p_tenant text, p_user text, p_alias text) RETURNS SETOF handgriff.session
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY SELECT * FROM handgriff.session WHERE tenant = p_tenant AND "user" = p_user AND alias = p_alias;
END
$$;

-- Newest first; `p_before` is the last one already seen, or NULL.
CREATE FUNCTION handgriff.read_sessions(p_tenant text, p_user text, p_before text, p_limit bigint) RETURNS SETOF handgriff.session
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_before IS NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.session
        WHERE tenant = p_tenant AND "user" = p_user
        ORDER BY created_at DESC, id DESC
        LIMIT p_limit;
    ELSE
        RETURN QUERY
        SELECT * FROM handgriff.session
        WHERE tenant = p_tenant AND "user" = p_user AND (created_at, id) < (
            SELECT b.created_at, b.id FROM handgriff.session AS b WHERE b.tenant = p_tenant AND b.id = p_before AND b."user" = p_user
        )
        ORDER BY created_at DESC, id DESC
        LIMIT p_limit;
    END IF;
END
$$;

CREATE FUNCTION handgriff.read_events(p_tenant text, p_session text, p_after bigint, p_limit bigint) RETURNS SETOF handgriff.event
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT * FROM handgriff.event
    WHERE tenant = p_tenant AND session = p_session AND seq > p_after
    ORDER BY seq
    LIMIT p_limit;
END
$$;

-- One row without a text where the value was introduced; else every typed text that holds it somewhere. A value that is too short to count
-- as typed comes with `p_is_long` false.
CREATE FUNCTION handgriff.read_seen(p_tenant text, p_session text, p_kind text, p_value text, p_is_long boolean) RETURNS SETOF text
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT NULL::text FROM handgriff.seen
    WHERE tenant = p_tenant AND session = p_session AND kind = p_kind AND digest = sha256(convert_to(p_value, 'UTF8')) AND value = p_value;
    IF NOT FOUND AND p_is_long THEN
        RETURN QUERY
        SELECT t.text FROM handgriff.typed AS t
        WHERE t.tenant = p_tenant AND t.session = p_session AND strpos(t.text, p_value) > 0
        ORDER BY t.arrival DESC;
    END IF;
END
$$;

-- The values of some keys, or of all.
CREATE FUNCTION handgriff.read_values(p_tenant text, p_scope text, p_owner text, p_keys text[]) RETURNS SETOF handgriff.state
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_keys IS NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.state
        WHERE tenant = p_tenant AND scope = p_scope AND owner = p_owner AND namespace = '' AND value IS NOT NULL;
    ELSE
        RETURN QUERY
        SELECT * FROM handgriff.state
        WHERE tenant = p_tenant AND scope = p_scope AND owner = p_owner AND namespace = '' AND value IS NOT NULL AND key = ANY (p_keys);
    END IF;
END
$$;

CREATE FUNCTION handgriff.read_session_values(p_tenant text, p_sessions text[]) RETURNS SETOF handgriff.state
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT * FROM handgriff.state
    WHERE tenant = p_tenant AND scope = 'session' AND owner = ANY (p_sessions) AND namespace = '' AND value IS NOT NULL;
END
$$;

CREATE FUNCTION handgriff.read_totals(p_tenant text, p_scope text, p_owner text, OUT keys bigint, OUT bytes bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    SELECT p.keys, p.bytes INTO keys, bytes
    FROM handgriff.place AS p
    WHERE p.tenant = p_tenant AND p.scope = p_scope AND p.owner = p_owner AND p.namespace = '';
END
$$;

-- Records that are not over, of one session or all, of one namespace or all; a row for each of their values, or one without a key.
CREATE FUNCTION handgriff.read_records(p_tenant text, p_session text, p_namespace text, p_now timestamptz) RETURNS TABLE (
    session text, namespace text, expires_at timestamptz, key text, value text, version bigint
)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT p.owner, p.namespace, p.expires_at, s.key, s.value, s.version
    FROM handgriff.place AS p
    LEFT JOIN handgriff.state AS s
        ON s.tenant = p_tenant AND s.scope = 'scratch' AND s.owner = p.owner AND s.namespace = p.namespace AND s.value IS NOT NULL
    WHERE p.tenant = p_tenant AND p.scope = 'scratch' AND p.expires_at > p_now
        AND (p_session IS NULL OR p.owner = p_session) AND (p_namespace IS NULL OR p.namespace = p_namespace)
    ORDER BY p.owner, p.namespace;
END
$$;

CREATE FUNCTION handgriff.read_prefix(p_tenant text, p_hash text) RETURNS text
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN (SELECT text FROM handgriff.prefix WHERE tenant = p_tenant AND hash = p_hash);
END
$$;

CREATE FUNCTION handgriff.read_effect(p_tenant text, p_tool text, p_key text) RETURNS SETOF handgriff.effect
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY SELECT * FROM handgriff.effect WHERE tenant = p_tenant AND tool = p_tool AND key = p_key;
END
$$;

CREATE FUNCTION handgriff.read_effects(p_tenant text, p_session text, p_state text) RETURNS SETOF handgriff.effect
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_session IS NOT NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.effect
        WHERE tenant = p_tenant AND session = p_session AND (p_state IS NULL OR state = p_state)
        ORDER BY claimed_at, arrival;
    ELSIF p_state IS NOT NULL THEN
        RETURN QUERY SELECT * FROM handgriff.effect WHERE tenant = p_tenant AND state = p_state ORDER BY claimed_at, arrival;
    ELSE
        RETURN QUERY SELECT * FROM handgriff.effect WHERE tenant = p_tenant ORDER BY claimed_at, arrival;
    END IF;
END
$$;

CREATE FUNCTION handgriff.read_proposal(p_tenant text, p_id text) RETURNS SETOF handgriff.proposal
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY SELECT * FROM handgriff.proposal WHERE tenant = p_tenant AND id = p_id;
END
$$;

CREATE FUNCTION handgriff.read_proposals(p_tenant text, p_user text, p_session text, p_state text) RETURNS SETOF handgriff.proposal
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_session IS NOT NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.proposal
        WHERE tenant = p_tenant AND session = p_session AND (p_state IS NULL OR state = p_state) AND (p_user IS NULL OR "user" = p_user)
        ORDER BY created_at, arrival;
    ELSIF p_state IS NOT NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.proposal
        WHERE tenant = p_tenant AND state = p_state AND (p_user IS NULL OR "user" = p_user)
        ORDER BY created_at, arrival;
    ELSE
        RETURN QUERY
        SELECT * FROM handgriff.proposal WHERE tenant = p_tenant AND (p_user IS NULL OR "user" = p_user) ORDER BY created_at, arrival;
    END IF;
END
$$;

CREATE FUNCTION handgriff.read_hooks(p_tenant text) RETURNS SETOF handgriff.hook
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY SELECT * FROM handgriff.hook WHERE tenant = p_tenant ORDER BY arrival;
END
$$;

CREATE FUNCTION handgriff.read_requests(p_tenant text, p_session text, p_turn text) RETURNS SETOF handgriff.request
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    IF p_session IS NOT NULL THEN
        RETURN QUERY
        SELECT * FROM handgriff.request
        WHERE tenant = p_tenant AND session = p_session AND (p_turn IS NULL OR turn = p_turn)
        ORDER BY opened_at, arrival;
    ELSE
        RETURN QUERY
        SELECT * FROM handgriff.request WHERE tenant = p_tenant AND (p_turn IS NULL OR turn = p_turn) ORDER BY opened_at, arrival;
    END IF;
END
$$;

-- Sessions of a tenant without an event since a moment, longest idle first.
CREATE FUNCTION handgriff.read_idle(p_tenant text, p_before timestamptz, p_limit bigint) RETURNS SETOF text
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM handgriff.within(p_tenant);
    RETURN QUERY
    SELECT id FROM handgriff.session
    WHERE tenant = p_tenant AND active_day <= (p_before AT TIME ZONE 'UTC')::date AND coalesce(active_at, created_at) < p_before
    ORDER BY active_day, coalesce(active_at, created_at), id
    LIMIT p_limit;
END
$$;

-- What is asked over all tenants: the second setting of the fence is made here and nowhere else, and taken back at the end.

CREATE FUNCTION handgriff.read_interrupted(p_now timestamptz, p_limit bigint) RETURNS TABLE (tenant text, session text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    PERFORM set_config('handgriff.every_tenant', 'on', TRUE);
    RETURN QUERY
    SELECT s.tenant, s.id FROM handgriff.session AS s
    WHERE s.lease_turn IS NOT NULL AND s.lease_until <= p_now
    ORDER BY s.lease_until, s.tenant, s.id
    LIMIT p_limit;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;

-- Each step goes to the next tenant by an index, so the cost is that of the tenants and not of their rows.
CREATE FUNCTION handgriff.read_tenants() RETURNS SETOF text
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    v_tenant text := '';
BEGIN
    PERFORM set_config('handgriff.every_tenant', 'on', TRUE);
    LOOP
        v_tenant := least(
            (SELECT s.tenant FROM handgriff.session AS s WHERE s.tenant > v_tenant ORDER BY s.tenant LIMIT 1),
            (SELECT r.tenant FROM handgriff.request AS r WHERE r.tenant > v_tenant ORDER BY r.tenant LIMIT 1),
            (SELECT p.tenant FROM handgriff.place AS p WHERE p.tenant > v_tenant AND p.is_written ORDER BY p.tenant LIMIT 1)
        );
        EXIT WHEN v_tenant IS NULL;
        RETURN NEXT v_tenant;
    END LOOP;
    PERFORM set_config('handgriff.every_tenant', '', TRUE);
END
$$;
