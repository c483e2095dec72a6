"""The depot's pure rules: check digits, GS1's wrapping, forms of codes, and taking a message apart."""

import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.relabeling.checks import gs1_digit, identcode_digit, mod_37_36, s10_digit, ups_digit
from examples.relabeling.codes import CARRIERS, LONGEST_SHOWN, Code, Unreadable, clean, read
from examples.relabeling.directions import Direction, DirectionError
from examples.relabeling.gs1 import FNC1, sscc_in
from examples.relabeling.scans import codes_in

DIGITS, CAPITALS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def digits(count: int) -> st.SearchStrategy[str]:
    return st.text(DIGITS, min_size=count, max_size=count)


ssccs = digits(17).map(lambda body: f"00{body}{gs1_digit(body)}")
identcodes = digits(11).map(lambda body: body + identcode_digit(body))
s10s = st.tuples(st.text(CAPITALS, min_size=2, max_size=2), digits(8), st.text(CAPITALS, min_size=2, max_size=2)).map(
    lambda parts: f"{parts[0]}{parts[1]}{s10_digit(parts[1])}{parts[2]}"
)
upses = st.text(DIGITS + CAPITALS, min_size=15, max_size=15).map(lambda body: f"1Z{body}{ups_digit(body)}")
checked = ssccs | identcodes | s10s | upses
codes = checked | digits(14)


@pytest.mark.parametrize(
    ("code", "spelled", "carriers"),
    [
        ("00340434161094042557", "00340434161094042557", "DHL"),
        ("340434161094042557", "00340434161094042557", "DHL"),
        ("106141412345678908", "00106141412345678908", "DHL"),
        ("201298452277", "201298452277", "DHL"),
        ("563102430313", "563102430313", "DHL"),
        ("RR473124829GB", "RR473124829GB", "DHL POST"),
        ("01015026003653", "01015026003653", "DPD"),
        ("01015026003653C", "01015026003653", "DPD"),
        ("%0063741" + "01015026003653" + "101276", "01015026003653", "DPD"),
        ("1Z999AA10123456784", "1Z999AA10123456784", "UPS"),
        ("1Z5R89390357567127", "1Z5R89390357567127", "UPS"),
        ("1Z879E930346834440", "1Z879E930346834440", "UPS"),
    ],
    ids=str,
)
def test_a_known_code_is_read_as_its_carriers(code: str, spelled: str, carriers: str) -> None:
    reading = read(code)

    assert isinstance(reading, Code)
    assert (reading.text, " ".join(reading.carriers)) == (spelled, carriers)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("00340434161094042558", "looks like an SSCC, but its check digit"),
        ("201298452278", "looks like an Identcode"),
        ("RR473124828GB", "looks like an S10 identifier"),
        ("1Z999AA10123456785", "looks like a UPS tracking number"),
        ("01015026003653D", "looks like a DPD parcel number"),
        ("1Z999AA1012345678", "(17 characters)"),
        ("20340434161094042557", "(20 characters)"),
        ("R", "(1 character)"),
        ("]C1" + "0112345678901231", "(16 characters)"),
        ("]C1" + "00340434161094042", "(17 characters)"),
        ("", "nothing of it"),
        (" - ", "nothing of it"),
        ("]C1", "nothing of it"),
        (FNC1, "nothing of it"),
        ("=1+1", "(4 characters)"),
    ],
    ids=ascii,
)
def test_what_is_no_code_says_why(code: str, reason: str) -> None:
    reading = read(code)

    assert isinstance(reading, Unreadable)
    assert reason in reading.reason


