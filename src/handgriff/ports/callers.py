"""Who somebody is now, asked at every call."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias

from handgriff.core.caller import Caller

Callers: TypeAlias = Callable[[str, str], Awaitable[Caller | None]]
"""(tenant, user) -> the caller with today's rights, or None for nobody."""

Deps: TypeAlias = Callable[[Caller], AbstractAsyncContextManager[Any]]
"""The application's own objects, opened for each call."""
