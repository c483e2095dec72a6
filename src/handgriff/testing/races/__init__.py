"""The race matrix: what many write at once, counted. Every write that was acknowledged must be there.

    python -m handgriff.testing.races --store postgresql://…

Everything goes through the public face of a host: turns, `host.call`, `host.sessions.create`. Each race has a tenant of its own, which is
erased afterwards; what stays is the ledger row of its one turn, under a pseudonym, as it always does.
"""
