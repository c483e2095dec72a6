"""What follows a call, bound in code: asked before it, told after it at least once, and told when a turn ends. Case B015."""

from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from handgriff import Assistant, BackendError, Call, DefinitionError, Refusal, Result, Toolbox
from handgriff.core.rows import QueuedHook
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.runtime.drive import TurnOver
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, endings

pytestmark = pytest.mark.anyio


def office(log: list[str], *, failing: list[Exception] | None = None) -> Assistant:
    """A tool that writes, one that reads, and hooks of the tool, its box and the assistant around them."""
    box = Toolbox("office")

    @box.tool(effect="write", description=WORDS)
    async def file(paper: str) -> Result[None]:
        log.append(f"handler {paper}")
        if paper == "lost":
            raise Refusal("conflict", "It is lost.")
        return Result(f"Filed {paper}.")

    @box.tool(effect="read", description=WORDS)
    async def look() -> Result[None]:
        log.append("handler")
        return Result("Seen.")

    @file.before_call
    async def tool_before(tool: str, args: Any, call: Call) -> None:
        log.append(f"tool before {tool} {args.paper}")
        if args.paper == "secret":
            raise Refusal("denied", "Not this one.")

    @box.before_call
    def box_before(tool: str, args: Any, call: Call) -> None:
        log.append(f"box before {tool}")

    @file.after_call
    async def tool_after(told: AfterCall) -> None:
        if failing:
            raise failing.pop(0)
        log.append(f"tool after {told.arguments} {told.shown.summary}")

    @box.after_call
    def box_after(told: AfterCall) -> None:
        log.append(f"box after {told.tool} of {told.tenant}/{told.user}")

    made = assistant(box)

    @made.before_call
    async def before(tool: str, args: Any, call: Call) -> None:
        log.append(f"assistant before {tool}")

    @made.after_call
    async def after(told: AfterCall) -> None:
        log.append(f"assistant after {told.call[:2]}")

    return made


FILED = ['tool after {"paper":"x"} Filed x.', "box after file of acme/ada", "assistant after c_"]


async def test_hooks_stand_around_a_write_from_the_outside_in_and_out_again() -> None:
    log: list[str] = []
    async with harness(office(log), ADA, script=[ToolUse("file", {"paper": "x"}), "Filed."]) as chat:
        await chat.say("File x.")

        assert log == ["assistant before file", "box before file", "tool before file x", "handler x", *FILED]


async def test_a_read_is_asked_for_and_nothing_follows_it() -> None:
    log: list[str] = []
    async with harness(office(log), ADA) as chat:
        await chat.host.call(ADA, "look", {})

        assert log == ["assistant before look", "box before look", "handler"]


@pytest.mark.parametrize(("paper", "code"), [("secret", "denied"), ("lost", "conflict")])
async def test_nothing_follows_what_was_refused_or_did_not_happen(paper: str, code: str) -> None:
    log: list[str] = []
    async with harness(office(log), ADA) as chat:
        assert (await chat.host.call(ADA, "file", {"paper": paper})).code == code

        assert not any("after" in entry for entry in log)
        assert (f"handler {paper}" in log) == (paper == "lost")


async def test_a_hook_that_fails_is_told_again_at_the_next_access_until_it_has_heard() -> None:
    """The turn ends properly, and the outcome stands; the others of the call are told again with it."""
    log: list[str] = []
    failing: list[Exception] = [RuntimeError("1"), RuntimeError("2")]
    script = [ToolUse("file", {"paper": "x"}), "Filed.", "Hello.", "Hello."]
    async with harness(office(log, failing=failing), ADA, script=script) as chat:
        assert (await chat.say("File x.")).ended.status == "done"
        assert not any("after" in entry for entry in log)
        await chat.say("Hello")
        assert not any("after" in entry for entry in log)
        await chat.say("Hello")
        assert log[-3:] == FILED

        await chat.host.call(ADA, "look", {})
        assert log.count(FILED[0]) == 1


class DeafStore(MemoryStore):
    """A store that can't be asked what is queued: as if the process had died between outcome and hook."""

    is_deaf = False

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        if self.is_deaf:
            raise BackendError("memory", "hooks") from OSError("gone")
        return await super().hooks(tenant)


