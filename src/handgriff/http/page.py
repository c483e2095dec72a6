"""Pages: their headers, the files they are made of, and the frame around what one shows.

Below are static files and Starlette; above, the page of development and the page of one proposal. Whatever is put into a page is escaped
here or by who puts it there; nothing but our own script runs, and nothing is loaded from elsewhere.
"""

from collections.abc import Awaitable, Callable, Mapping
from html import escape
from importlib.resources import files
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp

from handgriff.core import jsontext
from handgriff.core.catalogue import language, say
from handgriff.http.face import Face

_STATIC: Final = files("handgriff.http") / "static"
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# They turn the order of what stands behind them, so that a text reads as another; here somebody decides by what they read.
_TURNING: Final = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def static(name: str, media_type: str) -> Callable[[Face], Awaitable[ASGIApp]]:
    """A handler that serves a file of ours."""

    async def file(face: Face) -> ASGIApp:
        del face
        return Response((_STATIC / name).read_bytes(), headers=dict(HEADERS), media_type=media_type)

    return file


def text(value: str) -> str:
    """*value* as text of a page, in an element or an attribute."""
    return escape(jsontext.clean(value).translate(_TURNING))


def word(key: str, locale: str, **facts: str) -> str:
    """A sentence of the catalogue as text of a page. *facts* are markup already."""
    return text(say(key, locale)).format(**facts)


def page(content: str, locale: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A page about proposals around *content*, in the language of its words. Addresses are relative, so it may be mounted anywhere."""
    title = word("card_page", locale)
    told = "".join(f' data-{name}="{word(key, locale)}"' for name, key in _TOLD.items())
    markup = (
        f'<!doctype html>\n<html lang="{language(locale)}" dir="ltr">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="robots" content="noindex">\n'
        f'<title>{title}</title>\n<link rel="stylesheet" href="../confirm.css">\n<script type="module" src="../confirm.js"></script>\n'
        f"</head>\n<body{told}>\n<main>\n<h1>{title}</h1>\n{content}\n</main>\n</body>\n</html>\n"
    )
    return Response(markup.encode(), status, headers={**HEADERS, **(headers or {})}, media_type="text/html")


_TOLD: Final = {
    "sending": "state_running",
    "sent": "card_code_sent",
    "lost": "card_lost",
    "missing": "card_missing",
    "signin": "card_sign_in",
}
"""What the script says by itself."""
