"""What an empty list means is the same everywhere: nothing. Case B040."""

import itertools

import pytest

from handgriff import Assistant, Caller, DefinitionError, Machine, Result, Toolbox
from handgriff.machine import State
from handgriff.testing.harness import harness
from handgriff.tool import Module
from tests.interaction.desk import WORDS

pytestmark = pytest.mark.anyio
MACHINE = Machine("order", State("open", type="final"), "elsewhere", state_of=lambda call: "open")
LAYERS = {"[]": frozenset[str](), "['*']": frozenset({"*"}), "['refund*']": frozenset({"refund*"}), "['refund']": frozenset({"refund"})}


def tools() -> Assistant:
    box = Toolbox("shop", requires=Module("refund"))

    @box.tool(effect="write", requires="refund", at=MACHINE.at("open"), description=WORDS)
    async def refund_order() -> Result[None]:
        return Result("Refunded.")

    return Assistant("shop", instructions="Help.", toolboxes=[box])


@pytest.mark.parametrize(("tenant", "user"), list(itertools.product(LAYERS, LAYERS)))
async def test_only_where_every_layer_names_it_a_tool_is_there(tenant: str, user: str) -> None:
    caller = Caller("acme", "ada", permissions=LAYERS[user], modules=LAYERS[tenant])
    async with harness(tools(), caller) as chat:
        is_open = tenant == user == "['refund']"

        assert [tool.name for tool in await chat.host.menu(caller)] == (["refund_order"] if is_open else [])
        assert (await chat.host.call(caller, "refund_order", {})).code == (None if is_open else "not_found")


async def test_an_unknown_caller_has_nothing() -> None:
    caller = Caller("acme", "ada", permissions={"refund"}, modules={"refund"})
    async with harness(tools(), caller) as chat:
        assert (await chat.host.call(Caller("acme", "nobody"), "refund_order", {})).code == "not_found"


@pytest.mark.parametrize("empty", [[], ()], ids=["a list", "a tuple"])
def test_an_empty_binding_is_neither_nowhere_nor_everywhere(empty: list[object]) -> None:
    box = Toolbox("shop")

    @box.tool(effect="write", at=empty, description=WORDS)  # type: ignore[arg-type]  # what an author may write
    async def refund() -> Result[None]:
        return Result("Refunded.")

    with pytest.raises(DefinitionError, match="empty"):
        Assistant("shop", instructions="Help.", toolboxes=[box])


@pytest.mark.parametrize("make", ["at", "tagged"])
def test_a_binding_to_no_state_is_refused(make: str) -> None:
    with pytest.raises(DefinitionError, match="names no"):
        getattr(MACHINE, make)()
