"""The host: the only place where names become adapters."""
