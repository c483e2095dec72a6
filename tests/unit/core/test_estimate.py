import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.estimate import estimate_tokens

texts = st.text(st.characters(exclude_categories=()), max_size=300)  # lone surrogates too: a model's stream may be cut inside a pair

PROSE = "The carrier allows one change of date until the evening before. Shall I move it to next Thursday?"


def test_no_text_is_no_token_and_one_character_is_one() -> None:
    assert [estimate_tokens(text) for text in ("", " ", "a", "é", "漢", "\ud800")] == [0, 1, 1, 2, 1, 1]


def test_english_prose_has_four_to_five_characters_a_token() -> None:
    assert 4 <= len(PROSE) / estimate_tokens(PROSE) <= 5


@pytest.mark.parametrize(
    "text", ["星期四的预约已经推迟", "木曜日の予約は延期されました", "목요일예약은연기되었습니다"], ids=["zh", "ja", "ko"]
)
def test_east_asian_text_has_about_one_character_a_token(text: str) -> None:
    assert estimate_tokens(text) == len(text)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ('{"id": "o_17", "status": "pending", "items": [{"sku": "A-4418", "count": 2, "price": 19.99}]}', 32, 44),
        ("2026-11-29T10:15:00Z 2026-11-30T08:00:00Z", 20, 32),
        ("Möchten Sie die Überweisung für Freitag bestätigen? Die Gebühren entfallen.", 17, 26),
        ("Встреча в четверг была перенесена на пятницу.", 13, 24),
        ("तुम्हारी मुलाकात शुक्रवार को है", 10, 30),
        ("🎉🚀", 3, 6),
    ],
    ids=["json", "timestamps", "de", "ru", "hi", "emoji"],
)
def test_other_scripts_and_kinds_of_content_lie_where_vocabularies_put_them(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


def test_the_same_length_costs_more_as_json_than_as_prose() -> None:
    table = '{"a":1,"b":[2,3],"c":{"d":4}}'

    assert estimate_tokens(table) > 2 * estimate_tokens(PROSE[: len(table)])


@given(texts, texts)
def test_more_text_is_never_fewer_tokens_and_joining_never_adds_any(first: str, second: str) -> None:
    joined = estimate_tokens(first) + estimate_tokens(second)

    assert estimate_tokens(first) <= estimate_tokens(f"{first}|{second}")
    assert estimate_tokens(f"{first}{second}") <= joined


@given(texts)
def test_an_estimate_is_deterministic_and_0_for_the_empty_text_alone(text: str) -> None:
    assert estimate_tokens(text) == estimate_tokens(text)
    assert (estimate_tokens(text) == 0) is (text == "")
