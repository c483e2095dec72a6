-- The parts of the growing tables, and the fence: a row is seen and written only where the setting `handgriff.tenant` names its tenant.
-- Whoever sets nothing sees nothing: a setting that was taken back reads as the empty text, so that names no tenant. What is asked over
-- all tenants needs a second setting, made by the functions that ask it and no other. A part has no policy, so that whoever turns to it
-- directly, past its table, sees nothing at all.

DO $$
DECLARE
    v_table text;
    v_part integer;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['event', 'state', 'seen', 'typed', 'request'] LOOP
        FOR v_part IN 0 .. 7 LOOP
            EXECUTE format(
                'CREATE TABLE handgriff.%I PARTITION OF handgriff.%I FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
                v_table || '_' || v_part, v_table, v_part
            );
            EXECUTE format('ALTER TABLE handgriff.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', v_table || '_' || v_part);
        END LOOP;
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY[
        'session', 'event', 'state', 'place', 'seen', 'typed', 'effect', 'proposal', 'request', 'prefix', 'hook'
    ] LOOP
        EXECUTE format('ALTER TABLE handgriff.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', v_table);
        EXECUTE format(
            'CREATE POLICY own_tenant ON handgriff.%I USING (tenant = nullif(current_setting(''handgriff.tenant'', TRUE), ''''))', v_table
        );
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['session', 'place', 'request'] LOOP
        EXECUTE format(
            'CREATE POLICY every_tenant ON handgriff.%I FOR SELECT USING (current_setting(''handgriff.every_tenant'', TRUE) = ''on'')',
            v_table
        );
    END LOOP;
END
$$;
