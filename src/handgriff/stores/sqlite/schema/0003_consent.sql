-- What an effect record keeps for `reconcile` and of transactions, who confirms a proposal, and what was sent and tried as its code.

ALTER TABLE handgriff_effect ADD COLUMN arguments TEXT NOT NULL DEFAULT '';

ALTER TABLE handgriff_effect ADD COLUMN "transaction" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE handgriff_proposal ADD COLUMN confirm TEXT NOT NULL DEFAULT 'person';

ALTER TABLE handgriff_proposal ADD COLUMN code TEXT;

ALTER TABLE handgriff_proposal ADD COLUMN codes_sent INTEGER NOT NULL DEFAULT 0;

ALTER TABLE handgriff_proposal ADD COLUMN code_sent_at INTEGER;

ALTER TABLE handgriff_proposal ADD COLUMN code_tries INTEGER NOT NULL DEFAULT 0;

-- Asked whenever somebody comes to a session, which may have settled thousands before.
CREATE INDEX handgriff_effect_unsettled ON handgriff_effect (tenant, session, claimed_at) WHERE state IN ('running', 'indeterminate');

-- Without the tenant in front, like the index of leases: whoever looks after crashes asks over all of them.
CREATE INDEX handgriff_effect_by_lease ON handgriff_effect (lease_until, tenant, session) WHERE state = 'running';

-- Nobody decides what has expired, so it stays pending: what still waits is found behind it.
CREATE INDEX handgriff_proposal_waiting ON handgriff_proposal (tenant, user, expires_at) WHERE state = 'pending';

CREATE INDEX handgriff_proposal_for_second_person ON handgriff_proposal (tenant, created_at)
WHERE state = 'pending' AND confirm = 'second_person';

-- When codes were sent to a user. It outlives their proposals and sessions, so that deleting those buys nobody new ones.
CREATE TABLE handgriff_code (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    at INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, at, n)
) STRICT, WITHOUT ROWID;
