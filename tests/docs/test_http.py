"""The page on HTTP lists every route there is, and no other."""

import re
from pathlib import Path

from handgriff.http.app import ROUTES

PAGE = Path(__file__).parents[2] / "docs" / "http.md"


def test_every_route_is_on_the_page_and_every_route_on_the_page_exists() -> None:
    told = re.findall(r"`(GET|POST|DELETE) (/[a-z{}/]*)", PAGE.read_text(encoding="utf-8"))
    routes = {(method, "/" + "/".join(path)) for path, methods in ROUTES.items() for method in methods}

    assert {(method, path) for method, path in told if path not in ("/healthz", "/readyz")} == routes
