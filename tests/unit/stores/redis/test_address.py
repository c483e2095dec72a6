"""Addresses of servers and clusters, read without the library."""

import pytest

from handgriff.errors import DefinitionError
from handgriff.stores.redis.address import Address, read_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("redis://localhost", Address((("localhost", 6379),))),
        ("redis://localhost:7000/3", Address((("localhost", 7000),), database=3)),
        ("redis://10.0.0.1/", Address((("10.0.0.1", 6379),))),
        ("redis://[::1]:7000", Address((("::1", 7000),))),
        ("redis://[::1]", Address((("::1", 6379),))),
        ("redis://:p%40ss%2F%3A@host", Address((("host", 6379),), password="p@ss/:")),
        ("redis://ada:p:w@host", Address((("host", 6379),), username="ada", password="p:w")),
        ("redis://host?cluster=false", Address((("host", 6379),))),
        ("redis://a:1,b:2,[::1]:3?cluster=true", Address((("a", 1), ("b", 2), ("::1", 3)), is_cluster=True)),
        ("redis://ada:pw@a,b/0?cluster=true", Address((("a", 6379), ("b", 6379)), is_cluster=True, username="ada", password="pw")),
        (
            "rediss://host:6380/1?ssl_ca_certs=/etc/own%20ca.pem",
            Address((("host", 6380),), database=1, is_encrypted=True, files={"ssl_ca_certs": "/etc/own ca.pem"}),
        ),
    ],
)
def test_an_address_says_where_and_how(text: str, address: Address) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost:6379",
        "http://localhost",
        "unix:///run/redis.sock",
        "redis://",
        "redis://:6379",
        "redis://user:s3cret@",
        "redis://s3cret@host:port",
        "redis://s3cret@host:0",
        "redis://s3cret@host:65536",
        "redis://s3cret@host:",
        "redis://s3cret@host/name",
        "redis://s3cret@host/-1",
        "redis://s3cret@[::1",
        "redis://s3cret@a,b",
        "redis://s3cret@a,,b?cluster=true",
        "redis://s3cret@a/1?cluster=true",
        "redis://s3cret@a?cluster=yes",
        "redis://s3cret@a?cluster",
        "redis://s3cret@a?decode_responses=true",
        "redis://s3cret@a?ssl_ca_certs=x",
        "rediss://s3cret@a?ssl_cert_reqs=none",
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(DefinitionError, match="RedisScratch") as refused:
        read_address(text)

    assert "s3cret" not in str(refused.value)


def test_an_address_does_not_show_its_password() -> None:
    assert "s3cret" not in repr(read_address("redis://ada:s3cret@host"))
