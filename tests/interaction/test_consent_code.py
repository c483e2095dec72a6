"""A code that is sent out of band proves who decides: the last one, five tries, beside the authenticated request. Case B103."""

import re
from collections.abc import Awaitable, Callable

import anyio
import pytest

from handgriff import BackendError, Caller, Host, Refusal
from handgriff.runtime.boundary import codes
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.interaction.desk import endings, told
from tests.interaction.safe import ADA, BOB, Safe, another, deciders, opened, pay, refused, waiting

pytestmark = pytest.mark.anyio


def by_code() -> Safe:
    return Safe(confirm="code")


def wrong(code: str, by: int = 1) -> str:
    """Another code."""
    return f"{(int(code) + by) % 1_000_000:06}"


async def test_the_code_is_sent_to_the_owner_and_the_right_one_confirms() -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay(), "Paid."], codes=mail) as chat:
        asked = await chat.say("Pay.")
        [(to, text)] = mail.sent
        assert (to, [parked.confirm for parked in asked.parked]) == (ADA, ["code"])
        assert re.fullmatch(r"Your code is \d{6}\. It confirms: Pay 10\?", text)

        decided, after = await chat.confirm(code=mail.code())

        assert (decided.proposal.state, decided.proposal.decided_by, after.text) == ("done", "ada", "Paid.")
        assert safe.paid == [(10, "ada", "ada")]


async def test_it_speaks_the_owner_s_language() -> None:
    safe, mail = by_code(), Mailbox()
    safe.people["acme", "ada"] = Caller("acme", "ada", permissions={"pay"}, locale="de-AT")
    async with opened(safe, [pay()], codes=mail) as chat:
        await chat.say("Pay.")

        assert mail.sent[0][1].startswith("Ihr Code ist ")


@pytest.mark.parametrize("form", ["{}", " {} ", "{0:.3} {0:.3}", "{}\n"])
async def test_a_code_is_read_as_people_write_it(form: str) -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay(), "Paid."], codes=mail) as chat:
        await chat.say("Pay.")
        code = mail.code()
        written = f"{code[:3]} {code[3:]}" if "0:" in form else form.format(code)

        decided, _ = await chat.confirm(code=written)
        assert decided.proposal.state == "done"


async def test_a_wrong_code_says_how_many_tries_are_left_and_the_right_one_still_confirms() -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay(), "Paid."], codes=mail) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        for left in (4, 3, 2, 1):
            refusal = await refused(chat.host.proposals.decide(ADA, found, True, wrong(mail.code(), left)))
            assert (refusal.code, refusal.facts["tries_left"]) == ("denied", left)
        assert (safe.paid, await endings(chat)) == ([], ["waiting"])
        decided, _ = await chat.confirm(code=mail.code())
        assert decided.proposal.state == "done"


async def test_the_fifth_wrong_code_ends_it_and_the_model_is_told() -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay(), "I am sorry."], codes=mail) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        for by in range(1, 5):
            await refused(chat.host.proposals.decide(ADA, found, True, wrong(mail.code(), by)))

        decided, after = await chat.confirm(code=wrong(mail.code(), 5))

        assert (decided.proposal.state, decided.outcome.code, after.text) == ("failed", "denied", "I am sorry.")
        assert "Codes were tried too often. Nothing was done." in told(chat.provider.requests[1])[0]
        assert await deciders(chat) == [("failed", "ada")]
        sixth = await refused(chat.host.proposals.decide(ADA, found, True, mail.code()))
        assert (sixth.facts["state"], safe.paid) == ("failed", [])


