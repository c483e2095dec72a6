CREATE TABLE customer (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    email TEXT NOT NULL
) STRICT;

CREATE TABLE stylist (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE service (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    minutes INTEGER NOT NULL CHECK (minutes > 0),
    cents INTEGER NOT NULL CHECK (cents > 0)
) STRICT;

CREATE TABLE appointment (
    id TEXT PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customer,
    service TEXT NOT NULL REFERENCES service,
    stylist TEXT NOT NULL REFERENCES stylist,
    starts TEXT NOT NULL,
    minutes INTEGER NOT NULL CHECK (minutes > 0),
    cents INTEGER NOT NULL CHECK (cents > 0),
    state TEXT NOT NULL DEFAULT 'booked' CHECK (state IN ('booked', 'cancelled'))
) STRICT;

CREATE INDEX appointment_by_day ON appointment (starts, stylist);

CREATE TABLE invoice (
    id TEXT PRIMARY KEY,
    appointment TEXT NOT NULL UNIQUE REFERENCES appointment,
    text TEXT NOT NULL,
    cents INTEGER NOT NULL CHECK (cents > 0),
    number TEXT UNIQUE,
    sent_on TEXT,
    CHECK ((number IS NULL) = (sent_on IS NULL))
) STRICT;

-- What has left the house. A demo has no mail server, so sending is writing here.
CREATE TABLE mail (
    id INTEGER PRIMARY KEY,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;
