"""Keys of records."""

from itertools import product

import pytest

from handgriff.stores.redis.keys import parts_of, pattern, record_key
from handgriff.testing.scratch.places import HOSTILE


def test_a_key_is_readable_and_has_one_tag() -> None:
    assert record_key("acme", "s_1f", "relabeling") == "handgriff:scratch:{acme:s_1f}:relabeling"


def test_every_id_comes_back_from_its_key_and_no_two_places_share_one() -> None:
    keys = {record_key(*place): place for place in product(HOSTILE, HOSTILE[:12], HOSTILE)}

    assert all(parts_of(key) == place for key, place in keys.items())
    assert len(keys) == len(HOSTILE) ** 2 * 12


@pytest.mark.parametrize("session", [None, "s"])
def test_a_pattern_has_no_sign_but_its_own(session: str | None) -> None:
    for name in HOSTILE:
        shown = pattern(name, session)
        assert shown.count("*") == (2 if session is None else 1)
        assert not {*"?[]\\^"} & {*shown}
        assert (shown.count("{"), shown.count("}"), shown.count(":")) == (1, 1, 4)
