from datetime import timedelta
from typing import get_args

import pytest

from handgriff.core.catalogue import say
from handgriff.core.events import (
    KINDS,
    Body,
    Decision,
    OperatorChange,
    PartialMessage,
    ProposalState,
    SessionCreated,
    ShownChange,
    TurnEnded,
)
from handgriff.core.rows import Lease, Proposal, Session
from handgriff.core.titles import title_in
from handgriff.http.views import event_view, proposal_view, session_view
from tests.unit.http.items import MOMENT, asked, event, parked, said, told

BODIES: list[Body] = [
    SessionCreated("ada"),
    said("hi"),
    asked("r", "text", "c"),
    PartialMessage("r", "half", ("wire",)),
    told("c"),
    Decision("p", "c", "done", "ada"),
    OperatorChange("what", "root"),
    TurnEnded("waiting", parked=(parked("p", "c"),), cost_pico=7),
]


def test_every_kind_of_event_has_a_view() -> None:
    assert {type(body) for body in BODIES} == set(get_args(Body))
    assert [event_view(event(1, body))["kind"] for body in BODIES] == [
        next(name for name, kind in KINDS.items() if kind is type(body)) for body in BODIES
    ]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_a_view_holds_nothing_for_the_model_alone(body: Body) -> None:
    shown = repr(event_view(event(1, body)))

    for hidden in ("wire", "secret", "digest", "cost", "tokens", "root"):
        assert hidden not in shown


def test_a_session_runs_while_its_lease_is_held() -> None:
    session = Session("acme", "ada", "s_1", MOMENT, lease=Lease(1, "t_1", "h", MOMENT + timedelta(seconds=30)))

    assert session_view(session, MOMENT)["is_running"] is True
    assert session_view(session, MOMENT + timedelta(seconds=31))["is_running"] is False


def test_a_proposal_shows_its_arguments_and_not_its_grant() -> None:
    proposal = Proposal(
        "acme", "ada", "s_1", "t_1", "p_1", "c_1", "cancel", '{"order":"o_17"}', "digest", "contract", "Cancel?",
        (ShownChange("Status", "a", "b"),), "before", "print", MOMENT, MOMENT, decided_at=MOMENT, grant="grant", sample=("o_17",), count=1,
    )  # fmt: skip

    shown = proposal_view(proposal, "de", MOMENT)

    assert shown["arguments"] == {"order": "o_17"}
    assert shown["sample"] == ["o_17"]
    assert shown["decided_at"] == MOMENT.isoformat()
    assert (shown["user"], shown["confirm"], shown["code_sent"], shown["decided_by"]) == ("ada", "person", False, None)
    assert (shown["state"], shown["state_text"]) == ("expired", "Nicht rechtzeitig bestätigt. Es ist nichts geschehen.")
    assert not {"grant", "digest", "before", "fingerprint", "contract", "tenant"} & shown.keys()


@pytest.mark.parametrize("state", get_args(ProposalState))
def test_of_a_code_it_is_shown_only_whether_one_was_sent(state: ProposalState) -> None:
    proposal = Proposal(
        "acme", "ada", "s_1", "t_1", "p_1", "c_1", "pay", "{}", "digest", "contract", "Pay?", (), "before", "print", MOMENT,
        MOMENT + timedelta(seconds=1), state, confirm="code", code="salt:hash", codes_sent=3, code_sent_at=MOMENT, code_tries=2,
    )  # fmt: skip

    shown = proposal_view(proposal, "fr", MOMENT)

    assert (shown["code_sent"], shown["state"], shown["state_text"]) == (True, state, say(f"state_{state}", "fr"))
    assert "salt" not in repr(shown)
    assert not [key for key in shown if key.startswith("code") and key != "code_sent"]


@pytest.mark.parametrize(("locale", "expected"), [("de-CH", "Bestellungen"), ("de", "Bestellungen"), ("fr_FR", "Orders"), ("en", "Orders")])
def test_a_title_is_in_the_readers_language_or_in_english(locale: str, expected: str) -> None:
    assert title_in({"de": "Bestellungen", "en": "Orders"}, locale) == expected


def test_a_title_in_another_language_is_better_than_none() -> None:
    assert title_in({"it": "Ordini"}, "en") == "Ordini"
    assert title_in({}, "en") is None
