-- Records as they are, and what they are looked up by beside their keys.
CREATE TABLE records (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE TABLE shoppers (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    zip TEXT NOT NULL
);
CREATE INDEX shoppers_by_email ON shoppers (email);
CREATE INDEX shoppers_by_name ON shoppers (last_name, first_name, zip);

CREATE TABLE variants (
    id TEXT PRIMARY KEY,
    product TEXT NOT NULL
);
CREATE INDEX variants_by_product ON variants (product);
