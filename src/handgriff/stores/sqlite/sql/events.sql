-- Events and what was seen. The statements of nearly every commit take their parameters by place, which is faster than by name; and they
-- do without RETURNING, for which SQLite makes a table.

-- name: head
SELECT head, COALESCE(active_at, created_at), active_day FROM handgriff_session WHERE tenant = ? AND id = ?;

-- name: append_event
INSERT INTO handgriff_event (tenant, session, seq, id, turn, at, kind, body, delta)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, session, id) DO NOTHING;

-- name: stored_event
SELECT seq, kind, body, delta FROM handgriff_event WHERE tenant = ? AND session = ? AND id = ?;

-- name: move_head
UPDATE handgriff_session SET head = ?, active_at = ? WHERE tenant = ? AND id = ?;

-- name: move_head_and_day
UPDATE handgriff_session SET head = ?, active_at = ?, active_day = ? WHERE tenant = ? AND id = ?;

-- name: introduce_seen
INSERT INTO handgriff_seen (tenant, session, kind, value, seq) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: introduce_typed
INSERT INTO handgriff_typed (tenant, session, n, text, seq)
SELECT :tenant, :session, COALESCE(MAX(n), 0) + 1, :text, :seq
FROM handgriff_typed
WHERE tenant = :tenant AND session = :session;

-- name: events
SELECT seq, id, turn, at, kind, body, delta
FROM handgriff_event
WHERE tenant = :tenant AND session = :session AND seq > :after
ORDER BY seq
LIMIT :limit;

-- name: introduced
SELECT value FROM handgriff_seen WHERE tenant = :tenant AND session = :session AND kind = :kind AND value = :value;

-- name: typed_with
SELECT text FROM handgriff_typed WHERE tenant = :tenant AND session = :session AND instr(text, :value) > 0 ORDER BY n DESC;
