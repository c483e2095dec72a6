"""What a person is shown, and what it was planned from. Cases B094, B101."""

from typing import Annotated, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator

from handgriff.core import jsontext
from handgriff.core.caller import Caller
from handgriff.core.events import ParkedCall, ProposalState
from handgriff.core.proposal import already, before_of, fingerprint_of, parked, read_before, read_grant, write_grant
from handgriff.core.result import Change, Plan
from handgriff.core.schema.typed import schema_of
from handgriff.errors import DefinitionError
from handgriff.testing.samples import PROPOSAL

STATUS = Change("Status", "pending", "cancelled")


def plan(*diff: Change, version: str | None = None) -> Plan:
    return Plan("Cancel?", diff, version=version)


def test_before_is_what_the_plan_was_made_from_by_label() -> None:
    diff = (STATUS, Change("Price", "10 €", None, raw=(1000, None)), Change("New", None, "x"))

    assert before_of(plan(*diff)) == '{"Status":"pending","Price":1000,"New":null}'
    assert read_before(before_of(plan(*diff))) == {"Status": "pending", "Price": 1000, "New": None}


def test_a_version_stands_for_all_of_it() -> None:
    assert read_before(before_of(plan(STATUS, version="v7"))) == {"version": "v7"}
    assert fingerprint_of(plan(STATUS, version="v7")) == fingerprint_of(plan(version="v7"))


def test_what_is_no_object_reads_as_nothing() -> None:
    assert read_before("[1]") == {}


@pytest.mark.parametrize(
    "other",
    [
        plan(),
        plan(Change("Status", "shipped", "cancelled")),
        plan(Change("State", "pending", "cancelled")),
        plan(Change("Status", None, "cancelled")),
        plan(Change("Status", "pending", "cancelled", raw=(1, 2))),
        plan(STATUS, STATUS),
        plan(STATUS, version="v7"),
        plan(STATUS, version=""),
    ],
)
def test_a_fingerprint_differs_wherever_a_before_value_does(other: Plan) -> None:
    assert fingerprint_of(other) != fingerprint_of(plan(STATUS))


def test_a_fingerprint_is_blind_to_what_will_be_and_to_words() -> None:
    again = Plan("Cancel it?", (Change("Status", "pending", "gone"),))

    assert fingerprint_of(again) == fingerprint_of(plan(STATUS))


def test_a_fingerprint_sees_how_much_is_selected_and_what_of_it_was_shown() -> None:
    """B102."""
    plans = [Plan("Cancel?", (), count=count, sample=sample) for count, sample in ((None, ()), (3, ()), (4, ()), (3, ("a",)), (3, ("b",)))]

    assert len({fingerprint_of(each) for each in plans}) == len(plans)


def test_raw_values_count_and_display_values_do_not() -> None:
    one, two = Change("Price", "10.00 €", None, raw=(1000, None)), Change("Price", "10,00 €", None, raw=(1000, 0))

    assert fingerprint_of(plan(one)) == fingerprint_of(plan(two))


def test_two_lines_of_one_label_both_count() -> None:
    first, second = Change("Slot", "9:00", None), Change("Slot", "10:00", None)

    assert fingerprint_of(plan(first, second)) != fingerprint_of(plan(second))
    assert fingerprint_of(plan(first, second)) != fingerprint_of(plan(second, first))


def test_a_version_is_not_mistaken_for_a_line_called_version() -> None:
    line = Change("version", "v7", None)

    assert before_of(plan(line)) == before_of(plan(version="v7"))
    assert fingerprint_of(plan(line)) != fingerprint_of(plan(version="v7"))


def clamped(amount: float) -> float:
    return min(amount, 5.0)


async def transfer(amount: float, to: str, note: str = "-") -> None: ...


async def clamping(amount: Annotated[float, AfterValidator(clamped)]) -> None: ...


def canonical(handler: Any, text: str) -> str:
    return schema_of(handler, tool="transfer").validate(text).canonical


@pytest.mark.parametrize(
    "same",
    [
        '{"to":"A2","amount":10.0}',
        '{"to":"A2","amount":1e1,"note":"-"}',
        ' { "amount" : 10 , "to" : "A2" } ',
        '"{\\"amount\\":10,\\"to\\":\\"A2\\"}"',
    ],
)
def test_a_digest_is_taken_over_what_the_arguments_mean(same: str) -> None:
    """B094: order, spelling and defaults do not matter, so an approved call is not refused over them."""
    assert jsontext.digest(canonical(transfer, same)) == jsontext.digest(canonical(transfer, '{"amount":10,"to":"A2"}'))


@pytest.mark.parametrize(
    "other",
    [
        '{"amount":999999,"to":"A2"}',
        '{"amount":10,"to":"A3"}',
        '{"amount":10,"to":"a2"}',
        '{"amount":10.01,"to":"A2"}',
        '{"amount":10,"to":"A2","note":""}',
    ],
)
def test_and_it_differs_for_every_other_call(other: str) -> None:
    """B094: consent to ten is none to a million."""
    assert jsontext.digest(canonical(transfer, other)) != jsontext.digest(canonical(transfer, '{"amount":10,"to":"A2"}'))


def test_what_a_validator_made_of_them_is_what_is_shown_and_runs() -> None:
    """B094: clamped before the card, and the same when they are read again."""
    assert canonical(clamping, '{"amount":10}') == '{"amount":5.0}'
    assert canonical(clamping, canonical(clamping, '{"amount":10}')) == '{"amount":5.0}'


def test_a_client_is_shown_the_proposal_and_none_of_its_arguments() -> None:
    card = parked(PROPOSAL)

    assert card == ParkedCall(
        "p1",
        "call1",
        "shop.cancel_order",
        "Cancel o_17?",
        PROPOSAL.expires_at,
        PROPOSAL.diff,
        PROPOSAL.confirm,
        PROPOSAL.count,
        PROPOSAL.sample,
    )
    assert PROPOSAL.arguments not in repr(card)
    assert PROPOSAL.code is None or PROPOSAL.code not in repr(card)


@pytest.mark.parametrize("state", [state for state in get_args(ProposalState) if state != "pending"])
def test_a_late_decision_is_told_what_became_of_it(state: ProposalState) -> None:
    """B101."""
    refusal = already(state)

    assert refusal.code == (state if state in ("declined", "expired", "stale", "superseded", "indeterminate") else "conflict")
    assert refusal.facts["state"] == state
    assert state in refusal.message


WORDS = st.frozensets(st.text(min_size=1, max_size=8), max_size=4)


@given(WORDS, WORDS, WORDS, st.sampled_from(["en", "de-AT"]))
def test_a_grant_is_kept_as_it_was(permissions: frozenset[str], roles: frozenset[str], modules: frozenset[str], locale: str) -> None:
    caller = Caller("acme", "ada", permissions=permissions, roles=roles, modules=modules, locale=locale)

    assert read_grant(write_grant(caller)) == caller
    assert write_grant(read_grant(write_grant(caller))) == write_grant(caller)


@pytest.mark.parametrize(
    "text", ["{}", "[]", "", '{"tenant":"acme","user":"ada","permissions":"orders.cancel"}', '{"tenant":"","user":"ada"}']
)
def test_a_grant_that_can_not_be_read_grants_nothing(text: str) -> None:
    """B040."""
    with pytest.raises((ValueError, DefinitionError)):
        read_grant(text)
