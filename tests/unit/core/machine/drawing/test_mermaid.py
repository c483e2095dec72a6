"""A machine as Mermaid's text: every name of the author's is only a text in it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from handgriff import DefinitionError, Machine
from handgriff.core.machine.drawing.mermaid import mermaid
from tests.unit.core.machine.drawing.drawn_machines import HOSTILE, HOSTILE_TOOLS, INVOICE, INVOICE_TOOLS, ORDER, Tool

LINE = re.compile(
    r"""stateDiagram-v2
    |\ +accTitle:\ TEXT
    |\ +state\ "TEXT"\ as\ s\d+(\ \{)?
    |\ +(s\d+|\[\*\])\ -->\ (s\d+|\[\*\])(\ :\ TEXT(<br/>TEXT)*)?
    |\ +(--|\}|end\ note|note\ right\ of\ s\d+)
    |\ {8}TEXT
    |\ +classDef\ present\ stroke-width:4px,font-weight:bold
    |\ +class\ s\d+(,s\d+)*\ present""".replace("TEXT", r"(?:[\w\ .,()-]|\#\d+;)+"),
    re.VERBOSE,
)
"""All that may stand in a line; a text has letters, digits, a few marks, and entities."""


def test_states_arrows_tools_and_the_present_state_are_in_it() -> None:
    drawn = mermaid(INVOICE, INVOICE_TOOLS, frozenset({"invoice", "invoice.review"}))

    assert drawn.splitlines() == [
        "stateDiagram-v2",
        "    accTitle: invoice",
        '    state "invoice" as s0 {',
        "        [*] --> s1",
        '        state "draft" as s1',
        '        state "review (present)" as s2',
        '        state "approved" as s3',
        '        state "discharged (final)" as s4',
        "        s4 --> [*]",
        "    }",
        "    s1 --> s1 : EDIT",
        "    s1 --> s2 : SUBMIT",
        "    s2 --> s3 : APPROVE #91;is_checked#93;",
        "    s2 --> s1 : REJECT",
        "    s3 --> s4 : DISCHARGE",
        "    note right of s0",
        "        new_invoice begins one",
        "    end note",
        "    note right of s1",
        "        submit#58; SUBMIT",
        "        look",
        "    end note",
        "    note right of s2",
        "        approve#58; APPROVE",
        "        reject#58; REJECT",
        "        look",
        "    end note",
        "    note right of s3",
        "        discharge#58; DISCHARGE",
        "    end note",
        "    classDef present stroke-width:4px,font-weight:bold",
        "    class s2 present",
    ]


def test_a_machine_without_tools_of_its_own_needs_no_box() -> None:
    assert mermaid(INVOICE).splitlines()[2:4] == ["    [*] --> s1", '    state "draft" as s1']


def test_regions_are_separated_and_history_is_named() -> None:
    drawn = mermaid(ORDER).splitlines()

    assert drawn.count("        --") == 1
    assert '        state "H*" as s9' in drawn
    assert '    state "running (parallel)" as s2 {' in drawn


def test_no_name_is_anything_but_text() -> None:
    drawn = mermaid(HOSTILE, HOSTILE_TOOLS, frozenset({HOSTILE.id, HOSTILE.definition.places[1].id}))

    assert [line for line in drawn.splitlines() if not LINE.fullmatch(line)] == []
    assert '    state "a#34;b#58; c --#62; #91;#42;#93; (present)" as s1' in drawn.splitlines()


def test_names_of_thousands_of_characters_are_visibly_shortened() -> None:
    long = "x" * 3000
    machine = Machine.from_config({"id": "m", "initial": long, "states": {long: {"on": {f"E{long}": long}}}})
    drawn = mermaid(machine, [Tool(f"t{long}", (machine.at(long),))])

    assert f'state "{long[:63]}#8230;" as s1' in drawn
    assert f": E{long[:62]}#8230;" in drawn
    assert f"t{long[:62]}#8230;" in drawn


@given(st.text(min_size=1), st.text(min_size=1))
def test_whatever_a_state_and_an_event_are_called_the_diagram_stays_one(name: str, event: str) -> None:
    try:
        machine = Machine.from_config({"id": name, "initial": name, "states": {name: {"on": {event: {"target": f"#{name}.{name}"}}}}})
    except DefinitionError:
        return

    assert [line for line in mermaid(machine).splitlines() if not LINE.fullmatch(line)] == []
