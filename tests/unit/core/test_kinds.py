"""A kind that is demanded under another spelling than it is introduced would never be seen."""

from typing import Annotated

import pytest

from handgriff import DefinitionError, Known, Result, Toolbox
from handgriff.core.kinds import check_kinds

WORDS = "Use when: a. Not for: b. Needs: c. Effect: d."


def box(demanded: str) -> Toolbox:
    made = Toolbox("shop")

    @made.tool(effect="read", description=WORDS)
    async def orders() -> Result[list[Annotated[str, Known("order")]]]:
        return Result("None.")

    async def show(order: str) -> Result[None]:
        return Result(order)

    show.__annotations__["order"] = Annotated[str, Known(demanded)]
    made.tool(effect="read", description=WORDS)(show)
    return made


@pytest.mark.parametrize("demanded", ["ordr", "orders", "Order"])
def test_a_kind_that_looks_like_an_introduced_one_is_refused(demanded: str) -> None:
    with pytest.raises(DefinitionError, match=r"write Known\('order'\)"):
        check_kinds(box(demanded).contracts())


@pytest.mark.parametrize("demanded", ["order", "postcode"])
def test_a_kind_that_is_introduced_or_that_people_type_is_fine(demanded: str) -> None:
    check_kinds(box(demanded).contracts())
