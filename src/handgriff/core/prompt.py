"""What stands before the conversation: the shared part, equal for everyone with the same tools, and the session's frozen context."""

from collections.abc import Callable

from handgriff.core import jsontext
from handgriff.core.contract import Contract
from handgriff.core.envelope import RULE
from handgriff.core.message import ToolFace
from handgriff.core.schema.dialects import Shown
from handgriff.core.schema.form import Schema


def face(contract: Contract, dialect: Callable[[Schema], Shown]) -> ToolFace:
    """The tool as a provider is shown it. What the dialect could not express is said in the description."""
    spoken = dialect(contract.schema)
    return ToolFace(contract.name, "\n".join((contract.description.text, *spoken.notes)), spoken.text)


def shared_instructions(instructions: str, capabilities: str | None) -> str:
    """The shared system text: nothing in it depends on tenant, user, time or process."""
    return "\n\n".join(part for part in (instructions.strip(), RULE, (capabilities or "").strip()) if part)


def session_context(context: str, nonce: str) -> str:
    """The session's own system text, frozen when it begins."""
    mark = f"The mark of untrusted content in this session is {nonce}."
    return "\n\n".join(part for part in (jsontext.clean(context.strip()), mark) if part)


def prefix_hash(prefix: str) -> str:
    """The name a prefix is kept under."""
    return jsontext.digest(prefix)
