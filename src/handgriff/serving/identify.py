"""Who sent a request, by the application's own function. It sees requests as whatever the face's library makes of them.

Below is the error tree; above, the faces that are served over HTTP. Whatever breaks while somebody is identified, they are not identified.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from handgriff.core.caller import Caller
from handgriff.errors import BackendError, DefinitionError, Refusal

R = TypeVar("R")
_LOG = logging.getLogger("handgriff.identify")


async def identified(authenticate: Callable[[R], Awaitable[Caller | None]], request: R) -> Caller | None:
    """Who sent *request*; None is nobody.

    Raises:
        Refusal: the application's own answer.
        BackendError: what it stands on failed.
        DefinitionError: the answer is no caller.
    """
    try:
        caller: object = await authenticate(request)
    except (Refusal, BackendError):
        raise
    except Exception:  # noqa: BLE001  # an application may raise anything here; it is logged
        _LOG.exception("authenticate failed")
        return None
    if caller is None or isinstance(caller, Caller):
        return caller
    raise DefinitionError("authenticate", "return value", f"it is a {type(caller).__name__}.", mend="return a Caller, or None.")
