import ssl
from datetime import timedelta
from email.utils import parsedate_to_datetime

import anyio
import pytest
import trustme

from handgriff.codes.smtp import SmtpCodeSender
from handgriff.core.caller import Caller
from handgriff.errors import BackendError, DefinitionError
from handgriff.ports.codes import CodeSender
from tests.unit.codes.mailservers import (
    ADA,
    ADDRESS,
    HOST,
    LOGIN,
    TEXT,
    Mailbox,
    Script,
    mail_server,
    scripted_server,
    server_context,
    smtp_sender,
)

pytestmark = pytest.mark.anyio

# --- what arrives -------------------------------------------------------------------------------------------------------


async def test_a_mail_arrives_whole() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        codes: CodeSender = smtp_sender(port, sender="Müller, Söhne <codes@shop.example>")
        await codes.send(ADA, TEXT)

    mail = box.mail()
    assert (box.envelopes[0].mail_from, box.envelopes[0].rcpt_tos) == ("codes@shop.example", [ADDRESS])
    assert mail["From"].addresses[0].display_name == "Müller, Söhne"
    assert mail["From"].addresses[0].addr_spec == "codes@shop.example"
    assert (mail["To"], mail["Subject"], mail["Auto-Submitted"]) == (ADDRESS, "Your confirmation code", "auto-generated")
    assert mail["Message-ID"].endswith("@shop.example>")
    assert parsedate_to_datetime(mail["Date"]).utcoffset() == timedelta(0)
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content().rstrip("\n") == TEXT


@pytest.mark.parametrize(
    ("locale", "subject"),
    [
        ("en", "Your confirmation code"),
        ("de-AT", "Ihr Bestätigungscode"),
        ("fr_CH", "Votre code de confirmation"),
        ("it", "Your confirmation code"),
    ],
)
async def test_the_subject_is_in_the_callers_language(locale: str, subject: str) -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        await smtp_sender(port).send(Caller("acme", "ada", locale=locale), TEXT)

    assert box.mail()["Subject"] == subject


async def test_a_given_subject_stands_in_its_place() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        await smtp_sender(port, subject="Müllers Code").send(ADA, TEXT)

    assert box.mail()["Subject"] == "Müllers Code"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("für 12,50 € 👍: 123456", id="unicode"),
        pytest.param("。" * 2_000 + "123456", id="a long line"),
        pytest.param("a = b\n.\n..\n123456", id="dots"),
        pytest.param("DATA\r\n.\r\nRSET", id="commands"),
    ],
)
async def test_every_text_arrives_as_it_was(text: str) -> None:
    box = Mailbox()
    async with mail_server(box, utf8=False) as port:
        await smtp_sender(port).send(ADA, text)

    assert box.mail().get_content().rstrip("\n") == text.replace("\r\n", "\n")
    assert isinstance(box.envelopes[0].content, bytes)
    assert box.envelopes[0].content.isascii()


async def test_half_a_character_is_replaced() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        await smtp_sender(port).send(ADA, "a\ud83d 123456")

    assert box.mail().get_content() == "a\ufffd 123456\n"


async def test_an_address_may_leave_ascii_where_the_server_takes_it() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        await smtp_sender(port, address="jörg@bücher.example").send(ADA, TEXT)

    assert box.envelopes[0].rcpt_tos == ["jörg@bücher.example"]
    assert box.mail()["To"].addresses[0].addr_spec == "jörg@bücher.example"


async def test_two_mails_have_two_ids() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        codes = smtp_sender(port)
        await codes.send(ADA, TEXT)
        await codes.send(ADA, TEXT)

    first, second = (envelope.content for envelope in box.envelopes)
    assert first != second


async def test_the_address_is_asked_for_with_the_caller() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        codes = SmtpCodeSender(
            HOST, port, sender="codes@shop.example", security="none", address=lambda caller: f"{caller.user}@{caller.tenant}.example"
        )
        await codes.send(ADA, TEXT)

    assert box.envelopes[0].rcpt_tos == ["u-17@acme.example"]


