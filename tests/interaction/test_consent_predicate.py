"""Who confirms may be decided by the arguments, when it is planned and again when it is carried out. Cases B094, B102."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from handgriff import Assistant, Call, DefinitionError, Plan, Refusal, Result, Toolbox
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import harness
from handgriff.testing.mailbox import Mailbox
from tests.interaction.desk import WORDS, assistant, outcomes
from tests.interaction.safe import ADA, BOB, Safe, opened, pay, refused, waiting

pytestmark = pytest.mark.anyio


class Limit:
    """Nothing up to 100, Ada herself up to 1000, by code up to 2000, a second person above."""

    def __init__(self) -> None:
        self.unasked = 100
        self.alone = 1000
        self.coded = 2000
        self.seen: list[tuple[Any, str]] = []

    async def __call__(self, args: Any, call: Call) -> str | None:
        self.seen.append((args.amount, call.caller.user))
        bounds = ((self.unasked, None), (self.alone, "person"), (self.coded, "code"))
        return next((word for bound, word in bounds if args.amount <= bound), "second_person")


@pytest.mark.parametrize(
    ("amount", "confirm"),
    [(100, None), (101, "person"), (1000, "person"), (1001, "code"), (2000, "code"), (2001, "second_person"), (10**9, "second_person")],
)
async def test_the_arguments_decide_who_confirms_a_write(amount: int, confirm: str | None) -> None:
    safe = Safe(confirm=Limit(), effect="write")
    async with opened(safe, [pay(amount), "Well."], codes=Mailbox()) as chat:
        asked = await chat.say("Pay.")

        assert [parked.confirm for parked in asked.parked] == ([confirm] if confirm else [])
        assert safe.paid == ([(amount, "ada", "")] if confirm is None else [])


async def test_what_can_not_be_undone_is_never_done_unasked() -> None:
    safe = Safe(confirm=Limit(), effect="irreversible")
    async with opened(safe, [pay(5), "Paid."]) as chat:
        asked = await chat.say("Pay.")
        assert ([parked.confirm for parked in asked.parked], safe.paid) == (["person"], [])

        decided, _ = await chat.confirm()
        assert (decided.proposal.state, safe.paid) == ("done", [(5, "ada", "ada")])


async def test_a_clamp_comes_before_the_question() -> None:
    """B094: 999999 is cut to 5000 before anybody decides who must confirm it, and 5000 is what runs."""
    limit = Limit()
    safe = Safe(confirm=limit)
    async with opened(safe, [pay(999999), "Paid."]) as chat:
        asked = await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        await chat.host.proposals.decide(BOB, found, True)

        assert {amount for amount, _ in limit.seen} == {5000}
        assert ([parked.summary for parked in asked.parked], safe.paid) == (["Pay 5000?"], [(5000, "ada", "bob")])


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"alone": 10}, "stale"),  # a code is demanded now
        ({"alone": 10, "coded": 10}, "stale"),  # a second person is
        ({"unasked": 500}, "done"),  # nobody would be asked now
        ({"alone": 5000}, "done"),
    ],
    ids=str,
)
async def test_a_limit_that_was_lowered_while_it_waited_makes_it_stale(change: dict[str, int], state: str) -> None:
    """B102: nothing weaker than what is demanded today carries it out."""
    limit = Limit()
    safe = Safe(confirm=limit, effect="write")
    async with opened(safe, [pay(500), "Well."], codes=Mailbox()) as chat:
        await chat.say("Pay.")
        for name, value in change.items():
            setattr(limit, name, value)

        decided, _ = await chat.confirm()

        assert (decided.proposal.state, len(safe.paid)) == (state, state == "done")


async def test_a_code_that_was_demanded_stays_demanded() -> None:
    """Whoever reads the proposal reads what it was planned under."""
    limit, mail = Limit(), Mailbox()
    safe = Safe(confirm=limit, effect="write")
    async with opened(safe, [pay(1500), "Paid."], codes=mail) as chat:
        await chat.say("Pay.")
        limit.alone = 5000
        [found] = await waiting(chat.host, ADA)

        assert (await refused(chat.host.proposals.decide(ADA, found, True))).code == "invalid"
        decided, _ = await chat.confirm(code=mail.code())
        assert decided.proposal.state == "done"


async def test_a_second_person_is_no_code_and_a_code_no_second_person() -> None:
    limit, mail = Limit(), Mailbox()
    safe = Safe(confirm=limit, effect="write")
    async with opened(safe, [pay(1500), "Well."], codes=mail) as chat:
        await chat.say("Pay.")
        limit.coded = 1000

        decided, _ = await chat.confirm(code=mail.code())
        assert (decided.proposal.state, safe.paid) == ("stale", [])


@pytest.mark.parametrize("answer", ["nobody", "", "PERSON", True, False, 0, ["person"], "person ", object], ids=repr)
async def test_an_answer_that_is_none_runs_nothing(answer: object) -> None:
    safe = Safe(confirm=lambda args, call: answer, effect="write")
    async with opened(safe, [pay(), "Well."]) as chat:
        asked = await chat.say("Pay.")

        [ended] = asked.outcomes
        assert (ended.code, bool(ended.incident), safe.paid, asked.parked) == ("permanent", True, [], ())


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("a bug"), "permanent"),
        (ConnectionError("no limits today"), "transient"),
        (Refusal("denied", "Not on a Monday."), "denied"),
        (DefinitionError("pay", "confirm", "it is wrong.", mend="mend it."), "permanent"),
    ],
    ids=repr,
)
async def test_a_question_that_fails_runs_nothing(error: Exception, code: str) -> None:
    def fail(args: Any, call: Call) -> str:
        raise error

    safe = Safe(confirm=fail, effect="write")
    async with opened(safe, [pay(), "Well."]) as chat:
        asked = await chat.say("Pay.")

        assert ([ended.code for ended in asked.outcomes], safe.paid, asked.parked) == ([code], [], ())


@pytest.mark.parametrize(("error", "state"), [(ConnectionError("no limits now"), "pending"), (ValueError("a bug"), "failed")], ids=repr)
async def test_a_question_that_fails_at_the_click_runs_nothing(error: Exception, state: str) -> None:
    """What may pass leaves it waiting; a bug ends it."""
    limit = Limit()
    wrong: list[Exception] = []

    async def ask(args: Any, call: Call) -> str | None:
        if wrong:
            raise wrong[0]
        return await limit(args, call)

    safe = Safe(confirm=ask)
    async with opened(safe, [pay(500), "Well."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        wrong.append(error)
        with suppress(Refusal):
            await chat.host.proposals.decide(ADA, found, True)

        assert ((await chat.host.proposals.get(ADA, found)).state, safe.paid) == (state, [])


async def test_it_sees_who_asks_and_the_state_and_writes_nothing() -> None:
    seen: list[Any] = []

    async def ask(args: Any, call: Call) -> str | None:
        seen.append((call.caller.user, await call.state.get("spent", 0), call.proposal is None))
        try:
            await call.state.set("spent", 99)
        except DefinitionError as error:
            seen.append(error.mend)
        return "person" if await call.state.get("spent", 0) + args.amount > 15 else None

    async with harness(spending(ask), ADA, script=[pay(10), pay(10), "Well."]) as chat:
        asked = await chat.say("Pay twice.")

        assert (len(asked.parked), len(await outcomes(chat))) == (1, 1)
        assert [each for each in seen if isinstance(each, tuple)] == [("ada", 0, True), ("ada", 10, True)]
        assert len([each for each in seen if isinstance(each, str)]) == 2
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"spent": 10}


async def test_a_sync_question_is_asked_too() -> None:
    safe = Safe(confirm=lambda args, call: "person" if args.amount > 100 else None, effect="write")
    async with opened(safe, [(pay(50), pay(200))]) as chat:
        asked = await chat.say("Pay.")

        assert (len(asked.parked), safe.paid) == (1, [(50, "ada", "")])


async def test_an_inner_call_that_a_person_must_confirm_is_refused_and_others_run() -> None:
    """A tool can't confirm for a person."""
    box, paid = Toolbox("till"), list[int]()

    @box.tool(effect="write", confirm=lambda args, call: "person" if args.amount > 100 else None, plan=preview, description=WORDS)
    async def pay(amount: int) -> Result[None]:
        paid.append(amount)
        return Result("Paid.")

    @box.tool(effect="write", description=WORDS)
    async def pay_all(amounts: list[int], call: Call) -> Result[None]:
        for amount in amounts:
            await call.tool("pay", {"amount": amount})
        return Result("Paid all.")

    async with harness(assistant(box), ADA, clock=StillClock()) as chat:
        outcome = await chat.host.call(ADA, "pay_all", {"amounts": [50, 200, 60]})

        assert (outcome.code, paid, await waiting(chat.host, ADA)) == ("unconfirmed", [50], [])


def preview(amount: int) -> Plan:
    return Plan(f"Pay {amount}?")


def spending(ask: Callable[..., Any]) -> Assistant:
    """Payments that are counted in the session's state."""
    box = Toolbox("till")

    @box.tool(effect="write", name="pay", plan=preview, confirm=ask, description=WORDS)
    async def handler(amount: int, call: Call) -> Result[None]:
        await call.state.increment("spent", amount)
        return Result("Paid.")

    return assistant(box)
