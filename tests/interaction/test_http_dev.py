"""The page of development: served only then, only to this machine, and inert whatever it shows."""

import re

import pytest

from tests.interaction.http_wire import wired

pytestmark = pytest.mark.anyio


async def test_the_page_is_there_in_development_alone() -> None:
    async with wired() as wire:
        assert [(await wire.get(path)).status for path in ("/", "/dev.js", "/dev.css")] == [404, 404, 404]
    async with wired(dev=True) as wire:
        answers = [await wire.get(path, user=None) for path in ("/", "/dev.js", "/dev.css")]

        assert [answer.status for answer in answers] == [200, 200, 200]
        assert [answer.headers["content-type"] for answer in answers] == [
            "text/html; charset=utf-8",
            "text/javascript; charset=utf-8",
            "text/css; charset=utf-8",
        ]


async def test_the_page_runs_nothing_but_its_own_script_B147() -> None:
    async with wired(dev=True) as wire:
        page, script = await wire.get("/"), await wire.get("/dev.js")

        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "img-src" not in policy
        assert not re.search(rb"<script>|\son\w+=|\sstyle=|https?://", page.body)
        assert not re.search(rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script.body)
        assert b"http" not in script.body.replace(b"HTTP face", b"")


async def test_the_page_is_small() -> None:
    async with wired(dev=True) as wire:
        assert len((await wire.get("/dev.js")).body.splitlines()) <= 210


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "192.168.0.7", "", "[", "[::]"])
async def test_in_development_another_name_of_this_machine_is_refused(host: str) -> None:
    async with wired(dev=True) as wire:
        answers = [await wire.get(path, headers={"host": host}) for path in ("/", "/sessions", "/healthz")]

        assert {answer.status for answer in answers} == {403}


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000"])
async def test_this_machines_own_names_are_taken(host: str) -> None:
    async with wired(dev=True) as wire:
        assert (await wire.get("/", headers={"host": host})).status == 200
