"""A shop that gives money back: a payment provider that may fail at any moment, store credit in tables of its own, and who must agree."""
