-- State by place: a scope of one owner, or a scratch record. `held` and `put` are made of their parts, as often as there are keys.

-- name: held_place
SELECT NULL, keys, bytes, expires_at, first_version
FROM handgriff_place
WHERE tenant = ?1 AND scope = ?2 AND scope_id = ?3 AND namespace = ?4;

-- name: held_cell
SELECT key, version, value, NULL, NULL
FROM handgriff_state
WHERE tenant = ?1 AND scope = ?2 AND scope_id = ?3 AND namespace = ?4 AND key = ?5;

-- name: put_cells
INSERT OR REPLACE INTO handgriff_state (tenant, scope, scope_id, namespace, key, version, value)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: put_totals
INSERT INTO handgriff_place (tenant, scope, scope_id, namespace, keys, bytes, first_version)
VALUES (?, ?, ?, ?, ?, ?, 0)
ON CONFLICT (tenant, scope, scope_id, namespace) DO UPDATE SET keys = excluded.keys, bytes = excluded.bytes;

-- name: put_record
INSERT OR REPLACE INTO handgriff_place (tenant, scope, scope_id, namespace, keys, bytes, expires_at, first_version)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_cells
DELETE FROM handgriff_state WHERE tenant = ? AND scope = ? AND scope_id = ? AND namespace = ?;

-- name: drop_place
DELETE FROM handgriff_place WHERE tenant = ? AND scope = ? AND scope_id = ? AND namespace = ?;

-- name: renew_record
UPDATE handgriff_place
SET expires_at = :until
WHERE tenant = :tenant AND scope = 'scratch' AND scope_id = :session AND namespace = :namespace
    AND expires_at > :now AND expires_at < :until;

-- name: expired_records
SELECT scope_id, namespace
FROM handgriff_place
WHERE tenant = :tenant AND expires_at <= :now
ORDER BY expires_at, scope_id, namespace
LIMIT :limit;

-- name: all_values
SELECT key, value, version
FROM handgriff_state
WHERE tenant = ? AND scope = ? AND scope_id = ? AND namespace = '' AND value IS NOT NULL;

-- name: some_values
SELECT key, value, version
FROM handgriff_state
WHERE tenant = ? AND scope = ? AND scope_id = ? AND namespace = '' AND value IS NOT NULL AND key IN (:list);

-- name: session_values
SELECT scope_id, key, value, version
FROM handgriff_state
WHERE tenant = ? AND scope = 'session' AND scope_id IN (:list) AND namespace = '' AND value IS NOT NULL;

-- name: totals
SELECT keys, bytes FROM handgriff_place WHERE tenant = :tenant AND scope = :scope AND scope_id = :scope_id AND namespace = '';

-- name: cells
SELECT key, value, version FROM handgriff_state WHERE tenant = ? AND scope = ? AND scope_id = ? AND namespace = ?;

-- name: record
SELECT place.scope_id, place.namespace, place.expires_at, state.key, state.value, state.version
FROM handgriff_place AS place LEFT JOIN handgriff_state AS state
    ON state.tenant = place.tenant AND state.scope = place.scope AND state.scope_id = place.scope_id
        AND state.namespace = place.namespace AND state.value IS NOT NULL
WHERE place.tenant = :tenant AND place.scope = 'scratch' AND place.scope_id = :session AND place.namespace = :namespace
    AND place.expires_at > :now;

-- name: records_of_session
SELECT place.scope_id, place.namespace, place.expires_at, state.key, state.value, state.version
FROM handgriff_place AS place LEFT JOIN handgriff_state AS state
    ON state.tenant = place.tenant AND state.scope = place.scope AND state.scope_id = place.scope_id
        AND state.namespace = place.namespace AND state.value IS NOT NULL
WHERE place.tenant = :tenant AND place.scope = 'scratch' AND place.scope_id = :session AND place.expires_at > :now
ORDER BY place.scope_id, place.namespace;

-- name: records_of_tenant
SELECT place.scope_id, place.namespace, place.expires_at, state.key, state.value, state.version
FROM handgriff_place AS place LEFT JOIN handgriff_state AS state
    ON state.tenant = place.tenant AND state.scope = place.scope AND state.scope_id = place.scope_id
        AND state.namespace = place.namespace AND state.value IS NOT NULL
WHERE place.tenant = :tenant AND place.scope = 'scratch' AND place.expires_at > :now
ORDER BY place.scope_id, place.namespace;
