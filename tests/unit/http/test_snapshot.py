import json

from handgriff.core.events import CallOutcome, Decision, OperatorChange, PartialMessage, SessionCreated, Shown, ShownChange, TurnEnded
from handgriff.http.content import content
from handgriff.http.snapshot import Said, client_ids, messages
from tests.unit.http.items import asked, event, said, told

EVENTS = [
    event(1, SessionCreated("ada")),
    event(2, said("Hi.")),
    event(3, asked("r1", "Let me look.", "c1", "c2")),
    event(4, told("c1")),
    event(5, told("c2", "No.", code="denied")),
    event(6, told("inner", parent="c1")),
    event(7, told("c1", "It was done.", late=True)),
    event(8, asked("r2", "", "c3")),
    event(9, Decision("p1", "c3", "done")),
    event(10, told("c3")),
    event(11, OperatorChange("x", "root")),
    event(12, PartialMessage("r3", "Well")),
    event(13, PartialMessage("r4", " ")),
    event(14, TurnEnded("limit", message="The limit.")),
    event(15, TurnEnded("failed", message="Not shown here.")),
]


def test_a_conversation_is_messages_with_the_streams_ids() -> None:
    assert [(message["id"], message["role"]) for message in messages(EVENTS) if isinstance(message, dict)] == [
        ("e2", "user"),
        ("r1", "assistant"),
        ("e4", "tool"),
        ("e5", "tool"),
        ("c3", "assistant"),
        ("e10", "tool"),
        ("r3", "assistant"),
        ("e14", "assistant"),
    ]


def test_calls_hang_on_the_message_that_made_them() -> None:
    spoken, silent = messages([EVENTS[2], EVENTS[7]])

    assert isinstance(spoken, dict)
    assert isinstance(silent, dict)
    call = {"type": "function", "function": {"name": "list_orders", "arguments": "{}"}}
    assert spoken["toolCalls"] == [{"id": "c1", **call}, {"id": "c2", **call}]
    assert silent == {"id": "c3", "role": "assistant", "toolCalls": [{"id": "c3", **call}]}


def test_a_result_is_what_people_see_of_it() -> None:
    [message] = messages([EVENTS[4]])

    assert isinstance(message, dict)
    assert json.loads(str(message["content"])) == {"summary": "No.", "error": {"code": "denied"}}


def test_an_outcome_shows_link_diff_and_advice() -> None:
    shown = Shown("Moved.", "/o/1", None, (ShownChange("Day", None, "Friday"),))
    outcome = CallOutcome("c1", "move", "effect", shown, "d", code="permanent", next="Call us.", incident="i_1")

    assert content(outcome) == {
        "summary": "Moved.",
        "link": {"href": "/o/1", "label": "/o/1"},
        "diff": [{"label": "Day", "before": None, "after": "Friday"}],
        "error": {"code": "permanent", "next": "Call us.", "incident": "i_1"},
    }


def test_the_clients_own_ids_are_given_back() -> None:
    events = [event(1, said("one")), event(2, said("two")), event(3, said("two"))]

    ids = client_ids(events, [Said("a", "one"), Said("b", "two"), Said("c", "two")])

    assert ids == {"e1": "a", "e2": "b", "e3": "c"}
    assert [message["id"] for message in messages(events, ids) if isinstance(message, dict)] == ["a", "b", "c"]


def test_ids_are_matched_from_the_end_and_what_another_tab_said_is_passed_over() -> None:
    events = [event(1, said("one")), event(2, said("two")), event(3, said("three"))]

    assert client_ids(events, [Said("x", "other"), Said("c", "three")]) == {"e3": "c"}
    assert client_ids(events, [Said("a", "one"), Said("b", "two")]) == {"e1": "a", "e2": "b"}
    assert client_ids(events, [Said("a", "one"), Said("c", "three")]) == {"e1": "a", "e3": "c"}
    assert client_ids(events, [Said("c", "three"), Said("x", "other")]) == {}
    assert client_ids(events, [Said(None, "three")]) == {}
    assert client_ids([], [Said("c", "three")]) == {}
