import logging
import socket
import traceback
from base64 import b64encode
from collections.abc import Iterator
from email.headerregistry import Address

import anyio
import anyio.to_thread
import pytest
import trustme

from handgriff.codes.smtp.delivery import Delivery, Server
from handgriff.codes.smtp.faults import fault
from handgriff.codes.smtp.message import compose
from handgriff.errors import BackendError
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

# --- what goes wrong ----------------------------------------------------------------------------------------------------


async def test_an_unknown_recipient_is_told_without_the_address() -> None:
    box = Mailbox(refused=frozenset({ADDRESS}))
    async with mail_server(box) as port:
        with pytest.raises(BackendError, match=r"sending\. It refused the recipient \(550\); look at what address\(\) answers") as caught:
            await smtp_sender(port).send(ADA, TEXT)

    assert ADDRESS not in everything(caught.value)


async def test_a_server_that_takes_only_ascii_addresses_says_so() -> None:
    async with mail_server(Mailbox(), utf8=False) as port:
        with pytest.raises(BackendError, match="only ASCII addresses; give a domain in its 'xn--' form"):
            await smtp_sender(port, address="jörg@bücher.example").send(ADA, TEXT)


async def test_where_nothing_listens_the_hint_says_so() -> None:
    with socket.socket() as bound:
        bound.bind((HOST, 0))
        with pytest.raises(BackendError, match=r"connecting\. Nothing listens there") as caught:
            await smtp_sender(bound.getsockname()[1]).send(ADA, TEXT)

    assert isinstance(caught.value.__cause__, ConnectionRefusedError)


@pytest.mark.parametrize(
    ("answers", "hint"),
    [
        pytest.param({"greeting": None}, "connecting. It closed the connection", id="hangs up at once"),
        pytest.param({"MAIL": None}, "sending. It closed the connection", id="hangs up at the sender"),
        pytest.param({"DATA": None}, "sending. It closed the connection", id="hangs up at the mail"),
        pytest.param({"mail": None}, "sending. It closed the connection", id="hangs up after the mail"),
        pytest.param({"greeting": "HTTP/1.1 400 Bad Request"}, "connecting. It is no SMTP server", id="speaks HTTP"),
        pytest.param({"greeting": "554 no"}, r"connecting. It refused to go on \(554\)", id="wants nobody"),
        pytest.param({"greeting": "421 busy"}, r"connecting. It refused to go on \(421, for now\)", id="is busy"),
        pytest.param({"EHLO": "250 mail.test"}, "signing in. It offers no way to sign in", id="knows no sign-in"),
        pytest.param({"EHLO": "250-mail.test\r\n250 AUTH NTLM"}, "signing in. It offers no way to sign in", id="knows another sign-in"),
        pytest.param({"AUTH": "334 %%%"}, "signing in. ", id="asks what can't be read"),
        pytest.param({"MAIL": "553 no"}, r"sending. It refused the sender \(553\)", id="refuses the sender"),
        pytest.param({"RCPT": "450 later"}, r"sending. It refused the recipient \(450, for now\)", id="lets wait"),
        pytest.param({"mail": "552 full"}, r"sending. It refused the mail \(552\)", id="refuses the mail"),
    ],
)
async def test_what_a_server_does_is_said(answers: dict[str, str | None], hint: str) -> None:
    async with scripted_server(Script(answers)) as port:
        with pytest.raises(BackendError, match=hint) as caught:
            await smtp_sender(port, username=LOGIN[0], password=LOGIN[1]).send(ADA, TEXT)

    assert caught.value.backend == "smtp"
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("silent", ["greeting", "EHLO", "AUTH", "RCPT", "mail"])
async def test_a_server_that_never_answers_is_left_in_time(silent: str) -> None:
    script = Script({silent: ""})
    async with scripted_server(script) as port:
        with pytest.raises(BackendError, match="did not answer in time") as caught:
            await smtp_sender(port, seconds=0.5, username=LOGIN[0], password=LOGIN[1]).send(ADA, TEXT)
        with anyio.fail_after(5):
            await script.left.wait()

    assert isinstance(caught.value.__cause__, TimeoutError)


@pytest.mark.parametrize("security", ["none", "tls"])
@pytest.mark.parametrize("silent", ["greeting", "RCPT"])
async def test_cancelling_cuts_the_connection_at_once(silent: str, security: str, ca: trustme.CA) -> None:
    script = Script({silent: ""})
    async with scripted_server(script, server_context(ca) if security == "tls" else None) as port:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(smtp_sender(port, security=security, seconds=3_600).send, ADA, TEXT)
                await script.silent.wait()
                tasks.cancel_scope.cancel()
            await script.left.wait()


async def test_a_delivery_that_was_cut_before_it_began_reaches_nobody() -> None:
    box = Mailbox()
    async with mail_server(box) as port:
        message = compose(Address("", "codes", "shop.example"), ADDRESS, "Code", TEXT)
        delivery = Delivery(Server(HOST, port, "shop.example", 5, "none"), message, sender="codes@shop.example", address=ADDRESS)
        delivery.cut()
        error = await anyio.to_thread.run_sync(delivery.run)

    assert isinstance(error, ConnectionAbortedError)
    assert box.connections == 0


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        pytest.param(socket.gaierror(-2, "unknown"), "Its name is not known", id="no such name"),
        pytest.param(OSError(113, "no route"), "The connection failed", id="no route"),
    ],
)
def test_what_the_network_does_is_said(error: Exception, hint: str) -> None:
    told = fault("connecting", error)

    assert hint in str(told)
    assert told.__cause__ is error


# --- what is never told -------------------------------------------------------------------------------------------------


def links(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if error.__context__ is not error.__cause__:
            yield from links(error.__context__)
        error = error.__cause__


def everything(error: BaseException) -> str:
    parts = [f"{each} {each!r} {each.args} {vars(each)}" for each in links(error)]
    return "\n".join([*parts, *traceback.format_exception(error)])


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param({"AUTH": "535 5.7.8 {}"}, id="AUTH"),
        pytest.param({"AUTH": "435 {}"}, id="AUTH, for now"),
        pytest.param({"MAIL": "553 {}"}, id="MAIL"),
        pytest.param({"RCPT": "550 5.1.1 {}"}, id="RCPT"),
        pytest.param({"DATA": "554 {}"}, id="DATA"),
        pytest.param({"mail": "554 {}"}, id="the mail"),
        pytest.param({"mail": "{}"}, id="the mail, without a number"),
        pytest.param({"mail": None}, id="a hang-up"),
    ],
)
async def test_a_server_that_repeats_what_it_was_sent_gives_nothing_away(
    answers: dict[str, str | None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    name, password = LOGIN
    async with scripted_server(Script(answers)) as port:
        codes = smtp_sender(port, username=name, password=password)
        with pytest.raises(BackendError) as caught:
            await codes.send(ADA, TEXT)

    told = f"{everything(caught.value)} {codes!r} {vars(codes)} {caplog.text} {[vars(record) for record in caplog.records]}"
    secrets = ("123456", "refund", ADDRESS, "lovelace", name, password, b64encode(f"\0{name}\0{password}".encode()).decode())
    assert [secret for secret in secrets if secret in told] == []


async def test_a_mail_that_was_sent_is_in_no_log_record(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with scripted_server(Script()) as port:
        await smtp_sender(port, username=LOGIN[0], password=LOGIN[1]).send(ADA, TEXT)

    assert [record for record in caplog.records if "123456" in str(vars(record))] == []
