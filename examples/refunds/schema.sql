-- The shop's own tables, in words that SQLite and PostgreSQL both understand. They lie beside Handgriff's, in the same database.

CREATE TABLE shop_order (
    id text PRIMARY KEY,
    shop text NOT NULL,
    clerk text NOT NULL,
    customer text NOT NULL,
    item text NOT NULL,
    cents integer NOT NULL CHECK (cents > 0),
    credited integer NOT NULL DEFAULT 0 CHECK (credited BETWEEN 0 AND cents)
);

-- `refunds` is how many numbers of refunds have been given out. Whoever takes the next one holds the row.
CREATE TABLE payment (
    id text PRIMARY KEY,
    shop_order text NOT NULL REFERENCES shop_order (id),
    reference text NOT NULL,
    cents integer NOT NULL CHECK (cents > 0),
    refunds integer NOT NULL DEFAULT 0
);

-- A refund is `begun` before the payment provider is asked, and what it says decides what it becomes.
CREATE TABLE refund (
    number text PRIMARY KEY,
    payment text NOT NULL REFERENCES payment (id),
    cents integer NOT NULL CHECK (cents > 0),
    state text NOT NULL CHECK (state IN ('begun', 'made', 'failed')),
    asked_by text NOT NULL,
    agreed_by text NOT NULL
);

CREATE INDEX refund_by_payment ON refund (payment);

CREATE TABLE credit (
    id text PRIMARY KEY,
    shop_order text NOT NULL REFERENCES shop_order (id),
    cents integer NOT NULL CHECK (cents > 0),
    given_by text NOT NULL,
    agreed_by text
);
