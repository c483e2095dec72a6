"""The turn machine. Cases B061, B066, B068, B106, B144, B145; what happens in whatever order, the turn is the same."""

import random
from itertools import chain, permutations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from handgriff.core.events import Stop
from handgriff.core.lane import Limits
from handgriff.core.turn import (
    Asked,
    CallEnded,
    CancelReads,
    CloseStream,
    End,
    Happened,
    MessageEnded,
    RequestFailed,
    RunCalls,
    SendRequest,
    SettleCalls,
    SkipCalls,
    StopReason,
    StopRequested,
    TimeUp,
    Turn,
)
from tests.unit.core.turns import ANSWER, OVERLOADED, Order, Played, Said, Wanted, play

READ, WRITE = Wanted(), Wanted(is_barrier=True)
DENIED = Wanted(is_barrier=True, code="denied")
PARKED = Wanted(is_barrier=True, is_parked=True)
STOP = StopRequested("stop")

# --- order --------------------------------------------------------------------------------------------------------------


def by(places: tuple[int, ...]) -> Order:
    """Outcomes of a run of that many calls in the order of *places*; of another run, as they were asked."""
    return lambda ids: [ids[place] for place in places] if len(ids) == len(places) else ids


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("interruption", [None, STOP, TimeUp()])
def test_outcomes_of_one_run_may_arrive_in_any_order(size: int, interruption: Happened | None) -> None:
    """Every permutation of a run of reads, some of them refused, between two writes; and wherever within the run a stop comes."""
    run = tuple(Wanted(code="denied" if number % 2 else None) for number in range(size))
    script = (Said((WRITE, *run, WRITE)), Said(run))

    expected = play(*script, interruption=interruption, at=(2, 0)).commands
    for order in permutations(range(size)):
        for place in range(size):
            assert play(*script, order=by(order), interruption=interruption, at=(2, place)).commands == expected


WANTED = st.builds(
    Wanted,
    is_barrier=st.booleans(),
    code=st.sampled_from([None, None, "denied", "transient"]),
    is_parked=st.sampled_from([False, False, False, True]),
    tool=st.sampled_from(["find", "note"]),
    arguments=st.sampled_from(["{}", '{"a":1}']),
    most=st.sampled_from([None, None, 1, 2]),
)
FAULTS = st.builds(
    RequestFailed,
    st.just("overloaded"),
    is_retryable=st.booleans(),
    had_content=st.booleans(),
    retry_after=st.none() | st.just(7.0),
)
SAID = st.builds(
    Said,
    st.lists(WANTED, max_size=5).map(tuple),
    st.sampled_from(["tools"] * 6 + list(get_args(Stop))),
    st.lists(FAULTS, max_size=2).map(tuple),
)
SCRIPTS: SearchStrategy[list[Said]] = st.lists(SAID, max_size=6)
LIMITS = st.builds(Limits, model_requests=st.integers(1, 5), calls=st.integers(1, 9), attempts=st.integers(1, 3))
INTERRUPTIONS: SearchStrategy[Happened | None] = st.sampled_from([None, TimeUp(), *map(StopRequested, get_args(StopReason))])


@given(SCRIPTS, LIMITS, INTERRUPTIONS, st.tuples(st.integers(0, 8), st.integers(0, 4)), st.integers())
def test_whatever_the_order_within_a_run_the_commands_are_the_same(
    script: list[Said], limits: Limits, interruption: Happened | None, at: tuple[int, int], seed: int
) -> None:
    """Mixes of reads, writes, parked and refused calls and faults, stopped or out of time at any point."""
    dice = random.Random(seed)  # noqa: S311  # an order, not a secret

    expected = play(*script, limits=limits, interruption=interruption, at=at)
    shuffled = play(*script, limits=limits, interruption=interruption, at=at, order=lambda ids: dice.sample(ids, len(ids)))

    assert shuffled.commands == expected.commands


