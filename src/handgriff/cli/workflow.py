"""`workflow check|draw|show`, beside `ls|move`: what is wrong with machines, how they look, and where a caller's instances stand.

Checking and drawing open nothing but TARGET's module; where an instance stands is asked of the host.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from handgriff.cli import stored
from handgriff.cli.faults import DONE, REFUSED, WrongUse
from handgriff.cli.given import Given, command
from handgriff.cli.instances import instances
from handgriff.cli.opening import staged
from handgriff.cli.output import print_fields, print_json
from handgriff.cli.standing import instance_record, print_instances
from handgriff.cli.target import find_target
from handgriff.core.gating_checks import tools_of
from handgriff.core.jsontext import Json
from handgriff.core.machine.checks import findings
from handgriff.core.machine.drawing.mermaid import mermaid
from handgriff.core.machine.drawing.svg import svg
from handgriff.core.machine.machine import Machine
from handgriff.errors import DefinitionError
from handgriff.runtime.assistant import Assistant

_Session = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The session whose own instances are meant.", show_default=False)
]
_Handle = Annotated[str | None, typer.Option("--handle", metavar="HANDLE", help="The handle of an instance.", show_default=False)]
_Machine = Annotated[str | None, typer.Option("--machine", metavar="ID", help="The machine, where there are several.", show_default=False)]
_Format = Annotated[Literal["mermaid", "svg"], typer.Option("--format", help="Text for Mermaid, or a picture.")]
_Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it there.", show_default=False)]


def check(given: Given) -> int:
    """Check an assistant's machines and bindings: states nothing leads to, dead ends, endless circles, events that no state takes, promises
    that don't hold. Exit code 1 where something is found."""
    try:
        assistant = _assistant(given)
    except DefinitionError as error:
        return _print_findings(given, [_finding(error.subject, error.member, _problem(error), error.mend)], 0, 0)
    found: list[dict[str, Json]] = []
    bound = [contract for contract in assistant.contracts.values() if contract.is_bound]
    for machine in assistant.machines.values():
        found += [_finding(machine.id, each.where, each.problem, each.mend) for each in findings(machine, tools_of(machine, bound))]
    return _print_findings(given, found, len(assistant.machines), len(bound))


async def draw(
    given: Given,
    *,
    form: _Format = "mermaid",
    machine: _Machine = None,
    out: _Out = None,
    session: _Session = None,
    handle: _Handle = None,
) -> int:
    """Draw a machine with the tools that are bound to its states. With --session or --handle the present state is marked."""
    if session is None and handle is None:
        text, drawn = _drawing(_assistant(given), machine, form, None)
    else:
        async with staged(given) as stage:
            found = {each.machine.id: each for each in await instances(stage, session, handle)}
            one = _one(stage.host.assistant, machine)
            text, drawn = _drawing(stage.host.assistant, one.id, form, found[one.id].active if one.id in found else None)
    if out is not None:
        _write(out, text)
    if given.as_json:
        print_json({"machine": drawn.id, "format": form, **({"text": text} if out is None else {"file": str(out)})})
    elif out is None:
        typer.echo(text, nl=False)
    else:
        print_fields([("machine", drawn.id), ("written", str(out))])
    return DONE


async def show(given: Given, *, session: _Session = None, handle: _Handle = None) -> int:
    """Show where a caller's workflows stand, which of their tools are open, and which call holds one: those of a session, that of a handle,
    or without either those of the session of this caller's calls, and all they have a handle of. Exit code 1 where one can't go on."""
    async with staged(given) as stage:
        found = await instances(stage, session, handle)
    if given.as_json:
        print_json([instance_record(each) for each in found])
    else:
        print_instances(given, found)
    return REFUSED if any(each.stale for each in found) else DONE


def attach(app: typer.Typer) -> None:
    """Make them commands of *app*."""
    command(app, "check", "handgriff workflow check shop:assistant", "handgriff workflow check shop:host --json")(check)
    command(
        app,
        "draw",
        "handgriff workflow draw shop:assistant --format svg --out order.svg",
        "handgriff workflow draw shop:host --machine order --session s_17 --as acme/ada",
    )(draw)
    command(
        app, "show", "handgriff workflow show shop:host --as acme/ada", "handgriff workflow show shop:host --session s_17 --as acme/ada"
    )(show)
    stored.attach(app)


def _assistant(given: Given) -> Assistant:
    target = find_target(given.target)
    return target if isinstance(target, Assistant) else target.assistant


def _one(assistant: Assistant, name: str | None) -> Machine:
    """The machine that is meant.

    Raises:
        WrongUse: there is none, or nobody knows which.
    """
    machines = assistant.machines
    if name is not None and name in machines:
        return machines[name]
    known = ", ".join(machines) or "none"
    if name is not None:
        raise WrongUse(f"--machine {name!r}: no tool is bound to such a machine. There are {known}.")
    if len(machines) != 1:
        raise WrongUse(f"Say which machine with --machine. There are {known}." if machines else "No tool is bound to a machine.")
    return next(iter(machines.values()))


def _drawing(assistant: Assistant, name: str | None, form: str, present: frozenset[str] | None) -> tuple[str, Machine]:
    machine = _one(assistant, name)
    draws = svg if form == "svg" else mermaid
    return draws(machine, assistant.contracts.values(), present), machine


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUse(f"--out {str(file)!r} can't be written: {error.strerror}.") from error


def _finding(subject: str, where: str, problem: str, mend: str) -> dict[str, Json]:
    return {"subject": subject, "where": where, "problem": problem, "mend": mend}


def _problem(error: DefinitionError) -> str:
    return str(error).removeprefix(f"{error.subject!r}, {error.member}: ").removesuffix(f" Mend: {error.mend}")


def _print_findings(given: Given, found: Sequence[Mapping[str, Json]], machines: int, tools: int) -> int:
    if given.as_json:
        print_json({"machines": machines, "tools": tools, "findings": list(found)})
    elif found:
        print_fields((f"{each['subject']}, {each['where']}", f"{each['problem']} Mend: {each['mend']}") for each in found)
    else:
        print_fields([(f"{_count(machines, 'machine')}, {_count(tools, 'bound tool')}", "no findings")])
    return REFUSED if found else DONE


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
