"""docs/consent.md: its examples run in the order they stand, its states are all there are, and its numbers are the code's."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest

from handgriff import Assistant, Caller, Limits
from handgriff.core.events import ProposalState
from handgriff.runtime.boundary import codes, effect, truth
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.testing.mailbox import Mailbox

PAGE = (Path(__file__).parents[2] / "docs" / "consent.md").read_text(encoding="utf-8")
ADA = Caller("acme", "ada", permissions={"refunds.make"})
BOB = Caller("acme", "bob", permissions={"refunds.make"})

pytestmark = pytest.mark.anyio


def names() -> dict[str, Any]:
    """What the page's examples define, run one after the other."""
    found: dict[str, Any] = {"__name__": "refunds"}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(block, found)  # noqa: S102  # the page's own text
    return found


async def everybody(tenant: str, user: str) -> Caller | None:
    return {"ada": ADA, "bob": BOB}.get(user)


def test_the_states_are_all_there_are() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ", PAGE, flags=re.MULTILINE)

    assert sorted(rows) == sorted(get_args(ProposalState))


def test_the_numbers_are_those_of_the_code() -> None:
    assert codes.TRIES == 5
    assert "good for five tries in all" in PAGE
    assert (codes.SENDS, codes.WINDOW.total_seconds()) == (5, 15 * 60)
    assert "at most five are sent to one user in 15 minutes" in PAGE
    assert codes.DIGITS == 6
    assert "six digits" in PAGE
    assert Limits().proposal_seconds == 10 * 60
    assert "in time (10 minutes" in PAGE
    assert effect.LEASE_MARGIN.total_seconds() == 30
    assert "time-out and\n30 seconds" in PAGE
    assert truth.REST_SECONDS == 60
    assert "at most once a minute" in PAGE


@pytest.mark.parametrize(
    ("payment", "cents", "confirm"), [("p_1", 5_000, "person"), ("p_2", 50_000, "code"), ("p_2", 200_000, "second_person")]
)
async def test_the_refund_is_confirmed_as_the_page_says(payment: str, cents: int, confirm: str) -> None:
    found, mailbox = names(), Mailbox()
    assistant = Assistant("shop", instructions="You refund.", toolboxes=[found["refunds"]])
    script = [ToolUse("refund", {"payment": payment, "cents": cents}), "Refunded."]
    before = found["PAYMENTS"][payment]
    async with harness(assistant, ADA, script=script, codes=mailbox, callers=everybody) as chat:
        [card] = (await chat.say("Refund it.")).parked
        assert (card.confirm, found["PAYMENTS"][payment]) == (confirm, before)

        decided = await _decided(chat, card.proposal, confirm, mailbox)

        assert (decided, found["PAYMENTS"][payment]) == ("done", before - cents)


async def _decided(chat: Harness, proposal: str, confirm: str, mailbox: Mailbox) -> str:
    decider = BOB if confirm == "second_person" else ADA
    code = mailbox.code("ada") if confirm == "code" else None
    return (await chat.host.proposals.decide(decider, proposal, approved=True, code=code)).proposal.state


async def test_the_credit_is_in_the_same_database(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE credit (customer TEXT, cents INTEGER, key TEXT)")
        connection.commit()
    found = names()
    script = [ToolUse("give_credit", {"customer": "c_1", "cents": 500}), "Given."]
    async with harness(found["assistant"], ADA, script=script, store=f"sqlite:///{path}", codes=Mailbox()) as chat:
        await chat.say("Give it.")
        [record] = await chat.host.effects.list("acme")

    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT customer, cents, key FROM credit").fetchall()
    assert rows == [("c_1", 500, record.key)]
    assert record.state == "done"
