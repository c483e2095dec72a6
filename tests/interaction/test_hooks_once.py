"""What follows a write is told at least once, and no oftener than it must: a row for each hook, told by one delivery at a time."""

from itertools import pairwise

import anyio
import pytest

from handgriff import Result, Toolbox
from handgriff.core import jsontext
from handgriff.core.batch import QueueHook
from handgriff.core.codec import pack
from handgriff.core.events import Shown
from handgriff.core.rows import QueuedHook
from handgriff.runtime.boundary.hooks import AT_MOST, AfterCall
from handgriff.runtime.boundary.tellings import AT_ONCE
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio


def till() -> Toolbox:
    """A tool that pays; what follows is each test's own."""
    box = Toolbox("till")

    @box.tool(effect="write", name="pay", description=WORDS)
    async def pay(number: int) -> Result[None]:
        return Result(f"Paid {number}.")

    @box.tool(effect="read", name="look", description=WORDS)
    async def look() -> Result[None]:
        return Result("Seen.")

    return box


async def pay(chat: Harness, *numbers: int) -> None:
    """Pay one after the other."""
    for number in numbers:
        await chat.host.call(ADA, "pay", {"number": number}, session=chat.session.id)


async def queued(chat: Harness) -> int:
    """How many rows wait."""
    return len(await (await chat.host.engine()).store.hooks("acme"))


async def test_a_hook_that_fails_repeats_no_other_hook() -> None:
    box, mails, tried = till(), [], []

    @box.after_call
    async def mail(told: AfterCall) -> None:
        mails.append(told.call)

    @box.after_call
    async def audit(told: AfterCall) -> None:
        tried.append(told.call)
        raise RuntimeError("the audit is away")

    async with harness(assistant(box), ADA, clock=StillClock()) as chat:
        await pay(chat, *range(6))

        assert len(mails) == len(set(mails)) == 6
        assert len(set(tried)) == 6
        assert await queued(chat) == 6


async def test_a_later_hook_of_a_call_waits_for_an_earlier_one_and_other_calls_do_not() -> None:
    box, log = till(), []

    @box.after_call
    async def book(told: AfterCall) -> None:
        log.append(f"book {told.arguments}")
        if "1" in told.arguments and log.count(log[-1]) == 1:
            raise RuntimeError("once")

    @box.after_call
    async def mail(told: AfterCall) -> None:
        log.append(f"mail {told.arguments}")

    async with harness(assistant(box), ADA) as chat:
        await pay(chat, 1)
        assert log == ['book {"number":1}']
        await pay(chat, 2)

        assert log[1:] == ['book {"number":1}', 'mail {"number":1}', 'book {"number":2}', 'mail {"number":2}']


async def test_calls_at_the_same_time_tell_each_hook_once() -> None:
    box, mails = till(), []

    @box.after_call
    async def mail(told: AfterCall) -> None:
        mails.append(told.call)
        for _ in range(20):
            await anyio.lowlevel.checkpoint()

    async with harness(assistant(box), ADA) as chat:
        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(pay, chat, number)

        assert (len(mails), len(set(mails)), await queued(chat)) == (12, 12, 0)


async def test_two_hooks_of_one_name_are_two_hooks() -> None:
    box, log = till(), []
    for word in ("first", "second"):

        @box.after_call
        async def hook(told: AfterCall, word: str = word) -> None:
            log.append(word)

    async with harness(assistant(box), ADA) as chat:
        await pay(chat, 1)

        assert (log, await queued(chat)) == (["first", "second"], 0)


async def test_what_goes_on_failing_is_tried_ever_more_seldom() -> None:
    box, tried, clock = till(), [], StillClock()

    @box.after_call
    async def audit(told: AfterCall) -> None:
        tried.append(clock.monotonic())
        raise RuntimeError("the audit is away")

    async with harness(assistant(box), ADA, clock=clock) as chat:
        await pay(chat, 1)
        for _ in range(200):
            clock.move(1)
            await chat.host.call(ADA, "look", {}, session=chat.session.id)

        rests = [later - earlier for earlier, later in pairwise(tried)]
        assert rests[:AT_ONCE] == [1.0] * AT_ONCE
        assert rests[AT_ONCE:] == [5.0, 10.0, 20.0, 40.0, 80.0][: len(rests) - AT_ONCE]
        assert len(rests) > AT_ONCE + 3


