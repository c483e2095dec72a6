"""A session keeps its lane for life: a deploy with other settings changes new sessions only (specification 8.2)."""

from pathlib import Path

import pytest

from handgriff import Assistant, Caller, Host, Lane, Toolbox
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.testing.harness import PRICES
from handgriff.testing.loopback.provider import LoopbackProvider
from tests.interaction.desk import ADA

pytestmark = pytest.mark.anyio


async def test_a_deploy_with_another_model_and_other_settings_leaves_live_sessions_as_they_were(tmp_path: Path) -> None:
    async with LoopbackProvider(["One.", "Two.", "Three."]) as provider:
        old = await said(tmp_path, provider, Lane("anthropic:claude-sonnet-5", max_tokens=1000, parallel=True), None)
        new = Lane("anthropic:claude-haiku-5", max_tokens=2000, parallel=False)
        await said(tmp_path, provider, new, old)
        await said(tmp_path, provider, new, None)

        settings = [(each.body["model"], each.body["max_tokens"], each.body.get("tool_choice")) for each in provider.requests]
        assert settings[0] == settings[1]
        assert settings[2][:2] == ("claude-haiku-5", 2000)


async def said(folder: Path, provider: LoopbackProvider, lane: Lane, session: str | None) -> str:
    """One message in a process that was deployed with *lane*."""
    assistant = Assistant("desk", instructions="You help.", toolboxes=[Toolbox("none")], lanes={"standard": lane})
    model = AnthropicModel(api_key=provider.api_key, base_url=provider.url)
    async with Host(assistant, store=f"sqlite:///{folder / 'x.db'}", callers=_ada, models=[model], prices=PRICES) as host:
        found = session or (await host.sessions.create(ADA)).id
        async for _ in host.turn(ADA, found, "Hello"):
            pass
    await model.close()
    return found


async def _ada(tenant: str, user: str) -> Caller:
    return ADA
