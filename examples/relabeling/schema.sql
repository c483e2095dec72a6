-- What the depot keeps of its own. A parcel is relabeled once: its old code means nothing afterwards, so no order may hold it again.
CREATE TABLE IF NOT EXISTS relabeling (
    number INTEGER PRIMARY KEY,
    wish TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    placed_by TEXT NOT NULL,
    placed_at TEXT NOT NULL,
    origin TEXT NOT NULL,
    target TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS parcel (
    code TEXT PRIMARY KEY,
    number INTEGER NOT NULL REFERENCES relabeling,
    position INTEGER NOT NULL
) STRICT;
