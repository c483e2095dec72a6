"""`Machine`: bindings to what is there, where instances live, and errors that name member and mend."""

from datetime import timedelta
from typing import Any

import pytest

from handgriff import Assistant, Call, DefinitionError, Machine, Result, Toolbox
from handgriff.core.binding import bound
from handgriff.machine import At, State

WORDS = "Use when: it is tested. Not for: anything else. Needs: nothing. Effect: as declared."


def paper(**kept: Any) -> Machine:
    return Machine(
        "paper",
        State("draft", on={"SUBMIT": "review"}),
        State("review", State("first", on={"READ": "second"}), "second", on={"PAY": "paid"}, tags="payable"),
        State("paid", type="final"),
        **kept,
    )


async def status(args: object, call: Call) -> str:
    del args, call
    return "draft"


def tool(**options: Any) -> Toolbox:
    box = Toolbox("papers")

    @box.tool(effect="write", description=WORDS, **options)
    async def act(note: str = "") -> Result[None]:
        return Result(note or "Done.")

    return box


def test_states_are_named_by_key_path_and_id_and_a_parent_stands_for_its_states() -> None:
    machine = paper()

    assert machine.at("first").nodes == machine.at("review.first").nodes == machine.at("#paper.review.first").nodes
    assert machine.at("draft", "paid").nodes == {"paper.draft", "paper.paid"}
    assert machine.tagged("payable").nodes == machine.at("review").nodes
    assert repr(machine.at("draft")) == "paper.at('draft')"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda m: m.at("drat"), "did you mean 'draft'"),
        (lambda m: m.at("nowhere"), "states are"),
        (lambda m: m.at(), "names no state"),
        (lambda m: m.at(7), "no state 7"),
        (lambda m: m.tagged("paid"), "tags are 'payable'|did you mean 'payable'"),
        (lambda m: m.tagged(), "names no tag"),
        (lambda m: m.event("SUBMITT"), "did you mean 'SUBMIT'"),
        (lambda m: m.event(None), "no state takes None"),
        (lambda m: m.bind(42, at="draft"), "is no tool"),
        (lambda m: m.bind("act"), "binds 'act' to nothing"),
        (lambda m: m.bind("act", at=["draft", m.at("review")]), "is no binding"),
        (lambda m: m.bind("act", fires=3), "is no event"),
    ],
    ids=[
        "near",
        "far",
        "none",
        "no text",
        "no tag",
        "no tags",
        "no event",
        "nothing fired",
        "no tool",
        "unbound",
        "mixed",
        "no event's text",
    ],
)
def test_what_is_not_there_is_refused_with_what_is(make: Any, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        make(paper())


@pytest.mark.parametrize(
    ("kept", "member"),
    [
        ({"instance": "shelf"}, "instance"),
        ({"instance": "session", "state_of": status}, "instance"),
        ({"state_of": "draft"}, "state_of"),
        ({"handle": "Paper Nr"}, "handle"),
        ({"handle": "paper", "instance": "session"}, "handle"),
        ({"handle": "state"}, "handle"),
        ({"owner": "tenant"}, "owner"),
        ({"owner": "nobody", "instance": "handle"}, "owner"),
        ({"expires": timedelta(0)}, "expires"),
        ({"expires": 30}, "expires"),
        ({"expires": timedelta.max}, "expires"),
        ({"expires": timedelta(days=36_525, microseconds=1)}, "expires"),
        ({"guard": {}}, "guard"),
        ({"migrations": {"9f86d0": dict}}, "migrations['9f86d0']"),
        ({"migrations": {"A" * 64: dict}}, f"migrations['{'A' * 64}']"),
        ({"migrations": {f"{'a' * 64}\n": dict}}, f"migrations['{'a' * 64}\\n']"),
        ({"migrations": {7: dict}}, "migrations[7]"),
        ({"migrations": {"a" * 64: "review"}}, f"migrations['{'a' * 64}']"),
        ({"migrations": ["a" * 64]}, "migrations"),
    ],
    ids=[
        "place",
        "both",
        "state_of",
        "name",
        "needless handle",
        "reserved",
        "needless owner",
        "owner",
        "no time",
        "a number",
        "for ever",
        "too long",
        "unknown",
        "half a hash",
        "a hash in capitals",
        "a hash and more",
        "a number as hash",
        "no migration",
        "migrations as a list",
    ],
)
def test_members_that_do_not_go_together_are_refused_by_name(kept: dict[str, Any], member: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        paper(**kept)

    assert refused.value.member == member


def test_a_machine_without_states_is_refused_with_what_is_missing() -> None:
    with pytest.raises(DefinitionError, match=r"it has no states and no id, .* Mend: give its states, and its id.") as nothing:
        Machine.from_config({})
    with pytest.raises(DefinitionError, match=r"it has no states, .* Mend: give its states."):
        Machine("paper")

    assert nothing.value.member == "states"


def test_a_name_in_the_wrong_capitals_is_recognized() -> None:
    with pytest.raises(DefinitionError, match="did you mean 'SUBMIT'"):
        paper().event("submit")


def test_a_hundred_years_are_a_time_that_an_instance_may_live() -> None:
    assert paper(instance="handle", expires=timedelta(days=36_525)).expires == timedelta(days=36_525)


def test_where_instances_live_follows_from_what_is_said() -> None:
    assert (paper().instance, paper(handle="sheet").instance, paper(state_of=status).instance) == ("session", "handle", None)
    assert paper(instance="handle").handle == "paper"
    assert paper(state_of=status).reads_arguments
    assert not paper(state_of=lambda call: "draft").reads_arguments


@pytest.mark.parametrize(
    ("state_of", "reads"),
    [
        (lambda call: "draft", False),
        (lambda call, settings=(): "draft", False),
        (lambda call, *, settings=(): "draft", False),
        (lambda call=None: "draft", False),
        (lambda args, call: "draft", True),
        (lambda args, call, settings=(): "draft", True),
        (lambda args=None, call=None: "draft", True),
        (lambda *asked: "draft", True),
        (dict.get, True),
    ],
    ids=["call", "call and a default", "call and a keyword", "call by default", "both", "and a default", "both by default", "any", "C"],
)
def test_only_what_must_be_given_says_whether_a_state_is_read_by_arguments(state_of: Any, reads: bool) -> None:
    assert paper(state_of=state_of).reads_arguments is reads


def test_a_derived_machine_fires_nothing() -> None:
    with pytest.raises(DefinitionError, match="derived"):
        paper(state_of=status).event("SUBMIT")


def test_the_short_form_of_an_event_needs_one_kept_machine() -> None:
    machine, derived = paper(), Machine("order", "open", "closed", state_of=status)
    [contract] = tool(at=[machine.at("draft"), derived.at("open")], fires="SUBMIT").contracts()

    assert contract.fires is not None
    assert (contract.fires.machine, contract.fires.event) == (machine, "SUBMIT")
    with pytest.raises(DefinitionError, match="'at' names 0"):
        tool(at=derived.at("open"), fires="SUBMIT").contracts()


def test_two_events_for_one_tool_are_refused() -> None:
    machine = paper()
    [contract] = tool(at=machine.at("draft"), fires="SUBMIT").contracts()

    with pytest.raises(DefinitionError, match="twice"):
        bound(contract, at=(), fires=machine.event("SUBMIT"))


@pytest.mark.parametrize("at", ["draft", None], ids=["bound", "firing alone"])
def test_a_tool_that_moves_one_instance_starts_no_other(at: str | None) -> None:
    machine, other = paper(), Machine("note", "open", State("shut", type="final"), instance="handle")
    states = {} if at is None else {"at": machine.at(at)}

    with pytest.raises(DefinitionError, match=r"moves an instance of 'paper'.*two tools"):
        tool(fires=machine.event("SUBMIT"), starts=other, **states).contracts()
    [contract] = tool(starts=other, at=machine.at("draft")).contracts()
    with pytest.raises(DefinitionError, match="moves an instance of 'paper'"):
        bound(contract, at=(), fires=machine.event("SUBMIT"))


def test_a_binding_from_outside_is_joined_to_the_tool_of_its_name() -> None:
    machine = paper()
    assistant = Assistant("office", instructions="Help.", toolboxes=[tool()], bindings=[machine.bind("act", at="draft", fires="SUBMIT")])

    assert [at.words for at in assistant.contracts["act"].at] == [("draft",)]
    with pytest.raises(DefinitionError, match="no toolbox has a tool"):
        Assistant("office", instructions="Help.", toolboxes=[tool()], bindings=[machine.bind("acts", at="draft")])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"unbound": "shut"}, "no word"),
        ({"bindings": "act"}, "no list of Binding"),
        ({"bindings": [At]}, "no list of Binding"),
    ],
    ids=["unbound", "text", "a class"],
)
def test_an_assistant_is_told_what_it_takes(options: dict[str, Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        Assistant("office", instructions="Help.", toolboxes=[tool()], **options)


def test_a_machine_with_handles_needs_a_tool_that_begins_one() -> None:
    with pytest.raises(DefinitionError, match="no tool starts"):
        Assistant("office", instructions="Help.", toolboxes=[tool(at=paper(instance="handle").at("draft"))])


def test_two_machines_of_one_id_are_refused() -> None:
    one, two = Toolbox("one"), Toolbox("two")
    for box, name in ((one, "first"), (two, "second")):
        box.tool(effect="read", name=name, description=WORDS, at=paper().at("draft"))(_nothing)

    with pytest.raises(DefinitionError, match="two machines 'paper'"):
        Assistant("office", instructions="Help.", toolboxes=[one, two])


def test_the_hash_tells_what_it_does_and_not_what_people_read() -> None:
    described = Machine("paper", State("draft", on={"SUBMIT": "done"}, description="Written."), State("done", type="final"))
    plain = Machine("paper", State("draft", on={"SUBMIT": "done"}), State("done", type="final"))
    other = Machine("paper", State("draft", on={"SEND": "done"}), State("done", type="final"))

    assert described.hash == plain.hash != other.hash


def test_the_root_takes_regions_and_events_of_its_own() -> None:
    machine = Machine(
        "job",
        State("work", "waiting", State("done", type="final")),
        State("light", "off", "on"),
        type="parallel",
        on={"SWITCH": ".light.on"},
    )
    written = {
        "id": "job",
        "type": "parallel",
        "on": {"SWITCH": {"target": ".light.on"}},
        "states": {
            "work": {"initial": "waiting", "states": {"waiting": {}, "done": {"type": "final"}}},
            "light": {"initial": "off", "states": {"off": {}, "on": {}}},
        },
    }

    assert machine.hash == Machine.from_config(written).hash
    assert machine.event("SWITCH").event == "SWITCH"


async def _nothing() -> Result[None]:
    return Result("Nothing.")
