"""Declared state: the keys an assistant knows, each with its type. Without a declaration any key may hold any JSON.

It holds the values and costs nothing; `declaration` reads the pydantic model and is loaded when an assistant has one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from handgriff.core.jsontext import Json, JsonError
from handgriff.core.scope import parse_key
from handgriff.errors import DefinitionError


class DeclaredKey(Protocol):
    """What one key holds: how a value is written and read, and what stands for one that is not there."""

    def write(self, value: Any) -> Json:
        """A value of the type, or JSON that says one, as the JSON to store.

        Raises:
            JsonError: it is neither; says what was expected.
        """
        ...

    def read(self, text: str) -> Any:
        """JSON *text* as the type.

        Raises:
            JsonError: it says none; says what was expected.
        """
        ...

    def default(self) -> Any:
        """The declared default, a fresh one at every call; None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Declared:
    """The keys that may be used."""

    types: Mapping[str, DeclaredKey]

    @property
    def keys(self) -> tuple[str, ...]:
        """The declared keys, in the author's order."""
        return tuple(self.types)

    def nearest(self, key: str) -> str | None:
        """The declared key that looks most like *key*, if one does."""
        return next(iter(get_close_matches(key, self.keys, n=1)), None)

    def check_key(self, key: str) -> None:
        """See that *key* is declared.

        Raises:
            DefinitionError: it is not, or is no key; the nearest one is named.
        """
        self._type(key)

    def check(self, key: str, value: Any) -> Any:
        """*value* as the JSON to store. Nothing is converted: a value is of the declared type, or JSON that says one.

        Raises:
            DefinitionError: *key* is not declared, or *value* is not of its type.
        """
        try:
            return self._type(key).write(value)
        except JsonError as error:
            raise DefinitionError(
                "call.state", repr(key), f"the value does not fit: {error}.", mend="write what the state model declares."
            ) from None

    def read(self, key: str, text: str | None, default: Any = None) -> Any:
        """The stored JSON *text* as the declared type. For an absent key *default*, or the declared one where that is None.

        Raises:
            DefinitionError: *key* is not declared, or what is stored is not of its type.
        """
        declared = self._type(key)
        if text is None:
            return declared.default() if default is None else default
        try:
            return declared.read(text)
        except JsonError as error:
            problem = f"what is stored does not fit its declared type any more: {error}."
            raise DefinitionError(
                "call.state", repr(key), problem, mend="declare the type it was written with, or write it anew."
            ) from None

    def _type(self, key: str) -> DeclaredKey:
        found = self.types.get(str(parse_key(key)))
        if found is None:
            near = self.nearest(key)
            mend = f"did you mean {near!r}?" if near else f"use one of {', '.join(map(repr, self.keys))}."
            raise DefinitionError("call.state", repr(key), "the state model declares no such key.", mend=f"{mend} Or declare it.")
        return found


def declare(model: object) -> Declared:
    """The keys that *model*, a pydantic model, declares: one for each field, under its alias (`user:name`), or its own name.

    Raises:
        DefinitionError: it is no such model, or a field of it can't be a key.
    """
    # Imported here because pydantic costs more than everything else together, and few assistants declare their state.
    from handgriff.core.schema.declaration import declared_keys  # noqa: PLC0415

    return Declared(declared_keys(model))