@pytest.mark.parametrize(
    "scanned",
    [
        "]C100340434161094042557",
        "]d200340434161094042557",
        "]Q300340434161094042557",
        f"]C1{FNC1}00340434161094042557{FNC1}",
        "(00) 3 4043416 109404255 7",
        "00.340434161094042557",
        "'00340434161094042557",
        "00340434161094042557".translate({ord(digit): 0xFF10 + int(digit) for digit in DIGITS}),
        "00340434161094042557".translate({ord(digit): 0x0660 + int(digit) for digit in DIGITS}),
        "\ufeff00340434161094042557\r",
        "00340434\u00a016109\u20114042557",
        f"]C100340434161094042557{FNC1}42012345",
        "]C1003404341610940425574201234",
        f"]d242012345{FNC1}00340434161094042557",
        f"]C1100123456789{FNC1}00340434161094042557",
        f"]C1011234567890123100340434161094042557{FNC1}10LOT",
        "]C13102001750" + "00340434161094042557",
    ],
    ids=ascii,
)
def test_whatever_stands_around_an_sscc_it_is_the_same_code(scanned: str) -> None:
    reading = read(scanned)

    assert isinstance(reading, Code), reading
    assert reading.text == "00340434161094042557"


def test_an_identifier_of_another_symbol_is_taken_off_too() -> None:
    for identifier in ("]C0", "]I1", "]A0", "]c1", "]D2"):
        assert isinstance(read(f"{identifier}rr473124829gb"), Code)


@pytest.mark.parametrize(
    ("body", "character"),
    [("A12425GABC1234002", "M"), ("01015026003653", "C")],
    ids=str,
)
def test_the_hybrid_check_character_is_the_one_of_the_published_examples(body: str, character: str) -> None:
    assert mod_37_36(body) == character


def test_the_rare_rests_of_s10_are_written_as_the_standard_says() -> None:
    rests = {s10_digit(f"{number:08}") for number in range(200)}

    assert rests == set(DIGITS)
    assert s10_digit("00000000") == "5"


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(alphabet=st.sampled_from("]C1d2Q3e0 \x1d\t-.()'\uff10\uff21a0")))
def test_cleaning_twice_is_cleaning_once_where_identifiers_are(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(alphabet=st.characters(), max_size=60) | st.text(alphabet="]C100340 \x1d1Z,%\n", max_size=60))
def test_no_text_makes_reading_fail(text: str) -> None:
    for reading in (read(text), *codes_in([text])):
        if isinstance(reading, Unreadable):
            assert reading.reason
            assert len(reading.scanned) <= LONGEST_SHOWN + 1
            assert reading.scanned.isprintable()
        else:
            assert reading.text.isascii()
            assert reading.text.isalnum()
            assert set(reading.carriers) <= set(CARRIERS)


def test_half_a_character_is_unreadable_and_no_failure() -> None:
    assert isinstance(read("\ud800"), Unreadable)


@given(codes)
def test_what_is_kept_is_read_as_itself(code: str) -> None:
    reading = read(code)

    assert isinstance(reading, Code)
    assert reading.text == code
    assert read(reading.text) == reading


@given(checked, st.data())
def test_one_wrong_digit_is_noticed(code: str, data: st.DataObject) -> None:
    # A UPS number may hold letters that count alike, and the country of an S10 item is not counted.
    places = [at for at, each in enumerate(code) if each.isdigit() and not (code.startswith("00") and at < 2) and not code.startswith("1Z")]
    if not places:
        return
    at = data.draw(st.sampled_from(places))
    wrong = data.draw(st.sampled_from([digit for digit in DIGITS if digit != code[at]]))
    reading = read(code[:at] + wrong + code[at + 1 :])

    # What the rules themselves can't see: by weight 4, digits five apart count alike; and S10 writes two rests as 5.
    is_alike = (len(code) == 12 and abs(int(wrong) - int(code[at])) == 5) or (len(code) == 13 and code[10] == "5")
    assert is_alike or isinstance(reading, Unreadable)


