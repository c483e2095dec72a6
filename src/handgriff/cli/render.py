"""A conversation in a terminal: events and frames, drawn as they come.

Below are Rich and inert text; above, the chat, and every program that shows a turn to a person. It asks nothing and decides nothing: a
proposal's card is drawn by whoever then asks.
"""

from collections.abc import Sequence
from typing import assert_never

from rich.console import Console, Group
from rich.control import Control
from rich.panel import Panel
from rich.segment import ControlType
from rich.table import Table
from rich.text import Text

from handgriff.cli.catalogue import word
from handgriff.cli.inert import inert, one_line
from handgriff.core.catalogue import say
from handgriff.core.events import (
    AssistantMessage,
    Body,
    CallOutcome,
    Decision,
    Event,
    Frame,
    FrameBody,
    Item,
    Moved,
    OperatorChange,
    ParkedCall,
    PartialMessage,
    Progress,
    ProposalState,
    Retrying,
    SessionCreated,
    Shown,
    ShownChange,
    TextDelta,
    TurnEnded,
    UserMessage,
)
from handgriff.core.machine.plain import brief
from handgriff.core.money import format_micro
from handgriff.errors import Refusal

_ABSENT = "\N{EM DASH}"
_SEEN: frozenset[ProposalState] = frozenset({"running", "done"})
"""What the call's own outcome says as well."""