@given(SCRIPTS, LIMITS, INTERRUPTIONS, st.tuples(st.integers(0, 8), st.integers(0, 4)))
def test_every_turn_keeps_its_promises(script: list[Said], limits: Limits, interruption: Happened | None, at: tuple[int, int]) -> None:
    played = play(*script, limits=limits, interruption=interruption, at=at)

    check_end(played)
    check_calls(played)
    check_bounds(played, limits)


def check_end(played: Played) -> None:
    """B144, B145: exactly one end, last, and nothing comes after it."""
    assert played.of(End) == [played.commands[-1]]
    assert played.turn.phase == "over"
    for event in (ANSWERED, OVERLOADED, CallEnded("c1"), STOP, TimeUp()):
        assert played.turn.feed(event) == ()


ANSWERED = MessageEnded((), "end")


def check_calls(played: Played) -> None:
    """Every call was either run or skipped, once, and then settled, once, in the order it was asked for; a write ran alone."""
    asked = list(chain.from_iterable(played.messages))
    run = [call for command in played.of(RunCalls) for call in command.ids]
    skipped = [call for command in played.of(SkipCalls) for call in command.ids]
    settled = [call for command in played.of(SettleCalls) for call in command.ids]

    assert sorted(run + skipped) == sorted(asked)
    assert settled == asked
    assert all(len(command.ids) == 1 or not any(played.wanted[call].is_barrier for call in command.ids) for command in played.of(RunCalls))
    open_calls: set[str] = set()
    for command in played.commands:
        match command:
            case RunCalls(ids) | SkipCalls(ids):
                open_calls |= {*ids}
            case SettleCalls(ids):
                assert {*ids} <= open_calls
                open_calls -= {*ids}
            case SendRequest() | End():
                assert not open_calls
            case _:
                pass


def check_bounds(played: Played, limits: Limits) -> None:
    """No sequence of calls and failures passes a bound; asked with the last words, the model is not asked again."""
    first = [command for command in played.of(SendRequest) if command.attempt == 1]

    assert len(first) == played.turn.requests <= limits.model_requests
    assert all(command.attempt <= limits.attempts for command in played.of(SendRequest))
    assert [command.final for command in first[:-1]] == [False] * (len(first) - 1)
    assert sum(len(command.ids) for command in played.of(RunCalls)) == played.turn.calls <= limits.calls
    assert len(played.of(CancelReads)) <= 1


# --- calls --------------------------------------------------------------------------------------------------------------


def test_reads_between_writes_run_together_and_a_write_runs_alone() -> None:
    played = play(Said((READ, READ, WRITE, WRITE, READ, WRITE, READ, READ)))

    assert played.of(RunCalls) == [RunCalls(ids) for ids in (("c1", "c2"), ("c3",), ("c4",), ("c5",), ("c6",), ("c7", "c8"))]


def test_a_run_is_settled_before_the_next_one_begins() -> None:
    """Each call sees what earlier writes committed."""
    assert play(Said((WRITE, READ))).commands == [
        SendRequest(),
        RunCalls(("c1",)),
        SettleCalls(("c1",)),
        RunCalls(("c2",)),
        SettleCalls(("c2",)),
        SendRequest(),
        End("done"),
    ]


def test_a_parked_call_is_no_barrier_and_the_turn_ends_to_wait_for_it() -> None:
    played = play(Said((PARKED, WRITE, PARKED, READ)))

    assert [command.ids for command in played.of(SettleCalls)] == [("c1",), ("c2",), ("c3",), ("c4",)]
    assert played.commands[-1] == End("waiting")
    assert len(played.of(SendRequest)) == 1


def test_a_refused_or_failed_call_does_not_stop_its_siblings() -> None:
    played = play(Said((DENIED, READ, Wanted(code="permanent"), DENIED)))

    assert played.of(SkipCalls) == []
    assert played.commands[-1] == End("done")