@given(st.lists(codes, max_size=12), st.sampled_from([" ", ", ", "\n", "\r\n", ";", "\t", "  "]))
def test_a_message_holds_the_codes_that_were_put_into_it(several: list[str], between: str) -> None:
    found = codes_in([between.join(f"]C1{code.lower()}" for code in several)])

    assert [reading.text for reading in found if isinstance(reading, Code)] == several
    assert len(found) == len(several)


@given(st.lists(checked, min_size=1, max_size=4))
def test_a_code_that_is_printed_in_groups_is_one(several: list[str]) -> None:
    lines = [" ".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in several]

    found = codes_in(["\n".join(lines)])

    assert [reading.text for reading in found if isinstance(reading, Code)] == several


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1Z 999 AA1 01 2345 6784", "1Z999AA10123456784"),
        ("RR 473 124 829 GB 21.802 580.906 6", "RR473124829GB 218025809066"),
        ("0101 5026 0036 53 C 0150 5012 3456 78", "01015026003653 01505012345678"),
        ("0101 5026 0036 53", "01015026003653"),
        ("(00) 340434161094042557", "00340434161094042557"),
        ("00340434161094042557 and 201298452277", "00340434161094042557 ? 201298452277"),
        ("201298452278 12", "? ?"),
        ("1234567 8901234", "? ?"),
        ("01505012345678 5678", "01505012345678 ?"),
        ("201298452277,,;201298452277", "201298452277 201298452277"),
        (" , - ;\n", ""),
    ],
    ids=str,
)
def test_a_line_is_read_with_as_few_unreadable_words_as_can_be(text: str, expected: str) -> None:
    assert " ".join(reading.text if isinstance(reading, Code) else "?" for reading in codes_in([text])) == expected


def test_the_order_of_several_texts_is_kept() -> None:
    texts = ["201298452277 x", "1Z999AA10123456784"]

    found = codes_in(texts)

    assert [isinstance(reading, Code) for reading in found] == [True, False, True]
    assert codes_in(texts) == tuple(chain.from_iterable(codes_in([text]) for text in texts))


def test_a_long_line_is_read_in_time_that_grows_with_it() -> None:
    words = [f"{random.Random(number).randrange(10**6)}" for number in range(2000)]  # noqa: S311  # nothing secret

    assert codes_in([" ".join(words)])


@given(st.text(alphabet=st.sampled_from("01 \x1d34]"), max_size=80))
def test_an_sscc_that_is_found_is_eighteen_digits(text: str) -> None:
    found = sscc_in(clean(text))

    assert found is None or (len(found) == 18 and found.isdigit())


@pytest.mark.parametrize("written", ["DHL->DPD", "dhl -> dpd", " DHL→DPD ", "DHL=>DPD", "DHL > DPD", "dhl to DPD"], ids=ascii)
def test_a_direction_may_be_written_as_people_do(written: str) -> None:
    assert Direction.parse(written) == Direction("DHL", "DPD")
    assert str(Direction.parse(written)) == "DHL->DPD"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("DHL", "Write it as DHL->DPD"),
        ("DHL->", "Write it as"),
        ("", "Write it as"),
        ("DHLtoDPD", "Write it as"),
        ("DHL->GLS", "'GLS' is no carrier here"),
        ("Hermes->DHL", "'Hermes' is no carrier"),
        ("DHL->dhl", "nothing would be relabeled"),
    ],
    ids=str,
)
def test_what_is_no_direction_says_why(written: str, why: str) -> None:
    with pytest.raises(DirectionError, match=why):
        Direction.parse(written)


def test_only_parcels_of_the_first_carrier_fit_a_direction() -> None:
    read_codes = [code for code in map(read, ("201298452277", "RR473124829GB", "1Z999AA10123456784")) if isinstance(code, Code)]

    assert [code.text for code in Direction("DHL", "DPD").misfits(read_codes)] == ["1Z999AA10123456784"]
    assert [code.text for code in Direction("POST", "DPD").misfits(read_codes)] == ["201298452277", "1Z999AA10123456784"]
