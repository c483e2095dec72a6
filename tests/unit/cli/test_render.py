from datetime import UTC, datetime
from io import StringIO
from typing import get_args

import pytest
from rich.console import Console

from handgriff.cli.render import Renderer
from handgriff.core.catalogue import say
from handgriff.core.events import (
    AssistantMessage,
    Body,
    CallOutcome,
    Decision,
    Event,
    Frame,
    FrameBody,
    OperatorChange,
    ParkedCall,
    PartialMessage,
    Progress,
    ProposalState,
    RequestedCall,
    Retrying,
    SessionCreated,
    Shown,
    ShownChange,
    TextDelta,
    TextPart,
    TurnEnded,
    UserMessage,
)
from handgriff.errors import Refusal

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
DIFF = (ShownChange("Status", "pending", "cancelled"), ShownChange("Note", None, "[b]late[/b]"), ShownChange("… 3 more"))


class Drawing:
    """What a renderer has drawn."""

    def __init__(self, *, locale: str = "en", replay: bool = False, is_terminal: bool = False) -> None:
        self.file = StringIO()
        console = Console(file=self.file, width=100, force_terminal=is_terminal, color_system=None, legacy_windows=False)
        self.renderer = Renderer(console, locale=locale, replay=replay)

    def draw(self, *bodies: Body | FrameBody) -> str:
        for body in bodies:
            if isinstance(body, (TextDelta, Progress, Retrying)):
                self.renderer.render(Frame(1, 1, "t_1", body))
            else:
                self.renderer.render(Event(1, "e_1", "t_1", NOON, body))
        return self.text

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.file.getvalue().split("\n"))


def outcome(**changes: object) -> CallOutcome:
    return CallOutcome(**{"call": "c_1", "tool": "find", "step": "effect", "shown": Shown("Found."), "digest": ""} | changes)  # type: ignore[arg-type]  # fields by name


def test_a_finished_message_adds_only_what_its_deltas_had_not_shown() -> None:
    drawn = Drawing().draw(TextDelta("r_1", "One "), TextDelta("r_1", "two"), AssistantMessage("r_1", "One two three", "end"))

    assert drawn == "One two three\n"


def test_a_message_whose_deltas_came_to_nothing_is_written_whole() -> None:
    drawn = Drawing().draw(TextDelta("r_1", "Onne"), AssistantMessage("r_1", "One two", "end"))

    assert drawn == "Onne\nOne two\n"


def test_a_message_without_deltas_is_written_whole() -> None:
    assert Drawing().draw(AssistantMessage("r_1", "One\ntwo", "end")) == "One\ntwo\n"


def test_a_message_of_calls_alone_draws_nothing() -> None:
    assert Drawing().draw(AssistantMessage("r_1", "", "tools", calls=(RequestedCall("c_1", "", "find", "{}"),))) == ""


def test_a_partial_message_says_that_it_was_cut_off() -> None:
    assert Drawing(locale="de").draw(TextDelta("r_1", "One"), PartialMessage("r_1", "One")) == "One\n(abgebrochen)\n"


def test_two_messages_stand_on_lines_of_their_own() -> None:
    drawn = Drawing().draw(TextDelta("r_1", "One"), TextDelta("r_2", "Two"), outcome())

    assert drawn == "One\nTwo\n  ✓ find: Found.\n"


def test_an_outcome_shows_link_and_diff() -> None:
    drawn = Drawing().draw(outcome(shown=Shown("Found.", "/x", "Open", DIFF)))

    assert drawn.split("\n") == [
        "  ✓ find: Found.",
        "    Open: /x",
        "              - Before     + After",
        "  Status      - pending    + cancelled",
        "  Note        —            + [b]late[/b]",
        "  … 3 more",
        "",
    ]


def test_a_refused_outcome_says_its_code_and_incident() -> None:
    drawn = Drawing().draw(outcome(code="permanent", shown=Shown("find failed."), incident="i_1"))

    assert drawn == "  ✗ find: permanent: find failed.\n    Incident i_1\n"


def test_an_outcome_that_was_given_again_says_so() -> None:
    assert "Found. (repeated)" in Drawing().draw(outcome(replayed=True))


def test_a_call_made_by_a_call_is_indented() -> None:
    assert Drawing().draw(outcome(parent="c_0")).startswith("    ✓ find")


def test_further_lines_of_a_summary_cannot_pass_for_lines_of_ours() -> None:
    drawn = Drawing().draw(outcome(shown=Shown("Done.\nConfirm? [y/N] y")))

    assert drawn == "  ✓ find: Done.\n    Confirm? [y/N] y\n"


@pytest.mark.parametrize("text", ["[red]x[/red]", ":smile:", "[link=/x]y[/link]", "1234 'quoted' http://a.example"])
def test_text_is_never_markup(text: str) -> None:
    drawn = Drawing(is_terminal=True).draw(TextDelta("r_1", text), AssistantMessage("r_1", text, "end"), outcome(shown=Shown(text)))

    assert drawn == f"{text}\n  ✓ find: {text}\n"


