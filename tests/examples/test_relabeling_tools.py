"""The relabeling tools through whole turns: what is collected stays collected, for whom it was collected, until it is over or submitted."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest

from examples.relabeling.application import TENANT, assistant
from examples.relabeling.checks import gs1_digit
from examples.relabeling.depot import Depot, Order, Wish
from examples.relabeling.desk import depot_in, depots
from examples.relabeling.directions import Direction
from examples.relabeling.notebook import CODES, DIRECTION, NAMESPACE, fitting
from examples.relabeling.tools.collecting import MOST
from handgriff import Assistant, Call, Caller, Host, Result, Toolbox
from handgriff.core import jsontext
from handgriff.core.events import CallOutcome, Event
from handgriff.core.outcome import Outcome
from handgriff.stores.memory.store import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse

TARA, OMAR = Caller(TENANT, "tara"), Caller(TENANT, "omar")
ELSEWHERE = Caller("southgate", "tara")
PEOPLE = {(caller.tenant, caller.user): caller for caller in (TARA, OMAR, ELSEWHERE)}
DAY = 24 * 60 * 60
UPS = "1Z999AA10123456784"
TOOLS = {
    "collect_codes": ("read", "state", False),
    "undo_last": ("read", "state", False),
    "show_collected": ("read", None, False),
    "clear_codes": ("read", "state", False),
    "choose_direction": ("read", "state", False),
    "submit_relabeling": ("irreversible", "state", True),
}

pytestmark = pytest.mark.anyio


def sscc(number: int) -> str:
    body = f"34043416{number:09}"
    return f"00{body}{gs1_digit(body)}"


FIRST, SECOND, THIRD, *_ = EIGHT = tuple(sscc(number) for number in range(1, 9))


async def everybody(tenant: str, user: str) -> Caller | None:
    return PEOPLE.get((tenant, user))


@asynccontextmanager
async def talking(folder: Path, *script: object, **options: Any) -> AsyncIterator[Harness]:
    async with harness(assistant, TARA, script=script, callers=everybody, **{"deps": depots(folder), **options}) as chat:
        yield chat


async def kept(host: Host, session: str, tenant: str = TENANT) -> dict[str, Any]:
    """What the session's notebook holds."""
    return {key: value.json() for record in await host.scratch.list(tenant, session=session) for key, value in record.values.items()}


def collect(*codes: str) -> ToolUse:
    return ToolUse("collect_codes", {"codes": list(codes)})


async def call(chat: Harness, tool: str, **arguments: object) -> Outcome:
    """A call past the model, whose arguments count as typed."""
    return await chat.host.call(TARA, tool, arguments, session=chat.session.id)


async def collected(chat: Harness, *codes: str) -> Outcome:
    outcome = await call(chat, "collect_codes", codes=list(codes))
    assert outcome.is_ok, outcome
    return outcome


def data(outcome: Outcome) -> Any:
    return jsontext.loads(outcome.data or "null")


def orders(folder: Path, tenant: str = TENANT) -> list[tuple[str, ...]]:
    return [order.codes for order in depot_in(folder, tenant).orders()]


def test_every_tool_has_the_effect_it_is_known_by_and_none_hands_the_scratch_out() -> None:
    contracts = assistant.contracts

    assert {name: (each.effect, each.writes, each.plan is not None) for name, each in contracts.items()} == TOOLS
    assert not {"key", "namespace", "value"} & {argument.name for each in contracts.values() for argument in each.schema.arguments}


