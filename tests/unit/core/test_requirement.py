"""Who is offered a tool and may use it."""

from collections.abc import Callable

import pytest

from handgriff.core.caller import Caller
from handgriff.core.requirement import Configured, Module, Requirement, Surroundings, holds, requirements
from handgriff.errors import DefinitionError

NOWHERE = Surroundings()
HERE = Surroundings(frozenset({"SMTP_URL"}))
NOBODY = Caller("acme", "ada")
CLERK = Caller("acme", "ada", permissions=frozenset({"orders.cancel"}), roles=frozenset({"clerk"}), modules=frozenset({"shop"}))


def _raises(_: Caller) -> bool:
    raise LookupError("the rights table is gone")


@pytest.mark.parametrize(
    ("requirement", "caller", "surroundings", "expected"),
    [
        ("orders.cancel", NOBODY, HERE, False),
        ("orders.cancel", CLERK, HERE, True),
        ("orders.*", CLERK, HERE, False),
        ("clerk", CLERK, HERE, False),
        ("shop", CLERK, HERE, False),
        (Module("shop"), NOBODY, HERE, False),
        (Module("shop"), CLERK, HERE, True),
        (Module("crm"), CLERK, HERE, False),
        (Module("*"), CLERK, HERE, False),
        (Configured("SMTP_URL"), CLERK, NOWHERE, False),
        (Configured("SMTP_URL"), NOBODY, HERE, True),
        (Configured("SMTP"), CLERK, HERE, False),
        (lambda caller: "clerk" in caller.roles, CLERK, NOWHERE, True),
        (lambda caller: "clerk" in caller.roles, NOBODY, NOWHERE, False),
        (lambda _: None, CLERK, HERE, False),
        (lambda _: 1, CLERK, HERE, False),
        (lambda _: "yes", CLERK, HERE, False),
        (_raises, CLERK, HERE, False),
    ],
)
def test_only_what_is_granted_in_so_many_words_holds(
    requirement: Requirement, caller: Caller, surroundings: Surroundings, expected: bool
) -> None:
    """B040: no grant is no right, nothing is a wildcard, and what can't be read is a no."""
    assert holds(requirement, caller, surroundings) is expected


def test_a_stop_of_the_process_is_not_taken_for_a_no() -> None:
    def interrupted(_: Caller) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        holds(interrupted, CLERK, HERE)


def _is_clerk(caller: Caller) -> bool:
    return "clerk" in caller.roles


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ()),
        ((), ()),
        ([], ()),
        ("orders.cancel", ("orders.cancel",)),
        (Module("shop"), (Module("shop"),)),
        (_is_clerk, (_is_clerk,)),
        (["b", "a", Configured("X")], ("b", "a", Configured("X"))),
        (frozenset({"a"}), ("a",)),
    ],
)
def test_requirements_come_alone_or_together_and_keep_their_order(given: Requirement | None, expected: tuple[Requirement, ...]) -> None:
    assert requirements("cancel_order", given) == expected


async def _asks_first(_: Caller) -> bool:
    return True


@pytest.mark.parametrize("given", ["", "  ", 5, True, {"orders.cancel": True}, [None], ["a", ""], b"a", Module, _asks_first, iter(["a"])])
def test_what_could_never_hold_is_an_error_of_the_author(given: Callable[[Caller], bool]) -> None:
    with pytest.raises(DefinitionError, match="'cancel_order', requires"):
        requirements("cancel_order", given)
