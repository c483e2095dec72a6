"""What a handler may answer, and what is said where it answers something else or too much. Cases B055, B056, B114, B115, B116."""

import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from handgriff import Assistant, Call, Known, Result, Toolbox
from handgriff.core.contract import EffectKind
from handgriff.core.outcome import Outcome
from handgriff.testing.harness import harness
from handgriff.testing.loopback import strictjson
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits, contract
from tests.ids import stable
from tests.interaction.desk import ADA, WORDS, assistant, data

pytestmark = pytest.mark.anyio
EFFECTS: list[EffectKind] = ["read", "write"]


class Item(BaseModel):
    id: Annotated[str, Known("item")]
    weight: float = 1.0


def answering(answer: Any, effect: EffectKind, limit: int | None = None) -> Assistant:
    """One tool `act`, which answers *answer*, and one that takes an item."""
    box = Toolbox("shop")

    @box.tool(effect=effect, limits=CallLimits(result_bytes=limit), description=WORDS)
    async def act(shelf: str = "") -> Result[list[Item]]:
        return answer  # type: ignore[no-any-return]  # whatever a handler may answer

    @box.tool(effect="read", description=WORDS)
    async def show(item: Annotated[str, Known("item")]) -> Result[None]:
        return Result(f"It is {item}.")

    return assistant(box)


async def call(answer: Any, effect: EffectKind, limit: int | None = None) -> tuple[Outcome, dict[str, Any], list[str]]:
    """What the call came to: its outcome, what a model would read, and the states of its effects."""
    async with harness(answering(answer, effect, limit), ADA) as chat:
        outcome = await chat.host.call(ADA, "act", {}, session=chat.session.id)
        states: list[str] = [record.state for record in await chat.host.effects.list("acme")]
        return outcome, json.loads(outcome.text), states


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("junk", [None, 7, "done", {"summary": "x"}, [], object(), Result], ids=stable)
async def test_what_is_no_result_fails_a_read_and_is_said_of_a_write(junk: object, effect: EffectKind) -> None:
    """A write that returned has happened, whatever its answer looks like."""
    outcome, read, states = await call(junk, effect)

    if effect == "read":
        assert (outcome.code, bool(outcome.incident)) == ("permanent", True)
    else:
        assert (outcome.code, states) == (None, ["done"])
        assert read == {"summary": "It was done, but it gave no readable answer."}


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
async def test_a_number_that_is_none_is_never_sent(number: float, effect: EffectKind) -> None:
    """B055: strict JSON out."""
    outcome, read, states = await call(Result("One item.", [Item(id="i_1", weight=number)]), effect)

    strictjson.members(outcome.text, 0)
    assert "NaN" not in outcome.text
    assert "Infinity" not in outcome.text
    if effect == "read":
        assert (outcome.code, bool(outcome.incident)) == ("permanent", True)
    else:
        assert (outcome.code, states) == (None, ["done"])
        assert read == {"summary": "One item. Its data could not be shown."}


@pytest.mark.parametrize("effect", EFFECTS)
async def test_data_of_another_type_is_no_data(effect: EffectKind) -> None:
    outcome, read, states = await call(Result("One item.", [{"id": 5}]), effect)

    assert "data" not in read
    assert (outcome.code, states) == (("permanent", []) if effect == "read" else (None, ["done"]))


MANY = Result("Many items.", [Item(id=f"i_{n:04}") for n in range(100)])


async def test_a_read_that_is_too_large_says_how_much_and_what_narrows_it() -> None:
    """B114, B116: nothing is cut in the middle."""
    outcome, read, _ = await call(MANY, "read", 1000)

    assert outcome.code == read["refused"] == "too_large"
    assert (read["total"], read["narrow_by"]) == ("100 items", ["shelf"])
    assert read["next"] == "Ask for less: narrow by shelf."


async def test_a_write_that_is_too_large_is_done_and_says_so() -> None:
    outcome, read, states = await call(MANY, "write", 1000)

    assert (outcome.code, states) == (None, ["done"])
    assert read["summary"] == "Many items."
    assert "It was done" in read["note"]
    assert "left out" in read["note"]
    assert len(data(outcome)) == 100, "a program gets it all"


