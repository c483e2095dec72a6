"""Anthropic Messages. `wire` renders and `assemble` reads, both pure; only `adapter` knows the SDK, so only who needs it imports it."""
