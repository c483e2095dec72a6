"""What every store must know about a scope without counting it: its keys and bytes, after whatever happened to it."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from handgriff.core.batch import DeleteSession, ForkSession, RewindSession
from handgriff.core.delta import Append, Delete, Increment, Operation, Remove, Set
from handgriff.core.rows import Session
from handgriff.core.state import Totals
from handgriff.ports.store import Store
from handgriff.testing.samples import START, TENANT, USER, change, create, put
from handgriff.testing.stores.answers import owner_of, recount


class TotalsSuite:
    """Equal to a recount."""

    async def test_totals_are_what_a_recount_finds(self, store: Store) -> None:
        await store.commit((create(), put("é", '"👋"', "app"), put("k", "null", "user")))
        assert await store.totals(TENANT, "app", "") == Totals(1, 8)
        assert await store.totals(TENANT, "user", USER) == Totals(1, 5)
        assert await store.totals(TENANT, "session", "s1") == await store.totals(TENANT, "user", "nobody") == Totals()

        for step in range(40):
            key = f"k{step % 7}"
            for scope in ("app", "user", "session"):
                operations: tuple[Operation, ...] = (
                    Append(scope, f"list {key}", str(step)),
                    Delete(scope, f"{key} {step % 3}") if step % 2 else Set(scope, f"{key} {step % 3}", f'"{"é" * step}"'),
                    Remove(scope, "list k1", str(step - 7)),
                )
                await store.commit((change(*operations),))
                assert await store.totals(TENANT, scope, owner_of(scope)) == await recount(store, scope, owner_of(scope))

    async def test_totals_follow_forks_rewinds_and_deletions(self, store: Store) -> None:
        await store.commit((create(), put("a", "1"), put("b", '"long"'), put("c", "[1,2,3]")))

        await store.commit((ForkSession("s1", Session(TENANT, USER, "s2", START), 2, (("a", "1"), ("é", '"👋"'))),))
        assert await store.totals(TENANT, "session", "s2") == await recount(store, "session", "s2") == Totals(2, 10)
        await store.commit((RewindSession(TENANT, "s1", 3, 1, (("a", "22"), ("d", "null"))),))
        assert await store.totals(TENANT, "session", "s1") == await recount(store, "session", "s1") == Totals(2, 8)
        await store.commit((put("b", "1"), change(Delete("session", "a"), Increment("session", "b", 9))))
        assert await store.totals(TENANT, "session", "s1") == await recount(store, "session", "s1") == Totals(2, 8)

        await store.commit((DeleteSession(TENANT, "s1"), create(), put("a", "1")))
        assert await store.totals(TENANT, "session", "s1") == Totals(1, 2)
