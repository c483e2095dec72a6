"""The page on HTTP lists every route there is, and no other; what it shows of proposals is what is answered."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from handgriff.http.app import ROUTES
from tests.interaction.http_wire import Wire
from tests.interaction.treasury import PAY, asked, treasury

PAGE = Path(__file__).parents[2] / "docs" / "http.md"
EXAMPLES = re.findall(r"^```(http|json)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_route_is_on_the_page_and_every_route_on_the_page_exists() -> None:
    told = re.findall(r"`(GET|POST|DELETE) (/[a-z{}/]*)", PAGE.read_text(encoding="utf-8"))
    routes = {(method, "/" + "/".join(path)) for path, methods in ROUTES.items() for method in methods}

    assert {(method, path) for method, path in told if path not in ("/healthz", "/readyz")} == routes


@pytest.mark.anyio
async def test_what_the_page_asks_is_answered_as_it_says() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, PAY)
        answers: list[Any] = []
        for kind, text in EXAMPLES:
            known = text.replace("p_…", interrupt["id"]).replace("123456", shop.mailbox.code())
            if kind == "http":
                answers = await answered(wire, known)
            else:
                assert any(is_part(json.loads(known), answer) for answer in answers), (known, answers)

        assert [kind for kind, _ in EXAMPLES].count("http") == 5
        assert shop.done == ["pay 10 to acc-2"]


async def answered(wire: Wire, request: str) -> list[Any]:
    """What comes back: one document, or every event of a run."""
    line, _, body = request.partition("\n")
    method, path = line.split()
    answer = await wire.ask(method, path, json.loads(body) if body else None)
    return answer.events if path == "/agui" else [answer.json()]


def is_part(shown: object, whole: object) -> bool:
    """Whether *whole* has everything that is *shown*; the sign of omission stands for any rest of a text."""
    if isinstance(shown, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in shown.items())
    if isinstance(shown, str) and isinstance(whole, str) and shown.endswith("…"):
        return whole.startswith(shown[:-1])
    return shown == whole
