import pytest

from handgriff.core.refusal_codes import REFUSAL_WORDS, exit_code, jsonrpc_code, status_code
from handgriff.errors import REFUSAL_CODES


def test_every_code_has_its_words_and_no_other_has() -> None:
    assert tuple(REFUSAL_WORDS) == REFUSAL_CODES


def test_every_face_gets_words_it_can_use() -> None:
    for code, words in REFUSAL_WORDS.items():
        assert 400 <= words.status <= 599
        assert words.title
        assert words.agui == code
        assert words.exit == 1
        assert words.jsonrpc in (-32602, -32042) or -32019 <= words.jsonrpc <= -32000


def test_no_two_codes_look_alike_to_a_json_rpc_peer() -> None:
    assert len({words.jsonrpc for words in REFUSAL_WORDS.values()}) == len(REFUSAL_WORDS)


@pytest.mark.parametrize(
    ("code", "status"),
    [("not_found", 404), ("denied", 403), ("conversation_busy", 409), ("rate_limited", 429), ("too_large", 413), ("transient", 503)],
)
def test_clients_read_the_usual_status(code: str, status: int) -> None:
    assert {status_code(known) for known in REFUSAL_CODES if known == code} == {status}


def test_a_command_that_succeeded_ends_with_zero_and_a_refused_one_with_one() -> None:
    assert exit_code(None) == 0
    assert {exit_code(code) for code in REFUSAL_CODES} == {1}


def test_mcp_knows_what_is_not_there_by_its_own_code() -> None:
    assert jsonrpc_code("not_found") == -32002
    assert jsonrpc_code("unconfirmed") == -32042