def test_outcomes_nobody_waits_for_are_ignored() -> None:
    turn = Turn(Limits())
    turn.start()
    assert turn.feed(CallEnded("c1")) == ()
    turn.feed(MessageEnded((Asked("c1", "find", "{}", is_barrier=True), Asked("c2", "find", "{}", is_barrier=True)), "tools"))

    for event in (CallEnded("c2"), CallEnded("c9"), ANSWERED, OVERLOADED):
        assert turn.feed(event) == ()
    assert turn.feed(CallEnded("c1")) == (SettleCalls(("c1",)), RunCalls(("c2",)))
    assert turn.feed(CallEnded("c1", "denied")) == ()
    assert turn.feed(CallEnded("c2")) == (SettleCalls(("c2",)), SendRequest())


def test_very_many_calls_of_one_message_are_answered() -> None:
    played = play(Said((WRITE,) * 3000), limits=Limits(calls=2))

    check_end(played)
    check_calls(played)


# --- what the model's message ends with ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stop", "end"),
    [
        ("end", End("done")),
        ("tools", End("done")),
        ("other", End("done")),
        ("length", End("limit", "output_limit")),
        ("context_full", End("limit", "context_full")),
        ("refused", End("failed", "model_declined")),
    ],
)
def test_a_message_without_calls_ends_the_turn(stop: Stop, end: End) -> None:
    assert play(Said((), stop)).commands == [SendRequest(), end]


def test_after_a_pause_of_the_provider_the_same_turn_is_asked_on() -> None:
    assert play(Said((), "pause"), ANSWER).commands == [SendRequest(), SendRequest(), End("done")]


def test_a_provider_that_always_pauses_meets_the_bound() -> None:
    played = play(*[Said((), "pause")] * 9, limits=Limits(model_requests=3))

    assert played.commands == [SendRequest(), SendRequest(), SendRequest(final=True), End("limit")]


@pytest.mark.parametrize("stop", [stop for stop in get_args(Stop) if stop != "tools"])
def test_a_call_runs_only_where_the_message_ends_with_tools(stop: Stop) -> None:
    """B061: the batch of a message that was cut is unfinished, whatever its arguments look like."""
    played = play(Said((READ, WRITE), stop))

    assert played.of(RunCalls) == []
    assert played.of(SkipCalls) == [SkipCalls(("c1", "c2"), "cut" if stop == "length" else "not_run")]
    assert played.of(SettleCalls) == [SettleCalls(("c1", "c2"))]


def test_a_model_that_is_always_cut_meets_the_bound() -> None:
    """B061: it counts like any other request."""
    played = play(*[Said((WRITE,), "length")] * 9, limits=Limits(model_requests=3))

    assert [command.final for command in played.of(SendRequest)] == [False, False, True]
    assert played.commands[-1] == End("limit")


@pytest.mark.parametrize(("stop", "end"), [("refused", End("failed", "model_declined")), ("context_full", End("limit", "context_full"))])
def test_asking_again_is_no_use_where_the_model_declined_or_is_full(stop: Stop, end: End) -> None:
    played = play(Said((READ,), stop))

    assert len(played.of(SendRequest)) == 1
    assert played.commands[-1] == end


# --- bounds -------------------------------------------------------------------------------------------------------------


def test_at_the_bound_of_requests_the_model_is_asked_once_more_for_words() -> None:
    """B066: five rounds of tools, the last request without them; the results are in the history and the status says limit."""
    played = play(*[Said((READ,))] * 4, limits=Limits(model_requests=5))

    assert [command.final for command in played.of(SendRequest)] == [False] * 4 + [True]
    assert len(played.of(RunCalls)) == len(played.of(SettleCalls)) == 4
    assert played.commands[-1] == End("limit")


def test_calls_in_the_last_words_are_answered_and_not_run() -> None:
    """B066."""
    played = play(*[Said((WRITE,))] * 9, limits=Limits(model_requests=2))

    assert played.of(RunCalls) == [RunCalls(("c1",))]
    assert played.commands[-3:] == [SkipCalls(("c2",), "not_run"), SettleCalls(("c2",)), End("limit")]


