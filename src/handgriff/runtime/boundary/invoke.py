"""Running what the application wrote: async in this task, sync in a worker thread, within a time; and what its exceptions mean."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread

from handgriff.core.contract import Contract
from handgriff.core.result import Result
from handgriff.errors import BackendError, DefinitionError, HandgriffError, Refusal, RefusalCode
from handgriff.ports.store import CommitRefused


class TimedOut(Exception):  # told apart from a TimeoutError of the application's own
    """The call took longer than its limit."""


class StrayCancellation(Exception):  # told apart from a cancellation of this task, which must go on
    """What was called raised a cancellation of its own: it waited for something that somebody else had cancelled."""


async def invoke(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call *function*, whichever kind it is.

    Raises:
        StrayCancellation: it was cancelled, and nobody had cancelled this task.
    """
    try:
        return await _called(function, *args, **kwargs)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise StrayCancellation from error


def is_async(function: object) -> bool:
    """Whether *function* is an async function, or an object that is called like one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004  # its own __call__


async def _called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if is_async(function):
        return await function(*args, **kwargs)
    # A thread can't be cancelled: it is abandoned, and its call reported as what it then is.
    returned = await anyio.to_thread.run_sync(functools.partial(function, *args, **kwargs), abandon_on_cancel=True)
    return await returned if inspect.isawaitable(returned) else returned


async def invoke_within(seconds: float, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`invoke`, within *seconds*.

    Raises:
        TimedOut: the time was over first.
    """
    with anyio.move_on_after(seconds) as scope:
        return await invoke(function, *args, **kwargs)
    if scope.cancelled_caught:
        raise TimedOut
    raise AssertionError("unreachable: the scope was left without a result")


@dataclass(frozen=True, slots=True)
class Unforeseen:
    """An exception nobody mapped: what it was is for the log alone."""

    error: Exception


def explain(error: Exception, contract: Contract) -> Refusal | Unforeseen:
    """What *error* of a check, a plan or a read means. A validation error of the application's models is the arguments' fault."""
    explained = explain_effect(error, contract)
    if isinstance(explained, Unforeseen) and type(error).__module__.startswith("pydantic"):
        return _validation(error)
    return explained


def explain_effect(error: Exception, contract: Contract) -> Refusal | Unforeseen:
    """What *error* of a claimed handler means: only a refusal, or what its author mapped to one, says that nothing happened.

    A validation error does not: it may as well be about what a payment provider answered after the charge.
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, (TimedOut, StrayCancellation, HandgriffError, CommitRefused)):
        # None of them is the application's, so its map of exceptions says nothing about them.
        return Unforeseen(error)
    for kind, meaning in contract.errors.items():
        if isinstance(error, kind):
            return Refusal(meaning, str(error) or kind.__name__) if isinstance(meaning, str) else _mapped(error, meaning)
    return Unforeseen(error)


def required_result(contract: Contract, returned: object) -> Result[Any]:
    """What a handler returned, as a result.

    Raises:
        DefinitionError: it is none.
    """
    if isinstance(returned, Result):
        return returned
    if contract.is_imported:
        return Result(f"{contract.name} answered.", returned)
    raise DefinitionError(contract.name, "return value", f"it is {type(returned).__name__}.", mend="return a Result.")


def failure(error: Exception, tool: str, incident: str) -> Refusal:
    """The refusal for an unforeseen error outside an effect: nothing of it is shown but the incident."""
    if isinstance(error, TimedOut):
        return Refusal("transient", f"{tool} took too long and was given up.", next="Try again once, or ask for less.", incident=incident)
    code: RefusalCode = "transient" if isinstance(error, (BackendError, ConnectionError)) else "permanent"
    advice = "Try again later." if code == "transient" else "Do not repeat it; tell the user that it failed."
    return Refusal(code, f"{tool} failed.", next=advice, incident=incident)


def _mapped(error: Exception, meaning: Callable[[Any], Refusal]) -> Refusal | Unforeseen:
    # The function is the application's too, so it may fail, or forget to answer.
    try:
        refusal: object = meaning(error)
    except Exception as second:  # noqa: BLE001  # whatever it raises is logged as what it is
        return Unforeseen(second)
    return refusal if isinstance(refusal, Refusal) else Unforeseen(error)


def _validation(error: Exception) -> Refusal | Unforeseen:
    errors = getattr(error, "errors", None)
    if not callable(errors):
        return Unforeseen(error)
    fields: Mapping[str, str] = {
        "/".join(map(str, item["loc"])) or "arguments": str(item["msg"]) for item in errors(include_url=False, include_input=False)
    }
    return Refusal("invalid", f"{', '.join(fields)}: not valid.", fields=fields)
