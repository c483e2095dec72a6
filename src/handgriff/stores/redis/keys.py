"""Keys, made of ids that are escaped and never run together. What stands in braces decides on which node of a cluster a key lives."""

from typing import Final
from urllib.parse import quote, unquote

_PREFIX: Final = "handgriff:scratch:"


def record_key(tenant: str, session: str, namespace: str) -> str:
    """The key of a record. Those of one session live together."""
    return f"{_PREFIX}{{{_part(tenant)}:{_part(session)}}}:{_part(namespace)}"


def pattern(tenant: str, session: str | None) -> str:
    """What the keys of a tenant, or of one of its sessions, look like. Escaped ids hold nothing that a pattern would read as a sign."""
    return f"{_PREFIX}{{{_part(tenant)}:{'*' if session is None else _part(session)}}}:*"


def parts_of(key: str) -> tuple[str, str, str]:
    """Tenant, session and namespace of a key that `record_key` made."""
    owner, _, namespace = key.removeprefix(_PREFIX).removeprefix("{").partition("}:")
    tenant, _, session = owner.partition(":")
    return unquote(tenant), unquote(session), unquote(namespace)


def _part(text: str) -> str:
    return quote(text, safe="")