async def test_a_crash_between_outcome_and_hook_loses_no_hook() -> None:
    """It was queued in the outcome's own commit, so the next access delivers it, in whichever process."""
    log: list[str] = []
    store = DeafStore()
    async with harness(office(log), ADA, store=store) as chat:
        store.is_deaf = True
        with pytest.raises(BackendError):
            await chat.host.call(ADA, "file", {"paper": "x"})
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]
        assert not any("after" in entry for entry in log)
        store.is_deaf = False
        await chat.host.call(ADA, "look", {})

        assert [entry for entry in log if "after" in entry] == FILED


async def test_a_hook_that_never_ends_holds_no_turn_up_and_is_told_again_later() -> None:
    heard, clock, box = [], StillClock(), Toolbox("office")

    @box.tool(effect="write", description=WORDS)
    async def file() -> Result[None]:
        return Result("Filed.")

    @file.after_call
    async def after(told: AfterCall) -> None:
        heard.append(told.call)
        if len(heard) == 1:
            await anyio.sleep_forever()

    async with harness(
        assistant(box, call_seconds=0.05), ADA, script=[ToolUse("file", {}), "Filed.", "Hello.", "Hello."], clock=clock
    ) as chat:
        assert (await chat.say("File it.")).text == "Filed."
        await chat.say("Hello")
        assert len(heard) == 1
        clock.move(301)
        await chat.say("Hello")

        assert len(heard) == 2


async def test_what_is_given_again_is_not_followed_again() -> None:
    log: list[str] = []
    box = Toolbox("office")

    @box.tool(effect="write", idempotency_key=lambda args, call: "once", description=WORDS)
    async def file() -> Result[None]:
        return Result("Filed.")

    @file.after_call
    async def after(told: AfterCall) -> None:
        log.append(told.call)

    async with harness(assistant(box), ADA) as chat:
        for _ in range(3):
            await chat.host.call(ADA, "file", {})

        assert len(log) == 1


async def test_an_end_of_a_turn_is_told_and_a_hook_that_fails_there_hurts_nobody() -> None:
    made, log = office([]), []

    @made.on_turn_end
    async def broken(over: TurnOver) -> None:
        raise RuntimeError

    @made.on_turn_end
    def told(over: TurnOver) -> None:
        log.append((over.tenant, over.user, over.ended.status, over.ended.model_requests))

    async with harness(made, ADA, script=[ToolUse("look", {}), "Seen.", "Hello."]) as chat:
        assert (await chat.say("Look.")).text == "Seen."
        assert (await chat.say("Hello")).text == "Hello."

        assert log == [("acme", "ada", "done", 2), ("acme", "ada", "done", 1)]
        assert await endings(chat) == ["done", "done"]


async def test_hooks_read_the_state_and_nothing_else() -> None:
    """B017: the turn's end sees what the turn saw, its own values too; what follows a call sees what is stored; both can only read."""
    seen: list[Any] = []
    box = Toolbox("quotes")

    @box.tool(effect="write", description=WORDS)
    async def quote(call: Call) -> Result[None]:
        await call.state.set("temp:quote", "Q-17")
        await call.state.set("kept", ["Q-17"])
        return Result("Quoted.")

    @quote.after_call
    async def follow(told: AfterCall) -> None:
        state: Any = told.state  # its type has no operation that writes
        seen.append(await state.all())
        with pytest.raises(DefinitionError, match="only read"):
            await state.set("kept", "lost")

    made = assistant(box)

    @made.on_turn_end
    async def end(over: TurnOver) -> None:
        state: Any = over.state
        seen.append(await state.all())
        with pytest.raises(DefinitionError, match="only read"):
            await state.set("temp:quote", "lost")

    async with harness(made, ADA, script=[ToolUse("quote", {}), "Done.", "Well."]) as chat:
        await chat.say("Quote.")
        await chat.say("And?")

        assert seen == [{"kept": ["Q-17"]}, {"kept": ["Q-17"], "temp:quote": "Q-17"}, {"kept": ["Q-17"]}]
