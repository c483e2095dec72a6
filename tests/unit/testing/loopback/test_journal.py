"""`handgriff.testing.loopback.journal`."""

import anyio
import pytest

from handgriff.testing.loopback.journal import Journal, Request


def enter(journal: Journal, path: str = "/v1/messages") -> Request:
    return journal.open(method="POST", path=path, headers={}, raw=b"{}", body={})


def test_requests_are_numbered_in_order_of_arrival() -> None:
    journal = Journal()

    first, second = enter(journal, "/a"), enter(journal, "/b")

    assert journal.requests == (first, second)
    assert (first.number, second.number, journal.count) == (0, 1, 2)


def test_a_record_is_replaced_and_never_changed() -> None:
    journal = Journal()
    opened = enter(journal)

    journal.revise(0, sent=3, status=200)

    assert (opened.sent, opened.status) == (0, None)
    assert [(request.sent, request.status) for request in journal.requests] == [(3, 200)]


def test_only_the_last_are_held_and_the_others_are_forgotten() -> None:
    journal = Journal(keep=1)
    enter(journal)
    enter(journal)

    journal.revise(0, sent=3)

    assert [request.number for request in journal.requests] == [1]
    assert (journal.get(0), journal.count) == (None, 2)


@pytest.mark.anyio
async def test_one_can_wait_for_a_request_and_for_its_end() -> None:
    journal = Journal()
    seen: list[object] = []

    async def watch() -> None:
        seen.append((await journal.arrived(0)).path)
        seen.append((await journal.ended(0)).completed)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            await anyio.lowlevel.checkpoint()
            enter(journal, "/a")
            await anyio.lowlevel.checkpoint()
            journal.revise(0, sent=1)
            await anyio.lowlevel.checkpoint()
            journal.revise(0, completed=True, ended=True)

    assert seen == ["/a", True]


@pytest.mark.anyio
async def test_what_was_forgotten_cannot_be_waited_for() -> None:
    journal = Journal(keep=0)
    enter(journal)

    with pytest.raises(KeyError):
        await journal.arrived(0)
