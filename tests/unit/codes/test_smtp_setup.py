from typing import Any

import pytest

from handgriff.codes.smtp import SmtpCodeSender
from handgriff.core.caller import Caller
from handgriff.errors import DefinitionError


def to_ada(caller: Caller) -> str:
    return "ada@example.com"


async def slowly(caller: Caller) -> str:
    return "ada@example.com"


GIVEN: dict[str, Any] = {"host": "mail.example", "sender": "codes@shop.example", "address": to_ada}


@pytest.mark.parametrize(
    ("member", "change"),
    [
        pytest.param("host", {"host": ""}, id="no host"),
        pytest.param("host", {"host": "mail..example"}, id="a host with an empty label"),
        pytest.param("host", {"host": "mail.example\r\n"}, id="a host with a line break"),
        pytest.param("host", {"host": "smtp://mail.example"}, id="a URL for a host"),
        pytest.param("host", {"host": None}, id="None for a host"),
        pytest.param("port", {"port": 0}, id="port 0"),
        pytest.param("port", {"port": 65_536}, id="a port too far"),
        pytest.param("port", {"port": True}, id="a boolean for a port"),
        pytest.param("port", {"port": "587"}, id="text for a port"),
        pytest.param("security", {"security": "ssl"}, id="another word for security"),
        pytest.param("security", {"security": "none"}, id="no security to another machine"),
        pytest.param("security", {"security": "none", "host": "localhost.example"}, id="no security to what only looks local"),
        pytest.param("seconds", {"seconds": 0}, id="no time"),
        pytest.param("seconds", {"seconds": float("nan")}, id="no number of seconds"),
        pytest.param("seconds", {"seconds": float("inf")}, id="no end of seconds"),
        pytest.param("sender", {"sender": ""}, id="no sender"),
        pytest.param("sender", {"sender": "shop"}, id="a sender without @"),
        pytest.param("sender", {"sender": "a@shop.example\r\nBcc: eve@example.com"}, id="a header in the sender"),
        pytest.param("sender", {"sender": "Shop\nBcc: x <a@shop.example>"}, id="a header in the sender's name"),
        pytest.param("sender", {"sender": "a@shop.example, b@shop.example"}, id="two senders"),
        pytest.param("sender", {"sender": "a@süß.example"}, id="a sender's domain that is not ASCII"),
        pytest.param("sender", {"sender": None}, id="None for a sender"),
        pytest.param("subject", {"subject": "Code\r\nBcc: eve@example.com"}, id="a header in the subject"),
        pytest.param("subject", {"subject": " "}, id="a blank subject"),
        pytest.param("address", {"address": "ada@example.com"}, id="text for the address function"),
        pytest.param("address", {"address": slowly}, id="an async address function"),
        pytest.param("password", {"username": "u"}, id="a username alone"),
        pytest.param("password", {"password": "geheim-1234"}, id="a password alone"),
        pytest.param("password", {"username": "", "password": "geheim-1234"}, id="an empty username"),
        pytest.param("password", {"username": "u", "password": "geheim-1234-ü"}, id="a password that is not ASCII"),
        pytest.param("password", {"username": "u\n", "password": "geheim-1234"}, id="a username with a line break"),
    ],
)
def test_what_can_t_be_right_is_refused_and_no_password_repeated(member: str, change: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError) as caught:
        SmtpCodeSender(**GIVEN | change)

    assert (caught.value.subject, caught.value.member) == ("SmtpCodeSender", member)
    assert "geheim" not in repr(caught.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_without_security_mail_may_go_to_this_machine(host: str) -> None:
    assert host in repr(SmtpCodeSender(**GIVEN | {"host": host, "security": "none"}))


def test_its_representation_says_where_and_holds_no_login() -> None:
    sender = SmtpCodeSender(**GIVEN, username="postmaster", password="geheim-1234")

    assert repr(sender) == "SmtpCodeSender('mail.example', 587, security='starttls')"
    assert "geheim" not in repr(vars(sender))
