"""The command `handgriff`: its groups, and the streams it talks on.

Below are the commands, each in its module, which attach themselves here by being imported in order; above is the shell.
"""

import io
import sys

import typer

from handgriff.cli import call, chat, effects, history, mcp, menu, proposals, scratch, serve, sessions, state, upkeep, workflow

app = typer.Typer(
    name="handgriff",
    help="Serve, try and operate an assistant. Exit codes: 0 done, 1 refused or failed, 2 wrong use.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for attach in (serve, mcp, chat, call, menu, upkeep):
    attach.attach(app)
for modules, name, summary in (
    ((sessions, history), "sessions", "A caller's conversations."),
    ((proposals,), "proposals", "Planned calls that wait for a person."),
    ((effects,), "effects", "The traces of calls that changed the world, for the operator."),
    ((state,), "state", "What a session remembers, for the operator."),
    ((scratch,), "scratch", "What tools have noted for a while, for the operator."),
    ((workflow,), "workflow", "Machines: what is wrong with them, how they look, where they stand."),
):
    commands = typer.Typer(help=summary, no_args_is_help=True)
    for group in modules:
        group.attach(commands)
    app.add_typer(commands, name=name)


def run() -> None:
    """Run the command that was typed, and exit."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A terminal that can't show a character shows a question mark; half a character typed is no reason to end.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="handgriff")
