"""Rights are read at every call, and bounded by what the request was granted. Cases B102, B131, B134, B135."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from handgriff import Assistant, BackendError, Call, Caller, DefinitionError, Refusal, Result, Toolbox
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, BOB, WORDS, assistant, endings, outcomes, rows

pytestmark = pytest.mark.anyio
SECRET = "postgres://svc:pw1@10.0.0.5/acme"
Answers = Callable[[], object]


def notebook(ran: list[str]) -> Assistant:
    box = Toolbox("notebook")

    @box.tool(effect="write", requires="note", description=WORDS)
    async def note(text: str, call: Call) -> Result[None]:
        ran.append(f"{text} {sorted(call.caller.permissions)}")
        return Result("Noted.")

    @box.tool(effect="read", description=WORDS)
    async def look() -> Result[None]:
        return Result("Seen.")

    return assistant(box)


def answering(*answers: Answers) -> Callable[[str, str], Awaitable[Any]]:
    """Callers who give these answers in turn, the last one for ever."""
    left = list(answers)

    async def callers(tenant: str, user: str) -> Any:
        return (left.pop(0) if len(left) > 1 else left[0])()

    return callers


def ada(*permissions: str) -> Answers:
    return lambda: replace(ADA, permissions=frozenset(permissions))


def broken() -> object:
    raise ConnectionError(SECRET)


async def test_a_right_taken_away_in_the_middle_of_a_turn_refuses_the_next_call() -> None:
    """B131: the first request's rights are not used for ever."""
    ran: list[str] = []
    script = [ToolUse("note", {"text": "a"}), ToolUse("note", {"text": "b"}), "Well."]
    callers = answering(ada("note"), ada("note"), ada())
    async with harness(notebook(ran), ADA, script=script, callers=callers) as chat:
        await chat.say("Note twice.")

        assert [(outcome.code, outcome.step) for outcome in await outcomes(chat)] == [(None, "effect"), ("not_found", "resolve")]
        assert ran == ["a ['note']"]


async def test_no_call_has_more_rights_than_its_request_was_granted() -> None:
    """B131: whoever gains a right while a turn runs has it with the next request."""
    ran: list[str] = []
    callers = answering(ada("note", "refund", "everything"))
    async with harness(notebook(ran), ADA, callers=callers) as chat:
        await chat.host.call(replace(ADA, permissions=frozenset({"note", "other"})), "note", {"text": "a"})
        refused = await chat.host.call(replace(ADA, permissions=frozenset({"refund"})), "note", {"text": "b"})

        assert (ran, refused.code) == (["a ['note']"], "not_found")


async def test_modules_and_roles_are_cut_too() -> None:
    seen: list[Caller] = []
    box = Toolbox("who")

    @box.tool(effect="read", description=WORDS)
    async def whoami(call: Call) -> Result[None]:
        seen.append(call.caller)
        return Result("You.")

    today = replace(ADA, roles=frozenset({"clerk", "boss"}), modules=frozenset({"shop", "tax"}), locale="de")
    async with harness(assistant(box), ADA, callers=answering(lambda: today)) as chat:
        await chat.host.call(replace(ADA, roles=frozenset({"boss"}), modules=frozenset({"shop"})), "whoami", {})

        assert (seen[0].roles, seen[0].modules, seen[0].locale) == ({"boss"}, {"shop"}, "de")


async def test_somebody_who_is_gone_is_told_nothing_and_the_turn_ends_properly() -> None:
    ran: list[str] = []
    script = [ToolUse("note", {"text": "a"}), "Well."]
    async with harness(notebook(ran), ADA, script=script, callers=answering(ada("note"), lambda: None)) as chat:
        told = await chat.say("Note it.")

        assert [outcome.code for outcome in told.outcomes] == ["not_found"]
        assert (told.ended.status, ran) == ("done", [])
        with pytest.raises(Refusal) as refusal:
            await chat.host.menu(ADA)
        assert refusal.value.code == "not_found"


async def test_somebody_who_is_gone_begins_no_conversation() -> None:
    async with harness(notebook([]), ADA, callers=answering(lambda: None)) as chat:
        with pytest.raises(Refusal) as refusal:
            await chat.say("Hello")

        assert refusal.value.code == "not_found"
        assert (await endings(chat), list(await rows(chat)), len(chat.provider.requests)) == ([], [], 0)


@pytest.mark.parametrize(
    ("answer", "code"),
    [(broken, "transient"), (lambda: BOB, "permanent"), (lambda: True, "permanent"), (lambda: {"user": "ada"}, "permanent")],
    ids=["raises", "somebody else", "true", "a dict"],
)
async def test_callers_that_fail_stop_the_call_and_not_the_turn(answer: Answers, code: str, caplog: pytest.LogCaptureFixture) -> None:
    """B135, B139: nothing known is nothing granted; the reason stands in the log alone."""
    ran: list[str] = []
    script = [(ToolUse("note", {"text": "a"}), ToolUse("look", {}), ToolUse("nothing", {})), "Well."]
    async with harness(notebook(ran), ADA, script=script, callers=answering(ada("note"), answer)) as chat:
        told = await chat.say("Note it.")

        assert [(outcome.code, outcome.step) for outcome in told.outcomes] == [(code, "resolve")] * 3
        assert (told.ended.status, ran) == ("done", [])
        for outcome in told.outcomes:
            assert outcome.incident
            assert outcome.incident in outcome.wire
            assert outcome.incident in caplog.text
        everything = repr(told.items) + chat.provider.requests[1].raw.decode()
        assert "pw1" not in everything
        assert "10.0.0.5" not in everything


async def test_callers_that_fail_are_an_operators_error_where_no_model_reads() -> None:
    async with harness(notebook([]), ADA, callers=answering(broken)) as chat:
        with pytest.raises(BackendError, match="callers"):
            await chat.host.menu(ADA)
        with pytest.raises(BackendError, match="callers"):
            await chat.say("Hello")

        assert (await endings(chat), list(await rows(chat))) == ([], [])


async def test_callers_that_answer_somebody_else_are_the_authors_error() -> None:
    async with harness(notebook([]), ADA, callers=answering(lambda: BOB)) as chat:
        with pytest.raises(DefinitionError, match="another principal"):
            await chat.host.menu(ADA)


async def test_a_turn_may_begin_once_callers_answer_again() -> None:
    async with harness(notebook([]), ADA, script=["Hello."], callers=answering(broken, ada("note"))) as chat:
        with pytest.raises(BackendError):
            await chat.say("Hello")

        assert (await chat.say("Hello")).text == "Hello."
