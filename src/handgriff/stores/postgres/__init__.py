"""The PostgreSQL store, for many machines: one round trip a transaction, and row-level security as a second fence between tenants."""
