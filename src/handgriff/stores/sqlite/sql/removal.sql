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
DELETE FROM handgriff_effect
WHERE tenant = :tenant AND session = :session
    AND (:since IS NULL OR (claimed_at < :since AND state IN ('done', 'failed')));

-- name: delete_workflows
DELETE FROM handgriff_workflow WHERE tenant = :tenant AND session = :session;

-- name: delete_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant AND session = :session;

-- name: delete_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant AND session = :session AND :since IS NULL;

-- name: sessions_of_user
SELECT id FROM handgriff_session WHERE tenant = :tenant AND user = :user;

-- name: user_effects
DELETE FROM handgriff_effect WHERE tenant = :tenant AND user = :user;

-- name: user_workflows
DELETE FROM handgriff_workflow WHERE tenant = :tenant AND user = :user;

-- name: user_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant AND user = :user;

-- name: user_codes
DELETE FROM handgriff_code WHERE tenant = :tenant AND user = :user;

-- name: user_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant AND user = :user;

-- name: user_state
DELETE FROM handgriff_state WHERE tenant = :tenant AND scope = 'user' AND scope_id = :user;

-- name: user_places
DELETE FROM handgriff_place WHERE tenant = :tenant AND scope = 'user' AND scope_id = :user;

-- name: renamed_proposals
UPDATE handgriff_proposal SET decided_by = :pseudonym WHERE tenant = :tenant AND decided_by = :user;

-- name: renamed_effects
UPDATE handgriff_effect SET resolved_by = :pseudonym WHERE tenant = :tenant AND resolved_by = :user;

-- name: events_that_name
SELECT session, seq, kind, body FROM handgriff_event WHERE tenant = :tenant AND kind IN ('decision', 'operator_change');

-- name: rename_event
UPDATE handgriff_event SET body = :body WHERE tenant = :tenant AND session = :session AND seq = :seq;

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

-- name: tenant_workflows
DELETE FROM handgriff_workflow WHERE tenant = :tenant;

-- name: tenant_proposals
DELETE FROM handgriff_proposal WHERE tenant = :tenant;

-- name: tenant_codes
DELETE FROM handgriff_code WHERE tenant = :tenant;

-- name: tenant_hooks
DELETE FROM handgriff_hook WHERE tenant = :tenant;

-- name: tenant_prefixes
DELETE FROM handgriff_prefix WHERE tenant = :tenant;
