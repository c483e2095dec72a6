"""What the host is given wrongly is said at once, and nothing is written of it."""

from typing import Any

import pytest

from handgriff import Assistant, DefinitionError, Host, Refusal
from handgriff.testing.harness import harness
from tests.interaction.desk import ADA, assistant, everybody

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("member", ["store", "scratch"])
def test_what_is_no_store_is_refused_when_the_host_is_built(member: str) -> None:
    given: dict[str, Any] = {member: 5}

    with pytest.raises(DefinitionError, match=f"'Host', {member}"):
        Host(assistant(), callers=everybody, model="scripted:test", **given)


@pytest.mark.parametrize("member", ["instructions", "context"])
def test_a_text_that_is_none_is_refused_when_the_assistant_is_built(member: str) -> None:
    given: dict[str, Any] = {"instructions": "You test.", member: 5}

    with pytest.raises(DefinitionError, match=member):
        Assistant("desk", toolboxes=[], **given)


async def test_a_name_that_can_not_be_stored_is_invalid_and_leaves_the_session_whole() -> None:
    wrong: Any = 5
    async with harness(assistant(), ADA) as chat:
        host, session = chat.host, chat.session.id
        for attempt in (
            lambda: host.state.set("acme", session, "k", 1, by=wrong),
            lambda: host.sessions.create(ADA, title="\ud800"),
            lambda: host.sessions.fork(ADA, session, title=wrong),
            lambda: host.erase(wrong),
        ):
            with pytest.raises(Refusal) as refused:
                await attempt()
            assert refused.value.code == "invalid"
        with pytest.raises(DefinitionError, match="timedelta"):
            await host.collect(idle=wrong)

        assert len(await chat.events()) == 1
