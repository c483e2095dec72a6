"""State machines in the shape of XState v5: read once, then stepped by pure functions.

`reading` makes a `Definition` of a config, `interpret` starts and steps a `Snapshot` and takes the delayed transitions whose time is over.
There is no clock, no timer and no actor in here: every function is given the time, and what it returns is all that it did.
"""
