"""What every store must do with hostile ids where whole places are written: forked, cut back, swept, erased. Each names itself alone."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

import pytest

from handgriff.core.batch import DeleteSession, Erase, ForkSession, OpenRequest, RenewScratch, RewindSession, SweepScratch
from handgriff.core.delta import Clear
from handgriff.core.rows import Request, Session
from handgriff.ports.store import Store
from handgriff.testing.samples import REQUEST, START, TENANT, USER, at, change, create, jot, put, renew, say
from handgriff.testing.stores.answers import note_texts, notes, refusal
from handgriff.testing.stores.ids import HOSTILE


class PlaceSuite:
    """The ids of `IdSuite`, and the operations on everything that an id holds."""

    hostile: ClassVar[Sequence[str]] = HOSTILE
    """An adapter whose database keeps no NUL leaves those out; `Caller` refuses them above."""

    async def test_no_two_records_of_scratch_alias(self, store: Store) -> None:
        """P13."""
        few = ("a", "a_b", "b", "b_a", "%", "_", "A")
        places = list(product(few, few, few))
        await store.commit(tuple(create(session, tenant=tenant) for tenant, session in product(few, few)))
        await store.commit(tuple(jot("k", _mark(*place), place[2], tenant=place[0], session=place[1]) for place in places))

        for tenant, session, namespace in places:
            record = await store.record(tenant, session, namespace, now=START)
            assert record is not None
            assert (record.tenant, record.session, record.namespace) == (tenant, session, namespace)
            assert note_texts(record) == {"k": _mark(tenant, session, namespace)}
        for tenant, session in product(few, few):
            assert [record.namespace for record in await store.records(tenant, session=session, now=START)] == sorted(few)

    async def test_any_text_names_a_record_and_a_note_of_its_own(self, store: Store) -> None:
        await store.commit((create(),))
        await store.commit(tuple(jot(name, f'"{name.encode().hex()}"', name) for name in self.hostile if name))

        for mine in filter(None, self.hostile):
            assert await notes(store, mine) == {mine: f'"{mine.encode().hex()}"'}
        await store.commit((change(Clear("%"), Clear("_"), Clear("*")),))
        left = {record.namespace for record in await store.records(TENANT, now=START)}
        assert left == set(self.hostile) - {"", "%", "_", "*"}

    async def test_prolonging_clearing_and_sweeping_reach_what_they_name_alone(self, store: Store) -> None:
        """B007, B129."""
        for name in self.hostile:
            await store.commit((create(name, tenant=name), jot("k", "1", "n", tenant=name, session=name, until=10)))

        for name in self.hostile[::2]:
            await store.commit((RenewScratch(name, name, "n", at(9), at(99)),))
        for name in self.hostile:
            swept = (await store.commit((SweepScratch(name, at(10), 99),))).swept
            assert swept == (name in self.hostile[1::2])

        for name in self.hostile:
            assert len(await store.records(name, now=START)) == (name in self.hostile[::2])

    async def test_forking_and_cutting_back_reach_what_they_name_alone(self, store: Store) -> None:
        """B129."""
        for name in self.hostile:
            await store.commit((create(name), say("e1", name, session=name), put(name, '"old"', session=name)))

        for name in self.hostile:
            assert await refusal(store, ForkSession(name, Session("globex", USER, name, START), 1, ())) == ("session", name)
            await store.commit((ForkSession(name, Session(TENANT, "bob", f"fork of {name}", START), 1, ((name, '"new"'),)),))
        for name in self.hostile[::2]:
            await store.commit((RewindSession(TENANT, name, 2, 0, ((name, '"cut"'),)),))

        for name in self.hostile:
            is_cut = name in self.hostile[::2]
            assert len(await store.events(TENANT, name)) == (0 if is_cut else 2)
            assert [event.body for event in await store.events(TENANT, f"fork of {name}")] == [say("e1", name).event.body]
            values = await store.session_values(TENANT, [name, f"fork of {name}"])
            texts = {session: {key: value.text for key, value in held.items()} for session, held in values.items()}
            assert texts == {name: {name: '"cut"' if is_cut else '"old"'}, f"fork of {name}": {name: '"new"'}}

    @pytest.mark.parametrize("whole", [False, True], ids=["a user", "a tenant"])
    async def test_erasing_reaches_whom_it_names_alone(self, store: Store, *, whole: bool) -> None:
        """P13, P20. B135: no name is a wildcard, the empty one neither."""
        for number, name in enumerate(self.hostile):
            tenant, session = name if whole else TENANT, f"s{number}"
            request = OpenRequest(_request(tenant, name, f"r{number}"))
            user_key = put("k", "1", "user", tenant=tenant, session=session, user=name)
            await store.commit(
                (create(session, tenant=tenant, user=name), user_key, request, jot("k", "1", tenant=tenant, session=session))
            )

        for name in self.hostile[::2]:
            await store.commit((Erase(name if whole else TENANT, None if whole else name, f"gone {name}"),))

        for number, name in enumerate(self.hostile):
            tenant, stays = name if whole else TENANT, name in self.hostile[1::2]
            assert len(await store.sessions(tenant, name)) == stays
            assert len(await store.values(tenant, "user", name)) == stays
            assert len(await store.records(tenant, session=f"s{number}", now=START)) == stays
            owner = name if stays else f"gone {name}"
            (row,) = [row for row in await store.requests(owner if whole else TENANT) if row.id == f"r{number}"]
            assert row.user == owner

    async def test_deleting_reaches_the_session_it_names_alone(self, store: Store) -> None:
        for name in self.hostile:
            await store.commit((create(name), jot("k", "1", session=name), put("k", "1", session=name)))

        for name in self.hostile[::2]:
            await store.commit((DeleteSession(TENANT, name, idle_since=at(1)),))

        left = set(self.hostile[1::2])
        assert {record.session for record in await store.records(TENANT, now=START)} == left
        assert (await store.session_values(TENANT, self.hostile)).keys() == left
        assert set(await store.idle(TENANT, at(1))) == left

    async def test_every_id_is_listed_as_it_is(self, store: Store) -> None:
        for name in self.hostile:
            await store.commit((create(name, tenant=name), change(renew(name or "n"), tenant=name, session=name)))

        assert list(await store.tenants()) == sorted(self.hostile)
        for name in self.hostile:
            assert list(await store.idle(name, at(1))) == [name]
            assert [record.namespace for record in await store.records(name, now=START)] == [name or "n"]


def _mark(*names: str) -> str:
    return f'"{"|".join(name.encode().hex() for name in names)}"'


def _request(tenant: str, user: str, name: str) -> Request:
    return replace(REQUEST, tenant=tenant, user=user, id=name)
