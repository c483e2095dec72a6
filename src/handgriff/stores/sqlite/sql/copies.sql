-- Sessions copied and cut back.

-- name: copy_events
INSERT INTO handgriff_event (tenant, session, seq, id, turn, at, kind, body, delta)
SELECT tenant, :new, seq, id, turn, at, kind, body, delta
FROM handgriff_event
WHERE tenant = :tenant AND session = :source AND seq <= :upto
ORDER BY seq;

-- name: copy_seen
INSERT INTO handgriff_seen (tenant, session, kind, value, seq)
SELECT tenant, :new, kind, value, seq FROM handgriff_seen WHERE tenant = :tenant AND session = :source AND seq <= :upto;

-- name: copy_typed
INSERT INTO handgriff_typed (tenant, session, n, text, seq)
SELECT tenant, :new, n, text, seq FROM handgriff_typed WHERE tenant = :tenant AND session = :source AND seq <= :upto;

-- name: cut_events
DELETE FROM handgriff_event WHERE tenant = :tenant AND session = :session AND seq > :to;

-- name: cut_seen
DELETE FROM handgriff_seen WHERE tenant = :tenant AND session = :session AND seq > :to;

-- name: cut_typed
DELETE FROM handgriff_typed WHERE tenant = :tenant AND session = :session AND seq > :to;

-- name: drop_proposal
DELETE FROM handgriff_proposal WHERE tenant = ? AND id = ?;
