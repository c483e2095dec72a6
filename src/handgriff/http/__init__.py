"""The HTTP face: chat turns as AG-UI over server-sent events, sessions, replay, stop, proposals, menu, health.

`app.mount("/assistant", asgi(host, authenticate=who_is_it))` is all an application writes; `serve` runs the face alone.
"""

try:
    import starlette  # noqa: F401  # tried here, so that who lacks it is told the extra's name
    import uvicorn  # noqa: F401  # as above
except ImportError as missing:
    from handgriff.errors import DefinitionError

    raise DefinitionError(
        "handgriff.http", "import", f"{missing.name} is not installed.", mend="install the extra: pip install 'handgriff[http]'."
    ) from missing

from handgriff.http.app import asgi
from handgriff.http.dev import dev_caller
from handgriff.http.face import Authenticate
from handgriff.http.runner import serve

__all__ = ["Authenticate", "asgi", "dev_caller", "serve"]