def test_control_sequences_are_taken_out_of_everything() -> None:
    evil = "a\x1b[2Jb\x07"
    drawing = Drawing(replay=True)
    drawing.draw(
        TextDelta("r_1", evil),
        PartialMessage("r_1", evil),
        outcome(tool=evil, shown=Shown(evil, evil, evil, (ShownChange(evil, evil, evil),))),
        UserMessage((TextPart(evil),), ()),
        OperatorChange(evil, evil),
        TurnEnded("failed", evil, evil),
    )
    drawing.renderer.proposal_card(ParkedCall("p", "c", evil, evil, NOON, (ShownChange(evil, evil, evil),)))
    drawing.renderer.refusal(Refusal("conflict", evil, next=evil))

    assert not set("\x1b\x07") & set(drawing.text)
    assert drawing.text.count("ab") >= 15


def test_a_card_says_what_will_happen_and_until_when() -> None:
    drawing = Drawing()
    drawing.renderer.proposal_card(ParkedCall("p_1", "c_1", "cancel_order", "Cancel o_17?", NOON, DIFF[:1]))

    assert "cancel_order" in drawing.text.split("\n")[0]
    assert "Cancel o_17?" in drawing.text
    assert "- pending    + cancelled" in drawing.text
    assert f"Can be confirmed until {NOON.astimezone():%Y-%m-%d %H:%M:%S}" in drawing.text


@pytest.mark.parametrize(
    ("count", "sample", "told"),
    [
        pytest.param(1200, ("one", "t\x1b[2Jwo\nthree"), ["1200 in all, for example:", "· one", "· two three"], id="both"),
        pytest.param(7, (), ["7 in all"], id="a count"),
        pytest.param(None, ("one",), ["· one"], id="a sample"),
    ],
)
def test_a_card_says_how_many_it_concerns_and_some_of_them(count: int | None, sample: tuple[str, ...], told: list[str]) -> None:
    drawing = Drawing()
    drawing.renderer.proposal_card(ParkedCall("p_1", "c_1", "close", "Close?", NOON, count=count, sample=sample))

    lines = [line.strip("│ ") for line in drawing.text.split("\n")[1:-2]]
    assert lines == ["Close?", *told, f"Can be confirmed until {NOON.astimezone():%Y-%m-%d %H:%M:%S %Z}"]


def test_a_card_for_two_people_says_so_to_each() -> None:
    card = ParkedCall("p_1", "c_1", "close", "Close?", NOON, confirm="second_person")
    mine, theirs = Drawing(), Drawing(locale="de")
    mine.renderer.proposal_card(card)
    theirs.renderer.proposal_card(card, asked_by="a\x1b[2Jda")

    assert "Another person must confirm this." in mine.text
    assert "Gewünscht von ada" in theirs.text
    assert "andere Person" not in theirs.text


def test_the_end_says_why_and_what_it_cost() -> None:
    ended = TurnEnded("failed", "overloaded", "Try later.", model_requests=3, input_tokens=12345, output_tokens=6, cache_read_tokens=12000)
    priced = TurnEnded("done", model_requests=1, cost_pico=4_575_000_000)
    partly = TurnEnded("done", model_requests=2, cost_pico=4_575_000_000, unpriced=1)

    assert Drawing().draw(ended) == (
        "Try later. (overloaded)\nModel requests: 3. Tokens: 12,345 in (12,000 cached), 6 out. Cost: no price known.\n"
    )
    assert "Cost: 4,575 µ$." in Drawing().draw(priced)
    assert "Cost: 4,575 µ$ and 1 without a price." in Drawing().draw(partly)


def test_progress_names_the_tool_and_takes_the_place_of_what_came_before() -> None:
    bodies = (
        AssistantMessage("r_1", "", "tools", calls=(RequestedCall("c_1", "", "find", "{}"),)),
        Progress("c_1", 1, 3, "looking"),
        Progress("c_1", 2),
        outcome(),
    )

    assert Drawing().draw(*bodies) == "  … find 1/3 looking\n  … find 2\n  ✓ find: Found.\n"
    assert Drawing(is_terminal=True).draw(*bodies) == "  … find 1/3 looking\r\x1b[2K  … find 2\r\x1b[2K  ✓ find: Found.\n"


def test_waiting_for_the_provider_is_said() -> None:
    assert Drawing().draw(Retrying("r_1", 2, 1.6)) == "The model is busy; trying again in 2 s …\n"


def test_a_replay_also_shows_what_the_person_said_and_decided() -> None:
    bodies = (SessionCreated("ada"), UserMessage((TextPart("Hello\nthere"),), ()), Decision("p_1", "c_1", "declined", "ada"))

    assert Drawing(replay=True).draw(*bodies) == "> Hello\n  there\np_1: Declined. Nothing was done. (ada)\n"
    assert Drawing().draw(*bodies[:2]) == ""


@pytest.mark.parametrize("state", get_args(ProposalState))
def test_a_decision_is_said_in_words_where_no_outcome_says_it(state: ProposalState) -> None:
    drawn = Drawing(locale="fr").draw(Decision("p_1", "c_1", state))

    assert drawn == ("" if state in ("running", "done") else f"p_1: {say(f'state_{state}', 'fr')}\n")


def test_a_console_without_such_characters_gets_plain_signs() -> None:
    class Latin(StringIO):
        encoding = "latin-1"

    file = Latin()
    Renderer(Console(file=file, width=80)).render(Event(1, "e", None, NOON, outcome()))

    assert file.getvalue() == "  + find: Found.\n"
