"""Effect records: one key, one effect; what nobody knows is never run again on its own. Cases B105, B106."""

import json

import anyio
import pytest

from handgriff import Refusal, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, ADA_ELSEWHERE, BOB, EVE, WORDS, assistant, everybody, outcomes
from tests.interaction.till import Till, pay

pytestmark = pytest.mark.anyio


async def test_the_same_wish_again_gets_the_same_answer_and_is_not_carried_out() -> None:
    """B105: the result is given again and marked, in events and to programs."""
    till = Till()
    async with harness(till.assistant(), ADA, script=[ToolUse("pay", pay("k1", 10)), ToolUse("pay", pay("k1", 10)), "Paid."]) as chat:
        await chat.say("Pay.")

        first, again = await outcomes(chat)
        assert (first.replayed, again.replayed, again.shown) == (False, True, first.shown)
        assert json.loads(again.wire)["content"] == json.loads(first.wire)["content"]
        assert (till.paid, till.keys) == ([10], ["k1"])
        assert len(await chat.host.effects.list("acme")) == 1


async def test_the_same_key_with_other_arguments_is_a_conflict() -> None:
    """B105"""
    till = Till()
    async with harness(till.assistant(), ADA) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10))
        other = await chat.host.call(ADA, "pay", pay("k1", 20))

        assert (other.code, till.paid) == ("conflict", [10])
        assert "other arguments" in other.shown.summary


async def test_a_wish_that_is_being_carried_out_is_not_carried_out_beside_it() -> None:
    """B105: of many at once one runs; the others are told when to ask again."""
    till, go = Till(), anyio.Event()
    answers: list[Outcome] = []
    till.paying = go.wait
    async with harness(till.assistant(), ADA) as chat:

        async def ask() -> None:
            answers.append(await chat.host.call(ADA, "pay", pay("k1", 10)))
            if len(answers) == 9:
                go.set()

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(ask)

        assert [answer.code for answer in answers] == ["conflict"] * 9 + [None]
        assert json.loads(answers[0].text)["retry_after"] > 1
        assert till.paid == [10]
        assert (await chat.host.call(ADA, "pay", pay("k1", 10))).replayed


async def test_a_failed_wish_may_be_tried_again_and_its_finished_steps_are_not_repeated() -> None:
    """B105: a failure is not kept as the final answer; the refusal names what is done."""
    till = Till(going_wrong=[Refusal("transient", "The bank is closed.")])
    async with harness(till.assistant(), ADA) as chat:
        failed = await chat.host.call(ADA, "pay", pay("k1", 10))
        again = await chat.host.call(ADA, "pay", pay("k1", 10))

        assert (failed.code, json.loads(failed.text)["done_steps"]) == ("transient", ["reserve"])
        assert (again.code, again.replayed) == (None, False)
        assert (till.paid, till.steps) == ([10], ["reserve"])
        [record] = await chat.host.effects.list("acme")
        assert (record.state, [name for name, _ in record.steps]) == ("done", ["reserve"])


async def test_an_uncertain_wish_is_never_carried_out_again() -> None:
    """B106"""
    till = Till(going_wrong=[TimeoutError("no answer")])
    async with harness(till.assistant(), ADA) as chat:
        codes = [(await chat.host.call(ADA, "pay", pay("k1", 10))).code for _ in range(3)]

        assert codes == ["indeterminate"] * 3
        assert till.keys == ["k1"]


async def test_keys_of_two_tenants_know_nothing_of_each_other() -> None:
    """B105"""
    till = Till()
    async with harness(till.assistant(), ADA, callers=everybody) as chat:
        for caller, amount in ((ADA, 10), (EVE, 20), (ADA_ELSEWHERE, 20)):
            await chat.host.call(caller, "pay", pay("k1", amount))

        assert till.paid == [10, 20]
        assert [len(await chat.host.effects.list(tenant)) for tenant in ("acme", "globex", "acme%", "")] == [1, 1, 0, 0]


async def test_another_user_with_the_same_wish_is_told_of_a_conflict_and_nothing_of_the_answer() -> None:
    """One effect for the tenant, and what a user was answered is theirs."""
    till = Till()
    async with harness(till.assistant(), ADA, callers=everybody) as chat:
        await chat.host.call(ADA, "pay", pay("k1", 10))

        other = await chat.host.call(BOB, "pay", pay("k1", 10))
        assert (other.code, "Paid 10" in other.text) == ("conflict", False)
        assert till.paid == [10]


@pytest.mark.parametrize("key", ["", "x" * 257, None, 5], ids=repr)
async def test_a_key_that_is_none_stops_the_call_before_it_runs(key: object) -> None:
    ran: list[int] = []
    box = Toolbox("till")

    @box.tool(effect="write", idempotency_key=lambda args, call: key, description=WORDS)
    async def act() -> Result[None]:
        ran.append(1)
        return Result("Done.")

    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "act", {})

        assert (outcome.code, ran, await chat.host.effects.list("acme")) == ("permanent", [], ())


async def test_inner_calls_have_records_of_their_own_and_an_uncertain_one_makes_its_parent_uncertain() -> None:
    """A parent that failed would be repeated, and its first inner call with it."""
    till = Till(going_wrong=[])
    async with harness(till.assistant(), ADA) as chat:
        assert (await chat.host.call(ADA, "pay_twice", {"wish": "a"}, session=chat.session.id)).code is None
        till.going_wrong = [TimeoutError()]
        outcome = await chat.host.call(ADA, "pay_twice", {"wish": "b"}, session=chat.session.id)

        assert (outcome.code, bool(outcome.incident)) == ("indeterminate", True)
        states = {record.key if record.tool == "pay" else "": record.state for record in await chat.host.effects.list("acme")}
        assert states == {"": "indeterminate", "a-1": "done", "a-2": "done", "b-1": "indeterminate"}
        inner = [ended for ended in await outcomes(chat) if ended.parent]
        assert [ended.wire for ended in inner] == ["", "", ""]
