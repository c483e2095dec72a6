"""References inside one schema: they stay inside it, point into `$defs`, and never run in a circle without data.

Nothing here fetches anything; a reference that leaves the document is an error of the tool that has it.
"""

from typing import Any
from urllib.parse import unquote

from handgriff.core.schema.vocabulary import COMBINATORS, Raw, children, mapped, plain
from handgriff.errors import DefinitionError

_DYNAMIC = ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")


def localised(root: Raw, *, tool: str) -> Raw:
    """Copy *root* with every reference written as `#` or `#/$defs/name`, and what they point to gathered in `$defs`.

    Raises:
        DefinitionError: a reference is remote, dynamic, or points nowhere.
    """
    return _Localiser(root, tool).copy()


def target(root: Raw, reference: str) -> Raw:
    """Return what a localised reference points to."""
    return root if reference == "#" else plain(root["$defs"][_parts(reference)[1]])


def unwrapped(root: Raw, *, tool: str) -> Raw:
    """Copy *root*, and where it is only a reference, put what that points to in its place; `$defs` stay."""
    seen: set[str] = set()
    while (reference := root.get("$ref")) is not None:
        if reference in seen or reference == "#":
            raise _circle(tool)
        seen.add(reference)
        beside = {keyword: value for keyword, value in root.items() if keyword != "$ref"}
        root = {**target(root, reference), **beside}
    return root


class _Localiser:
    def __init__(self, root: Raw, tool: str) -> None:
        self._root = root
        self._tool = tool
        self._defs: Raw = {}
        self._names: dict[str, str] = {}

    def copy(self) -> Raw:
        root = {keyword: value for keyword, value in self._root.items() if keyword not in ("$defs", "$id")}
        copied = self._copied(root)
        return {**copied, "$defs": self._defs} if self._defs else copied

    def _copied(self, schema: Raw) -> Raw:
        self._check(schema)
        copy = mapped({keyword: value for keyword, value in schema.items() if keyword != "$defs"}, self._copied)
        if "$ref" in copy:
            copy["$ref"] = self._moved(copy["$ref"])
        return copy

    def _check(self, schema: Raw) -> None:
        if any(keyword in schema for keyword in _DYNAMIC):
            raise self._error("it has a dynamic reference.", "write a plain $ref into $defs.")
        if "$id" in schema:
            raise self._error("a schema inside it has an $id of its own.", "remove the inner $id.")

    def _moved(self, reference: str) -> str:
        if reference == "#" and not any(keyword in self._root for keyword in COMBINATORS):
            return "#"
        if reference not in self._names:
            pointed = self._pointed(reference)
            name = self._free_name(reference)
            self._names[reference] = name
            self._defs[name] = {}  # keeps its place while what it refers to is moved
            self._defs[name] = self._copied(pointed)
        return f"#/$defs/{self._names[reference]}"

    def _pointed(self, reference: str) -> Raw:
        if not reference.startswith("#"):
            raise self._error(f"{reference!r} points outside the schema, and nothing is fetched.", "put what it means into $defs.")
        place: Any = {keyword: value for keyword, value in self._root.items() if keyword != "$id"}
        try:
            for part in _parts(reference):
                place = place[int(part)] if isinstance(place, list) else place[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise self._error(f"{reference!r} points nowhere.", "define it in $defs.") from None
        if not isinstance(place, (dict, bool)):
            raise self._error(f"{reference!r} doesn't point to a schema.", "point it into $defs.")
        return {keyword: value for keyword, value in plain(place).items() if reference != "#" or keyword != "$defs"}

    def _free_name(self, reference: str) -> str:
        wanted = (_parts(reference) or ["Root"])[-1]
        # A slash or tilde would have to be escaped in every reference, and readers of schemas differ in that.
        stem = "".join(letter if letter.isalnum() or letter in "_.-" else "_" for letter in wanted) or "Part"
        name, number = stem, 2
        while name in self._defs:
            name, number = f"{stem}_{number}", number + 1
        return name

    def _error(self, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self._tool, "input_schema", problem, mend=mend)


def check_circles(root: Raw, *, tool: str) -> None:
    """Refuse a reference that comes back to itself without a step into the data: it would never end.

    Raises:
        DefinitionError: there is one.
    """
    finished: set[int] = set()

    def visit(schema: Raw, open_: frozenset[int]) -> None:
        if id(schema) in finished:
            return
        if id(schema) in open_:
            raise _circle(tool)
        for step in _in_place(root, schema):
            visit(step, open_ | {id(schema)})
        finished.add(id(schema))

    waiting = [root]
    seen: set[int] = set()
    while waiting:
        schema = waiting.pop()
        if id(schema) not in seen:
            seen.add(id(schema))
            visit(schema, frozenset())
            waiting += [child for _, child in children(schema) if isinstance(child, dict)]


def _in_place(root: Raw, schema: Raw) -> list[Raw]:
    steps = [child for path, child in children(schema) if path[0] in COMBINATORS and isinstance(child, dict)]
    return [*steps, target(root, schema["$ref"])] if "$ref" in schema else steps


def _parts(reference: str) -> list[str]:
    if reference in ("#", "#/"):
        return [] if reference == "#" else [""]
    if not reference.startswith("#/"):
        return [reference]  # an anchor; it names no key, so it points nowhere
    return [unquote(part).replace("~1", "/").replace("~0", "~") for part in reference[2:].split("/")]


def _circle(tool: str) -> DefinitionError:
    return DefinitionError(tool, "input_schema", "a $ref comes back to itself without a step into the data.", mend="break the circle.")
