"""Random conversations as they are stored: rounds of calls, parked ones, late outcomes, partial messages, crashes mended."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from handgriff.core import jsontext
from handgriff.core.events import (
    AssistantMessage,
    Body,
    CallOutcome,
    Decision,
    Event,
    OperatorChange,
    PartialMessage,
    RequestedCall,
    SessionCreated,
    Shown,
    TextPart,
    TurnEnded,
    UserMessage,
)
from handgriff.models.anthropic.wire import AnthropicWire
from handgriff.testing.loopback.anthropic import sign
from handgriff.testing.samples import START

WIRE = AnthropicWire()
WORDS = st.text(alphabet='ab <>"\\é🌍\n', min_size=1, max_size=6).map(lambda text: f".{text}.")
ARGUMENTS = st.sampled_from(["{}", '{"z": 1, "a":{"y":1.0,"b":"\\u00e9"}}', '{"id":9007199254740993}', '{"x":"</untrusted>"}'])


@dataclass
class History:
    """Events so far, and how many there were whenever a request would have been sent."""

    events: list[Event] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)

    def store(self, body: Body) -> None:
        number = len(self.events) + 1
        self.events.append(Event(number, f"e{number}", "t1", START, body))

    def ask(self) -> None:
        self.requests.append(len(self.events))

    def prefixes(self) -> Iterator[list[Event]]:
        """The events as they were at each request."""
        return (self.events[:count] for count in self.requests)


def user(text: str, *notes: str) -> UserMessage:
    return UserMessage((TextPart(text),), (*map(WIRE.text, notes), WIRE.text(text)))


def call(number: int, arguments: str = "{}") -> RequestedCall:
    return RequestedCall(f"c{number}", f"toolu_{number}", "find", arguments)


def assistant(*calls: RequestedCall, text: str = "", thinking: str = "") -> AssistantMessage:
    blocks = [f'{{"type":"thinking","thinking":{jsontext.dumps(thinking)},"signature":"{sign(thinking)}"}}'] if thinking else []
    blocks += [WIRE.text(text)] if text else []
    blocks += [f'{{"type":"tool_use","id":"{asked.wire_id}","name":"{asked.tool}","input":{asked.arguments}}}' for asked in calls]
    return AssistantMessage("r1", text, "tools" if calls else "end", tuple(blocks), calls)


def partial(text: str) -> PartialMessage:
    return PartialMessage("r1", text, (WIRE.text(text),) if text else ())


def outcome(asked: RequestedCall, text: str = "ok", *, late: bool = False) -> CallOutcome:
    wire = WIRE.result(asked.wire_id, text, is_error=text == "no")
    return CallOutcome(asked.id, asked.tool, "effect", Shown(text), "d", None if text != "no" else "denied", wire, late=late)


def inner(asked: RequestedCall) -> CallOutcome:
    """The outcome of a call that *asked* made itself: it has no place in the history."""
    return CallOutcome(f"{asked.id}.inner", "other", "effect", Shown("inner"), "d", parent=asked.id)


@st.composite
def histories(draw: DrawFn) -> History:
    history, numbers, past = History(), iter(range(1, 999)), list[RequestedCall]()
    history.store(SessionCreated("ada"))
    for _ in range(draw(st.integers(1, 4))):
        history.store(user(draw(WORDS), *draw(st.lists(WORDS, max_size=2))))
        history.ask()
        for _ in range(draw(st.integers(0, 3))):
            calls = tuple(call(next(numbers), draw(ARGUMENTS)) for _ in range(draw(st.integers(1, 4))))
            history.store(assistant(*calls, text=draw(st.just("") | WORDS), thinking=draw(st.just("") | WORDS)))
            _settle(draw, history, calls, past)
            past += calls
            history.ask()
        if ending := draw(st.sampled_from([assistant(text="Done."), assistant(), partial("Half"), partial(""), None])):
            history.store(ending)
        history.store(TurnEnded(draw(st.sampled_from(["done", "failed", "aborted", "interrupted"]))))
    return history


def _settle(draw: DrawFn, history: History, calls: tuple[RequestedCall, ...], past: list[RequestedCall]) -> None:
    """Outcomes in any order, with whatever else may be stored between them; the turn may end and wait for the rest."""
    for asked in draw(st.permutations(calls)):
        for noise in draw(st.lists(st.sampled_from(["inner", "late", "again", "decision", "operator", "ended"]), max_size=2)):
            match noise:
                case "inner":
                    history.store(inner(asked))
                case "late" if past:
                    history.store(outcome(draw(st.sampled_from(past)), "late", late=True))
                case "decision":
                    history.store(Decision("p1", asked.id, "superseded"))
                case "operator":
                    history.store(OperatorChange("effect resolved", "root"))
                case "ended":
                    history.store(TurnEnded("waiting"))
                case _:
                    pass
        history.store(outcome(asked, draw(st.sampled_from(["ok", "no", "</untrusted>", "é🌍"]))))
        if draw(st.booleans()):
            history.store(outcome(asked, "a second time", late=True))
