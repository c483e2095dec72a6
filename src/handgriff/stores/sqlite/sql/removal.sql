-- What is deleted: a session with everything of its own, and what belongs to a user or a tenant.

-- name: delete_session
DELETE FROM handgriff_session WHERE tenant = :tenant AND id = :session;

-- name: delete_pin
DELETE FROM handgriff_pin WHERE tenant = :tenant AND session = :session;

-- name: delete_events
DELETE FROM handgriff_event WHERE tenant = :tenant AND session = :session;

-- name: delete_state
DELETE FROM handgriff_state WHERE tenant = :tenant AND scope IN ('session', 'scratch') AND scope_id = :session;

-- name: delete_places
DELETE FROM handgriff_place WHERE tenant = :tenant AND scope IN ('session', 'scratch') AND scope_id = :session;

-- name: delete_seen
DELETE FROM handgriff_seen WHERE tenant = :tenant AND session = :session;

-- name: delete_typed
DELETE FROM handgriff_typed WHERE tenant = :tenant AND session = :session;

-- name: delete_effects
DELETE FROM handgriff_effect WHERE tenant = :tenant AND session = :session AND (:since IS NULL OR claimed_at < :since);

-- name: delete_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant AND session = :session;

-- name: delete_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant AND session = :session AND :since IS NULL;

-- name: sessions_of_user
SELECT id FROM handgriff_session WHERE tenant = :tenant AND user = :user;

-- name: user_effects
DELETE FROM handgriff_effect WHERE tenant = :tenant AND user = :user;

-- name: user_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant AND user = :user;

-- name: user_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant AND user = :user;

-- name: user_state
DELETE FROM handgriff_state WHERE tenant = :tenant AND scope = 'user' AND scope_id = :user;

-- name: user_places
DELETE FROM handgriff_place WHERE tenant = :tenant AND scope = 'user' AND scope_id = :user;

-- name: tenant_sessions
DELETE FROM handgriff_session WHERE tenant = :tenant;

-- name: tenant_pins
DELETE FROM handgriff_pin WHERE tenant = :tenant;

-- name: tenant_events
DELETE FROM handgriff_event WHERE tenant = :tenant;

-- name: tenant_state
DELETE FROM handgriff_state WHERE tenant = :tenant;

-- name: tenant_places
DELETE FROM handgriff_place WHERE tenant = :tenant;

-- name: tenant_seen
DELETE FROM handgriff_seen WHERE tenant = :tenant;

-- name: tenant_typed
DELETE FROM handgriff_typed WHERE tenant = :tenant;

-- name: tenant_effects
DELETE FROM handgriff_effect WHERE tenant = :tenant;

-- name: tenant_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant;

-- name: tenant_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant;

-- name: tenant_prefixes
DELETE FROM handgriff_prefix WHERE tenant = :tenant;
