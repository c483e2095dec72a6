"""A confirmation is no permission: everything is asked again, and of many clicks one counts. Cases B096, B102."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from handgriff import Host, Refusal
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.testing.harness import MODEL, PRICES
from tests.interaction.bank import Bank, banking, pending, transfer
from tests.interaction.desk import ADA, WORDS, decisions, told

pytestmark = pytest.mark.anyio


def no_role(bank: Bank) -> None:
    bank.permissions.clear()


def no_module(bank: Bank) -> None:
    bank.modules.clear()


def gone(bank: Bank) -> None:
    bank.exists = False


def not_hers(bank: Bank) -> None:
    bank.owns = False


def other_balance(bank: Bank) -> None:
    bank.balances["acc-1"] = 80


def no_plan(bank: Bank) -> None:
    bank.balances["acc-1"] = -1


@pytest.mark.parametrize(
    ("change", "state", "code"),
    [
        (no_role, "failed", "not_found"),
        (no_module, "failed", "not_found"),
        (gone, "failed", "not_found"),
        (not_hers, "failed", "denied"),
        (other_balance, "stale", "stale"),
        (no_plan, "stale", "stale"),
    ],
)
async def test_what_changed_while_it_waited_stops_it(change: Callable[[Bank], None], state: str, code: str) -> None:
    """B102: each with its own reason, and a fresh confirmation is needed."""
    bank = Bank()
    async with banking(bank, [transfer(), "Well."]) as chat:
        await chat.say("Pay.")
        change(bank)
        [proposal] = await pending(chat)

        decided = await chat.host.proposals.decide(ADA, proposal, True)

        assert (decided.proposal.state, decided.outcome.code, bank.paid) == (state, code, [])
        assert await chat.host.effects.list("acme") == ()
        with pytest.raises(Refusal) as refusal:
            await chat.host.proposals.decide(ADA, proposal, True)
        assert refusal.value.facts["state"] == state


async def test_what_the_plan_shows_now_is_named_in_the_refusal() -> None:
    bank = Bank()
    async with banking(bank, [transfer(), "Well."]) as chat:
        await chat.say("Pay.")
        no_plan(bank)
        decided, _ = await chat.confirm()

        assert "The account is overdrawn." in decided.outcome.shown.summary
        assert "Nothing was done" in told(chat.provider.requests[1])[0]


@pytest.mark.parametrize(
    ("words", "without", "state", "code"),
    [
        (WORDS.replace("as declared", "pays twice"), set(), "stale", "stale"),
        (WORDS, {"plan"}, "stale", "stale"),
        (WORDS, {"transfer"}, "failed", "not_found"),
    ],
    ids=["another description", "nobody is asked any more", "no such tool any more"],
)
async def test_a_deploy_between_card_and_click_runs_nothing_else(
    tmp_path: Path, words: str, without: set[str], state: str, code: str
) -> None:
    """B102: today's contract decides; a removed tool is told like one that never was."""
    bank, database = Bank(), f"sqlite:///{tmp_path}/h.db"
    async with banking(bank, [transfer(), "Well."], store=database) as chat:
        await chat.say("Pay.")
        [proposal] = await pending(chat)
        await chat.host.close()
        bank.words, bank.without = words, without

        model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)
        async with Host(bank.assistant(), store=database, callers=bank.callers, model=MODEL, models=[model], prices=PRICES) as other:
            decided = await other.proposals.decide(ADA, proposal, True)
            async for _ in other.follow(ADA, chat.session.id):
                pass
        await model.close()

        assert (decided.proposal.state, decided.outcome.code, bank.paid) == (state, code, [])
        if code == "not_found":
            assert decided.outcome.shown.summary == "There is no such tool."


async def clicked(host: Host, proposal: str, answers: list[str], approved: bool) -> None:
    try:
        answers.append((await host.proposals.decide(ADA, proposal, approved)).proposal.state)
    except Refusal as refusal:
        answers.append(refusal.message)


async def all_click(host: Host, proposal: str, approvals: list[bool]) -> list[str]:
    answers: list[str] = []
    async with anyio.create_task_group() as tasks:
        for approved in approvals:
            tasks.start_soon(clicked, host, proposal, answers, approved)
    return answers


