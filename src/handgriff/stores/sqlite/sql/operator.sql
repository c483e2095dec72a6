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
    by_effect (tenant) AS (
        SELECT MIN(tenant) FROM handgriff_effect
        UNION ALL
        SELECT (SELECT MIN(tenant) FROM handgriff_effect WHERE tenant > by_effect.tenant)
        FROM by_effect
        WHERE by_effect.tenant IS NOT NULL
    ),
    by_workflow (tenant) AS (
        SELECT MIN(tenant) FROM handgriff_workflow
        UNION ALL
        SELECT (SELECT MIN(tenant) FROM handgriff_workflow WHERE tenant > by_workflow.tenant)
        FROM by_workflow
        WHERE by_workflow.tenant IS NOT NULL
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
SELECT tenant FROM by_effect WHERE tenant IS NOT NULL
UNION
SELECT tenant FROM by_workflow WHERE tenant IS NOT NULL
UNION
SELECT tenant FROM by_request WHERE tenant IS NOT NULL
ORDER BY 1;

-- name: interrupted
SELECT tenant, id
FROM handgriff_session
WHERE lease_turn IS NOT NULL AND lease_until <= :now
ORDER BY lease_until, tenant, id
LIMIT :limit;

-- Grouping by tenant and session would choose the index that begins with them, and so read every record there is.
-- name: abandoned
SELECT tenant, session
FROM handgriff_effect INDEXED BY handgriff_effect_by_lease
WHERE state = 'running' AND lease_until <= :now
GROUP BY tenant, session
ORDER BY MIN(lease_until), tenant, session
LIMIT :limit;

-- Behind a place in the index of what is unsettled, whose own condition stands here once more so that it is the one that is used.
-- name: uncertain
SELECT DISTINCT tenant, session
FROM handgriff_effect INDEXED BY handgriff_effect_unsettled
WHERE state IN ('running', 'indeterminate') AND state = 'indeterminate' AND (tenant, session) > (?, ?) AND tool IN (:list)
ORDER BY tenant, session
LIMIT ?;

-- From tenant to tenant by the index, like `tenants`.
-- name: queueing
WITH RECURSIVE
    by_hook (tenant) AS (
        SELECT MIN(tenant) FROM handgriff_hook WHERE tenant > :after
        UNION ALL
        SELECT (SELECT MIN(tenant) FROM handgriff_hook WHERE tenant > by_hook.tenant)
        FROM by_hook
        WHERE by_hook.tenant IS NOT NULL
    )
SELECT tenant FROM by_hook WHERE tenant IS NOT NULL LIMIT :limit;

-- name: idle
SELECT id
FROM handgriff_session
WHERE tenant = :tenant AND active_day <= :day AND COALESCE(active_at, created_at) < :before
ORDER BY active_day, COALESCE(active_at, created_at), id
LIMIT :limit;
