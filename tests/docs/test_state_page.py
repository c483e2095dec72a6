"""docs/state.md: its examples run in the order they stand, its tables are those of the code, and what it says of two writers holds."""

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from handgriff import Assistant, Call, Caller, DefinitionError, Result, Toolbox
from handgriff.cli.app import app
from handgriff.core.call import Reading, State
from handgriff.core.events import CallOutcome
from handgriff.core.scope import parse_key
from handgriff.core.state import StateLimits
from handgriff.testing.harness import harness
from handgriff.testing.stores import StoreSuite
from handgriff.tool import ABSENT

PAGE = (Path(__file__).parents[2] / "docs" / "state.md").read_text(encoding="utf-8")
ADA = Caller("acme", "ada")
WORDS = "Use when: it is tested. Not for: anything else. Needs: nothing. Effect: as declared."
Work = Callable[[Any], Awaitable[object]]

pytestmark = pytest.mark.anyio


def names() -> dict[str, Any]:
    """What the page's examples define, run one after the other."""
    found: dict[str, Any] = {"__name__": "parcels"}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(block, found)  # noqa: S102  # the page's own text
    return found


def table(heading: str) -> list[list[str]]:
    """The rows of the table that begins with the column *heading*."""
    found = re.search(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
    assert found is not None
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in found[1].splitlines()]


def test_the_page_opens_with_what_belongs_where() -> None:
    headings = re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    places = " ".join(place for _, place in table("it is"))

    assert headings[0] == "What belongs where"
    for word in ("nothing", "`temp:name`", "call.scratch", "`name`", "`user:name`", "`app:name`", "database", "configuration", "workflow"):
        assert word in places


def test_every_operation_has_its_row_and_no_other() -> None:
    told = [name for cell, *_ in table("operation") for name in re.findall(r"`(\w+)\(", cell)]
    methods = [name for kind in (Reading, State) for name, member in vars(kind).items() if inspect.isfunction(member) and name[0] != "_"]

    assert sorted(told) == sorted(methods)


def test_the_bounds_are_the_default_ones() -> None:
    told = [int(number) * (1024 if unit else 1) for _, bound in table("bound") for number, unit in re.findall(r"(\d+)( KiB)?", bound)]
    defaults = StateLimits()

    assert told == [defaults.value_bytes, defaults.keys, defaults.scope_bytes, defaults.delta_bytes, defaults.scratch_bytes]
    assert len(told) == len(fields(StateLimits))


@pytest.mark.parametrize("key", ["user::x", "USER:x", "app:temp:x"])
def test_the_keys_it_says_are_refused_are(key: str) -> None:
    assert f"`{key}`" in PAGE
    with pytest.raises(DefinitionError):
        parse_key(key)
    assert parse_key("users:x").scope == "session"


def test_every_command_it_names_exists() -> None:
    groups = {
        group.name: [each.name for each in group.typer_instance.registered_commands]
        for group in app.registered_groups
        if group.typer_instance
    }
    single = [command.name for command in app.registered_commands]

    for cell, _ in table("command"):
        name, *rest = cell.replace("\\|", "|").strip("`").removeprefix("handgriff ").split()
        if name in groups:
            assert set(rest[0].split("|")) <= set(groups[name])
        else:
            assert name in single
    documented = " ".join(cell for cell, _ in table("command"))
    assert all(name in documented for group in ("state", "scratch") for name in groups[group] if name)


async def test_the_state_examples_run_as_shown() -> None:
    page = names()
    async with harness(page["assistant"], ADA, script=["Hello."]) as chat:
        first = await chat.host.call(ADA, "choose_carrier", {"carrier": "DHL"}, session=chat.session.id)
        again = await chat.host.call(ADA, "choose_carrier", {"carrier": "DPD"}, session=chat.session.id)
        assert first.shown.summary == "DHL instead of None, change 1."
        assert again.shown.summary == "DPD instead of DHL, change 2."
        await chat.say("Hello")

        told = chat.provider.requests[0].raw.decode()
        assert "Greet with Hello. {Braces} are doubled. The carrier: DPD." in told


async def test_the_session_example_runs_as_shown() -> None:
    page = names()
    async with harness(page["assistant"], ADA) as chat:
        assert await page["try_another_way"](chat.host, ADA) == "0 effects stay"


async def test_the_scratch_examples_run_as_shown() -> None:
    page = names()
    labels = Assistant("labels", instructions="You help.", toolboxes=[page["labels"]])
    async with harness(labels, ADA) as chat:

        async def call(tool: str, **arguments: Any) -> str | None:
            outcome = await chat.host.call(ADA, tool, arguments, session=chat.session.id)
            return outcome.code or outcome.shown.summary

        assert await call("relabel", direction="DHL->DPD") == "conflict"
        assert [await call("collect_code", code=code) for code in ("a", "b")] == ["1 codes.", "2 codes."]
        assert await call("relabel", direction="DHL->DPD") == "2 parcels relabelled, DHL->DPD."
        [record] = await chat.host.scratch.list("acme")
        assert {key: value.json() for key, value in record.values.items()} == {"last": "DHL->DPD"}