async def test_a_server_that_says_no_goodbye_has_taken_the_mail() -> None:
    script = Script({"QUIT": ""})
    async with scripted_server(script) as port:
        with anyio.fail_after(5):
            await smtp_sender(port).send(ADA, TEXT)


# --- encryption and signing in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_signed_in_and_encrypted(security: str, ca: trustme.CA) -> None:
    box = Mailbox()
    async with mail_server(box, tls={security: server_context(ca)}, login=LOGIN) as port:
        await smtp_sender(port, security=security, username=LOGIN[0], password=LOGIN[1]).send(ADA, TEXT)

    assert (box.encrypted, box.signed_in) == ([True], [True])
    assert box.mail().get_content().rstrip("\n") == TEXT


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_nobody_vouches_for_is_refused(security: str) -> None:
    box = Mailbox()
    async with mail_server(box, tls={security: server_context(trustme.CA())}) as port:
        with pytest.raises(BackendError, match=r"is not trusted .*SSL_CERT_FILE") as caught:
            await smtp_sender(port, security=security).send(ADA, TEXT)

    assert isinstance(caught.value.__cause__, ssl.SSLCertVerificationError)
    assert not box.envelopes


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_of_another_host_is_refused(security: str, ca: trustme.CA) -> None:
    box = Mailbox()
    async with mail_server(box, tls={security: server_context(ca, "mail.example")}) as port:
        with pytest.raises(BackendError, match=r"is not trusted \(.*mismatch.*give the host it is made out to"):
            await smtp_sender(port, security=security).send(ADA, TEXT)

    assert not box.envelopes


async def test_without_encryption_nothing_is_said() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        with pytest.raises(BackendError, match=r"starting TLS\. It offers no STARTTLS"):
            await smtp_sender(port, security="starttls").send(ADA, TEXT)
        with pytest.raises(BackendError, match=r"connecting.*TLS failed; does security fit the port\?"):
            await smtp_sender(port, security="tls").send(ADA, TEXT)

    assert not box.envelopes


async def test_a_wrong_password_is_named_as_such(ca: trustme.CA) -> None:
    box = Mailbox()
    async with mail_server(box, tls={"starttls": server_context(ca)}, login=LOGIN) as port:
        with pytest.raises(BackendError, match=r"signing in\. It refused the sign-in \(535\); look at username and password"):
            await smtp_sender(port, security="starttls", username=LOGIN[0], password="falsch-99").send(ADA, TEXT)

    assert not box.envelopes


async def test_a_server_that_wants_a_sign_in_is_named_as_such(ca: trustme.CA) -> None:
    async with mail_server(Mailbox(), tls={"starttls": server_context(ca)}, login=LOGIN) as port:
        with pytest.raises(BackendError, match=r"wants a sign-in \(530\); give username and password"):
            await smtp_sender(port, security="starttls").send(ADA, TEXT)


# --- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "",
        " ",
        "ada",
        "@example.com",
        "ada@",
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com\n",
        "ada@example.com\x00",
        "ada@example.com\u2028x",
        "ada@example.com, eve@example.com",
        "ada@example.com;eve@example.com",
        "Ada <ada@example.com>",
        '"a b"@example.com',
        "ada@eve@example.com",
        "ada@example.com> SIZE=1",
        "\ud800@example.com",
        f"{'a' * 243}@example.com",
        None,
        17,
        b"ada@example.com",
    ],
    ids=ascii,
)
async def test_an_address_that_is_none_is_refused_before_anything_is_sent(address: object) -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        with pytest.raises(DefinitionError) as caught:
            await smtp_sender(port, address=address).send(ADA, TEXT)

    assert (caught.value.subject, caught.value.member) == ("SmtpCodeSender", "address")
    assert "example.com" not in str(caught.value).removesuffix("such as 'ada@example.com'.")
    assert box.connections == 0


async def test_what_the_address_function_raises_stays_what_it_is() -> None:
    def unknown(caller: Caller) -> str:
        raise LookupError(caller.user)

    codes = SmtpCodeSender(HOST, 1, sender="codes@shop.example", address=unknown, security="none")

    with pytest.raises(LookupError, match="u-17"):
        await codes.send(ADA, TEXT)