def test_with_a_bound_of_one_the_first_request_is_the_last() -> None:
    assert play(limits=Limits(model_requests=1)).commands == [SendRequest(final=True), End("limit")]


@pytest.mark.parametrize("calls", [(READ,) * 5, (WRITE,) * 5, (READ, WRITE, READ, READ, WRITE)])
def test_calls_past_the_bound_are_skipped_and_the_model_is_asked_for_words(calls: tuple[Wanted, ...]) -> None:
    played = play(Said(calls), limits=Limits(calls=3))

    assert sorted(call for command in played.of(RunCalls) for call in command.ids) == ["c1", "c2", "c3"]
    assert played.of(SkipCalls) == [SkipCalls(("c4",), "limit"), SkipCalls(("c5",), "limit")]
    assert played.commands[-2:] == [SendRequest(final=True), End("limit")]


def test_calls_of_all_rounds_count_together() -> None:
    played = play(*[Said((READ, READ))] * 2, limits=Limits(calls=3))

    assert played.of(SkipCalls) == [SkipCalls(("c4",), "limit")]
    assert played.turn.calls == 3


def test_a_tool_may_have_a_bound_of_its_own_and_others_go_on() -> None:
    once, other = Wanted(tool="pay", most=1), Wanted(tool="find", most=2)
    played = play(Said((once, once, other)), Said((once, other, other)))

    assert played.of(SkipCalls) == [SkipCalls((call,), "tool_limit") for call in ("c2", "c4", "c6")]
    assert [command.final for command in played.of(SendRequest)] == [False, False, False]
    assert played.commands[-1] == End("done")


def test_the_third_identical_failing_call_is_not_run_and_the_turn_comes_to_its_end() -> None:
    """B068: within a bound of twenty; the status does not say done."""
    played = play(*[Said((DENIED,))] * 20, limits=Limits(model_requests=20))

    assert len(played.of(RunCalls)) == 2
    assert played.of(SkipCalls)[0] == SkipCalls(("c3",), "repeated")
    assert [command.final for command in played.of(SendRequest)] == [False, False, False, True]
    assert played.commands[-1] == End("limit")


def test_three_identical_failing_writes_of_one_message_are_two() -> None:
    """B068."""
    assert play(Said((DENIED,) * 4)).of(SkipCalls) == [SkipCalls(("c3",), "repeated"), SkipCalls(("c4",), "repeated")]


@pytest.mark.parametrize(
    "between", [WRITE, Wanted(is_barrier=True, code="denied", arguments='{"a":1}'), Wanted(is_barrier=True, code="denied", tool="note")]
)
def test_failures_count_only_in_a_row(between: Wanted) -> None:
    played = play(Said((DENIED, between, DENIED, between, DENIED, between)))

    assert played.of(SkipCalls) == []


def test_the_same_call_may_succeed_as_often_as_it_likes() -> None:
    assert play(Said((WRITE,) * 9)).of(SkipCalls) == []


# --- failures of the provider -------------------------------------------------------------------------------------------


def test_a_retryable_failure_is_retried_with_growing_delays() -> None:
    played = play(Said((), "end", (OVERLOADED,) * 3), limits=Limits(attempts=4))

    assert played.of(SendRequest) == [
        SendRequest(attempt=attempt, delay=delay, is_spread=attempt > 1) for attempt, delay in ((1, 0.0), (2, 0.5), (3, 1.0), (4, 2.0))
    ]
    assert played.commands[-1] == End("done")


def test_the_provider_may_say_how_long_to_wait() -> None:
    failure = RequestFailed("rate_limited", is_retryable=True, had_content=False, retry_after=17.0)

    assert play(Said((), "end", (failure,))).of(SendRequest)[1] == SendRequest(attempt=2, delay=17.0)


