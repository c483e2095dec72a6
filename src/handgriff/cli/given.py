"""What every command is given: TARGET, who asks, and how to answer. One list of options, attached to each command's own.

Below is Typer; above, every command. It reads words and opens nothing.
"""

import inspect
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

import anyio
import typer

from handgriff.cli.faults import WrongUse, carried_out
from handgriff.cli.output import documents_only

STORE: Final = "sqlite:///handgriff.db"
MODEL: Final = "HANDGRIFF_MODEL"

Command: TypeAlias = Callable[..., int | Awaitable[int]]
"""A command: it takes what was given and its own options, and answers its exit code."""

_DEV: Final = "Development"


def _option(
    name: str, metavar: str, help_text: str, *, default: bool | str = False, panel: str | None = None
) -> Any:  # what Typer's own `Option` answers
    return typer.Option(name, metavar=metavar, help=help_text, show_default=default, rich_help_panel=panel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The options that all commands share."""

    target: Annotated[str, typer.Argument(metavar="TARGET", help="module:host, or module:assistant with --dev.", show_default=False)]
    who: Annotated[str | None, _option("--as", "TENANT/USER", "Who asks; dev/dev with --dev.")] = None
    dev: Annotated[bool, typer.Option("--dev", help="Make a host here, with rights from this command line.", rich_help_panel=_DEV)] = False
    can: Annotated[list[str] | None, _option("--can", "PERMISSION", "Grant a permission.", panel=_DEV)] = None
    role: Annotated[list[str] | None, _option("--role", "ROLE", "Grant a role.", panel=_DEV)] = None
    module: Annotated[list[str] | None, _option("--module", "MODULE", "Subscribe the tenant to a module.", panel=_DEV)] = None
    store: Annotated[str | None, _option("--store", "NAME", "The store.", default=STORE, panel=_DEV)] = None
    model: Annotated[str | None, _option("--model", "PROVIDER:NAME", "The model.", default=f"{MODEL}, or the script", panel=_DEV)] = None
    locale: Annotated[str | None, _option("--locale", "TAG", "Language of what people read: en, de, fr.")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and the runtime's log.")] = False

    @property
    def grants(self) -> Sequence[str]:
        """The options, as typed, that only a host made here can follow."""
        lists = {"--can": self.can, "--role": self.role, "--module": self.module, "--store": self.store, "--model": self.model}
        return [option for option, value in lists.items() if value]

    def principal(self) -> tuple[str, str]:
        """Tenant and user.

        Raises:
            WrongUse: nobody is named, or not as TENANT/USER.
        """
        if self.who is None:
            if self.dev:
                return "dev", "dev"
            raise WrongUse("Say who asks: --as TENANT/USER.")
        tenant, slash, user = self.who.partition("/")
        if not (tenant and slash and user):
            raise WrongUse(f"--as {self.who!r} names no tenant and user. Write it as --as acme/ada.")
        return tenant, user

    def again(self, *arguments: str, who: str | None = None) -> str:
        """TARGET, *arguments* and these options, as they would have to be typed for another command, of the same caller or of *who*."""
        words = [self.target, *arguments]
        words += ["--as", asks] if (asks := who or self.who) else []
        words += ["--dev"] if self.dev else []
        lists = {"--can": self.can, "--role": self.role, "--module": self.module}
        words += [word for option, values in lists.items() for value in values or () for word in (option, value)]
        words += ["--store", self.store] if self.store else []
        return shlex.join(words)


def command(
    app: typer.Typer, name: str, *examples: str, needs_target: bool = True, speaks_itself: bool = False
) -> Callable[[Command], None]:
    """Make a function `(given, …)` that answers an exit code the command *name* of *app*: its own parameters beside the shared ones.

    Without *needs_target* TARGET may be left out, and is empty then. One that *speaks_itself* on stdout has it for its own protocol.
    """

    def attach(function: Command) -> None:
        target, *options = _parameters(Given)
        target = target if needs_target else target.replace(default="")
        own = _parameters(function)[1:]

        def run(**values: Any) -> None:
            given = Given(**{parameter.name: values.pop(parameter.name) for parameter in (target, *options)})

            def work() -> int:
                with documents_only(as_json=given.as_json and not speaks_itself):
                    return _finished(function, given, values)

            raise typer.Exit(carried_out(work, debug=given.debug, as_json=given.as_json))

        run.__doc__ = function.__doc__
        run.__signature__ = inspect.Signature([target, *own, *options])  # type: ignore[attr-defined]  # where Typer reads the options from
        run.__annotations__ = {}
        app.command(name, epilog="\n\n".join(("Examples:", *examples)))(run)

    return attach


def _finished(function: Command, given: Given, values: Mapping[str, Any]) -> int:
    if inspect.iscoroutinefunction(function):
        code: int = anyio.run(partial(function, given, **values))
        return code
    result = function(given, **values)
    if not isinstance(result, int):
        raise TypeError(f"{function.__name__} answered no exit code")
    return result


def _parameters(callable_: Callable[..., object]) -> list[inspect.Parameter]:
    # By keyword only, so that required ones may follow those with a default.
    return [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in inspect.signature(callable_).parameters.values()]
