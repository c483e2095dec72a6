"""The runtime: one boundary every call passes, and the driver that performs a turn."""
