"""The two values a contract holds: the schema of its arguments and that of its result's data.

Below them a judge (pydantic or jsonschema) is plugged in by whoever built them; they themselves know neither, so that a
contract can be passed about at no cost. Above them lie contracts and the boundary.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonError, JsonLimits
from handgriff.core.schema.reading import Reading, TooComplexError
from handgriff.core.schema.shape import ROOT, Kind, Shape
from handgriff.core.schema.sighting import Sighting, sightings
from handgriff.core.schema.words import WHOLE, invalid, unreadable

ARGUMENT_LIMITS = JsonLimits(size=2**20, members=20_000)
"""A model writes a few kilobytes; a megabyte is a mistake or an attack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One top-level argument, as the checks of a definition look at it."""

    name: str
    description: str
    kinds: tuple[Kind, ...]
    """The JSON types it accepts."""
    is_required: bool
    known: tuple[str, ...] = ()
    """Kinds it demands, anywhere inside."""
    is_data: bool = False
    is_selector: bool = False
    is_secret: bool = False
    has_choices: bool = False
    """It takes one of a list of values."""
    is_added: bool = False
    """The server added it, and the author's model or schema doesn't know it."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments that passed: typed for the handler, and as text for everybody else."""

    values: Mapping[str, object]
    """What the handler is called with, by parameter."""
    canonical: str
    """The validated arguments as canonical JSON, defaults filled in. Validated again they are the same, unless a validator of the
    application changes what it has already changed."""
    notes: tuple[str, ...] = ()
    """What was read otherwise than it was sent."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge found: typed values and their canonical text, or problems by path."""

    values: Mapping[str, object] = field(default_factory=dict)
    canonical: str = "{}"
    problems: Mapping[str, str] = field(default_factory=dict)


class Judge(Protocol):
    """Decides the fine rules of a schema."""

    def __call__(self, text: str, value: dict[str, Json], /) -> Verdict:
        """Judge arguments, given as text and as read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a tool takes: shown as canonical JSON Schema, enforced by `validate`."""

    tool: str
    text: str
    """The canonical schema, the same bytes in every process."""
    arguments: tuple[Argument, ...]
    """In the author's order."""
    notes: tuple[str, ...] = ()
    """Sentences for the description: rules the schema can't say where a provider reads it."""
    warnings: tuple[str, ...] = ()
    """Sentences for the author: likely mistakes."""
    shape: Shape = field(repr=False, compare=False)
    judge: Judge = field(repr=False, compare=False)

    def validate(self, given: str | Mapping[str, object] | None) -> Arguments:
        """Read arguments, a model's text or JSON already read, as the handler gets them.

        Raises:
            Refusal: `invalid`; `fields` has a problem for each path, `expected` what was asked for.
        """
        try:
            text, value, is_whole_text = _object(given)
            reading = Reading(self.shape)
            read = reading.read(value, ROOT, was_text=is_whole_text)
            # Who judges runs the application's validators, and those may count on the types of their arguments.
            verdict = Verdict(problems=reading.problems) if reading.problems else self._judged(text, value, read)
        except JsonError as error:
            raise unreadable(self.shape, str(error)) from None
        except (RecursionError, TooComplexError):
            raise invalid(self.shape, {WHOLE: "too deep or too ambiguous to check"}) from None
        if verdict.problems:
            raise invalid(self.shape, verdict.problems)
        notes = [f"{WHOLE}: JSON text read as an object"] * is_whole_text + reading.notes
        return Arguments(verdict.values, verdict.canonical, tuple(notes))

    def demanded(self, arguments: Arguments) -> tuple[Sighting, ...]:
        """Find the values that must have been seen in the session."""
        return sightings(self.shape, jsontext.loads(arguments.canonical)) if ROOT in self.shape.marked else ()

    def _judged(self, text: str, sent: Json, read: Json) -> Verdict:
        if not isinstance(read, dict):
            raise JsonError("expected an object")
        return self.judge(text if read is sent else jsontext.dumps(read), read)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a tool's result holds: written as canonical JSON, with the values it introduces."""

    tool: str
    text: str
    """The canonical schema of the data."""
    shape: Shape = field(repr=False, compare=False)
    write: Callable[[object], str] = field(repr=False, compare=False)

    @property
    def introduces(self) -> frozenset[str]:
        """The kinds of values it may introduce."""
        return frozenset(node.known for node in self.shape.nodes.values() if node.known is not None)

    def serialise(self, value: object) -> str:
        """Write a handler's data as canonical JSON.

        Raises:
            JsonError: it isn't of the declared type, or holds what JSON can't; path and type are named, values aren't.
        """
        return self.write(value)

    def introduced(self, text: str) -> tuple[tuple[str, str], ...]:
        """Find the kinds and canonical values that data written by `serialise` introduces, each once."""
        if ROOT not in self.shape.marked:
            return ()
        own = JsonLimits(size=4 * len(text), members=len(text))  # what we have written ourselves is never too much
        return tuple(dict.fromkeys((sighting.kind, sighting.value) for sighting in sightings(self.shape, jsontext.loads(text, limits=own))))


_NOTHING = ("", "null")


def _object(given: str | Mapping[str, object] | None) -> tuple[str, dict[str, Json], bool]:
    # Providers send no bytes, blanks or null for a call without arguments; that much is certain, so it is read so.
    text = given.strip(" \t\r\n") if isinstance(given, str) else _admitted(given)
    if text in _NOTHING:
        return "{}", {}, False
    # A float that somebody else has read may have lost digits, so it isn't given out as exact.
    value = jsontext.loads(text, limits=ARGUMENT_LIMITS, exact=isinstance(given, str))
    is_whole_text = isinstance(value, str)
    if isinstance(value, str):
        text = value
        value = jsontext.loads(text, limits=ARGUMENT_LIMITS, exact=True)
    if not isinstance(value, dict):
        raise JsonError("expected an object")
    return text, value, is_whole_text


def _admitted(given: Mapping[str, object] | None) -> str:
    return jsontext.admit(dict(given) if isinstance(given, Mapping) else given, limits=ARGUMENT_LIMITS)
