"""The shop's database: JSON in, records out, JSON out again."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from examples.retail import database as module
from examples.retail.database import Database, dump, load, read_database, read_json, write_json

SAMPLE = Path(module.__file__).with_name("sample.json")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    load(SAMPLE, tmp_path / "shop.sqlite")
    with closing(Database(tmp_path / "shop.sqlite")) as database:
        yield database


def test_what_was_loaded_is_dumped_equal(shop: Database) -> None:
    assert json.loads(write_json(dump(shop))) == json.loads(SAMPLE.read_text(encoding="utf-8"))


def test_a_real_shop_is_dumped_equal(shared: Callable[[str], Path], tmp_path: Path) -> None:
    load(shared("retail/db.json"), tmp_path / "shop.sqlite")

    with closing(Database(tmp_path / "shop.sqlite")) as database:
        assert json.loads(write_json(dump(database))) == json.loads(shared("retail/db.json").read_text(encoding="utf-8"))


def test_amounts_are_decimals_and_keep_their_cents(shop: Database) -> None:
    lamp = shop.product("2000000003")

    assert lamp is not None
    assert lamp["variants"]["3000000022"]["price"] == Decimal("69.99")
    assert write_json({"amount": Decimal("0.10") + Decimal("0.20")}) == '{"amount": 0.3}'
    assert read_json("[12345678.91]") == [Decimal("12345678.91")]


def test_shoppers_are_found_whatever_the_case(shop: Database) -> None:
    assert shop.users_by_email(" ADA.moss@Example.COM") == ["ada_moss_1201"]
    assert shop.users_by_name("aDA", "MOSS", "04101") == ["ada_moss_1201"]
    assert shop.users_by_name("Ada", "Moss", "04102") == []
    assert shop.users_by_email("moss@example.com") == []


def test_a_shopper_who_moved_is_found_at_the_new_zip_code(shop: Database) -> None:
    ada: Any = shop.user("ada_moss_1201")

    shop.put("users", "ada_moss_1201", {**ada, "address": {**ada["address"], "zip": "99999"}})

    assert shop.users_by_name("Ada", "Moss", "99999") == ["ada_moss_1201"]
    assert shop.users_by_name("Ada", "Moss", "04101") == []


def test_an_item_leads_to_its_product(shop: Database) -> None:
    product = shop.product_of_item("3000000021")

    assert product is not None
    assert product["name"] == "Desk Lamp"
    assert shop.product_of_item("2000000003") is None


def test_what_raises_in_a_transaction_writes_nothing(shop: Database) -> None:
    before = shop.snapshot()

    def half() -> None:
        with shop.transaction():
            shop.put("orders", "#W1000001", {"status": "gone"})
            shop.put("orders", "#W1000002", {"status": object()})

    with pytest.raises(TypeError):
        half()

    assert shop.snapshot() == before


def test_a_snapshot_is_restored_with_what_records_are_looked_up_by(shop: Database) -> None:
    before = shop.snapshot()
    ada: Any = shop.user("ada_moss_1201")
    shop.put("users", "ada_moss_1201", {**ada, "email": "other@example.com"})
    shop.put("users", "eve", {**ada, "user_id": "eve", "email": "eve@example.com"})
    shop.put("products", "new", {"name": "New", "product_id": "new", "variants": {"n1": {}}})

    shop.restore(before)

    assert shop.snapshot() == before
    assert shop.users_by_email("ada.moss@example.com") == ["ada_moss_1201"]
    assert shop.users_by_email("eve@example.com") == []
    assert shop.product_of_item("n1") is None


@pytest.mark.parametrize("text", ["[]", "{}", '{"products": {}, "users": {}}', '{"products": {}, "users": {}, "orders": []}'])
def test_json_of_another_form_is_no_shop(text: str, tmp_path: Path) -> None:
    (tmp_path / "db.json").write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match="is no shop's database"):
        read_database(tmp_path / "db.json")
