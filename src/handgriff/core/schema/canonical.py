"""The canonical form of a schema: the same bytes in every process, for the same author's words.

Keywords stand in a fixed order, properties in the author's, because order carries meaning to a model; names that only a
generator wrote are gone, and so is everything private.
"""

from typing import Any

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError
from handgriff.core.schema.vocabulary import DROPPED, ORDER, PRIVATE, SET, Raw, children, escaped, mapped, plain
from handgriff.errors import DefinitionError

_RANK = {keyword: rank for rank, keyword in enumerate(ORDER)}


def canonical(root: Raw) -> Raw:
    """Write a localised *root* in canonical order, with the definitions it needs, in the order it first needs them."""
    body = _ordered({keyword: value for keyword, value in root.items() if keyword != "$defs"})
    defs = {name: _ordered(plain(schema)) for name, schema in root.get("$defs", {}).items()}
    needed = _needed(body, defs)
    return {**body, "$defs": {name: defs[name] for name in needed}} if needed else body


def canonical_text(root: Raw, *, tool: str) -> str:
    """Write the canonical form of *root* as text.

    Raises:
        DefinitionError: a default or an example in it isn't JSON.
    """
    try:
        return jsontext.dumps(canonical(root))
    except JsonError as error:
        raise DefinitionError(tool, "input_schema", f"{error}.", mend="change that value.") from error


def closed(schema: Raw) -> Raw:
    """Copy *schema* with every object that names its properties taking no others, unless it says otherwise."""
    copy = mapped(schema, closed)
    if "properties" in copy and not copy.keys() & {"additionalProperties", "patternProperties"}:
        copy["additionalProperties"] = False
    return copy


def _ordered(schema: Raw) -> Raw:
    copy = mapped(schema, _ordered)
    if "default" in copy and schema.get(SET):
        copy["default"] = sorted(copy["default"], key=jsontext.dumps)
    if "required" in copy:
        copy["required"] = _required(copy)
    kept = (keyword for keyword in copy if keyword not in DROPPED and not keyword.startswith(PRIVATE) and not _is_idle(keyword, copy))
    return {keyword: copy[keyword] for keyword in sorted(kept, key=_rank)}


def _required(schema: Raw) -> list[str]:
    names = list(dict.fromkeys(schema["required"]))
    place = {name: index for index, name in enumerate(schema.get("properties", ()))}
    return sorted(names, key=lambda name: place.get(name, len(place)))


def _is_idle(keyword: str, schema: Raw) -> bool:
    return (keyword in ("required", "propertyNames") and not schema[keyword]) or keyword == "$defs"


def _rank(keyword: str) -> tuple[int, str]:
    return _RANK.get(keyword, len(_RANK)), keyword


def _needed(body: Raw, defs: Raw) -> list[str]:
    by_reference = {f"#/$defs/{escaped(name)}": name for name in defs}
    needed: dict[str, None] = {}
    waiting: list[Any] = [body]
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        name = by_reference.get(schema.get("$ref", ""))
        if name is not None and name not in needed:
            needed[name] = None
            waiting.append(defs[name])
        waiting += reversed([child for _, child in children(schema)])
    return list(needed)
