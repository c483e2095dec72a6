-- Kept instances of machines, and which of them an effect moves.

-- JSON text of the machine, the handle and the event; NULL where nothing moves.
ALTER TABLE handgriff_effect ADD COLUMN fires TEXT;

-- Whether what moves is outside the store, and has not followed yet.
ALTER TABLE handgriff_effect ADD COLUMN owes INTEGER NOT NULL DEFAULT 0;

-- Whether what moves is still there once the user is erased.
ALTER TABLE handgriff_effect ADD COLUMN outlives INTEGER NOT NULL DEFAULT 0;

CREATE INDEX handgriff_effect_owing ON handgriff_effect (tenant, session, claimed_at) WHERE state = 'done' AND owes = 1;

-- A claim writes the next snapshot beside the present one and a settlement takes it away, so rows are long and change their length: they
-- keep their rowid, and texts that may be long come last.
CREATE TABLE handgriff_workflow (
    tenant TEXT NOT NULL,
    machine TEXT NOT NULL,
    handle TEXT NOT NULL,
    version INTEGER NOT NULL,
    claim TEXT,
    tool TEXT,
    key TEXT,
    user TEXT,
    session TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    hash TEXT NOT NULL,
    next_hash TEXT,
    snapshot TEXT NOT NULL,
    next TEXT,
    PRIMARY KEY (tenant, machine, handle)
) STRICT;

-- With the order in which they are listed: without it, SQLite would rather look through all of the tenant's than sort a few.
CREATE INDEX handgriff_workflow_by_session ON handgriff_workflow (tenant, session, machine, handle) WHERE session IS NOT NULL;

CREATE INDEX handgriff_workflow_by_deadline ON handgriff_workflow (tenant, expires_at) WHERE expires_at IS NOT NULL;
