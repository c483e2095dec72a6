"""The way to a person. Once a conversation was handed over, none of the shop's tools can be used in it."""

from typing import Annotated, Any

from pydantic import Field

from handgriff import Call, Refusal, Result, Toolbox

desk = Toolbox("desk")

TRANSFERRED = "transferred"
"""Session state: this conversation belongs to a person now."""

Summary = Annotated[
    str,
    Field(
        min_length=1, max_length=4000, description="What the shopper wants and why no tool does it, e.g. 'Wants to undo a cancellation.'"
    ),
]


@desk.tool(effect="write", title="Hand over to a person", core=True)
async def transfer_to_human_agents(summary: Summary, call: Call[object]) -> Result[None]:
    """Use when: the shopper asks for a person, or wants what no tool here can do. Not for: anything a tool can do.
    Needs: a summary of the conversation. Effect: hands over the conversation to a person and ends it here.
    """
    await call.state.set(TRANSFERRED, True)  # noqa: FBT003  # a value, not an option
    return Result("The conversation was handed over to a person, who will answer soon.")


async def still_here(tool: str, args: Any, call: Call[object]) -> None:  # a hook sees every tool's arguments
    """Refuse every call of a conversation that was handed over."""
    if await call.state.get(TRANSFERRED):
        raise Refusal(
            "closed",
            "This conversation was handed over to a person, so nothing more is done here.",
            next="Tell the shopper that a person will answer.",
            state="handed over",
        )
