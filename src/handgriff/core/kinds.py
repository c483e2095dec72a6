"""Kinds of known values over a whole assistant: a misspelled one would be demanded and never introduced."""

from collections.abc import Iterable
from difflib import get_close_matches

from handgriff.core.contract import Contract
from handgriff.errors import DefinitionError

_ALIKE = 0.75
"""How alike two kinds are that are meant to be one: 'ordr' and 'order', but not 'order' and 'user'."""


def check_kinds(contracts: Iterable[Contract]) -> None:
    """Refuse a demanded kind that no tool introduces while one does introduce a kind that looks like it.

    A kind that nothing introduces is fine in itself: the user types such values.

    Raises:
        DefinitionError: it names the tool, the argument and the likely kind.
    """
    every = tuple(contracts)
    introduced = sorted({kind for contract in every for kind in contract.introduces})
    for contract in every:
        for argument in contract.schema.arguments:
            for kind in argument.known:
                likely = get_close_matches(kind, introduced, n=1, cutoff=_ALIKE)
                if kind not in introduced and likely:
                    problem = f"no tool introduces the kind {kind!r}."
                    raise DefinitionError(
                        contract.name, f"argument {argument.name!r}", problem, mend=f"write Known({likely[0]!r}), if that is meant."
                    )
