"""A real browser, told from a test what to do. Playwright itself runs in Node, in `tests/clients/page.mjs`."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteSendStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream

CLIENTS = Path(__file__).resolve().parents[1] / "clients"
ANSWER_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Seen:
    """What a browser asked for and complained of since somebody sat down at it."""

    requests: list[str]
    console: list[str]
    errors: list[str]
    dialogs: list[str]


@dataclass(frozen=True, slots=True)
class Browser:
    """The browser. One wish at a time."""

    wishes: ByteSendStream
    answers: BufferedByteReceiveStream

    async def sit_down(self, **options: Any) -> None:
        """Somebody new: no cookies, no tabs."""
        await self.ask(person=options)

    async def seen(self) -> Seen:
        return Seen(**await self.ask(seen=True))

    def tab(self, name: str) -> "Tab":
        return Tab(self, name)

    async def ask(self, **wish: Any) -> Any:
        """Whatever `page.mjs` understands.

        Raises:
            AssertionError: it did not come to pass.
        """
        with anyio.fail_after(60):
            await self.wishes.send(f"{json.dumps(wish)}\n".encode())
            answer = json.loads(await self.answers.receive_until(b"\n", ANSWER_BYTES))
        assert "error" not in answer, answer["error"]
        return answer.get("value")


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab of whoever sits there; it opens when it is first used."""

    browser: Browser
    name: str

    async def do(self, *steps: Sequence[Any]) -> Any:
        """Playwright's methods, one called on what the one before gave."""
        return await self.browser.ask(tab=self.name, steps=steps)

    async def go(self, address: str) -> None:
        await self.do(["goto", address])

    async def say(self, text: str) -> None:
        await self.do(["fill", "#input", text])
        await self.do(["press", "#input", "Enter"])

    async def press(self, key: str) -> None:
        """A key, wherever the focus is."""
        await self.do(["locator", ":focus"], ["press", key])

    async def click(self, button: str) -> None:
        await self.do(["getByRole", "button", {"name": button, "exact": True}], ["click"])

    async def sees(self, selector: str, text: str = "", *, state: str = "visible") -> None:
        """Wait until an element that holds *text* is there, or, with the state `hidden`, until none is."""
        await self.do(["locator", selector, {"hasText": text}], ["first"], ["waitFor", {"state": state}])

    async def texts(self, selector: str) -> list[str]:
        """What people read in each of these elements."""
        read: list[str] = await self.do(["locator", selector], ["allInnerTexts"])
        return [text.strip() for text in read]

    async def count(self, selector: str) -> int:
        count: int = await self.do(["locator", selector], ["count"])
        return count

    async def value(self, expression: str) -> Any:
        """What an expression of JavaScript comes to in the page."""
        return await self.do(["evaluate", expression])


@asynccontextmanager
async def started(node: str) -> AsyncIterator[Browser]:
    """Start a browser; leaving the block ends it."""
    async with await anyio.open_process([node, "page.mjs"], cwd=CLIENTS, stderr=None) as process:
        wishes, answers = _pipes(process)
        yield Browser(wishes, BufferedByteReceiveStream(answers))
        await wishes.aclose()
        await process.wait()


def _pipes(process: Process) -> tuple[ByteSendStream, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
