"""Marks an author puts into `Annotated[…]` to say what a type can't: where a value comes from and what it may steer.

They are plain values, read by `core.schema` and by the definition checks. They refuse to know pydantic: the one method
that pydantic calls uses nothing of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from handgriff.errors import DefinitionError

KNOWN_KEY = "x-handgriff-known"
"""Where a private schema carries the kind of a `Known`; no schema that leaves the process has it."""


@dataclass(frozen=True, slots=True)
class Known:
    """In a result, introduces values of *kind* to the session; in an argument, demands that the value was seen there.

    On an array it stands for each item.
    """

    kind: str

    def __post_init__(self) -> None:
        if not self.kind.strip():
            raise DefinitionError("Known", "kind", "it is blank.", mend="name the kind, as in Known('order').")

    def __get_pydantic_json_schema__(
        self, core_schema: Any, handler: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:  # pydantic's protocol, without importing it
        return {**handler(core_schema), KNOWN_KEY: self.kind}


@dataclass(frozen=True, slots=True)
class Data:
    """Declares that a parameter named like an authority is data; *reason* says why that is safe."""

    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise DefinitionError("Data", "reason", "it is blank.", mend="say why that is safe: Data('own record only, see authorize').")


@dataclass(frozen=True, slots=True)
class Selector:
    """Declares that a write takes a free selection; its plan then shows the count and a sample."""