async def test_a_conversation_collects_corrects_and_submits(tmp_path: Path) -> None:
    script = (
        (collect(f"]C1{FIRST}", f"]d2{SECOND}\x1d42012345")),
        "Two.",
        (ToolUse("choose_direction", {"direction": "DHL->DPD"}), collect("rr473124829gb", FIRST, "201298452278")),
        "One more; one I had; one is wrong.",
        ToolUse("undo_last"),
        "Out.",
        ToolUse("show_collected"),
        "Two again.",
        ToolUse("submit_relabeling"),
        "Done.",
    )
    async with talking(tmp_path, *script) as chat:
        await chat.say(f"]C1{FIRST} ]d2{SECOND}\x1d42012345")
        told = await chat.say(f"DHL to DPD. rr473124829gb, {FIRST}, 201298452278")
        assert told.outcomes[1].shown.summary == (
            f"1 code collected, 3 in all. Collected before: {FIRST}. "
            "Not collected: 201298452278 (it looks like an Identcode, but its check digit is wrong)."
        )
        assert (await chat.say("Undo.")).outcomes[0].shown.summary == "RR473124829GB is taken back; 2 codes left."
        assert (await chat.say("What is there?")).outcomes[0].shown.summary == "2 codes collected, DHL->DPD."
        assert await kept(chat.host, chat.session.id) == {CODES: [FIRST, SECOND], DIRECTION: "DHL->DPD"}

        waiting = await chat.say("Submit.")
        assert waiting.ended.status == "waiting"
        assert orders(tmp_path) == []
        decided, told = await chat.confirm()

        assert (decided.proposal.state, decided.outcome.code, told.text) == ("done", None, "Done.")
        assert orders(tmp_path) == [(FIRST, SECOND)]
        assert await kept(chat.host, chat.session.id) == {}


async def test_eight_calls_of_one_round_lose_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path, tuple(collect(code) for code in EIGHT), "Eight.") as chat:
        told = await chat.say(" ".join(EIGHT))

        assert [outcome.code for outcome in told.outcomes] == [None] * 8
        assert await kept(chat.host, chat.session.id) == {CODES: list(EIGHT)}


@pytest.mark.parametrize("place", ["memory", "sqlite", "files"])
async def test_eight_calls_of_eight_requests_at_once_lose_nothing_and_take_no_code_twice(tmp_path: Path, place: str) -> None:
    store = "memory://" if place == "memory" else f"sqlite:///{tmp_path / 'handgriff.db'}"
    scratch = (tmp_path / "pads").as_uri() if place == "files" else None
    host = Host(assistant, store=store, scratch=scratch, callers=everybody, deps=depots(tmp_path), model="scripted:test")
    async with host:
        session = (await host.sessions.create(TARA)).id

        async def collect_two(code: str) -> None:
            assert (await host.call(TARA, "collect_codes", {"codes": [code, FIRST]}, session=session)).is_ok

        async with anyio.create_task_group() as tasks:
            for code in EIGHT:
                tasks.start_soon(collect_two, code)

        codes = (await kept(host, session))[CODES]
        assert sorted(codes) == sorted(EIGHT)


async def test_after_a_round_of_parallel_calls_the_last_ones_can_be_taken_back_one_by_one(tmp_path: Path) -> None:
    script = (tuple(collect(code) for code in EIGHT), "Eight.", (ToolUse("undo_last"), ToolUse("undo_last")), "Six.")
    async with talking(tmp_path, *script) as chat:
        await chat.say(" ".join(EIGHT))
        told = await chat.say("The last two were wrong.")

        assert [outcome.shown.summary.split()[0] for outcome in told.outcomes] == [EIGHT[7], EIGHT[6]]
        assert await kept(chat.host, chat.session.id) == {CODES: list(EIGHT[:6])}