async def test_what_is_not_declared_is_refused_with_the_nearest_name() -> None:
    page = names()
    async with harness(page["assistant"], ADA) as chat:
        with pytest.raises(DefinitionError, match="did you mean 'user:changes'"):
            await chat.host.sessions.create(ADA, state={"user:change": 1})
        with pytest.raises(DefinitionError, match="carrier"):
            await chat.host.sessions.create(ADA, state={"carrier": "UPS"})


def test_a_context_that_names_what_it_may_not_is_refused() -> None:
    page = names()
    for context in ("{temp:page}", "{user:change}"):
        with pytest.raises(DefinitionError):
            Assistant("a", instructions="You help.", context=context, toolboxes=[], state=page["Kept"])


def test_the_class_for_ones_own_store_is_a_suite() -> None:
    suite = names()["TestMyStore"]

    assert issubclass(suite, StoreSuite)
    assert "store" in vars(suite)


def beside(effect: Any) -> tuple[Assistant, list[Work]]:
    """A tool in which one work is done, then another call's, before the first is committed."""
    box, works = Toolbox("two"), list[Work]()

    @box.tool(effect=effect, writes="state", description=WORDS)
    async def first(call: Call) -> Result[None]:
        await works.pop(0)(call)
        await works.pop(0)(call)
        return Result("First.")

    @box.tool(effect="write", description=WORDS)
    async def second(call: Call) -> Result[None]:
        await works.pop(0)(call)
        return Result("Second.")

    return Assistant("two", instructions="You test.", toolboxes=[box]), works


async def outcome_of(mine: Work, theirs: Work, begun: Any, *, effect: str = "write") -> tuple[CallOutcome, Any]:
    """How a call that does *mine* ends when *theirs* is committed before it, and what the key holds then."""
    made, works = beside(effect)
    async with harness(made, ADA) as chat:
        session = (await chat.host.sessions.create(ADA, state={"k": begun})).id

        async def meanwhile(call: Call) -> None:
            works.insert(0, theirs)
            assert (await chat.host.call(ADA, "second", {}, session=session)).code is None

        works += [mine, meanwhile]
        await chat.host.call(ADA, "first", {}, session=session)
        events = [event.body for event in await chat.host.sessions.events(ADA, session)]
        [ended] = [body for body in events if isinstance(body, CallOutcome) and body.tool == "first"]
        return ended, (await chat.host.sessions.state(ADA, session)).get("k", "absent")


@pytest.mark.parametrize(
    ("mine", "theirs", "begun", "left"),
    [
        pytest.param(lambda call: call.state.set("k", 1), lambda call: call.state.set("k", 2), 0, 1, id="set"),
        pytest.param(lambda call: call.state.delete("k"), lambda call: call.state.set("k", 2), 0, "absent", id="delete"),
        pytest.param(lambda call: call.state.increment("k", 1), lambda call: call.state.increment("k", 5), 10, 16, id="increment"),
        pytest.param(lambda call: call.state.append("k", "m"), lambda call: call.state.append("k", "t"), [], ["t", "m"], id="append"),
        pytest.param(lambda call: call.state.add("k", "x"), lambda call: call.state.add("k", "x"), [], ["x"], id="add"),
        pytest.param(lambda call: call.state.remove("k", 1), lambda call: call.state.remove("k", 2), [1, 2, 3], [3], id="remove"),
        pytest.param(
            lambda call: call.state.merge("k", {"a": None, "b": 1}),
            lambda call: call.state.merge("k", {"c": 2}),
            {"a": 0},
            {"c": 2, "b": 1},
            id="merge",
        ),
    ],
)
async def test_what_the_table_calls_no_conflict_loses_nothing(mine: Work, theirs: Work, begun: Any, left: Any) -> None:
    ended, holds = await outcome_of(mine, theirs, begun)

    assert (ended.code, ended.delta_dropped) == (None, None)
    assert holds == left


CONFLICTS = [
    pytest.param(lambda call: call.state.pop("k"), lambda call: call.state.append("k", "t"), ["x"], ["x", "t"], id="pop"),
    pytest.param(lambda call: call.state.compare_and_set("k", 0, 1), lambda call: call.state.set("k", 0), 0, 0, id="compare_and_set"),
    pytest.param(lambda call: call.state.append("k", 1), lambda call: call.state.set("k", "text"), [], "text", id="append to a text"),
]


@pytest.mark.parametrize(("mine", "theirs", "begun", "left"), CONFLICTS)
async def test_a_conflict_drops_what_a_write_wanted_to_remember_and_says_so(mine: Work, theirs: Work, begun: Any, left: Any) -> None:
    """A value that was put back counts as changed: versions are compared, not values."""
    ended, holds = await outcome_of(mine, theirs, begun)

    assert ended.code is None
    assert ended.delta_dropped is not None
    assert holds == left


@pytest.mark.parametrize(("mine", "theirs", "begun", "left"), CONFLICTS)
async def test_a_read_that_conflicts_ends_as_conflict(mine: Work, theirs: Work, begun: Any, left: Any) -> None:
    ended, holds = await outcome_of(mine, theirs, begun, effect="read")

    assert ended.code == "conflict"
    assert holds == left


async def test_nothing_is_there_is_an_expectation_too() -> None:
    ended, holds = await outcome_of(
        lambda call: call.state.compare_and_set("other", ABSENT, 1), lambda call: call.state.set("other", 2), 0, effect="read"
    )

    assert ended.code == "conflict"
    assert holds == 0
