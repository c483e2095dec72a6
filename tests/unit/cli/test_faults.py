import logging
from collections.abc import Callable

import pytest

from handgriff.cli.faults import WrongUse, _Brief, carried_out
from handgriff.errors import BackendError, DefinitionError, Refusal


def raising(error: BaseException) -> Callable[[], int]:
    def work() -> int:
        raise error

    return work


def backend() -> BackendError:
    error = BackendError("sqlite", "opening")
    error.__cause__ = OSError("disk full")
    return error


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        pytest.param(Refusal("conflict", "It runs.", next="Wait."), 1, "conflict: It runs. Wait.", id="refusal"),
        pytest.param(ExceptionGroup("", [Refusal("stale", "It moved.")]), 1, "stale: It moved.", id="a refusal in a group"),
        pytest.param(DefinitionError("Host", "store", "no.", mend="yes."), 2, "'Host', store: no. Mend: yes.", id="definition"),
        pytest.param(WrongUse("Say who."), 2, "Say who.", id="wrong use"),
        pytest.param(backend(), 1, "'sqlite' failed at opening. (disk full)", id="backend"),
        pytest.param(ValueError("odd\x1b[2J"), 1, "ValueError: odd\n--debug shows where.", id="anything else"),
        pytest.param(KeyboardInterrupt(), 130, "", id="Ctrl-C"),
    ],
)
def test_an_error_becomes_a_sentence_and_a_code(capsys: pytest.CaptureFixture[str], error: BaseException, code: int, told: str) -> None:
    assert carried_out(raising(error), debug=False, as_json=False) == code

    said = capsys.readouterr()
    assert told in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_a_refusal_is_json_where_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert carried_out(raising(Refusal("not_found", "No.")), debug=False, as_json=True) == 1

    assert capsys.readouterr().out == '{"refused":"not_found","message":"No.","next":null}\n'


def test_what_was_asked_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert carried_out(lambda: 0, debug=False, as_json=False) == 0
    assert capsys.readouterr() == ("", "")


def test_a_log_record_is_one_line_without_its_traceback() -> None:
    trouble = (KeyError, KeyError("a secret"), None)
    record = logging.LogRecord("handgriff.call", logging.ERROR, "", 1, "%s: tool\nfind", ("i_1",), trouble)

    assert _Brief().format(record) == "i_1: tool find (KeyError; --debug shows where)"