async def test_a_new_code_takes_the_place_of_the_old_one_and_gives_no_new_tries() -> None:
    safe, mail, clock = by_code(), Mailbox(), StillClock()
    async with opened(safe, [pay(), "Paid."], codes=mail, clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        first = mail.code()
        await refused(chat.host.proposals.decide(ADA, found, True, wrong(first)))
        clock.move(30)

        sent = await chat.host.proposals.send_code(ADA, found)

        assert (len(mail.sent), sent.codes_sent, sent.code_tries) == (2, 2, 1)
        if mail.code() != first:  # one time in a million they are equal
            refusal = await refused(chat.host.proposals.decide(ADA, found, True, first))
            assert refusal.facts["tries_left"] == 3
        decided, _ = await chat.confirm(code=mail.code())
        assert decided.proposal.state == "done"


@pytest.mark.parametrize(
    "code",
    [None, "", "12345", "1234567", 123456, 123456.0, True, "12345a", "\uff11" * 6, "-12345", "0x1234", ["123456"], "\ud800" * 6],
    ids=ascii,
)
async def test_what_is_no_code_costs_no_try(code: object) -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay()], codes=mail) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        refusal = await refused(chat.host.proposals.decide(ADA, found, True, code))  # type: ignore[arg-type]  # what JSON may bring

        assert (refusal.code, refusal.facts["fields"]) == ("invalid", {"code": "expected 6 digits"})
        proposal = await chat.host.proposals.get(ADA, found)
        assert (proposal.state, proposal.code_tries, safe.paid) == ("pending", 0, [])


async def test_a_code_is_good_for_its_own_proposal_alone() -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [(pay(1), pay(2))], codes=mail) as chat:
        await chat.say("Pay.")
        first, second = await waiting(chat.host, ADA)
        theirs = [re.findall(r"\d{6}", text)[0] for _, text in mail.sent]
        assert len(theirs) == 2

        if theirs[0] != theirs[1]:  # one time in a million they are equal
            assert (await refused(chat.host.proposals.decide(ADA, first, True, theirs[1]))).code == "denied"
        assert (await chat.host.proposals.decide(ADA, second, True, theirs[1])).proposal.state == "done"


async def test_declining_needs_no_code() -> None:
    async with opened(by_code(), [pay(), "As you wish."], codes=Mailbox()) as chat:
        await chat.say("Pay.")

        decided, _ = await chat.decline()
        assert decided.proposal.state == "declined"


async def test_a_code_is_no_key_for_others() -> None:
    """It stands beside the request of the owner, never instead of it."""
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay()], codes=mail) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        for attempt in (chat.host.proposals.decide(BOB, found, True, mail.code()), chat.host.proposals.send_code(BOB, found)):
            assert (await refused(attempt)).code == "not_found"
        proposal = await chat.host.proposals.get(ADA, found)
        assert (proposal.code_tries, proposal.codes_sent, safe.paid) == (0, 1, [])


