"""What an exception of the application's means: to the model, to the effect record, and in the log alone. Cases B106, B139."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from handgriff import Assistant, Refusal, Result, Toolbox
from handgriff.core.contract import EffectKind
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant, outcomes, told

pytestmark = pytest.mark.anyio
SECRET = "connect postgres://svc:pw1@10.0.0.5:5432/acme failed"


class OrderPaidError(Exception):
    """The application's own."""


class Row(BaseModel):
    """A row of the application's."""

    amount: int = Field(gt=0)
    inner: dict[str, int]


def failing(raising: Callable[[], object], effect: EffectKind, errors: Any = None, seconds: float | None = None) -> Assistant:
    box = Toolbox("shop")

    @box.tool(effect=effect, errors=errors, limits=CallLimits(seconds=seconds), description=WORDS)
    async def act() -> Result[None]:
        raised = raising()
        if raised is not None:
            await raised  # type: ignore[misc]  # what does not raise at once is a coroutine
        return Result("Done.")

    return assistant(box)


def throw(error: BaseException) -> None:
    raise error


def settled(states: list[str], effect: EffectKind) -> list[str]:
    return [] if effect == "read" else states


async def act(chat: Harness) -> dict[str, Any]:
    """The model calls the tool; what it reads of it."""
    await chat.say("Act.")
    inside = told(chat.provider.requests[1])[0].split("\n")[1]
    read: dict[str, Any] = json.loads(inside)
    return read


async def states(chat: Harness) -> list[str]:
    return [effect.state for effect in await chat.host.effects.list("acme")]


SCRIPT = [ToolUse("act", {}), "Well."]
UNFORESEEN = {
    "plain": RuntimeError(SECRET),
    "chained": ValueError(SECRET),
    "lookup": KeyError(SECRET),
    "time-out of its own": TimeoutError(SECRET),
    "stop": StopAsyncIteration(SECRET),
    "stray cancellation": asyncio.CancelledError(SECRET),
    "group": ExceptionGroup(SECRET, [RuntimeError(SECRET)]),
}