@pytest.mark.parametrize(
    ("failure", "attempts"),
    [
        (OVERLOADED, 1),
        (RequestFailed("rejected", is_retryable=False, had_content=False), 3),
        (RequestFailed("broken_stream", is_retryable=True, had_content=True), 3),
    ],
)
def test_without_another_try_the_turn_ends_with_what_it_was(failure: RequestFailed, attempts: int) -> None:
    """B106, B145: nothing that may have been said is asked for again, and nothing follows."""
    played = play(Said((), "end", (failure,)), limits=Limits(attempts=attempts))

    assert played.commands == [SendRequest(), End("failed", failure.kind)]


def test_each_request_has_its_own_tries_and_a_last_one_stays_the_last() -> None:
    twice = (OVERLOADED, OVERLOADED)
    played = play(Said((READ,), "tools", twice), Said((), "end", twice), limits=Limits(model_requests=2))

    assert [(command.attempt, command.final) for command in played.of(SendRequest)] == [
        (attempt, final) for final in (False, True) for attempt in (1, 2, 3)
    ]
    assert played.turn.requests == 2
    assert played.commands[-1] == End("limit")


# --- stop and time ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", get_args(StopReason))
def test_a_stop_while_the_model_speaks_closes_the_stream_and_ends(reason: StopReason) -> None:
    played = play(interruption=StopRequested(reason))

    assert played.commands == [SendRequest(), CloseStream(), End("aborted", reason)]


def test_a_stop_while_waiting_for_another_try_ends_too() -> None:
    turn = Turn(Limits())
    turn.start()
    turn.feed(OVERLOADED)

    assert turn.feed(STOP) == (CloseStream(), End("aborted", "stop"))


def test_a_stop_while_calls_run_cancels_reads_waits_for_the_run_and_skips_the_rest() -> None:
    """B059, B064: the write that has begun gets its true outcome; nothing more begins."""
    played = play(Said((WRITE, READ, READ, WRITE)), interruption=STOP, at=(1, 0))

    assert played.commands == [
        SendRequest(),
        RunCalls(("c1",)),
        CancelReads(),
        SettleCalls(("c1",)),
        SkipCalls(("c2", "c3", "c4"), "not_run"),
        SettleCalls(("c2", "c3", "c4")),
        End("aborted", "stop"),
    ]


def test_a_second_stop_says_nothing_new() -> None:
    turn = Turn(Limits())
    turn.start()
    turn.feed(MessageEnded((Asked("c1", "find", "{}", is_barrier=False),), "tools"))

    assert turn.feed(StopRequested("grace")) == (CancelReads(),)
    assert turn.feed(STOP) == ()
    assert turn.feed(CallEnded("c1", "not_run")) == (SettleCalls(("c1",)), End("aborted", "grace"))


def test_a_stop_wins_over_a_call_that_waits_for_a_person() -> None:
    assert play(Said((PARKED, READ)), interruption=STOP, at=(2, 0)).commands[-1] == End("aborted", "stop")


def test_time_that_is_up_while_the_model_speaks_ends_the_turn() -> None:
    assert play(interruption=TimeUp()).commands == [SendRequest(), CloseStream(), End("limit", "time")]


def test_time_that_is_up_while_calls_run_lets_them_finish_begins_no_more_and_asks_for_words() -> None:
    played = play(Said((WRITE, WRITE, READ)), interruption=TimeUp(), at=(1, 0))

    assert played.commands == [
        SendRequest(),
        RunCalls(("c1",)),
        SettleCalls(("c1",)),
        SkipCalls(("c2",), "limit"),
        SettleCalls(("c2",)),
        SkipCalls(("c3",), "limit"),
        SettleCalls(("c3",)),
        SendRequest(final=True),
        End("limit"),
    ]


def test_time_that_is_up_after_a_stop_changes_nothing() -> None:
    turn = Turn(Limits())
    turn.start()
    turn.feed(MessageEnded((Asked("c1", "find", "{}", is_barrier=True), Asked("c2", "find", "{}", is_barrier=True)), "tools"))

    assert (turn.feed(STOP), turn.feed(TimeUp())) == ((CancelReads(),), ())
    assert turn.feed(CallEnded("c1"))[-1] == End("aborted", "stop")