@pytest.mark.parametrize("effect", EFFECTS)
async def test_what_the_model_was_not_shown_has_not_been_seen(effect: EffectKind) -> None:
    async with harness(
        answering(MANY, effect, 1000), ADA, script=[ToolUse("act", {}), ToolUse("show", {"item": "i_0001"}), "Well."]
    ) as chat:
        told = await chat.say("Act.")

        assert told.outcomes[1].code == "invalid"


@pytest.mark.parametrize("effect", EFFECTS)
async def test_a_cap_counts_bytes_and_not_characters(effect: EffectKind) -> None:
    """B115: an emoji is four bytes."""
    outcome, _, _ = await call(Result("😀" * 300), effect, 1000)

    assert len(outcome.text.encode()) <= 1000
    assert outcome.code == ("too_large" if effect == "read" else None)


async def test_the_results_of_a_turn_are_bounded_together_in_bytes() -> None:
    """B115: 600 characters, 1,800 bytes."""
    box = Toolbox("shop")

    @box.tool(effect="read", description=WORDS)
    async def act(n: int) -> Result[None]:
        return Result("語" * 300)

    script = [ToolUse("act", {"n": 1}), ToolUse("act", {"n": 2}), "Well."]
    async with harness(assistant(box, turn_result_bytes=1500), ADA, script=script) as chat:
        told = await chat.say("Act.")

        assert [outcome.code for outcome in told.outcomes] == [None, "limit"]
        assert "1500 bytes" in told.outcomes[1].shown.summary


async def test_lone_surrogates_in_a_result_are_replaced() -> None:
    """B056: the chat goes on."""
    script = [ToolUse("act", {}), "Well.", "All is well."]
    async with harness(answering(Result("Half: \ud83d.", [Item(id="\udc00x")]), "write"), ADA, script=script) as chat:
        told = await chat.say("Act.")

        assert told.outcomes[0].code is None
        assert told.outcomes[0].shown.summary == "Half: \ufffd."
        assert (await chat.say("And?")).text == "All is well."


async def test_a_tool_may_be_called_as_often_as_its_limit_says() -> None:
    ran: list[int] = []
    box = Toolbox("shop")

    @box.tool(effect="read", limits=CallLimits(calls=2), description=WORDS)
    async def act(n: int) -> Result[None]:
        ran.append(n)
        return Result("Done.")

    calls = (ToolUse("act", {"n": 1}), ToolUse("act", {"n": 2}), ToolUse("act", {"n": 3}))
    async with harness(assistant(box), ADA, script=[calls, ToolUse("act", {"n": 4}), "Well.", ToolUse("act", {"n": 5}), "Well."]) as chat:
        told = await chat.say("Act.")

        assert [outcome.code for outcome in told.outcomes] == [None, None, "limit", "limit"]
        assert (told.ended.status, ran) == ("done", [1, 2])
        await chat.say("Again.")
        assert ran == [1, 2, 5]


async def test_an_imported_tool_answers_what_it_likes() -> None:
    class Foreign:
        name = "weather"
        description = WORDS
        input_schema = {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}  # noqa: RUF012  # as frameworks do

        async def run(self, town: str) -> dict[str, object]:
            return {"town": town, "degrees": 21.5}

    box = Toolbox("foreign")
    box.add(contract(Foreign(), effect="read"))
    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "weather", {"town": "Bern"})

        assert data(outcome) == {"town": "Bern", "degrees": 21.5}


async def test_a_link_and_a_diff_are_for_people_and_data_for_the_model() -> None:
    box = Toolbox("shop")

    @box.tool(effect="read", description=WORDS)
    async def act(call: Call) -> Result[list[Item]]:
        return Result("One item.", [Item(id="i_1")], link="/items/i_1")

    async with harness(assistant(box), ADA, script=[ToolUse("act", {}), "Well."]) as chat:
        told = await chat.say("Act.")

        [outcome] = told.outcomes
        assert (outcome.shown.link, "i_1" in outcome.shown.summary) == ("/items/i_1", False)
        assert "i_1" in outcome.wire
