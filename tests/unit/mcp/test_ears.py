"""Who listens: one bus for each principal, as long as one stream is open."""

import pytest
from mcp.server.subscriptions import ToolsListChanged
from mcp.shared.exceptions import MCPError

from handgriff.mcp import ears as module
from handgriff.mcp.ears import Ears

pytestmark = pytest.mark.anyio
ADA, BEN, NAMESAKE = ("acme", "ada"), ("acme", "ben"), ("globex", "ada")


async def test_only_their_own_bus_tells_a_principal() -> None:
    ears, heard = Ears(), []
    with ears.lent(ADA) as ada, ears.lent(BEN) as ben, ears.lent(NAMESAKE) as namesake:
        for ear in (ada, ben, namesake):
            ear.bus.subscribe(lambda event, who=ear.principal: heard.append((who, event)))  # type: ignore[misc]  # mypy can't infer a default
        await ben.tell()

        assert heard == [(BEN, ToolsListChanged())]


async def test_all_streams_of_one_principal_share_an_ear_that_ends_with_the_last() -> None:
    ears = Ears()
    with ears.lent(ADA) as first:
        with ears.lent(ADA) as second:
            assert first is second
        assert ears.of(ADA) is first
        assert ears.within_reach("acme") == ears.within_reach(None) == (first,)
        assert ears.within_reach("globex") == ()
    assert ears.of(ADA) is None


async def test_there_is_a_bound_for_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STREAMS", 2)
    ears = Ears()
    with ears.lent(ADA), ears.lent(BEN), pytest.raises(MCPError, match="limit"), ears.lent(NAMESAKE):
        raise AssertionError("it is lent")

    with ears.lent(NAMESAKE) as ear:
        assert ear.streams == 1
