"""Templates: an author's text with the keys of state in braces, read once and filled in once, from the left (specification 5.3).

`{topic}`, `{user:name}` and `{app:brand?}` are placeholders; the question mark makes one optional. `{{` and `}}` are literal braces. Braces
that hold anything but a valid key stay as they are; they nest, so what closes them is never taken for a doubled brace, and JSON passes
unharmed. A value that was filled in is not looked at again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.scope import Key, parse_key
from handgriff.errors import DefinitionError

VALUE_CHARACTERS = 2000
"""Longest text of a value; what is cut is said."""

_TOKEN = re.compile(r"\{\{|\}\}|\{(?P<key>[A-Za-z0-9_.:-]+)(?P<optional>\??)\}|[{}]")
_CLOSING = re.compile(r"<(?=\s*(?:/|\Z|(?:context|untrusted)-))", re.IGNORECASE)
"""What could begin a mark of ours, or end one together with the text behind the value."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Where a value is filled in."""

    key: Key
    is_optional: bool = False

    def __str__(self) -> str:
        return f"{{{self.key}{'?' if self.is_optional else ''}}}"


@dataclass(frozen=True, slots=True)
class Template:
    """A text that has been read: what stands between the placeholders, and the placeholders."""

    parts: tuple[str | Placeholder, ...] = ()

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """Where something is filled in, in order."""
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    @property
    def keys(self) -> tuple[Key, ...]:
        """What is filled in, each key once."""
        return tuple(dict.fromkeys(placeholder.key for placeholder in self.placeholders))

    def missing(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The keys that must have a value and have none in *values*, each once."""
        needed = (str(placeholder.key) for placeholder in self.placeholders if not placeholder.is_optional)
        return tuple(dict.fromkeys(key for key in needed if key not in values))

    def expand(self, values: Mapping[str, str]) -> str:
        """The text with *values*, as `shown` gives them, by key; a key without a value leaves nothing. No value can close a block."""
        return "".join(part if isinstance(part, str) else _CLOSING.sub(r"\\u003c", values.get(str(part.key), "")) for part in self.parts)


def parse(text: str) -> Template:
    """Read *text*."""
    parts: list[str | Placeholder] = []
    literal: list[str] = []
    opened: list[str] = []
    at = 0
    while (found := _TOKEN.search(text, at)) is not None:
        literal.append(text[at : found.start()])
        at = found.end()
        match found[0]:
            case "{" | "{{" as brace:
                opened.append(brace)
                literal.append("{")
            case "}" | "}}" as brace:
                if opened and opened[-1] == "{":
                    # Braces that hold something else close one by one.
                    at = found.start() + 1
                    opened.pop()
                elif opened and brace == "}}":
                    opened.pop()
                literal.append("}")
            case whole if (placeholder := _placeholder(found["key"], is_optional=bool(found["optional"]))) is None:
                literal.append(whole)
            case _:
                parts += ["".join(literal), placeholder]
                literal.clear()
    return Template(tuple(part for part in (*parts, "".join(literal) + text[at:]) if part))


def shown(text: str) -> str:
    """The stored JSON *text* as it is filled in: strings as they are, everything else as canonical JSON, and no more than a bound."""
    # What strict JSON holds can be sent: it has no half characters.
    value = jsontext.loads(text)
    plain = value if isinstance(value, str) else jsontext.dumps(_ordered(value))
    if len(plain) <= VALUE_CHARACTERS:
        return plain
    return f"{plain[:VALUE_CHARACTERS]}… (shortened, {len(plain)} characters)"


def _placeholder(key: str, *, is_optional: bool) -> Placeholder | None:
    try:
        return Placeholder(parse_key(key), is_optional)
    except DefinitionError:
        return None


def _ordered(value: Json) -> Json:
    """Members by name, so that equal values are equal texts whatever order they were written in."""
    match value:
        case dict():
            return {name: _ordered(value[name]) for name in sorted(value)}
        case list():
            return [_ordered(item) for item in value]
        case _:
            return value
