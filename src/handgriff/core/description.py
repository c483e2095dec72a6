"""The description: four labelled parts, written for a model that has read nothing else."""

import re
from dataclasses import dataclass, field

from handgriff.errors import DefinitionError

LABELS = ("Use when", "Not for", "Needs", "Effect")
_LABEL = re.compile(r"(?:^|(?<=\s))(Use when|Not for|Needs|Effect):", re.IGNORECASE)
_EXAMPLE = "Use when: the user asks about orders. Not for: products. Needs: nothing. Effect: none."


@dataclass(frozen=True, slots=True)
class Description:
    """When to use a tool, what it is not for, what it needs first, and what it changes."""

    use_when: str
    not_for: str
    needs: str
    effect: str
    text: str = field(init=False, repr=False, compare=False)
    """The four parts as a model reads them, one a line."""

    def __post_init__(self) -> None:
        parts = (self.use_when, self.not_for, self.needs, self.effect)
        object.__setattr__(self, "text", "\n".join(f"{label}: {part}" for label, part in zip(LABELS, parts, strict=True)))


def parse_description(tool: str, text: str | None) -> Description:
    """The four parts of *text*, in whatever order they stand.

    Raises:
        DefinitionError: a part is missing, empty or given twice, or text stands before the first label.
    """
    source = " ".join((text or "").split())
    pieces = _LABEL.split(source)
    if pieces[0].strip():
        raise _error(tool, f"{pieces[0].strip()[:60]!r} stands outside the four parts.")
    parts: dict[str, str] = {}
    for label, part in zip(pieces[1::2], pieces[2::2], strict=True):
        name = label.capitalize()
        if name in parts:
            raise _error(tool, f"the part {name!r} stands twice.")
        parts[name] = part.strip()
    missing = [label for label in LABELS if not parts.get(label)]
    if missing:
        raise _error(tool, f"it has no {' and no '.join(repr(label) for label in missing)} part.")
    return Description(*(parts[label] for label in LABELS))


def _error(tool: str, problem: str) -> DefinitionError:
    return DefinitionError(tool, "description", problem, mend=f"write the docstring as {_EXAMPLE!r}.")
