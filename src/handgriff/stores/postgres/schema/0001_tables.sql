-- The tables. Tenant is the first column of every primary key, texts compare byte by byte, and what grows is split by the tenant's hash.

CREATE SEQUENCE handgriff.arrival;
COMMENT ON SEQUENCE handgriff.arrival IS 'The order in which rows came, which decides between equal times.';

-- Its row is the lock of everything that is the session's.
CREATE TABLE handgriff.session (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    head bigint NOT NULL,
    title text COLLATE "C",
    alias text COLLATE "C",
    pinned text COLLATE "C",
    lease_epoch bigint NOT NULL,
    lease_turn text COLLATE "C",
    lease_holder text COLLATE "C",
    lease_until timestamptz,
    lease_stop boolean NOT NULL,
    active_at timestamptz,
    -- The day of `active_at`, or of `created_at` before there is one. An index on the moment itself would have to change with every append.
    active_day date NOT NULL,
    PRIMARY KEY (tenant, id)
) WITH (fillfactor = 70);

CREATE INDEX session_by_user ON handgriff.session (tenant, "user", created_at, id);
CREATE UNIQUE INDEX session_by_alias ON handgriff.session (tenant, "user", alias) WHERE alias IS NOT NULL;
CREATE INDEX session_by_day ON handgriff.session (tenant, active_day);
CREATE INDEX session_by_lease ON handgriff.session (lease_until, tenant, id) WHERE lease_turn IS NOT NULL;

CREATE TABLE handgriff.event (
    tenant text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    turn text COLLATE "C",
    at timestamptz NOT NULL,
    kind text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    delta text COLLATE "C",
    PRIMARY KEY (tenant, session, seq),
    UNIQUE (tenant, session, id)
) PARTITION BY HASH (tenant);

-- A deleted key keeps its row: the value is NULL and the version goes on counting. `replaced` is how many bytes the value had that the last
-- set took the place of, NULL where there was none: so a set knows what it changed in the totals without having read.
CREATE TABLE handgriff.state (
    tenant text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    value text COLLATE "C",
    replaced integer,
    PRIMARY KEY (tenant, scope, owner, namespace, key)
) PARTITION BY HASH (tenant);

-- The totals of each place: of the scope of a session, once it has state, of a scope that sessions share, whose lock the row is too, and of
-- a scratch record, whose deadline it holds.
CREATE TABLE handgriff.place (
    tenant text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    keys bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    is_written boolean NOT NULL DEFAULT FALSE,
    expires_at timestamptz,
    first_version bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, scope, owner, namespace)
) WITH (fillfactor = 70);

CREATE INDEX place_by_deadline ON handgriff.place (tenant, expires_at) WHERE expires_at IS NOT NULL;

-- A value may be longer than an index takes, so its digest stands in the key.
CREATE TABLE handgriff.seen (
    tenant text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    value text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (tenant, session, kind, digest)
) PARTITION BY HASH (tenant);

CREATE TABLE handgriff.typed (
    tenant text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    arrival bigint NOT NULL DEFAULT nextval('handgriff.arrival'),
    seq bigint NOT NULL,
    text text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, session, arrival)
) PARTITION BY HASH (tenant);

CREATE TABLE handgriff.effect (
    tenant text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    claim text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    turn text COLLATE "C",
    call text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    lease_until timestamptz NOT NULL,
    claimed_at timestamptz NOT NULL,
    settled_at timestamptz,
    steps text COLLATE "C" NOT NULL,
    result text COLLATE "C",
    proposal text COLLATE "C",
    resolved_by text COLLATE "C",
    arrival bigint NOT NULL DEFAULT nextval('handgriff.arrival'),
    PRIMARY KEY (tenant, tool, key)
);

CREATE INDEX effect_by_session ON handgriff.effect (tenant, session, claimed_at);
CREATE INDEX effect_by_state ON handgriff.effect (tenant, state, claimed_at);

CREATE TABLE handgriff.proposal (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    turn text COLLATE "C",
    id text COLLATE "C" NOT NULL,
    call text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    arguments text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    contract text COLLATE "C" NOT NULL,
    summary text COLLATE "C" NOT NULL,
    diff text COLLATE "C" NOT NULL,
    before text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    state text COLLATE "C" NOT NULL,
    decided_by text COLLATE "C",
    decided_at timestamptz,
    count bigint,
    sample text COLLATE "C" NOT NULL,
    "grant" text COLLATE "C" NOT NULL,
    wire_id text COLLATE "C" NOT NULL,
    typed boolean NOT NULL,
    arrival bigint NOT NULL DEFAULT nextval('handgriff.arrival'),
    PRIMARY KEY (tenant, id)
);

CREATE INDEX proposal_by_session ON handgriff.proposal (tenant, session, created_at);
CREATE INDEX proposal_by_state ON handgriff.proposal (tenant, state, created_at);

CREATE TABLE handgriff.request (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    turn text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    assistant text COLLATE "C" NOT NULL,
    lane text COLLATE "C" NOT NULL,
    provider text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    opened_at timestamptz NOT NULL,
    reserved_tokens bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    served_model text COLLATE "C",
    closed_at timestamptz,
    aborted_by text COLLATE "C",
    input_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_5m_tokens bigint NOT NULL,
    cache_write_1h_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    server_tool_uses bigint NOT NULL,
    estimated boolean NOT NULL,
    price_version text COLLATE "C",
    cost_pico bigint,
    first_token_us bigint,
    duration_us bigint,
    miss_reason text COLLATE "C",
    arrival bigint NOT NULL DEFAULT nextval('handgriff.arrival'),
    PRIMARY KEY (tenant, id)
) PARTITION BY HASH (tenant);

CREATE INDEX request_by_session ON handgriff.request (tenant, session, opened_at);
CREATE INDEX request_by_time ON handgriff.request (tenant, opened_at);

CREATE TABLE handgriff.prefix (
    tenant text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, hash)
);

CREATE TABLE handgriff.hook (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    call text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    payload text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    arrival bigint NOT NULL DEFAULT nextval('handgriff.arrival'),
    PRIMARY KEY (tenant, id)
);