@pytest.mark.parametrize("store", ["memory://", "sqlite"])
async def test_of_fifty_clicks_one_counts_and_the_others_are_told_so(store: str, tmp_path: Path) -> None:
    """B096: two tabs, two clicks, a retry: one effect, forty-nine clear answers."""
    bank = Bank()
    bank.meanwhile = anyio.lowlevel.checkpoint
    bank.carrying_out = anyio.lowlevel.checkpoint
    name = f"sqlite:///{tmp_path}/h.db" if store == "sqlite" else store
    async with banking(bank, [transfer(), "Paid."], store=name) as chat:
        await chat.say("Pay.")
        [proposal] = await pending(chat)

        answers = await all_click(chat.host, proposal, [True] * 50)

        assert answers.count("done") == 1
        assert set(answers) - {"done"} <= {f"This proposal is decided already: {state}." for state in ("running", "done")}
        assert (bank.paid, await decisions(chat)) == ([(10, "acc-2")], ["running", "done"])
        async for _ in chat.host.follow(ADA, chat.session.id):
            pass
        assert len(chat.provider.requests) == 2


async def test_yes_and_no_at_once_is_one_of_both() -> None:
    bank = Bank()
    bank.meanwhile = anyio.lowlevel.checkpoint
    async with banking(bank, [transfer(), "Well."]) as chat:
        await chat.say("Pay.")
        [proposal] = await pending(chat)

        answers = await all_click(chat.host, proposal, [True, False] * 10)

        states = {"done", "declined"} & set(answers)
        assert len(states) == 1
        assert answers.count(states.pop()) == 1
        assert len(bank.paid) == answers.count("done")


async def test_two_processes_that_decide_at_once_pay_once(tmp_path: Path) -> None:
    """B096: two hosts on one file, as two replicas."""
    bank, database = Bank(), f"sqlite:///{tmp_path}/h.db"
    bank.meanwhile = anyio.lowlevel.checkpoint
    async with banking(bank, [transfer(), "Paid."], store=database) as chat:
        await chat.say("Pay.")
        [proposal] = await pending(chat)
        model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)
        async with Host(bank.assistant(), store=database, callers=bank.callers, model=MODEL, models=[model], prices=PRICES) as other:
            answers: list[str] = []
            async with anyio.create_task_group() as tasks:
                for _ in range(5):
                    for host in (chat.host, other):
                        tasks.start_soon(clicked, host, proposal, answers, True)
            for host in (chat.host, other):
                async for _item in host.follow(ADA, chat.session.id):
                    pass
        await model.close()

        assert (answers.count("done"), len(answers), bank.paid) == (1, 10, [(10, "acc-2")])
        assert len(chat.provider.requests) == 2


async def holding(bank: Bank) -> tuple[anyio.Event, anyio.Event]:
    began, go = anyio.Event(), anyio.Event()

    async def hold() -> None:
        began.set()
        await go.wait()

    bank.carrying_out = hold
    return began, go


Attempt = Callable[[Host, str], Awaitable[object]]


async def write(host: Host, session: str) -> object:
    return [item async for item in host.turn(ADA, session, "And now?")]


async def delete(host: Host, session: str) -> object:
    await host.sessions.delete(ADA, session)
    return None


@pytest.mark.parametrize("attempt", [write, delete])
async def test_while_it_is_carried_out_the_conversation_is_busy(attempt: Attempt) -> None:
    """Its outcome belongs before the next message, and its trace must not be lost."""
    bank = Bank()
    async with banking(bank, [transfer(), "Paid."]) as chat:
        await chat.say("Pay.")
        began, go = await holding(bank)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.confirm)
            await began.wait()
            with pytest.raises(Refusal) as refusal:
                await attempt(chat.host, chat.session.id)
            go.set()

        assert refusal.value.code == "conversation_busy"
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]


async def test_a_decider_who_leaves_does_not_undo_the_decision() -> None:
    bank = Bank()
    async with banking(bank, [transfer(), "Paid."]) as chat:
        await chat.say("Pay.")
        [proposal] = await pending(chat)
        began, go = await holding(bank)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.host.proposals.decide, ADA, proposal, True)
            await began.wait()
            tasks.cancel_scope.cancel()
            go.set()

        assert (await chat.host.proposals.get(ADA, proposal)).state == "done"
        assert bank.paid == [(10, "acc-2")]