async def test_nothing_can_be_taken_back_where_nothing_is(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        assert (await call(chat, "undo_last")).code == "conflict"
        await collected(chat, FIRST)
        assert (await call(chat, "undo_last")).is_ok
        assert (await call(chat, "undo_last")).code == "conflict"


async def test_another_process_finds_what_the_one_before_it_collected(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'handgriff.db'}"
    async with talking(tmp_path, collect(FIRST), "One.", store=store) as chat:
        await chat.say(FIRST)
        session = chat.session

    # A provider counts its calls' ids over all its answers, and this one is another.
    both = ToolUse("collect_codes", {"codes": [FIRST, SECOND]}, id="toolu_of_another_day")
    async with talking(tmp_path, both, "Two.", store=store) as chat:
        chat.session = session
        told = await chat.say(f"And {SECOND}.")

        assert told.outcomes[0].shown.summary == f"1 code collected, 2 in all. Collected before: {FIRST}."
        assert await kept(chat.host, session.id) == {CODES: [FIRST, SECOND]}


async def test_what_is_collected_is_over_a_day_after_the_last_code(tmp_path: Path) -> None:
    clock = StillClock()
    async with talking(tmp_path, clock=clock) as chat:
        await collected(chat, FIRST)
        await call(chat, "choose_direction", direction="DHL->DPD")
        clock.move(DAY - 1)
        await collected(chat, SECOND)
        clock.move(DAY - 1)
        assert data(await call(chat, "show_collected"))["codes"] == [FIRST, SECOND]

        clock.move(1)

        assert (await call(chat, "show_collected")).shown.summary == "Nothing is collected."
        assert (await call(chat, "undo_last")).code == "conflict"
        await collected(chat, THIRD)
        assert await kept(chat.host, chat.session.id) == {CODES: [THIRD]}


async def test_a_plan_of_what_is_over_is_not_carried_out(tmp_path: Path) -> None:
    clock = StillClock()
    async with talking(tmp_path, ToolUse("submit_relabeling"), "Too late.", clock=clock) as chat:
        await collected(chat, FIRST)
        await call(chat, "choose_direction", direction="DHL->DPD")
        clock.move(DAY - 1)
        await chat.say("Submit.")
        clock.move(1)

        decided, _ = await chat.confirm()

        assert decided.outcome.code == "stale"
        assert orders(tmp_path) == []


async def test_sessions_users_and_companies_see_their_own_codes_alone(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        host = chat.host
        sessions = [(caller, (await host.sessions.create(caller)).id) for caller in (TARA, TARA, OMAR, ELSEWHERE)]
        for (caller, session), code in zip(sessions, EIGHT, strict=False):
            assert (await host.call(caller, "collect_codes", {"codes": [code]}, session=session)).is_ok

        for (caller, session), code in zip(sessions, EIGHT, strict=False):
            shown = await host.call(caller, "show_collected", {}, session=session)
            assert data(shown)["codes"] == [code]
        await host.call(TARA, "clear_codes", {}, session=sessions[0][1])
        assert [await kept(host, session, caller.tenant) for caller, session in sessions] == [{}, *({CODES: [code]} for code in EIGHT[1:4])]


async def test_companies_have_depots_of_their_own(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        for caller in (TARA, ELSEWHERE):
            session = (await chat.host.sessions.create(caller)).id
            for tool, arguments in submission(FIRST):
                await chat.host.call(caller, tool, arguments, session=session)
            (waiting,) = await chat.host.proposals.list(caller)
            assert (await chat.host.proposals.decide(caller, waiting.id, True)).outcome.code is None

    assert orders(tmp_path) == [(FIRST,)]
    assert orders(tmp_path, "southgate") == [(FIRST,)]


async def test_a_code_the_user_never_sent_is_not_collected(tmp_path: Path) -> None:
    async with talking(tmp_path, collect(FIRST, SECOND), "I misread one.") as chat:
        told = await chat.say(f"Collect {FIRST}.")

        assert told.outcomes[0].code == "invalid"
        assert "codes/1" in told.outcomes[0].shown.summary
        assert await kept(chat.host, chat.session.id) == {}


async def test_the_first_bad_code_costs_none_of_the_good_ones(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        outcome = await collected(chat, "=1+1", f"{FIRST}, junk {SECOND}\n{FIRST}")

        answer = data(outcome)
        assert (answer["collected"], answer["duplicates"], answer["total"]) == ([FIRST, SECOND], [FIRST], 2)
        assert [each["scanned"] for each in answer["not_collected"]] == ["=1+1", "junk"]
        assert all(each["reason"] for each in answer["not_collected"])


async def test_a_code_of_another_carrier_is_named_and_left(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        await call(chat, "choose_direction", direction="dhl to dpd")
        outcome = await collected(chat, UPS, FIRST)

        assert f"Not collected: {UPS} (it is a UPS tracking number, and the direction is DHL->DPD)." in outcome.shown.summary
        assert await kept(chat.host, chat.session.id) == {DIRECTION: "DHL->DPD", CODES: [FIRST]}


async def test_a_direction_that_does_not_fit_is_refused_and_names_the_codes(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        await collected(chat, FIRST, UPS, "rr473124829gb")
        outcome = await call(chat, "choose_direction", direction="POST->DPD")

        assert outcome.code == "conflict"
        assert outcome.shown.summary == f"POST->DPD does not fit 2 codes: {FIRST} (DHL), {UPS} (UPS)."
        assert DIRECTION not in await kept(chat.host, chat.session.id)
        assert (await call(chat, "choose_direction", direction="DHL->GLS")).code == "invalid"


async def test_a_direction_that_is_chosen_again_changes_nothing_people_see(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        first = await call(chat, "choose_direction", direction="DHL->DPD")
        again = await call(chat, "choose_direction", direction="DHL -> DPD")
        other = await call(chat, "choose_direction", direction="DHL->UPS")

        assert [[(change.before, change.after) for change in each.shown.diff] for each in (first, again, other)] == [
            [(None, "DHL->DPD")],
            [],
            [("DHL->DPD", "DHL->UPS")],
        ]


async def test_more_at_once_than_a_result_can_name_is_refused_whole(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        outcome = await call(chat, "collect_codes", codes=[" ".join(sscc(number) for number in range(MOST // 4 + 1)) for _ in range(4)])

        assert outcome.code == "too_large"
        assert f"{MOST} at most" in outcome.shown.summary
        assert await kept(chat.host, chat.session.id) == {}


async def test_a_whole_message_of_bad_codes_is_answered_in_full(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        outcome = await collected(chat, *(f"{'x' * 39}{number:04}" for number in range(MOST)))

        assert len(data(outcome)["not_collected"]) == MOST
        assert '"note"' not in outcome.text, "nothing had to be left out"
        assert "and 188 more" in outcome.shown.summary


async def test_what_is_collected_is_shown_a_hundred_at_a_time(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        codes = [sscc(number) for number in range(150)]
        await collected(chat, *codes)
        first, second, third = [data(await call(chat, "show_collected", first=at)) for at in (1, 101, 151)]

        assert [first["codes"], second["codes"], third["codes"]] == [codes[:100], codes[100:], []]
        assert first["total"] == 150


@dataclass(frozen=True, slots=True)
class Filled:
    """Puts any contents into a session's notebook, as a careless tool of the same application could."""

    values: Mapping[str, Any]

    def assistant(self) -> Assistant:
        box = Toolbox("filling")

        @box.tool(effect="read", writes="state", description="Use when: tested. Not for: use. Needs: nothing. Effect: fills.")
        async def fill(call: Call) -> Result[None]:
            for key, value in self.values.items():
                await call.scratch(NAMESPACE).set(key, value)
            return Result("Filled.")

        return Assistant("filling", instructions="Fill.", toolboxes=[box])


async def fill(chat: Harness, store: MemoryStore, **values: Any) -> None:
    async with Host(Filled(values).assistant(), store=store, callers=everybody, model="scripted:test") as host:
        assert (await host.call(TARA, "fill", {}, session=chat.session.id)).is_ok


async def test_more_than_the_notebook_holds_is_told_how_much_of_it_fits(tmp_path: Path) -> None:
    store = MemoryStore()
    async with talking(tmp_path, store=store) as chat:
        many = [sscc(number) for number in range(4000)]
        most = fitting([], many)
        await fill(chat, store, codes=many[: most - 2])
        await call(chat, "choose_direction", direction="DHL->POST")

        outcome = await collected(chat, *many[most - 2 : most + 3])

        assert outcome.shown.summary == (
            f"2 codes collected, {most} in all. 2 of 5 still fit, the notebook is full: {many[most]} and what came after it is not "
            "collected. Submit first, then scan those again."
        )
        assert data(outcome)["did_not_fit"] == many[most : most + 3]
        assert (await kept(chat.host, chat.session.id))[CODES] == many[:most]

        full = await call(chat, "collect_codes", codes=many[most : most + 3])
        assert (full.code, full.shown.summary) == ("limit", f"The notebook is full: it holds {most} codes, and none of these 3 fits.")


async def test_a_full_notebook_can_be_submitted(tmp_path: Path) -> None:
    store = MemoryStore()
    async with talking(tmp_path, store=store) as chat:
        many = [sscc(number) for number in range(4000)]
        most = fitting([], many)
        await fill(chat, store, codes=many[:most], direction="DHL->DPD")

        decided = await submitted(chat)

        assert decided.code is None
        assert orders(tmp_path) == [tuple(many[:most])]
        assert await kept(chat.host, chat.session.id) == {}


def submission(*codes: str) -> Sequence[tuple[str, Mapping[str, Any]]]:
    return (
        ("collect_codes", {"codes": list(codes)}),
        ("choose_direction", {"direction": "DHL->DPD"}),
        ("submit_relabeling", {}),
    )


async def prepared(chat: Harness, *codes: str) -> str:
    """Collect, choose and submit; the proposal that then waits."""
    for tool, arguments in submission(*codes):
        outcome = await call(chat, tool, **arguments)
    assert outcome.code == "unconfirmed"
    return (await chat.host.proposals.list(TARA, session=chat.session.id))[-1].id


async def submitted(chat: Harness) -> CallOutcome:
    """Submit what is collected, confirmed."""
    assert (await call(chat, "submit_relabeling")).code == "unconfirmed"
    proposal = (await chat.host.proposals.list(TARA, session=chat.session.id))[-1]
    return (await chat.host.proposals.decide(TARA, proposal.id, True)).outcome


async def test_a_plan_shows_what_goes_where_and_changes_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        await prepared(chat, *EIGHT)
        (proposal,) = await chat.host.proposals.list(TARA)

        assert proposal.summary == f"Relabel 8 parcels from DHL to DPD: {', '.join(EIGHT)}? It can't be called back."
        assert [(line.label, line.before, line.after) for line in proposal.diff] == [("Labels", "DHL", "DPD"), ("Collected", "8", "0")]
        assert (proposal.count, proposal.sample) == (8, EIGHT)
        assert (await kept(chat.host, chat.session.id))[CODES] == list(EIGHT)
        assert orders(tmp_path) == []


async def test_a_declined_submission_leaves_everything_collected(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        decided = await chat.host.proposals.decide(TARA, await prepared(chat, FIRST), False)

        assert decided.proposal.state == "declined"
        assert (await kept(chat.host, chat.session.id))[CODES] == [FIRST]
        assert orders(tmp_path) == []


@pytest.mark.parametrize("change", ["collect", "undo", "clear", "direction", "order"])
async def test_what_changed_since_it_was_shown_is_not_submitted(tmp_path: Path, change: str) -> None:
    async with talking(tmp_path) as chat:
        proposal = await prepared(chat, FIRST, SECOND)
        match change:
            case "collect":
                await collected(chat, THIRD)
            case "undo":
                await call(chat, "undo_last")
            case "clear":
                await call(chat, "clear_codes")
            case "direction":
                await call(chat, "choose_direction", direction="DHL->UPS")
            case _:
                depot_in(tmp_path, TENANT).place(wish(SECOND))
        before = (await kept(chat.host, chat.session.id), orders(tmp_path))

        assert (await chat.host.proposals.decide(TARA, proposal, True)).outcome.code == "stale"
        assert (await kept(chat.host, chat.session.id), orders(tmp_path)) == before


async def test_what_was_submitted_is_submitted_once(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        first = await prepared(chat, FIRST)
        await call(chat, "submit_relabeling")
        second = (await chat.host.proposals.list(TARA))[-1].id
        assert (await chat.host.proposals.decide(TARA, first, True)).outcome.code is None

        assert (await chat.host.proposals.decide(TARA, second, True)).outcome.code == "stale"
        again = await call(chat, "submit_relabeling")
        assert (again.code, again.shown.summary) == (
            "conflict",
            "Nothing is collected since order R-00001 was placed, so there is nothing to submit.",
        )
        assert f"{FIRST} (it is in order R-00001 already)" in (await collected(chat, FIRST)).shown.summary
        assert orders(tmp_path) == [(FIRST,)]


async def test_nothing_and_no_direction_are_no_submission(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        nothing = await call(chat, "submit_relabeling")
        await collected(chat, FIRST)
        nowhere = await call(chat, "submit_relabeling")

        assert (nothing.code, nothing.shown.summary) == ("conflict", "Nothing is collected, so there is nothing to submit.")
        assert (nowhere.code, nowhere.shown.summary) == ("conflict", "No direction is chosen.")
        assert not await chat.host.proposals.list(TARA)


async def test_codes_and_a_direction_that_met_only_in_the_notebook_are_not_submitted(tmp_path: Path) -> None:
    """Chosen and collected at the same moment by two requests, neither has seen the other."""
    store = MemoryStore()
    async with talking(tmp_path, store=store) as chat:
        await fill(chat, store, codes=[FIRST, UPS], direction="UPS->DPD")
        outcome = await call(chat, "submit_relabeling")

        assert (outcome.code, outcome.shown.summary) == ("conflict", f"UPS->DPD does not fit 1 code: {FIRST} (DHL).")


def wish(*codes: str, session: str = "s_other") -> Wish:
    return Wish("c_other", session, "omar", StillClock().now(), Direction("DHL", "DPD"), codes)


async def test_an_order_whose_clearing_was_lost_is_not_placed_again(tmp_path: Path) -> None:
    """The process died after the depot had the order and before the outcome was stored: the codes are still in the notebook."""
    async with talking(tmp_path) as chat:
        await collected(chat, FIRST, SECOND)
        await call(chat, "choose_direction", direction="DHL->DPD")
        depot_in(tmp_path, TENANT).place(wish(FIRST, SECOND, session=chat.session.id))

        refused = await call(chat, "submit_relabeling")
        assert (refused.code, refused.shown.summary) == (
            "conflict",
            f"Everything collected is in an order already: {FIRST} (R-00001), {SECOND} (R-00001).",
        )
        await collected(chat, THIRD)
        done = await submitted(chat)

        assert done.code is None
        assert "Left out, because in an order already" in done.shown.summary
        assert orders(tmp_path) == [(FIRST, SECOND), (THIRD,)]
        assert await kept(chat.host, chat.session.id) == {}


@dataclass(frozen=True, slots=True)
class BusyDepot(Depot):
    """A depot during whose ordering something else goes on."""

    meanwhile: Callable[[], Any]

    def place(self, wish: Wish) -> Order:
        order = Depot.place(self, wish)
        anyio.from_thread.run(self.meanwhile)
        return order


async def test_a_code_that_comes_while_an_order_is_placed_is_not_lost(tmp_path: Path) -> None:
    later: list[str] = [SECOND]

    async def meanwhile() -> None:
        if later:
            await collected(chat, later.pop())

    @asynccontextmanager
    async def busy(caller: Caller) -> AsyncIterator[Depot]:
        yield BusyDepot(depot_in(tmp_path, caller.tenant).folder, meanwhile)

    async with talking(tmp_path, deps=busy) as chat:
        first = await chat.host.proposals.decide(TARA, await prepared(chat, FIRST), True)

        assert first.outcome.code is None
        assert first.outcome.delta_dropped
        assert (await kept(chat.host, chat.session.id))[CODES] == [FIRST, SECOND]
        assert (await submitted(chat)).code is None
        assert orders(tmp_path) == [(FIRST,), (SECOND,)]
        assert await kept(chat.host, chat.session.id) == {}


async def test_clearing_forgets_codes_and_direction_and_no_order(tmp_path: Path) -> None:
    async with talking(tmp_path) as chat:
        await chat.host.proposals.decide(TARA, await prepared(chat, FIRST), True)
        assert (await call(chat, "clear_codes")).shown.summary == "Nothing was collected."
        await call(chat, "choose_direction", direction="DHL->DPD")
        assert (await call(chat, "clear_codes")).shown.summary == "Nothing was collected; the direction DHL->DPD is dropped."
        await collected(chat, SECOND, THIRD)
        assert (await call(chat, "clear_codes")).shown.summary == "Cleared: 2 codes dropped."

        assert not await chat.host.scratch.list(TENANT)
        assert orders(tmp_path) == [(FIRST,)]


async def test_collecting_is_told_to_the_user_as_a_change_of_the_count(tmp_path: Path) -> None:
    async with talking(tmp_path, collect(FIRST), "One.") as chat:
        told = await chat.say(FIRST)

        assert [(line.label, line.before, line.after) for line in told.outcomes[0].shown.diff] == [("Collected", "0", "1")]
        assert all(not isinstance(item, Event) or item.seq for item in told.items)
