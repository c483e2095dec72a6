"""What checks answer: a refusal says no whether it is raised or returned, and what means neither yes nor no lets nobody through."""

from collections.abc import Callable
from typing import Any

import pytest

from handgriff import Refusal, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.testing.harness import harness
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio
MEMBERS = ("validate", "before_call")


async def paid(member: str, answer: Callable[[], object]) -> tuple[Outcome, list[int]]:
    """How a payment ends whose *member* answers this, and what was paid."""
    box, ran = Toolbox("till"), list[int]()

    @box.tool(effect="write", description=WORDS)
    async def pay(cents: int) -> Result[None]:
        ran.append(cents)
        return Result("Paid.")

    async def check(*_asked: Any) -> Any:
        return answer()

    getattr(pay, member)(check)
    async with harness(assistant(box), ADA) as chat:
        return await chat.host.call(ADA, "pay", {"cents": 1}), ran


@pytest.mark.parametrize("member", [*MEMBERS, "authorize"])
async def test_a_refusal_that_is_returned_refuses_like_one_that_is_raised(member: str) -> None:
    outcome, ran = await paid(member, lambda: Refusal("conflict", "The till is shut."))

    assert (outcome.code, ran) == ("conflict", [])
    assert "The till is shut." in outcome.text


@pytest.mark.parametrize("answer", [False, 0, 1, "", "no", (), object], ids=["false", "0", "1", "empty", "text", "tuple", "a class"])
@pytest.mark.parametrize("member", MEMBERS)
async def test_an_answer_that_is_neither_yes_nor_no_runs_nothing_and_is_told_in_the_log(
    member: str, answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    outcome, ran = await paid(member, lambda: answer)

    assert (outcome.code, ran) == ("permanent", [])
    assert f"'pay', {member}: it answered {type(answer).__name__}" in caplog.text


@pytest.mark.parametrize("answer", [None, True], ids=["nothing", "true"])
@pytest.mark.parametrize("member", MEMBERS)
async def test_nothing_and_true_let_the_call_go_on(member: str, answer: object) -> None:
    outcome, ran = await paid(member, lambda: answer)

    assert (outcome.code, ran) == (None, [1])
