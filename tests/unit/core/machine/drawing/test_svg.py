"""A machine as a picture that stands alone: well-formed, readable without colours, and the same every time."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff import DefinitionError, Machine
from handgriff.core.machine.drawing.svg import svg
from handgriff.machine import State
from tests.unit.core.machine.drawing.drawn_machines import HOSTILE, HOSTILE_TOOLS, INVOICE, INVOICE_TOOLS, ORDER, ORDER_TOOLS, Tool

NAME = "{http://www.w3.org/2000/svg}"


def parsed(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314  # it is our own


def texts(drawn: str) -> list[str]:
    return ["".join(each.itertext()) for each in parsed(drawn).iter(f"{NAME}text")]


def classes(drawn: str, word: str) -> list[ET.Element]:
    return [each for each in parsed(drawn).iter() if word in each.get("class", "").split()]


@pytest.mark.parametrize(
    ("machine", "tools"),
    [
        pytest.param(INVOICE, INVOICE_TOOLS, id="invoice"),
        pytest.param(ORDER, ORDER_TOOLS, id="nested and parallel"),
        pytest.param(HOSTILE, HOSTILE_TOOLS, id="hostile"),
    ],
)
def test_it_is_well_formed_and_says_in_words_what_it_shows(machine: Machine, tools: tuple[Tool, ...]) -> None:
    root = parsed(svg(machine, tools))
    title, description = root.find(f"{NAME}title"), root.find(f"{NAME}desc")

    assert title is not None
    assert description is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert len(description.text or "") > 100


def test_states_events_guards_and_tools_are_written_in_it() -> None:
    shown = texts(svg(INVOICE, INVOICE_TOOLS))

    assert {"draft", "review", "approved", "discharged · final", "SUBMIT", "APPROVE [is_checked]", "EDIT"} <= set(shown)
    assert {"new_invoice begins one", "submit: SUBMIT", "look"} <= set(shown)


def test_the_description_names_ways_and_tools() -> None:
    description = parsed(svg(INVOICE, INVOICE_TOOLS)).find(f"{NAME}desc")

    assert description is not None
    assert "draft: EDIT leads to draft; SUBMIT leads to review. Tools: submit: SUBMIT, look." in (description.text or "")
    assert "discharged · final: nothing leads on." in (description.text or "")


def test_the_description_says_how_states_with_states_begin_and_what_leads_on_from_around() -> None:
    inner = State("checked", "in part", State("told..", type="final"), on={"HOLD": "held"}, on_done="held")
    parallel = State("both", State("l", "x"), State("r", "y"), type="parallel")
    machine = Machine("m", inner, State("held", on={"ON": "both"}), parallel)

    description = str(parsed(svg(machine)).findtext(f"{NAME}desc"))

    assert "m: begins in checked." in description
    assert "checked: begins in in part; HOLD or done leads to held." in description
    assert "in part: what leads on from checked." in description
    assert "both · parallel: l and r are active together." in description
    assert "x: nothing leads on." in description
    assert "told.. · final: what leads on from checked." in description


def test_no_sentence_of_the_description_ends_in_two_dots() -> None:
    machine = Machine("m", State("a", on={"GO": "#there"}), State("in context.", type="final", id="there"))

    assert "a: GO leads to in context. in context." in str(parsed(svg(machine)).findtext(f"{NAME}desc"))


def test_names_of_thousands_of_characters_are_visibly_shortened() -> None:
    long = "x" * 3000
    drawn = svg(Machine("m", State("a", on={f"E{long}": f"S{long}"}), State(f"S{long}", type="final")))

    assert f"S{long[:62]}…" in drawn
    assert f"E{long[:62]}…" in drawn
    assert long not in drawn


def test_the_present_state_has_a_thick_border_and_the_word() -> None:
    drawn = svg(INVOICE, INVOICE_TOOLS, frozenset({"invoice", "invoice.review"}))

    assert "review · present" in texts(drawn)
    assert len(classes(drawn, "present")) == 1
    assert classes(svg(INVOICE, INVOICE_TOOLS), "present") == []


def test_regions_history_and_final_states_differ_in_shape_and_in_words() -> None:
    drawn = svg(ORDER)

    assert len(classes(drawn, "region")) == 3
    assert len(classes(drawn, "second")) == 3
    assert {"running · parallel", "H*", "paid · final"} <= set(texts(drawn))


def test_it_is_made_for_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in svg(INVOICE)


def test_its_view_box_is_its_size() -> None:
    root = parsed(svg(ORDER, ORDER_TOOLS))

    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"


def test_arrow_heads_are_where_arrows_end() -> None:
    drawn = parsed(svg(INVOICE))

    heads = [each for each in drawn.iter(f"{NAME}path") if each.get("marker-end")]

    assert len(heads) == 6, "five transitions and the beginning"


def test_two_machines_in_one_page_share_no_ids() -> None:
    ids = [set(re.findall(r'id="([^"]+)"', svg(machine))) for machine in (INVOICE, ORDER)]

    assert ids[0].isdisjoint(ids[1])


def test_it_is_the_same_in_every_process() -> None:
    program = (
        "from tests.unit.core.machine.drawing.drawn_machines import ORDER, ORDER_TOOLS\n"
        "from handgriff.core.machine.drawing.svg import svg\n"
        "print(svg(ORDER, ORDER_TOOLS, frozenset(['order', 'order.open'])), end='')"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "src:.", "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
        ).stdout.decode()
        for seed in ("1", "2")
    }

    assert made == {svg(ORDER, ORDER_TOOLS, frozenset({"order", "order.open"}))}


@given(st.text(min_size=1), st.text(min_size=1))
def test_whatever_a_state_and_an_event_are_called_it_is_well_formed(name: str, event: str) -> None:
    try:
        machine = Machine.from_config({"id": name, "initial": name, "states": {name: {"on": {event: {"target": f"#{name}.{name}"}}}}})
    except DefinitionError:
        return

    parsed(svg(machine, [Tool(name, (machine.at(f"#{name}.{name}"),))]))
