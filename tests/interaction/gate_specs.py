"""A world for the gate as plain values: machines, the tools bound to them, and what each caller may do."""

from dataclasses import dataclass
from typing import Literal

from tests.interaction.gate_machines import Config

Kind = Literal["session", "handle", "process", "derived", "asked"]
"""Where a machine's state is; `asked` is derived from a call's arguments."""


@dataclass(frozen=True, slots=True)
class MachineSpec:
    """One machine."""

    config: Config
    kind: Kind
    is_shared: bool = False
    """Its instances are the tenant's."""

    @property
    def id(self) -> str:
        """Also the parameter that names an instance."""
        return str(self.config["id"])

    @property
    def is_kept(self) -> bool:
        return self.kind not in ("derived", "asked")

    @property
    def needs_arguments(self) -> bool:
        """Whether only a call's arguments say which instance, or where it is."""
        return self.kind in ("handle", "asked")

    @property
    def looks_at_context(self) -> bool:
        """Whether one of its guards does."""
        return "'even'" in repr(self.config) or "'odd'" in repr(self.config)


@dataclass(frozen=True, slots=True)
class AtSpec:
    """States of one machine by their paths, or by their tags."""

    machine: int
    names: tuple[str, ...]
    by_tag: bool = False


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. An event goes to a machine by its index."""

    name: str
    effect: Literal["read", "write", "irreversible"] = "write"
    requires: tuple[str, ...] = ()
    at: tuple[AtSpec, ...] = ()
    fires: tuple[int, str] | None = None
    starts: int | None = None
    from_outside: bool = False
    """Bound by the assistant's `bindings`."""

    @property
    def machines(self) -> tuple[int, ...]:
        """Those it is bound to, each once."""
        return tuple(dict.fromkeys((*(each.machine for each in self.at), *(() if self.fires is None else self.fires[:1]))))

    @property
    def is_bound(self) -> bool:
        return bool(self.machines) or self.starts is not None


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """All of it. `grants` are what each caller may do, in the order of `gate_build.PEOPLE`."""

    machines: tuple[MachineSpec, ...]
    tools: tuple[ToolSpec, ...]
    unbound: Literal["open", "closed"]
    grants: tuple[frozenset[str], ...]
