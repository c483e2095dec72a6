"""A place of one's own for workflow instances: `docs/snapshots.md` shows it."""
