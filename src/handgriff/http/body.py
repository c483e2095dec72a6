"""The body of a request: bounded, declared as JSON, parsed strictly, an object.

Below is strict JSON; above, routes read members. Demanding the content type is half of the protection against forged requests: a form of
another site cannot send it. The origin check is the other half.
"""

from typing import Final

from starlette.requests import Request

from handgriff.core import jsontext
from handgriff.core.caller import is_id
from handgriff.core.jsontext import Json, JsonError, JsonLimits
from handgriff.errors import Refusal
from handgriff.http.problems import Problem, invalid

_JSON: Final = "application/json"
_CHARSETS: Final = frozenset({"utf-8", "utf8"})
_NAME_BYTES: Final = 256


async def read(request: Request, *, limit: int, may_be_empty: bool = False) -> dict[str, Json]:
    """The JSON object that was sent.

    Raises:
        Problem: 415 for another content type, 400 for what is no JSON.
        Refusal: `too_large`, `invalid`.
    """
    raw = await _bytes(request, limit)
    if not raw and may_be_empty:
        return {}
    if not _is_json(request.headers.get("content-type", "")):
        raise Problem(415, "unsupported_media_type", "Unsupported media type", "The body must be sent as application/json, in UTF-8.")
    try:
        value = jsontext.loads(raw, limits=JsonLimits(size=limit))
    except JsonError as error:
        raise Problem(400, "invalid", "Malformed JSON", f"The body is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise invalid("body", "expected an object")
    return value


def text(members: dict[str, Json], name: str) -> str | None:
    """An optional text.

    Raises:
        Refusal: `invalid`.
    """
    value = members.get(name)
    if value is None or (isinstance(value, str) and value.strip() and len(value.encode()) <= _NAME_BYTES):
        return value
    raise invalid(name, f"expected text of 1 to {_NAME_BYTES} bytes")


def name(members: dict[str, Json], member: str) -> str:
    """A text that can name something.

    Raises:
        Refusal: `invalid`.
    """
    value = members.get(member)
    if not isinstance(value, str) or not is_id(value):
        raise invalid(member, "expected text of 1 to 256 bytes, without NUL")
    return value


def number(request: Request, member: str, *, least: int, otherwise: int) -> int:
    """A whole number of the query.

    Raises:
        Refusal: `invalid`.
    """
    value = request.query_params.get(member)
    if value is None:
        return otherwise
    if not (value.isascii() and value.isdigit() and len(value) < 16 and int(value) >= least):  # noqa: PLR2004  # every store holds 15 digits
        raise invalid(member, f"expected a whole number from {least}")
    return int(value)


async def _bytes(request: Request, limit: int) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _too_large(limit: int) -> Refusal:
    return Refusal("too_large", f"The body has more than {limit} bytes.", next="Send less.", total=limit)


def _is_json(header: str) -> bool:
    kind, _, parameters = header.partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    return kind.strip().lower() == _JSON and (not parameters.strip() or charset in _CHARSETS)
