-- The first schema. Tables carry our name, because the file may be the application's own.
-- Tenant is the first column of every primary key; times are microseconds since 1970, UTC.

CREATE TABLE handgriff_session (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    user TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    head INTEGER NOT NULL,
    title TEXT,
    alias TEXT,
    pinned TEXT,
    lease_epoch INTEGER NOT NULL,
    lease_turn TEXT,
    lease_holder TEXT,
    lease_until INTEGER,
    lease_stop INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX handgriff_session_by_user ON handgriff_session (tenant, user, created_at, id);

CREATE UNIQUE INDEX handgriff_session_by_alias ON handgriff_session (tenant, user, alias) WHERE alias IS NOT NULL;

CREATE TABLE handgriff_event (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    turn TEXT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, session, seq),
    UNIQUE (tenant, session, id)
) STRICT, WITHOUT ROWID;

-- A deleted key keeps its row: the value is NULL and the version goes on counting.
CREATE TABLE handgriff_state (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    scope_id TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT,
    PRIMARY KEY (tenant, scope, scope_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE handgriff_seen (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (tenant, session, kind, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE handgriff_typed (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    n INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, session, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE handgriff_prefix (
    tenant TEXT NOT NULL,
    hash TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) STRICT, WITHOUT ROWID;

-- The tables below keep their rowid: it is the order of arrival, which decides between equal times.

CREATE TABLE handgriff_effect (
    tenant TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    claim TEXT NOT NULL,
    session TEXT NOT NULL,
    user TEXT NOT NULL,
    turn TEXT,
    call TEXT NOT NULL,
    state TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,
    settled_at INTEGER,
    steps TEXT NOT NULL,
    result TEXT,
    proposal TEXT,
    resolved_by TEXT,
    PRIMARY KEY (tenant, tool, key)
) STRICT;

CREATE INDEX handgriff_effect_by_session ON handgriff_effect (tenant, session, claimed_at);

CREATE INDEX handgriff_effect_by_state ON handgriff_effect (tenant, state, claimed_at);

CREATE TABLE handgriff_proposal (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    session TEXT NOT NULL,
    turn TEXT,
    id TEXT NOT NULL,
    call TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    digest TEXT NOT NULL,
    contract TEXT NOT NULL,
    summary TEXT NOT NULL,
    diff TEXT NOT NULL,
    before TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    decided_by TEXT,
    decided_at INTEGER,
    count INTEGER,
    sample TEXT NOT NULL,
    "grant" TEXT NOT NULL,
    wire_id TEXT NOT NULL,
    typed INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;

CREATE INDEX handgriff_proposal_by_session ON handgriff_proposal (tenant, session, created_at);

CREATE INDEX handgriff_proposal_by_state ON handgriff_proposal (tenant, state, created_at);

CREATE TABLE handgriff_request (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    assistant TEXT NOT NULL,
    lane TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    reserved_tokens INTEGER NOT NULL,
    status TEXT NOT NULL,
    served_model TEXT,
    closed_at INTEGER,
    aborted_by TEXT,
    input_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_write_5m_tokens INTEGER NOT NULL,
    cache_write_1h_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    server_tool_uses INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    price_version TEXT,
    cost_pico INTEGER,
    first_token_us INTEGER,
    duration_us INTEGER,
    miss_reason TEXT,
    PRIMARY KEY (tenant, id)
) STRICT;

CREATE INDEX handgriff_request_by_session ON handgriff_request (tenant, session, opened_at);

CREATE INDEX handgriff_request_by_time ON handgriff_request (tenant, opened_at);

CREATE TABLE handgriff_hook (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    session TEXT NOT NULL,
    user TEXT NOT NULL,
    call TEXT NOT NULL,
    tool TEXT NOT NULL,
    payload TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
