from collections.abc import Mapping
from typing import Any

import pytest

from handgriff.http.problems import Problem
from handgriff.http.routing import ID, find, segments

ROUTES: Mapping[tuple[str, ...], Mapping[str, str]] = {
    ("things",): {"GET": "all", "POST": "new"},
    ("things", ID): {"GET": "one"},
    ("things", ID, "part"): {"GET": "part"},
}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"path": "/things", "raw_path": b"/things"}, ("things",)),
        ({"path": "/things/", "raw_path": b"/things/"}, ("things", "")),
        ({"path": "/things/a/b", "raw_path": b"/things/a%2Fb"}, ("things", "a/b")),
        ({"path": "/things/%", "raw_path": b"/things/%25"}, ("things", "%")),
        ({"path": "/things/\U0001f600", "raw_path": b"/things/%F0%9F%98%80"}, ("things", "\U0001f600")),
        ({"path": "/things/a", "raw_path": b"/things/a?x=/y"}, ("things", "a")),
        ({"path": "/things/a"}, ("things", "a")),
        ({"path": "/in/things/a/b", "root_path": "/in", "raw_path": b"/in/things/a%2Fb"}, ("things", "a/b")),
        ({"path": "/things/a/b", "root_path": "/in", "raw_path": b"/in/things/a%2Fb"}, ("things", "a/b")),
        ({"path": "/inner/x", "root_path": "/in", "raw_path": b"/inner/x"}, ("inner", "x")),
        ({"path": "/in", "root_path": "/in", "raw_path": b"/in"}, ()),
        ({"path": "/things/a/b", "raw_path": b"/rewritten"}, ("things", "a", "b")),
        ({"path": "/", "raw_path": b"/"}, ("",)),
    ],
)
def test_a_path_is_split_before_it_is_decoded(scope: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert segments(scope) == expected


def test_a_route_is_found_with_its_ids() -> None:
    assert find(ROUTES, ("things", "a/b"), "GET").ids == ("a/b",)
    assert find(ROUTES, ("things", "", "part"), "GET").handler == "part"
    assert find(ROUTES, ("things",), "POST").handler == "new"


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [(("nothing",), "GET", 404), ((), "GET", 404), (("things", "a", "b", "c"), "GET", 404), (("things",), "PUT", 405)],
)
def test_what_is_not_served_says_how(path: tuple[str, ...], method: str, status: int) -> None:
    with pytest.raises(Problem) as raised:
        find(ROUTES, path, method)

    assert raised.value.status == status
