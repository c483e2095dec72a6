"""Where workflows stand, in words and in JSON: `workflow show`.

Below are the instances as they were found; above, the commands on workflows.
"""

from collections.abc import Sequence

from handgriff.cli.given import Given
from handgriff.cli.instances import Held, Instance, event_of
from handgriff.cli.output import moment, print_fields, print_table
from handgriff.core.jsontext import Json
from handgriff.core.machine.plain import brief
from handgriff.core.rows import Workflow


def print_instances(given: Given, found: Sequence[Instance]) -> None:
    """What people read of them."""
    rows = [
        (
            each.machine.id,
            each.handle or "",
            brief(each.state or "said by a call's arguments"),
            "" if each.held is None else holder(each.held.row),
        )
        for each in found
    ]
    print_table(("MACHINE", "HANDLE", "STATE", "HELD BY"), rows)
    print_table(
        ("TOOL", "MACHINE", "NOW", "FIRES"),
        [(tool.name, each.machine.id, now, event_of(tool, each.machine)) for each in found for tool, now in each.tools],
    )
    for each in found:
        if each.held is not None:
            print_fields([(f"{_name(each)} is held", _told(given, each.held))])
        if each.stale is not None:
            print_fields(
                [
                    (f"{_name(each)} can't go on", "its machine has changed since, and nothing says how to go on"),
                    ("  stored state", brief(each.state or "")),
                    ("  stored hash", each.stale.hash),
                    ("  hash now", each.machine.hash),
                    ("  to go on", f'migrations={{"{each.stale.hash}": lambda snapshot: …}} where the machine {each.machine.id!r} is made'),
                ]
            )


def instance_record(found: Instance) -> dict[str, Json]:
    """An instance as JSON."""
    tools: Json = [{"name": tool.name, "now": now, "fires": event_of(tool, found.machine) or None} for tool, now in found.tools]
    claim = None if found.held is None else _claim(found.held)
    stale: Json = None if found.stale is None else {"hash": found.stale.hash, "migrate": f"migrations[{found.stale.hash!r}]"}
    return {
        "machine": found.machine.id,
        "hash": found.machine.hash,
        "handle": found.handle,
        "state": found.state,
        "stored": stale,
        "claim": claim,
        "tools": tools,
    }


def holder(row: Workflow | None) -> str:
    """The call that holds an instance, by its effect's tool and key."""
    return "" if row is None or row.claim is None else f"{row.tool} {row.key}"


def _claim(held: Held) -> Json:
    effect = held.effect
    return {
        "tool": held.row.tool,
        "key": held.row.key,
        "call": None if effect is None else effect.call,
        "state": None if effect is None else effect.state,
        "until": None if effect is None else effect.lease_until.isoformat(),
        "is_running": held.is_running,
    }


def _told(given: Given, held: Held) -> str:
    who = f"by {held.row.tool}, key {held.row.key}"
    if held.effect is None:
        return f"{who}, of which there is no record"
    who += f", call {held.effect.call}"
    if held.is_running:
        return f"{who}, until {moment(held.effect.lease_until)} at most"
    command = f"handgriff effects resolve {given.again(held.effect.tool, held.effect.key)} done|failed"
    return f"{who}, and nobody knows what became of it: {command}"


def _name(found: Instance) -> str:
    return found.machine.id if found.handle is None else f"{found.machine.id} {found.handle}"
