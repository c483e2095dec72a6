"""The handlers: lists, calls, and who listens. Each asks first who it is, then the host; nothing is decided here.

Below are the host and the SDK's server; above, whatever carries the messages. On the revisions with sessions the list varies with the
session's workflows; on those without it is constant, and results and refusals tell the state.
"""

from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)

from handgriff.core import jsontext
from handgriff.core.contract import Contract
from handgriff.core.outcome import Outcome
from handgriff.host.host import Host
from handgriff.mcp.asking import Ask, Asking, Context, has_sessions
from handgriff.mcp.results import LOG, failed, result_of
from handgriff.mcp.seats import Seat
from handgriff.mcp.server import INSTRUCTIONS, Declaring, masked, own_version
from handgriff.mcp.tools import Shelf
from handgriff.mcp.watch import Watch

NAME_CHARACTERS = 65
"""One more than a tool's name may have; the rest of a longer one tells nobody anything."""


class Face:
    """One host as an MCP server; `ask` says of each request who asks."""

    def __init__(self, host: Host, ask: Ask) -> None:
        self.watch = Watch(host)
        self._host = host
        self._ask = ask
        self._shelf = Shelf(host.assistant.contracts.values())

    def server(self) -> Server[dict[str, Any]]:
        """The SDK's server of this face."""
        return Declaring(
            self._host.assistant.name,
            version=own_version(),
            instructions=INSTRUCTIONS,
            lifespan=self.watch.running,
            get_tool_input_schema=self._shelf.mirrored,
            on_list_tools=masked(self.list_tools),
            on_call_tool=masked(self.call_tool),
            on_subscriptions_listen=masked(self.listen),
        )

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        """`tools/list`."""
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "The list has one page.")
        asking = await self._ask(ctx)
        locale = asking.caller.locale
        if has_sessions(ctx):
            offered = await self.watch.listed(asking, await self.watch.take_seat(asking, ctx))
            tools = [self._shelf.tool(each.contract, each.description, locale) for each in offered]
        else:
            tools = [self._shelf.tool(each, each.description.text, locale) for each in await self._host.menu(asking.caller)]
        return ListToolsResult(tools=tools, ttl_ms=0, cache_scope="private")

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        """`tools/call`. The list is compared before its result is answered, so that a client hears of the change first."""
        try:
            asking = await self._ask(ctx)
            seat = await self.watch.take_seat(asking, ctx) if has_sessions(ctx) else None
            outcome = await self._called(asking, seat, params)
        except Exception as error:  # noqa: BLE001  # a model can mend only what it reads; what is no refusal is logged there
            return result_of(failed(error))
        await self._tell(ctx, asking, seat, outcome, params.name)
        return result_of(outcome)

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """`subscriptions/listen`: one stream, which hears of this principal's list alone."""
        async with self.watch.listening(await self._ask(ctx)) as ear:
            return await ear.stream(ctx, params)

    async def _called(self, asking: Asking, seat: Seat | None, params: CallToolRequestParams) -> Outcome:
        if seat is not None and seat.last.shown is None:
            # What this client knows of the list it knows from elsewhere; it is compared with what is open before the call.
            await self.watch.listed(asking, seat)
        session = await self._host.sessions.open(asking.caller, asking.alias)
        name = jsontext.clean(params.name)[:NAME_CHARACTERS]
        return await self._host.call(asking.caller, name, params.arguments or {}, session=session.id, typed=False)

    async def _tell(self, ctx: Context, asking: Asking, seat: Seat | None, outcome: Outcome, tool: str) -> None:
        """Tell whose list has changed. The call has its outcome already, so nothing here may lose it."""
        has_changed = _may_have_changed(outcome, self._host.assistant.contract(tool))
        try:
            if seat is not None:
                await self.watch.called(asking, seat, ctx)
            elif has_changed:
                await self.watch.heard(asking.principal)
        except Exception:  # noqa: BLE001  # a backend may raise anything; it is logged
            LOG.exception("whether a list has changed could not be found out")
        if has_changed:
            self.watch.stir(outcome, asking.caller.tenant)


def _may_have_changed(outcome: Outcome, contract: Contract | None) -> bool:
    """Whether a call can have changed anybody's list."""
    return contract is not None and contract.is_barrier and not outcome.replayed and outcome.code in (None, "indeterminate")
