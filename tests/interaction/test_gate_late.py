"""What a call has moved or begun whose outcome was known late: the model is told with the next message, the handle too."""

import json
from typing import Any

import pytest

from handgriff import Result
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio


def lost() -> Result[None]:
    raise ConnectionError("the line is cut")


def said(request: Any) -> str:
    """The newest message, without the escapes of its JSON."""
    return json.dumps(request.body["messages"][-1]).replace("\\", "")


async def test_the_handle_of_what_has_begun_is_told_with_the_next_message() -> None:
    office = Office(instead={"begin 34": lost})
    machine = office.machine(instance="handle")
    script = [ToolUse("begin", {}), "Unclear.", "Ah."]
    async with harness(office.assistant(machine), ADA, callers=everybody, script=script) as chat:
        await chat.say("Begin.")
        [effect] = await chat.host.effects.list("acme")
        await chat.host.effects.resolve("acme", "begin", effect.key, "done", by="ops")
        await chat.say("And?")

        [row] = await chat.host.workflows.list("acme")
        told = said(chat.provider.requests[-1])
        assert "A call whose outcome had been unknown has ended" in told
        assert f'"paper":"{row.handle}"' in told.replace(" ", "")
        assert (await chat.host.call(ADA, "submit", {"paper": row.handle})).code is None


async def test_where_a_session_s_own_now_stands_is_told_with_the_next_message() -> None:
    office = Office(instead={"submit": lost})
    script = [ToolUse("submit", {}), "Unclear.", "Ah."]
    async with harness(office.assistant(), ADA, callers=everybody, script=script) as chat:
        await chat.say("Submit.")
        [effect] = await chat.host.effects.list("acme")
        await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="ops")
        await chat.say("And?")

        told = said(chat.provider.requests[-1])
        assert "'review'" in told
        assert chat.session.id not in told
