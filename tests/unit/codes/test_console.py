import io
import logging

import pytest

from handgriff.codes.console import ConsoleCodeSender
from handgriff.core.caller import Caller
from handgriff.errors import BackendError
from handgriff.ports.codes import CodeSender

pytestmark = pytest.mark.anyio

ADA = Caller("acme", "ada")


async def test_a_code_is_written_to_standard_error_with_whom_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    sender: CodeSender = ConsoleCodeSender()

    await sender.send(ADA, "Your code is 123456.")

    out, err = capsys.readouterr()
    assert out == ""
    assert err == "[development only] To user 'ada' of tenant 'acme': Your code is 123456.\n"


async def test_a_given_stream_takes_it_instead(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()

    await ConsoleCodeSender(stream=stream).send(ADA, "123456")

    assert "123456" in stream.getvalue()
    assert capsys.readouterr() == ("", "")


async def test_no_log_record_holds_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    await ConsoleCodeSender(stream=io.StringIO()).send(ADA, "123456")

    assert not caplog.records


@pytest.mark.parametrize("text", ["a\nb", "a\r\n\tb", "a\x1b[2Jb", "a\u2028b", "a\u202eb", "a\ud800b"], ids=ascii)
async def test_it_is_one_line_that_no_terminal_obeys(text: str) -> None:
    stream = io.StringIO()

    await ConsoleCodeSender(stream=stream).send(Caller("acme", "eve\n"), text)

    assert stream.getvalue().removesuffix("\n").isprintable()
    assert stream.getvalue().endswith("b\n")


async def test_what_a_stream_has_no_bytes_for_is_escaped() -> None:
    stored = io.BytesIO()
    stream = io.TextIOWrapper(stored, encoding="ascii")

    await ConsoleCodeSender(stream=stream).send(ADA, "für 1 €: 123456")

    assert rb"f\xfcr 1 \u20ac: 123456" in stored.getvalue()
    stream.close()


async def test_a_closed_stream_is_the_operators_and_the_error_is_silent_about_the_code() -> None:
    stream = io.StringIO()
    stream.close()

    with pytest.raises(BackendError, match="give another one") as caught:
        await ConsoleCodeSender(stream=stream).send(ADA, "123456")

    assert "123456" not in f"{caught.value!r} {caught.value.__cause__!r}"
