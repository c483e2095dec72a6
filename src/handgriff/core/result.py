"""What a tool answers and what a plan shows: one shape for every tool, rendered the same way by every face."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from handgriff.errors import DefinitionError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a diff: what a person reads as before and after. `raw` is the same pair as the program holds it, any JSON."""

    label: str
    before: str | None
    after: str | None
    raw: tuple[Any, Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for member in ("label", "before", "after"):
            value: object = getattr(self, member)
            if not (isinstance(value, str) or (value is None and member != "label")):
                raise DefinitionError(
                    "Change", member, f"{value!r} is no text.", mend="write it as people read it; what it holds goes to raw."
                )

    def exact(self) -> tuple[Any, Any]:
        """The pair a fingerprint is taken over: the raw values, or the display values where none were given."""
        return (self.before, self.after) if self.raw is None else self.raw


@dataclass(frozen=True, slots=True)
class Link:
    """A deep link into the application: a path on its own origin, and the words on it."""

    href: str
    label: str | None = None

    def __post_init__(self) -> None:
        if not is_relative(self.href):
            raise DefinitionError("Result", "link", f"{self.href!r} leaves the application.", mend="give a path that begins with one '/'.")


@dataclass(frozen=True, slots=True)
class Page:
    """How much of what there is was returned."""

    total: int
    returned: int


class _AsDeclared:
    """The default of `Result.fires`: the contract's own event."""

    def __repr__(self) -> str:
        return "AS_DECLARED"


AS_DECLARED: Final = _AsDeclared()


@dataclass(frozen=True)  # no slots: Python 3.11 then fails at `Result[Order](…)`
class Result(Generic[T]):
    """A tool's answer. `summary` is for user and model, `data` for the model only, `diff` and `link` for the user.

    Give one or two plain sentences as summary, in the caller's language; a bare value or an empty list explains nothing.
    `fires=None` vetoes the contract's transition.
    """

    summary: str
    data: T | None = None
    link: "Link | str | None" = field(default=None, kw_only=True)
    diff: Sequence[Change] = field(default=(), kw_only=True)
    page: Page | None = field(default=None, kw_only=True)
    fires: "_AsDeclared | None" = field(default=AS_DECLARED, kw_only=True)

    def __post_init__(self) -> None:
        _check_summary("Result", self.summary)
        object.__setattr__(self, "diff", _changes("Result", self.diff))
        if not isinstance(self.link, (Link, type(None))):
            object.__setattr__(self, "link", Link(self.link))
        fires: object = self.fires
        if not (fires is None or isinstance(fires, _AsDeclared)):
            problem = f"{fires!r} is no veto, and a handler can't choose another event than the contract's."
            raise DefinitionError("Result", "fires", problem, mend="give fires=None to veto it, or leave it out.")

    @classmethod
    def none(cls, *, searched: str) -> "Result[T]":
        """Nothing was found, said in words: *searched* names what was looked for, such as "free slots on Friday"."""
        return cls(f"Nothing was found. Searched: {searched}.")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call would do, shown to a person who decides. Making it changes nothing.

    `version` stands for the state the plan was made from, where the before values alone do not say it; `count` and `sample` describe
    what a selection would touch.
    """

    summary: str
    diff: Sequence[Change] = ()
    version: str | None = field(default=None, kw_only=True)
    count: int | None = field(default=None, kw_only=True)
    sample: Sequence[str] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        _check_summary("Plan", self.summary)
        object.__setattr__(self, "diff", _changes("Plan", self.diff))
        if isinstance(self.sample, str) or not all(isinstance(item, str) for item in self.sample):
            raise DefinitionError("Plan", "sample", "it is no sequence of texts.", mend="give what the selection holds, as people read it.")
        object.__setattr__(self, "sample", tuple(self.sample))


def is_relative(href: object) -> bool:
    """Whether *href* stays on its origin in every browser: one leading slash, no backslash, no control character."""
    return isinstance(href, str) and href.startswith("/") and not href.startswith("//") and "\\" not in href and href.isprintable()


def _check_summary(subject: str, summary: object) -> None:
    if not isinstance(summary, str) or not summary.strip():
        raise DefinitionError(subject, "summary", "it is empty or no text.", mend="say in a sentence what happened.")


def _changes(subject: str, diff: object) -> tuple[Change, ...]:
    if not isinstance(diff, (list, tuple)) or not all(isinstance(change, Change) for change in diff):
        raise DefinitionError(subject, "diff", "it is no sequence of Change.", mend="give [Change(label, before, after), …].")
    return tuple(diff)