async def test_an_access_tells_a_bounded_number_and_the_next_ones_the_rest() -> None:
    box, mails, store = till(), [], MemoryStore()

    @box.after_call
    async def mail(told: AfterCall) -> None:
        mails.append(told.call)

    async with harness(assistant(box), ADA, store=store) as chat:
        await leave_behind(chat, store, *(f"c{number}" for number in range(2 * AT_MOST + 5)))
        heard = []
        for _ in range(3):
            await chat.host.call(ADA, "look", {}, session=chat.session.id)
            heard.append(len(mails))

        assert heard == [AT_MOST, 2 * AT_MOST, 2 * AT_MOST + 5]
        assert mails == [f"c{number}" for number in range(2 * AT_MOST + 5)]


async def test_a_hook_that_never_ends_holds_up_one_access_and_not_one_for_each_row() -> None:
    box, log, store, clock = till(), [], MemoryStore(), StillClock()

    @box.after_call
    async def hang(told: AfterCall) -> None:
        log.append(told.call)
        await anyio.sleep_forever()

    async with harness(assistant(box, call_seconds=0.05), ADA, store=store, clock=clock) as chat:
        await leave_behind(chat, store, "c1", "c2", "c3")
        for _ in range(4):
            await chat.host.call(ADA, "look", {}, session=chat.session.id)
        assert log == ["c1"]
        for _ in range(3):
            clock.move(301)
            await chat.host.call(ADA, "look", {}, session=chat.session.id)

        assert set(log) == {"c1", "c2", "c3"}


async def test_a_row_of_an_earlier_version_is_for_every_hook_of_its_tool() -> None:
    box, log, store = till(), [], MemoryStore()

    @box.after_call
    async def first(told: AfterCall) -> None:
        log.append(f"first {told.call}")

    @box.after_call
    async def second(told: AfterCall) -> None:
        log.append(f"second {told.call}")

    async with harness(assistant(box), ADA, store=store) as chat:
        await leave_behind(chat, store, "c1")
        await chat.host.call(ADA, "look", {}, session=chat.session.id)

        assert (log, await queued(chat)) == (["first c1", "second c1"], 0)


async def test_a_hook_that_this_server_does_not_bind_waits_for_one_that_does() -> None:
    """For a week; then it is given up, and the log says so."""
    plain, binding, mails, store, clock = till(), till(), [], MemoryStore(), StillClock()

    @binding.after_call
    async def mail(told: AfterCall) -> None:
        mails.append(told.call)
        if len(mails) == 1:
            raise RuntimeError("once")

    async with harness(assistant(binding), ADA, store=store, clock=clock) as chat:
        await pay(chat, 1)
    async with harness(assistant(plain), ADA, store=store, clock=clock) as chat:
        await chat.host.call(ADA, "look", {}, session=chat.session.id)
        assert await queued(chat) == 1
    async with harness(assistant(binding), ADA, store=store, clock=clock) as chat:
        await chat.host.call(ADA, "look", {}, session=chat.session.id)
        assert (len(mails), await queued(chat)) == (2, 0)
        mails.clear()
        await pay(chat, 2)
    async with harness(assistant(plain), ADA, store=store, clock=clock) as chat:
        clock.move(7 * 86_400)
        await chat.host.call(ADA, "look", {}, session=chat.session.id)
        assert await queued(chat) == 0


async def leave_behind(chat: Harness, store: MemoryStore, *calls: str) -> None:
    """Rows of *calls*, as a process leaves them that died before it delivered: in the form of the version before, one for all hooks."""
    now = (await chat.host.engine()).clock.now()
    for call in calls:
        told = pack(AfterCall("acme", "ada", chat.session.id, call, "pay", "{}", Shown("Paid.")))
        row = QueuedHook("acme", f"h {call}", chat.session.id, "ada", call, "pay", jsontext.dumps(told), now)
        await store.commit((QueueHook(row),))