class Renderer:
    """Draws one conversation on *console*, in the language of *locale*.

    With *replay*, also what the person at a live conversation knows already: their own messages and decisions.
    """

    def __init__(self, console: Console, *, locale: str = "en", replay: bool = False) -> None:
        self.console = console
        self._locale = locale
        self._replay = replay
        self._request = ""
        self._said = ""
        self._is_line_open = False
        self._has_progress = False
        self._tools: dict[str, str] = {}

    def render(self, item: Item) -> None:
        """Draw one item of a turn."""
        match item:
            case Event():
                self._event(item.body)
            case Frame():
                self._frame(item.body)
            case _:
                assert_never(item)

    def outcome(self, outcome: CallOutcome) -> None:
        """One call's end: what a person may see of it."""
        indent = "    " if outcome.parent else "  "
        is_ok = outcome.code is None
        head = Text(indent)
        head.append(self._sign(is_ok=is_ok), style="green" if is_ok else "red")
        head.append(f" {one_line(outcome.tool)}: ", style="bold")
        if outcome.code is not None:
            head.append(f"{outcome.code}: ", style="red")
        head.append(_indented("", outcome.shown.summary, indent + "  "))
        if outcome.replayed:
            head.append(f" {word('replayed', self._locale)}", style="dim")
        self._line(head)
        self.shown(outcome.shown, indent=indent + "  ")
        if outcome.moved is not None:
            self.moved(outcome.moved, indent=indent + "  ")
        if outcome.incident:
            self.note(word("incident", self._locale, id=outcome.incident), indent=indent + "  ")

    def moved(self, moved: Moved, *, indent: str = "") -> None:
        """Where a workflow has gone; of one that has begun, its handle."""
        if moved.before is None:
            self._line(Text(f"{indent}{one_line(moved.machine)}: {one_line(moved.handle)}, {one_line(brief(moved.after))}", style="cyan"))
        else:
            way = f"{one_line(brief(moved.before))} \N{RIGHTWARDS ARROW} {one_line(brief(moved.after))}"
            self._line(Text(f"{indent}{one_line(moved.machine)}: {way}", style="cyan"))

    def shown(self, shown: Shown, *, indent: str = "") -> None:
        """What stands below a summary: the link and the diff."""
        if shown.link:
            label = f"{one_line(shown.link_label)}: " if shown.link_label else ""
            self._line(Text(f"{indent}{label}{one_line(shown.link)}", style="cyan"))
        self.diff(shown.diff)

    def diff(self, changes: Sequence[ShownChange]) -> None:
        """Before and after, side by side, told apart by signs and headings as well as by colour."""
        if changes:
            self._close_line()
            self.console.print(self._table(changes))

    def proposal_card(self, parked: ParkedCall, *, asked_by: str | None = None) -> None:
        """What will happen if a person confirms, and until when they may; *asked_by* is who wants it, where that is somebody else."""
        expires = say("card_expires", self._locale).format(time=f"{parked.expires_at.astimezone():%Y-%m-%d %H:%M:%S %Z}")
        diff = [self._table(parked.diff)] if parked.diff else []
        people = self._people(parked, asked_by)
        card = Group(Text(inert(parked.summary), style="bold"), *diff, *self._extent(parked), *people, Text(expires, style="dim"))
        self._close_line()
        self.console.print(Panel(card, title=Text(one_line(parked.tool)), title_align="left", border_style="yellow", expand=False))

    def refusal(self, refusal: Refusal) -> None:
        """Why not, and what next."""
        line = Text(f"{self._sign(is_ok=False)} {refusal.code}: ", style="red")
        line.append(inert(refusal.message), style="default")
        if refusal.next:
            line.append(f" {inert(refusal.next)}", style="default")
        self._line(line)

    def end(self, ended: TurnEnded) -> None:
        """How the turn ended, and what it used."""
        self._close_line()
        if ended.message:
            code = f" ({one_line(ended.code)})" if ended.code else ""
            self._line(Text(inert(ended.message) + code, style="yellow"))
        if ended.model_requests:
            self.note(self._usage(ended))

    def note(self, text: str, *, indent: str = "") -> None:
        """A quiet line of ours."""
        self._line(Text(indent + inert(text), style="dim"))

    def _event(self, body: Body) -> None:
        match body:
            case AssistantMessage(request, text):
                self._tools |= {call.id: call.tool for call in body.calls}
                self._finish(request, text)
            case PartialMessage(request, text):
                self._finish(request, text)
                self.note(word("cut_off", self._locale))
            case CallOutcome():
                self.outcome(body)
            case TurnEnded():
                self.end(body)
            case UserMessage():
                if self._replay:
                    self._line(Text(_indented("> ", body.text), style="bold"))
            case Decision(proposal, _, state, by):
                if self._replay or state not in _SEEN:
                    self.note(f"{proposal}: {say(f'state_{state}', self._locale)}" + (f" ({by})" if by else ""))
            case OperatorChange(what, by):
                self.note(f"{what} ({by})")
            case SessionCreated():
                pass
            case _:
                assert_never(body)

    def _frame(self, body: FrameBody) -> None:
        match body:
            case TextDelta(request, text):
                self._say(request, text)
            case Progress():
                self._progress(body)
            case Retrying():
                self.note(word("retrying", self._locale, seconds=f"{body.seconds:.0f}"))
            case _:
                assert_never(body)

    def _usage(self, ended: TurnEnded) -> str:
        cost = word("unpriced", self._locale)
        if ended.cost_pico is not None:
            cost = format_micro(ended.cost_pico)
            if ended.unpriced:
                cost = word("partly_priced", self._locale, cost=cost, count=ended.unpriced)
        return word(
            "usage",
            self._locale,
            requests=ended.model_requests,
            sent=f"{ended.input_tokens:,}",
            cached=f"{ended.cache_read_tokens:,}",
            out=f"{ended.output_tokens:,}",
            cost=cost,
        )

    def _table(self, changes: Sequence[ShownChange]) -> Table:
        table = Table(box=None, padding=(0, 2), show_edge=False)
        table.add_column("", overflow="fold")
        table.add_column(f"- {say('card_before', self._locale)}", overflow="fold", style="red")
        table.add_column(f"+ {say('card_after', self._locale)}", overflow="fold", style="green")
        for change in changes:
            is_note = change.before is None and change.after is None
            sides = ("", "") if is_note else (_side("- ", change.before), _side("+ ", change.after))
            table.add_row(Text(inert(change.label)), *map(Text, sides))
        return table

    def _people(self, parked: ParkedCall, asked_by: str | None) -> list[Text]:
        """Who else has to do with it."""
        if asked_by is not None:
            return [Text(say("card_asked_by", self._locale).format(user=one_line(asked_by)))]
        return [Text(say("card_second_person", self._locale), style="yellow")] if parked.confirm == "second_person" else []

    def _extent(self, parked: ParkedCall) -> list[Text]:
        """How many it concerns, and some of them."""
        key = "card_count" if parked.sample else "card_total"
        head = [] if parked.count is None else [Text(say(key, self._locale).format(count=parked.count))]
        return [*head, *(Text(f"  · {one_line(line)}") for line in parked.sample)]

    def _say(self, request: str, text: str) -> None:
        if request != self._request:
            self._close_line()
            self._request, self._said = request, ""
        self._said += text
        self._write(text)

    def _finish(self, request: str, text: str) -> None:
        """The whole message: what its deltas have not shown yet is written. A late watcher was sent none of them, or only the first."""
        said = self._said if request == self._request else ""
        if text.startswith(said):
            self._say(request, text[len(said) :])
        else:
            self._close_line()
            self._say(request, text)
        self._close_line()
        self._request = self._said = ""

    def _progress(self, progress: Progress) -> None:
        count = str(progress.done) if progress.total is None else f"{progress.done}/{progress.total}"
        parts = (self._tools.get(progress.call, ""), count, progress.text or "")
        text = "  … " + " ".join(one_line(part) for part in parts if part)
        if not self.console.is_terminal:
            self._line(Text(text, style="dim"))
            return
        # On a terminal each one takes the place of the one before.
        self._close_line()
        self.console.print(Text(text, style="dim"), end="", no_wrap=True, overflow="ellipsis")
        self._has_progress = True

    def _write(self, text: str) -> None:
        shown = inert(text)
        if shown:
            self._clear_progress()
            self.console.out(shown, end="", highlight=False)
            self._is_line_open = not shown.endswith("\n")

    def _line(self, text: Text) -> None:
        self._close_line()
        self.console.print(text, soft_wrap=True)

    def _close_line(self) -> None:
        self._clear_progress()
        if self._is_line_open:
            self.console.print()
            self._is_line_open = False

    def _clear_progress(self) -> None:
        if self._has_progress:
            self.console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            self._has_progress = False

    def _sign(self, *, is_ok: bool) -> str:
        if self.console.encoding.lower().startswith("utf"):
            return "\N{CHECK MARK}" if is_ok else "\N{BALLOT X}"
        return "+" if is_ok else "x"


def _side(sign: str, value: str | None) -> str:
    return _ABSENT if value is None else sign + inert(value)


def _indented(head: str, text: str, indent: str = "  ") -> str:
    """*text* behind *head*, its further lines indented, so that they can't pass for lines of ours."""
    return head + f"\n{indent}".join(inert(text).split("\n"))
