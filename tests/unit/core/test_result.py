"""What a tool answers and what a plan shows."""

from dataclasses import FrozenInstanceError

import pytest

from handgriff.core.result import AS_DECLARED, Change, Link, Page, Plan, Result, is_relative
from handgriff.errors import DefinitionError

STATUS = Change("Status", "pending", "cancelled")


@pytest.mark.parametrize(
    "href", ["/", "/orders/17", "/orders?id=o_17#top", "/a//b", "/größe", "/with space", "/https://evil.example", "/[", "/%5Cevil"]
)
def test_a_path_on_its_own_origin_is_a_link(href: str) -> None:
    assert is_relative(href)
    assert Result("Done.", link=href).link == Link(href)


@pytest.mark.parametrize(
    "href",
    [
        *("", " ", "orders/17", "?id=1", "#top", "./x", "../x"),
        *("//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/a\\b"),
        *("https://evil.example", "http:/evil", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "mailto:a@b.c"),
        *(" /x", "/\t/evil.example", "/\n/evil.example", "/\r/evil", "/a\x00", "/a\u2028b", "/a\u200bb", "/\ud83d"),
        *(None, 5, b"/x"),
    ],
    ids=repr,
)
def test_whatever_could_leave_it_is_none(href: str) -> None:
    """B147: the link on a card can't run or lead anywhere else."""
    assert not is_relative(href)
    with pytest.raises(DefinitionError, match="leaves the application"):
        Link(href)


def test_a_result_takes_a_link_with_words_on_it_and_refuses_a_bad_one() -> None:
    assert Result("Done.", link=Link("/orders/17", "Order 17")).link == Link("/orders/17", "Order 17")
    assert Result("Done.").link is None

    with pytest.raises(DefinitionError, match="link"):
        Result("Done.", link="//evil.example")
    with pytest.raises(DefinitionError, match="link"):
        Result("Done.", link=5)  # type: ignore[arg-type]  # what a checker would find


@pytest.mark.parametrize("summary", ["", "  \n", None, 5, {"a": 1}], ids=repr)
def test_results_and_plans_say_something(summary: str) -> None:
    with pytest.raises(DefinitionError, match="'Result', summary"):
        Result(summary)
    with pytest.raises(DefinitionError, match="'Plan', summary"):
        Plan(summary)


@pytest.mark.parametrize("diff", [STATUS, "diff", None, [("Status", "a", "b")], [STATUS, None], {STATUS}], ids=repr)
def test_a_diff_is_a_sequence_of_changes(diff: list[Change]) -> None:
    with pytest.raises(DefinitionError, match="'Result', diff"):
        Result("Done.", diff=diff)
    with pytest.raises(DefinitionError, match="'Plan', diff"):
        Plan("Cancel?", diff)


def test_a_diff_is_kept_as_it_was_given() -> None:
    diff = [STATUS]
    result: Result[None] = Result("Done.", diff=diff)
    plan = Plan("Cancel?", diff, sample=["o_17"])
    diff.clear()

    assert (result.diff, plan.diff, plan.sample) == ((STATUS,), (STATUS,), ("o_17",))


@pytest.mark.parametrize(
    ("member", "change"), [("label", (None, "a", "b")), ("before", ("Price", 10, "12")), ("after", ("Price", "10", 12.0))], ids=str
)
def test_a_change_is_text_as_people_read_it(member: str, change: tuple[str, str, str]) -> None:
    with pytest.raises(DefinitionError, match=f"'Change', {member}"):
        Change(*change)


def test_a_change_says_its_exact_values_where_they_differ_from_the_displayed_ones() -> None:
    assert Change("Price", "10.00 €", None).exact() == ("10.00 €", None)
    assert Change("Price", "10.00 €", "12.00 €", raw=(1000, 1200)).exact() == (1000, 1200)
    assert Change("Price", "10.00 €", None, raw=(1000, None)).exact() == (1000, None)


@pytest.mark.parametrize("fires", ["REJECT", False, "", (), True], ids=repr)
def test_a_handler_can_veto_its_event_and_choose_no_other(fires: None) -> None:
    assert Result("Kept.", fires=None).fires is None
    with pytest.raises(DefinitionError, match=r"'Result', fires.*fires=None"):
        Result("Rejected.", fires=fires)


@pytest.mark.parametrize("sample", ["o_17", [17], [None]], ids=repr)
def test_a_sample_is_a_sequence_of_texts(sample: list[str]) -> None:
    with pytest.raises(DefinitionError, match="sample"):
        Plan("Cancel?", sample=sample)


def test_nothing_found_is_said_in_words() -> None:
    result: Result[list[str]] = Result.none(searched="free slots on Friday")

    assert (result.summary, result.data) == ("Nothing was found. Searched: free slots on Friday.", None)


def test_a_result_may_be_made_with_its_type_and_is_not_changed_afterwards() -> None:
    result = Result[list[int]]("Two.", [1, 2], page=Page(total=7, returned=2))

    assert (result.data, result.page, result.fires) == ([1, 2], Page(7, 2), AS_DECLARED)
    assert repr(AS_DECLARED) == "AS_DECLARED"
    with pytest.raises(FrozenInstanceError):
        result.data = []  # type: ignore[misc]  # the point
