"""The address of a database, and the part of it that is for us."""

import traceback

import pytest

from handgriff.errors import DefinitionError
from handgriff.stores.postgres.address import Address, read_address


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_an_address_goes_to_the_driver_as_it_is(scheme: str) -> None:
    dsn = f"{scheme}://ada:pa%2Fss@db.internal:5433/shop?sslmode=verify-full&application_name=a%20b"

    assert read_address(dsn) == Address(dsn, 10)


def test_the_size_of_the_pool_is_ours() -> None:
    assert read_address("postgresql:///shop?pool=3&host=/run/postgresql") == Address("postgresql:///shop?host=/run/postgresql", 3)


def test_several_servers_are_left_to_the_driver() -> None:
    dsn = "postgresql://ada@one:5432,two:5433/shop?target_session_attrs=primary"

    assert read_address(dsn).dsn == dsn


@pytest.mark.parametrize(
    "dsn",
    [
        "",
        "shop",
        "sqlite:///shop.db",
        "http://u:hush@h/db",
        "postgresql+asyncpg://u:hush@h/db",
        "postgresql://u:hush@[h/db",
        "postgresql://u:hush/hush@h/db",
        "postgresql://u:hush@h:port/db",
        "postgresql://u:hush@h:0/db",
        "postgresql://u:hush@h:65536/db",
        "postgresql://u:hush@one:5432,two:99999/db",
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(dsn: str) -> None:
    with pytest.raises(DefinitionError, match="postgresql://user:password@host") as refused:
        read_address(dsn)
    assert "hush" not in "".join(traceback.format_exception(refused.value))


def test_a_password_does_not_show() -> None:
    assert "hush" not in repr(read_address("postgresql://u:hush@h/db"))
