"""When a client is told: once for each change, whoever looked last."""

from handgriff import Caller
from handgriff.mcp.shown import NOTHING, Last, Withheld

ONE, OTHER = (("a", "A."),), (("a", "B."),)


def test_who_was_shown_nothing_is_told_nothing() -> None:
    last = Last()

    assert not last.is_news(last.ticket(), ONE)
    assert not Last().is_news_by_the_way(1, ONE)


def test_a_change_is_told_once() -> None:
    last = Last()
    last.listed(last.ticket(), ONE)

    assert [last.is_news(last.ticket(), now) for now in (ONE, OTHER, OTHER, ONE)] == [False, True, False, True]


def test_another_description_is_a_change() -> None:
    last = Last()
    last.listed(last.ticket(), ONE)

    assert last.is_news(last.ticket(), OTHER)


def test_who_began_to_look_earlier_knows_less() -> None:
    last = Last()
    last.listed(last.ticket(), ONE)
    early, late = last.ticket(), last.ticket()

    assert last.is_news(late, OTHER)
    assert not last.is_news(early, ONE)
    assert not last.is_news_by_the_way(early, ONE)
    last.listed(early, ONE)
    assert last.shown == OTHER


def test_what_was_told_by_the_way_is_told_again_on_the_stream_of_a_call_unless_it_was_listed() -> None:
    last = Last()
    last.listed(last.ticket(), ONE)

    assert last.is_news_by_the_way(last.ticket(), OTHER)
    assert not last.is_news_by_the_way(last.ticket(), OTHER)
    assert last.is_news(last.ticket(), OTHER)


def test_a_list_makes_it_no_news() -> None:
    last = Last()
    last.listed(last.ticket(), ONE)
    assert last.is_news_by_the_way(last.ticket(), OTHER)
    last.listed(last.ticket(), OTHER)

    assert not last.is_news(last.ticket(), OTHER)


def test_what_a_request_did_not_show_is_taken_from_the_rights_of_a_later_day() -> None:
    had = Caller("acme", "ada", permissions={"read", "write"}, roles={"clerk"}, modules={"shop"})
    showed = Caller("acme", "ada", permissions={"read"}, roles={"clerk"}, modules={"shop"})
    later = Caller("acme", "ada", permissions={"read", "write", "audit"}, roles=set(), modules={"shop"})

    assert Withheld.of(had, showed).from_(later) == Caller("acme", "ada", permissions={"read", "audit"}, modules={"shop"})
    assert Withheld.of(showed, had) == NOTHING
