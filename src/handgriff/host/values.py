"""State from outside a call: the values a session begins with, and the values people are shown."""

from collections.abc import Mapping
from typing import Any

from handgriff.core.delta import Delta, Set, Value
from handgriff.core.scope import Key, parse_key
from handgriff.core.state import check_value
from handgriff.ports.store import StateReads
from handgriff.runtime.assistant import Assistant


def initial_delta(assistant: Assistant, values: Mapping[str, Any]) -> Delta:
    """*values* by key as operations; temporary ones are nobody's yet, and dropped.

    Raises:
        DefinitionError: a key or value can be none, or was not declared.
    """
    operations = []
    for key, value in values.items():
        parsed = parse_key(key)
        if parsed.scope != "temp":
            operations.append(Set(parsed.scope, parsed.name, stored_text(assistant, key, value)))
    return tuple(operations)


def stored_text(assistant: Assistant, key: str, value: Any) -> str:
    """The JSON text *value* is stored as at *key*.

    Raises:
        DefinitionError: it can't be stored there.
    """
    if assistant.declared is not None:
        assistant.declared.check_key(key)
        value = assistant.declared.check(key, value)
    return check_value("state", key, value, assistant.limits.state)


async def shared_values(reads: StateReads, tenant: str, user: str) -> dict[str, Any]:
    """What a user's sessions share: `app:` and `user:` keys."""
    app = await reads.values(tenant, "app", "")
    own = await reads.values(tenant, "user", user)
    return {
        **{str(Key("app", name)): value.json() for name, value in app.items()},
        **{str(Key("user", name)): value.json() for name, value in own.items()},
    }


def stored_json(values: Mapping[str, Value]) -> dict[str, Any]:
    """Stored values as JSON values."""
    return {key: value.json() for key, value in values.items()}
