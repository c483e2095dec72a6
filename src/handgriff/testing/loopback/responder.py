"""The provider's mind: it reads a request, judges it, and says what is to be sent; the application only sends it.

Below are the pure modules; above, `application` moves bytes. It keeps what a provider keeps between requests: the place in the script, the
prompt cache, what it has said. It does no input or output and reads no clock: the time is given with the request.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias, assert_never

from handgriff.errors import DefinitionError
from handgriff.testing.loopback import anthropic, strictjson
from handgriff.testing.loopback.binding import Bindings, bound, unbound
from handgriff.testing.loopback.cache import Cache, InputUsage, count_prompt, simulate
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.prompt import Prompt, read_prompt
from handgriff.testing.loopback.returned import Issued, alterations, is_owed
from handgriff.testing.loopback.rules import violations
from handgriff.testing.loopback.script import Answer, Drop, EarlyEnd, ErrorEvent, Hold, HttpError, Script, as_reply

MESSAGES = "/v1/messages"
COUNT_TOKENS = "/v1/messages/count_tokens"
MAX_BYTES = 32 * 1024 * 1024
"""The largest request the Messages API takes."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A response in one piece. `holds` are waited for before it."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    holds: tuple[Hold, ...] = ()
    violations: tuple[str, ...] = ()
    usage: InputUsage | None = None


@dataclass(frozen=True, slots=True)
class Streamed:
    """A response event by event."""

    events: tuple[bytes, ...]
    ending: anthropic.Ending
    headers: Mapping[str, str]
    holds: tuple[Hold, ...]
    usage: InputUsage


@dataclass(frozen=True, slots=True)
class Cut:
    """No response: the connection is closed. `holds` are waited for before."""

    ending: anthropic.Ending
    holds: tuple[Hold, ...]
    usage: InputUsage


Delivery: TypeAlias = Whole | Streamed | Cut


class Responder:
    """Answers requests of the Messages API from a script."""

    issued: Issued
    """What it has said that must come back unaltered."""
    failures: tuple[Exception, ...]
    """Where the script itself failed: it ran out, or a function in it raised."""

    def __init__(
        self, script: Script, *, api_key: str | None, minimum: int, name: str, issued: Issued, binds_thinking: bool = False
    ) -> None:
        self.issued = issued
        self.failures = ()
        self._next = _reader(script)
        self._api_key = api_key
        self._minimum = minimum
        self._binds_thinking = binds_thinking
        self._bindings: Bindings = {}
        self._cache: Cache = {}
        self._messages: Iterator[str] = (f"msg_{name}_{number:04}" for number in count(1))
        self._calls: Iterator[str] = (f"toolu_{name}_{number:04}" for number in count(1))
        self._name = name

    def respond(self, request: Request, *, now: float) -> Delivery:
        """What is to be sent to *request*, which arrived at *now* (seconds)."""
        if refusal := _refused_at_the_door(request, api_key=self._api_key):
            return self._error(request, refusal)
        try:
            body = strictjson.read(request.raw)
        except strictjson.MalformedError as error:
            return self._rejected(request, (f"The request body is not valid JSON: {error}",))
        is_counting = request.path == COUNT_TOKENS
        if not isinstance(body, dict):
            return self._rejected(request, ("Input should be a valid dictionary",))
        if problems := violations(body, counting=is_counting) or alterations(body, self.issued):
            return self._rejected(request, problems)
        prompt = read_prompt(request.raw)
        binding = (body.get("thinking") or {}).get("block_binding", {})
        if binding.get("prefix_mismatch_behavior") != "drop_block" and (problems := unbound(self._bindings, prompt)):
            return self._rejected(request, problems)
        if is_counting:
            return Whole(200, anthropic.dump({"input_tokens": count_prompt(prompt)}), self._headers(request))
        return self._reply(request, body, prompt, now)

    def _reply(self, request: Request, body: Mapping[str, Any], prompt: Prompt, now: float) -> Delivery:
        try:
            reply = as_reply(self._next(request))
            return self._error(request, reply) if isinstance(reply, HttpError) else self._answer(request, body, prompt, reply, now=now)
        except Exception as error:  # noqa: BLE001  # a script is the test's own code; the provider raises what it raised when it is closed
            self.failures = (*self.failures, error)
            return self._error(request, HttpError(400, message=f"The script failed: {type(error).__name__}: {error}"))

    def _answer(self, request: Request, body: Mapping[str, Any], prompt: Prompt, scripted: Answer, *, now: float) -> Delivery:
        usage, cache = simulate(self._cache, prompt, now=now, minimum=self._minimum)
        answer = anthropic.numbered(scripted, self._calls)
        head = anthropic.Head(next(self._messages), body["model"], usage)
        streamed = anthropic.stream(answer, head)
        said = anthropic.content(answer)
        self._cache = cache
        if is_owed(said):
            self.issued = (*self.issued, said)
        if self._binds_thinking:
            self._bindings = bound(self._bindings, prompt, said)
        if not body.get("stream", False):
            return self._unstreamed(request, answer, head)
        if streamed.ending in {"dropped", "reset"} and not streamed.events:
            return Cut(streamed.ending, answer.holds, usage)
        headers = self._headers(request, "text/event-stream; charset=utf-8") | {"cache-control": "no-cache"}
        return Streamed(streamed.events, streamed.ending, headers, answer.holds, usage)

    def _unstreamed(self, request: Request, answer: Answer, head: anthropic.Head) -> Delivery:
        match answer.fault:
            case None:
                body = anthropic.dump(anthropic.message(answer, head))
                return Whole(200, body, self._headers(request), answer.holds, usage=head.usage)
            case ErrorEvent(_, kind, text):
                return self._error(request, HttpError(anthropic.ERROR_STATUS.get(kind, 500), kind, text))
            case EarlyEnd():
                return Cut("dropped", answer.holds, head.usage)
            case Drop(reset=reset):
                return Cut("reset" if reset else "dropped", answer.holds, head.usage)
            case _ as never:
                assert_never(never)

    def _rejected(self, request: Request, problems: tuple[str, ...]) -> Whole:
        whole = self._error(request, HttpError(400, "invalid_request_error", "; ".join(problems)))
        return Whole(whole.status, whole.body, whole.headers, violations=problems)

    def _error(self, request: Request, reply: HttpError) -> Whole:
        headers = self._headers(request)
        body = anthropic.error(anthropic.http_error_type(reply), reply.message, request_id=headers["request-id"])
        return Whole(reply.status, anthropic.dump(body), {**headers, **(reply.headers or {})})

    def _headers(self, request: Request, content_type: str = "application/json") -> dict[str, str]:
        return {"content-type": content_type, "request-id": f"req_{self._name}_{request.number:04}"}


def _reader(script: Script) -> Callable[[Request], object]:
    if callable(script):
        return script
    entries = iter(tuple(script))

    def read(request: Request) -> object:
        for entry in entries:
            return entry
        raise DefinitionError("LoopbackProvider", "script", f"it has no answer for request {request.number}.", mend="script one more.")

    return read


def _refused_at_the_door(request: Request, *, api_key: str | None) -> HttpError | None:
    if request.path not in {MESSAGES, COUNT_TOKENS}:
        return HttpError(404, message="Not found")
    if request.method != "POST":
        return HttpError(405, "invalid_request_error", "Method Not Allowed")
    given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
    if api_key is not None and given != api_key:
        return HttpError(401, message="invalid x-api-key")
    if "anthropic-version" not in request.headers:
        return HttpError(400, message="anthropic-version: header is required")
    if len(request.raw) > MAX_BYTES:
        return HttpError(413, message="Request exceeds the maximum size")
    return None
