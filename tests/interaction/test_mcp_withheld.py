"""Whoever shows a token that grants less than they may is told of a change of the list that they see, whenever their stream was opened."""

from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from handgriff import Assistant, Caller, Result, Toolbox
from handgriff.mcp.asking import Asking
from handgriff.mcp.watch import Watch
from handgriff.testing.harness import harness
from tests.interaction.desk import WORDS

pytestmark = pytest.mark.anyio

TOKEN = Caller("acme", "ada")
ALIAS = "mcp:session:1"


class People:
    """Ada alone, whose rights of today change."""

    def __init__(self) -> None:
        self.permissions = {"secrets"}

    async def __call__(self, tenant: str, user: str) -> Caller | None:
        return Caller(tenant, user, permissions=self.permissions)


class Client:
    """In place of the SDK's session: how often it was told unasked."""

    def __init__(self) -> None:
        self.told = 0

    async def send_tool_list_changed(self) -> None:
        """Count it."""
        self.told += 1


def assistant(people: People) -> Assistant:
    """One tool for everybody, one for who may see secrets, and one that is offered while there are audits."""
    box = Toolbox("office")

    @box.tool(effect="read", description=WORDS, requires="secrets")
    def secret() -> Result[None]:
        return Result("Seen.")

    @box.tool(effect="read", description=WORDS, requires=lambda caller: "audits" in people.permissions)
    def audit() -> Result[None]:
        return Result("Seen.")

    @box.tool(effect="read", description=WORDS)
    def look() -> Result[None]:
        return Result("Seen.")

    return Assistant("office", instructions="Help.", toolboxes=[box])


@pytest.mark.parametrize("opened", ["before", "behind"])
async def test_nobody_is_told_of_a_list_that_their_token_does_not_show(opened: str) -> None:
    people, client = People(), Client()
    asking, context = Asking(TOKEN, ALIAS), cast("Any", SimpleNamespace(session=client))
    async with harness(assistant(people), TOKEN, callers=people) as chat:
        watch = Watch(chat.host)
        somebodys = await chat.host.call(TOKEN, "look", {}, session=chat.session.id)
        async with watch.running(None):
            seat = await watch.take_seat(asking, context)
            if opened == "behind":
                await watch.listed(asking, seat)
            with watch.seats.streaming(asking.principal, ALIAS, 0):
                if opened == "before":
                    await watch.listed(asking, seat)
                watch.stir(somebodys, "acme")
                await anyio.wait_all_tasks_blocked()
                assert client.told == 0

                people.permissions = {"secrets", "audits"}
                watch.stir(somebodys, "acme")
                await anyio.wait_all_tasks_blocked()
                assert client.told == 1
