"""The replay of XState's recorded answers: the same machines, the same events, and every difference told.

    python -m handgriff.testing.xstate vectors.jsonl

`vectors` reads the file, `replay` steps a machine through its events, stored and read again before each of them.
"""
