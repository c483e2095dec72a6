-- What is asked over all tenants, or of one for whoever looks after it.

-- Each step finds the next tenant by the index, so the number of rows does not matter.
-- name: tenants
WITH RECURSIVE
    by_session (tenant) AS (
        SELECT MIN(tenant) FROM handgriff_session
        UNION ALL
        SELECT (SELECT MIN(tenant) FROM handgriff_session WHERE tenant > by_session.tenant)
        FROM by_session
        WHERE by_session.tenant IS NOT NULL
    ),
    by_place (tenant) AS (
        SELECT MIN(tenant) FROM handgriff_place
        UNION ALL
        SELECT (SELECT MIN(tenant) FROM handgriff_place WHERE tenant > by_place.tenant)
        FROM by_place
        WHERE by_place.tenant IS NOT NULL
    ),
    by_request (tenant) AS (
        SELECT MIN(tenant) FROM handgriff_request
        UNION ALL
        SELECT (SELECT MIN(tenant) FROM handgriff_request WHERE tenant > by_request.tenant)
        FROM by_request
        WHERE by_request.tenant IS NOT NULL
    )
SELECT tenant FROM by_session WHERE tenant IS NOT NULL
UNION
SELECT tenant FROM by_place WHERE tenant IS NOT NULL
UNION
SELECT tenant FROM by_request WHERE tenant IS NOT NULL
ORDER BY 1;

-- name: interrupted
SELECT tenant, id
FROM handgriff_session
WHERE lease_turn IS NOT NULL AND lease_until <= :now
ORDER BY lease_until, tenant, id
LIMIT :limit;

-- name: idle
SELECT id
FROM handgriff_session
WHERE tenant = :tenant AND active_day <= :day AND COALESCE(active_at, created_at) < :before
ORDER BY active_day, COALESCE(active_at, created_at), id
LIMIT :limit;