async def test_an_expired_one_is_not_confirmed_by_its_code_and_gets_no_new_one() -> None:
    """B101"""
    safe, mail, clock = by_code(), Mailbox(), StillClock()
    async with opened(safe, [pay(), "Well."], codes=mail, clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        clock.move(600)

        assert (await refused(chat.host.proposals.send_code(ADA, found))).code == "expired"
        decided = await chat.host.proposals.decide(ADA, found, True, mail.code())
        assert (decided.proposal.state, safe.paid, len(mail.sent)) == ("expired", [], 1)


async def test_what_is_decided_gets_no_new_code() -> None:
    mail, clock = Mailbox(), StillClock()
    async with opened(by_code(), [pay(), "Paid."], codes=mail, clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        await chat.confirm(code=mail.code())

        for _ in range(2):
            refusal = await refused(chat.host.proposals.send_code(ADA, found))
            assert (refusal.code, refusal.facts["state"]) == ("conflict", "done")
            clock.move(60)
        assert len(mail.sent) == 1


async def test_what_demands_no_code_is_sent_none() -> None:
    mail = Mailbox()
    async with opened(Safe(), [pay()], codes=mail) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        assert (await refused(chat.host.proposals.send_code(ADA, found))).code == "invalid"
        assert mail.sent == []


async def test_a_program_s_call_is_refused_with_its_proposal_and_the_code_is_on_its_way() -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [], codes=mail) as chat:
        outcome = await chat.host.call(ADA, "pay", {"amount": 10})
        [found] = await waiting(chat.host, ADA)

        assert (outcome.code, '"confirm":"code"' in outcome.text, mail.code() in outcome.text) == ("unconfirmed", True, False)
        assert (await chat.host.proposals.decide(ADA, found, True, mail.code())).proposal.state == "done"


async def test_a_check_that_could_not_be_made_leaves_it_to_be_confirmed_with_the_same_code() -> None:
    safe, mail = by_code(), Mailbox()
    async with opened(safe, [pay(), "Paid."], codes=mail) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        safe.going_wrong = [ConnectionError("the ledger is away")]

        assert (await refused(chat.host.proposals.decide(ADA, found, True, mail.code()))).code == "transient"
        decided, _ = await chat.confirm(code=mail.code())
        assert (decided.proposal.state, safe.paid) == ("done", [(10, "ada", "ada")])


class Failing(Mailbox):
    """A sender that does not send while `how` is set."""

    how: Callable[[], Awaitable[None]] | None = None

    async def send(self, caller: Caller, text: str) -> None:
        if self.how is not None:
            await self.how()
        await Mailbox.send(self, caller, text)


async def raises() -> None:
    raise OSError("no route to the mail server")


async def fails() -> None:
    raise BackendError("smtp", "sending", hint="Is it up?") from OSError("no route")


async def hangs() -> None:
    await anyio.sleep_forever()


@pytest.mark.parametrize("how", [raises, fails, hangs], ids=lambda how: str(how.__name__))
async def test_a_code_that_could_not_be_sent_can_be_asked_for_again(
    how: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proposal is there all the same, and the turn ends as it should."""
    monkeypatch.setattr(codes, "SEND_SECONDS", 0.05)
    safe, mail, clock = by_code(), Failing(), StillClock()
    mail.how = how
    async with opened(safe, [pay(), "Paid."], codes=mail, clock=clock) as chat:
        asked = await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        assert (asked.ended.status, mail.sent) == ("waiting", [])

        clock.move(30)
        with pytest.raises(BackendError, match="Ask for another one"):
            await chat.host.proposals.send_code(ADA, found)
        mail.how = None
        clock.move(30)
        await chat.host.proposals.send_code(ADA, found)
        decided, _ = await chat.confirm(code=mail.code())
        assert (decided.proposal.state, safe.paid) == ("done", [(10, "ada", "ada")])


async def guessed(host: Host, proposal: str, code: str) -> str:
    """What became of a guess: its refusal's code, or the state it left the proposal in."""
    try:
        return (await host.proposals.decide(ADA, proposal, True, code)).proposal.state
    except Refusal as refusal:
        return str(refusal.facts.get("tries_left", refusal.code))


async def test_twenty_guesses_at_once_on_two_servers_are_five() -> None:
    """A try is counted before it is compared."""
    safe, mail, store = by_code(), Mailbox(), MemoryStore()
    answers: list[str] = []
    async with opened(safe, [pay(), "Sorry."], codes=mail, store=store) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        async with another(chat, safe.assistant(), safe.callers, store, codes=Mailbox()) as other:

            async def guess(by: int) -> None:
                answers.append(await guessed(chat.host if by % 2 else other, found, wrong(mail.code(), by)))

            async with anyio.create_task_group() as tasks:
                for by in range(1, 21):
                    tasks.start_soon(guess, by)

        proposal = await chat.host.proposals.get(ADA, found)
        assert (proposal.state, proposal.code_tries, len(answers), safe.paid) == ("failed", 5, 20, [])
        assert answers.count("failed") == 1
        assert len([answer for answer in answers if answer in ("4", "3", "2", "1")]) <= 4
