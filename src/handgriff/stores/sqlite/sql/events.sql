-- Events, state, and what was seen. The three statements of nearly every commit take their parameters by place, which is faster.

-- name: next_seq
UPDATE handgriff_session SET head = head + 1 WHERE tenant = ? AND id = ? RETURNING head;

-- name: undo_seq
UPDATE handgriff_session SET head = head - 1 WHERE tenant = :tenant AND id = :session;

-- name: append_event
INSERT INTO handgriff_event (tenant, session, seq, id, turn, at, kind, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, session, id) DO NOTHING;

-- name: stored_event
SELECT seq, kind, body FROM handgriff_event WHERE tenant = :tenant AND session = :session AND id = :id;

-- name: set_value
INSERT INTO handgriff_state (tenant, scope, scope_id, key, version, value)
VALUES (?, ?, ?, ?, 1, ?)
ON CONFLICT (tenant, scope, scope_id, key) DO UPDATE SET value = excluded.value, version = version + 1;

-- name: delete_value
UPDATE handgriff_state
SET value = NULL, version = version + 1
WHERE tenant = :tenant AND scope = :scope AND scope_id = :scope_id AND key = :key AND value IS NOT NULL;

-- name: introduce_seen
INSERT INTO handgriff_seen (tenant, session, kind, value) VALUES (:tenant, :session, :kind, :value) ON CONFLICT DO NOTHING;

-- name: introduce_typed
INSERT INTO handgriff_typed (tenant, session, n, text)
SELECT :tenant, :session, COALESCE(MAX(n), 0) + 1, :text
FROM handgriff_typed
WHERE tenant = :tenant AND session = :session;

-- name: events
SELECT seq, id, turn, at, kind, body
FROM handgriff_event
WHERE tenant = :tenant AND session = :session AND seq > :after
ORDER BY seq
LIMIT :limit;

-- name: all_values
SELECT key, value, version
FROM handgriff_state
WHERE tenant = :tenant AND scope = :scope AND scope_id = :scope_id AND value IS NOT NULL;

-- name: some_values
SELECT key, value, version
FROM handgriff_state
WHERE tenant = :tenant AND scope = :scope AND scope_id = :scope_id AND value IS NOT NULL AND key IN (:keys);

-- name: introduced
SELECT value FROM handgriff_seen WHERE tenant = :tenant AND session = :session AND kind = :kind AND value = :value;

-- name: typed_with
SELECT text FROM handgriff_typed WHERE tenant = :tenant AND session = :session AND instr(text, :value) > 0 ORDER BY n DESC;
