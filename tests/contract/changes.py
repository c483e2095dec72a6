"""Strategies for deltas: every operation on few keys, values of every kind, scratch with its deadline."""

from itertools import product
from typing import TypeVar

from hypothesis import strategies as st

from handgriff.core.cells import first_version
from handgriff.core.delta import Add, Append, Clear, Delete, Delta, Expect, Increment, Merge, Operation, Remove, Renew, Set
from handgriff.core.scope import Scope
from handgriff.testing.samples import at

KEYS = ("k", "l", "é")
NAMESPACES = ("n", "n_m")
ITEMS = ("1", "1.0", "-0.0", "1e+22", "null", "true", '"\\u0000"', '"👋"', '{"a":1,"b":[2]}', '{"b":[2],"a":1}', "[]")
OBJECTS = ('{"a":1}', '{"a":null}', '{"b":{"c":null,"d":"x"}}', '{"b":{"c":1},"a":[null]}', "{}")
TEXTS = ("1", "[1]", "{}", *ITEMS, *OBJECTS, "[1,1.0]", '[{"a":1,"b":[2]}]', f'"{"x" * 20}"', f'"{"x" * 30}"', "9" * 100)
MOMENTS = tuple(map(at, range(4)))

T = TypeVar("T")


def often(*strategies: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """One of *strategies*, each as often as it is named; `one_of` would count it once."""
    return st.sampled_from(strategies).flatmap(lambda strategy: strategy)


def _changes(scope: Scope, namespace: str = "") -> st.SearchStrategy[Operation]:
    # The operations are few enough to be written out, and one draw is far quicker than four.
    places = [(scope, key) for key in KEYS]
    kinds: list[list[Operation]] = [
        [Set(*place, text, namespace) for text, place in product(TEXTS, places)],
        [Delete(*place, namespace) for place in places],
        [Increment(*place, by, namespace) for by, place in product((1, 0, -1, 10**99, -(2**70)), places)],
        [Append(*place, item, namespace) for item, place in product(ITEMS, places)],
        [Add(*place, item, namespace) for item, place in product(ITEMS, places)],
        [Remove(*place, item, namespace) for item, place in product(ITEMS, places)],
        [Merge(*place, item, namespace) for item, place in product(OBJECTS, places)],
        [Expect(*place, version, namespace) for version, place in product(_versions(scope), places)],
    ]
    return often(*map(st.sampled_from, kinds))


def _versions(scope: Scope) -> tuple[int | None, ...]:
    # Versions of a record begin at the moment it began, so a guard has a chance to fit.
    begins = [first_version(moment) for moment in MOMENTS] if scope == "scratch" else [0]
    return (None, *(begin + count for count in (1, 2, 3) for begin in begins))


def _notes(namespace: str) -> st.SearchStrategy[Delta]:
    # Its deadline first, as a call writes it; or it is only cleared.
    renews = [Renew(namespace, now, at(until)) for now, until in product(MOMENTS, range(1, 6)) if at(until) > now]
    change = _changes("scratch", namespace)
    cleared: st.SearchStrategy[Operation] = st.just(Clear(namespace))
    operations = st.lists(often(change, change, change, change, cleared), min_size=1, max_size=4)
    written: st.SearchStrategy[Delta] = st.builds(lambda renew, rest: (renew, *rest), st.sampled_from(renews), operations)
    return often(written, written, written, cleared.map(lambda clear: (clear,)))


_plain = st.lists(often(_changes("session"), _changes("user"), _changes("app")), max_size=3)
_noted = often(st.just(()), *map(_notes, NAMESPACES))

deltas: st.SearchStrategy[Delta] = st.builds(lambda before, noted, after: (*before, *noted, *after), _plain, _noted, _plain)
"""A delta of one call; it may be empty."""