@pytest.mark.parametrize("error", UNFORESEEN.values(), ids=UNFORESEEN)
@pytest.mark.parametrize(("effect", "code"), [("read", "permanent"), ("write", "indeterminate")])
async def test_what_nobody_foresaw_is_an_incident(
    error: BaseException, effect: EffectKind, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    """B139: generic text and a reference everywhere outside the log. Of a write nobody knows whether it happened."""
    async with harness(failing(partial(throw, error), effect), ADA, script=SCRIPT) as chat:
        read = await act(chat)

        [outcome] = await outcomes(chat)
        assert read["refused"] == outcome.code == code
        assert read["incident"] == outcome.incident
        assert await states(chat) == settled(["indeterminate"], effect)
        assert outcome.incident
        assert f"{outcome.incident}: tool act, call {outcome.call}" in caplog.text
        everything = repr(await chat.events()) + repr(await chat.host.effects.list("acme")) + chat.provider.requests[1].raw.decode()
        assert "pw1" not in everything
        assert "10.0.0.5" not in everything


async def test_an_uncertain_write_is_not_advised_to_be_tried_again() -> None:
    """B106: one attempt, and the text says not to repeat it."""
    async with harness(failing(partial(throw, TimeoutError()), "write"), ADA, script=SCRIPT) as chat:
        read = await act(chat)

        assert "ry again" not in json.dumps(read)
        assert "Do not repeat it" in read["next"]
        assert len(await states(chat)) == 1


@pytest.mark.parametrize("effect", ["read", "write"])
async def test_a_mapped_error_is_told_word_for_word_and_nothing_has_happened(effect: EffectKind) -> None:
    """B139: the application's own message, verbatim."""
    made = failing(partial(throw, OrderPaidError("Order O-1 is already paid")), effect, {OrderPaidError: "conflict"})
    async with harness(made, ADA, script=SCRIPT) as chat:
        assert await act(chat) == {"refused": "conflict", "message": "Order O-1 is already paid"}
        assert await states(chat) == settled(["failed"], effect)


async def test_a_mapping_function_makes_the_refusal() -> None:
    def explained(error: OrderPaidError) -> Refusal:
        return Refusal("conflict", f"Paid: {error}", next="Look at it.", order="O-1")

    async with harness(failing(partial(throw, OrderPaidError("O-1")), "write", {Exception: explained}), ADA, script=SCRIPT) as chat:
        assert await act(chat) == {"refused": "conflict", "message": "Paid: O-1", "order": "O-1", "next": "Look at it."}


@pytest.mark.parametrize(
    "mapping", [lambda error: throw(RuntimeError(SECRET)), lambda error: None, lambda error: "conflict"], ids=["raises", "none", "text"]
)
@pytest.mark.parametrize(("effect", "code"), [("read", "permanent"), ("write", "indeterminate")])
async def test_a_mapping_function_that_fails_is_an_unforeseen_error(mapping: Any, effect: EffectKind, code: str) -> None:
    async with harness(failing(partial(throw, OrderPaidError(SECRET)), effect, {OrderPaidError: mapping}), ADA, script=SCRIPT) as chat:
        read = await act(chat)

        assert (read["refused"], "pw1" in json.dumps(read)) == (code, False)
        assert await states(chat) == settled(["indeterminate"], effect)


async def test_a_validation_error_of_the_applications_becomes_invalid_with_its_paths() -> None:
    """B139: what was given (a password, maybe) is not repeated."""
    made = failing(lambda: (Row.model_validate({"amount": 0, "inner": {"a": "pw1"}}), None)[1], "read")
    async with harness(made, ADA, script=SCRIPT) as chat:
        read = await act(chat)

        assert read["refused"] == "invalid"
        assert set(read["fields"]) == {"amount", "inner/a"}
        assert "pw1" not in json.dumps(read)


async def test_a_validation_error_in_a_write_may_be_about_anything_so_nobody_knows() -> None:
    """About what a payment provider answered after the charge, for one; only what the author maps says that nothing happened."""
    break_off = lambda: (Row.model_validate({"amount": 0, "inner": {}}), None)[1]  # noqa: E731  # one line of a handler
    for errors, state in ((None, "indeterminate"), ({ValidationError: "invalid"}, "failed")):
        async with harness(failing(break_off, "write", errors), ADA, script=SCRIPT) as chat:
            await act(chat)

            assert await states(chat) == [state]


async def test_a_validator_of_the_arguments_that_breaks_stops_the_call_and_not_the_turn() -> None:
    class Args(BaseModel):
        amount: int

        @field_validator("amount")
        @classmethod
        def check(cls, value: int) -> int:
            raise LookupError(SECRET)

    box = Toolbox("shop")

    @box.tool(effect="write", description=WORDS)
    async def act(args: Args) -> Result[None]:
        return Result("Done.")

    async with harness(assistant(box), ADA, script=[ToolUse("act", {"amount": 1}), "Well."]) as chat:
        result = await chat.say("Act.")

        assert [(outcome.code, outcome.step) for outcome in result.outcomes] == [("permanent", "form")]
        assert (result.ended.status, await states(chat)) == ("done", [])


@pytest.mark.parametrize(("effect", "code"), [("read", "transient"), ("write", "indeterminate")])
async def test_a_call_that_takes_too_long_is_given_up(effect: EffectKind, code: str) -> None:
    """B106: a read may be tried again; of a write nobody knows."""
    async with harness(failing(anyio.sleep_forever, effect, seconds=0.02), ADA, script=SCRIPT) as chat:
        read = await act(chat)

        assert (read["refused"], bool(read["incident"])) == (code, True)
        assert await states(chat) == settled(["indeterminate"], effect)
        assert ("Try again once" in read["next"]) == (effect == "read")


async def test_a_write_that_says_itself_that_it_does_not_know_is_uncertain() -> None:
    async with harness(failing(partial(throw, Refusal("indeterminate", "No answer came.")), "write"), ADA, script=SCRIPT) as chat:
        assert (await act(chat))["message"] == "No answer came."
        assert await states(chat) == ["indeterminate"]
