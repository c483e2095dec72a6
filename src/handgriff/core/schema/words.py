"""What a schema asks for, in a model's words, and the refusal that says what was wrong.

No sentence here repeats a value that was sent: a wrong argument may be a secret in the wrong place.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.schema.formats import OFFSET_HINT
from handgriff.core.schema.shape import KINDS, Kind, Shape, in_place
from handgriff.errors import Refusal

WHOLE = "arguments"
"""The path of a problem with the arguments as a whole."""
MAX_PROBLEMS = 20
MAX_CHOICES = 50

_WITH_ARTICLE = {"integer": "an integer", "object": "an object", "array": "an array", "null": "null"}


def invalid(shape: Shape, problems: Mapping[str, str]) -> Refusal:
    """Refuse arguments for *problems*, by path."""
    shown = dict(list(problems.items())[:MAX_PROBLEMS])
    if len(problems) > len(shown):
        shown["…"] = f"and {len(problems) - len(shown)} more"
    paths = list(shown)
    message = f"{paths[0]}: {shown[paths[0]]}." if len(paths) == 1 else f"{len(problems)} arguments are wrong: {', '.join(paths)}."
    return Refusal("invalid", message, fields=shown, expected=asked(shape))


def unreadable(shape: Shape, problem: str) -> Refusal:
    """Refuse a text that isn't the JSON object it should be."""
    return Refusal("invalid", f"The arguments aren't a JSON object: {problem}.", fields={WHOLE: problem}, expected=asked(shape))


def asked(shape: Shape) -> str:
    """Write the arguments as a model would have to send them: names, types, and which may be left out."""
    required = shape.root.required
    members = (
        f"{jsontext.dumps(name)}: {_named_type(shape, place)}{'' if name in required else ' (optional)'}"
        for name, place in shape.root.properties.items()
    )
    return f"a JSON object {{{', '.join(members)}}}"


def wanted(shape: Shape, pointer: str) -> str:
    """Say what the place *pointer* expects, with articles: `an integer or null`."""
    formats = {node.format for node in in_place(shape, pointer)}
    choices = _choices(shape, pointer)
    if choices is not None:
        return one_of(choices)
    if "date-time" in formats:
        return f"a date-time with an offset, such as {OFFSET_HINT}"
    if "date" in formats:
        return "a date, such as 2024-04-06"
    return " or ".join(_WITH_ARTICLE.get(kind, f"a {kind}") for kind in _spoken(shape.accepted[pointer])) or "nothing"


def with_article(kind: Kind) -> str:
    """Write a type with its article."""
    return _WITH_ARTICLE.get(kind, f"a {kind}")


def one_of(choices: Iterable[Json]) -> str:
    """List allowed values."""
    shown = [jsontext.dumps(choice) for choice in choices]
    if len(shown) == 1:
        return shown[0]
    more = f" and {len(shown) - MAX_CHOICES} more" if len(shown) > MAX_CHOICES else ""
    return f"one of {', '.join(shown[:MAX_CHOICES])}{more}"


def unknown(name: str, names: Iterable[str]) -> str:
    """Say that *name* isn't taken, and what is; the nearest first."""
    taken = list(names)
    near = get_close_matches(name, taken, n=1)
    if near:
        return f"unknown; did you mean {near[0]!r}?"
    return f"unknown; it takes {', '.join(taken)}" if taken else "unknown; it takes none"


def _named_type(shape: Shape, pointer: str) -> str:
    choices = _choices(shape, pointer)
    if choices is not None:
        return " | ".join(jsontext.dumps(choice) for choice in choices[:MAX_CHOICES])
    formats = sorted({node.format for node in in_place(shape, pointer)} & {"date", "date-time"})
    kinds = [formats[0] if kind == "string" and formats else kind for kind in _spoken(shape.accepted[pointer])]
    return " | ".join(kinds) if len(kinds) < len(KINDS) - 1 else "any"


def _choices(shape: Shape, pointer: str) -> tuple[Json, ...] | None:
    node = shape.nodes[pointer]
    if node.choices is not None:
        return node.choices
    return _choices(shape, node.every[0]) if len(node.every) == 1 and not node.groups else None


def _spoken(kinds: frozenset[Kind]) -> list[Kind]:
    return [kind for kind in KINDS if kind in kinds and not (kind == "integer" and "number" in kinds)]
