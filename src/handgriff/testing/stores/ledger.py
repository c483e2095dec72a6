"""What every store must do with ledger rows, kept prefixes and queued hooks."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import replace

from handgriff.core.batch import CloseRequest, DeliverHook, KeepPrefix, OpenRequest, QueueHook
from handgriff.ports.store import Store
from handgriff.testing.samples import CLOSED_REQUEST, HOOK, REQUEST, TENANT, at


class LedgerSuite:
    """Opened before, closed once."""

    async def test_a_row_is_opened_and_closed_with_every_field(self, store: Store) -> None:
        await store.commit((OpenRequest(REQUEST), OpenRequest(CLOSED_REQUEST)), durable=True)
        assert list(await store.requests(TENANT)) == [REQUEST]

        await store.commit((CloseRequest(CLOSED_REQUEST),))
        assert list(await store.requests(TENANT)) == [CLOSED_REQUEST]

    async def test_a_closed_row_stays_as_it_is(self, store: Store) -> None:
        await store.commit((OpenRequest(REQUEST), CloseRequest(CLOSED_REQUEST)))

        await store.commit((CloseRequest(replace(CLOSED_REQUEST, status="aborted", cost_pico=0)), OpenRequest(REQUEST)))

        assert list(await store.requests(TENANT)) == [CLOSED_REQUEST]

    async def test_closing_makes_no_row(self, store: Store) -> None:
        await store.commit((CloseRequest(CLOSED_REQUEST),))

        assert list(await store.requests(TENANT)) == []

    async def test_zero_and_unpriced_are_two_things(self, store: Store) -> None:
        rows = [replace(CLOSED_REQUEST, id="free", cost_pico=0), replace(CLOSED_REQUEST, id="unpriced", cost_pico=None)]
        await store.commit(tuple(map(OpenRequest, rows)))

        assert [row.cost_pico for row in await store.requests(TENANT)] == [0, None]

    async def test_rows_come_oldest_first_and_as_filtered(self, store: Store) -> None:
        rows = [
            replace(REQUEST, id="late", opened_at=at(9)),
            replace(REQUEST, id="b"),
            replace(REQUEST, id="a", turn="t2"),
            replace(REQUEST, id="elsewhere", session="s2"),
            replace(REQUEST, id="foreign", tenant="globex"),
        ]
        await store.commit(tuple(map(OpenRequest, rows)))

        assert [row.id for row in await store.requests(TENANT)] == ["b", "a", "elsewhere", "late"]
        assert [row.id for row in await store.requests(TENANT, session="s1")] == ["b", "a", "late"]
        assert [row.id for row in await store.requests(TENANT, session="s1", turn="t1")] == ["b", "late"]
        assert [row.id for row in await store.requests(TENANT, turn="t2")] == ["a"]

    async def test_a_prefix_is_kept_as_it_was_first(self, store: Store) -> None:
        await store.commit((KeepPrefix(TENANT, "h1", "tools\x00👋"), KeepPrefix(TENANT, "h1", "other")))

        assert await store.prefix(TENANT, "h1") == "tools\x00👋"
        assert await store.prefix(TENANT, "h2") is None
        assert await store.prefix("globex", "h1") is None

    async def test_hooks_wait_in_the_order_they_came(self, store: Store) -> None:
        hooks = [replace(HOOK, id="b"), replace(HOOK, id="a"), replace(HOOK, id="early", at=at(-9)), replace(HOOK, id="x", tenant="globex")]
        await store.commit(tuple(map(QueueHook, hooks)))
        assert list(await store.hooks(TENANT)) == hooks[:3]

        await store.commit((QueueHook(replace(HOOK, id="b", payload="{}")), DeliverHook(TENANT, "a"), DeliverHook(TENANT, "never")))
        await store.commit((QueueHook(replace(HOOK, id="a")),))
        assert [hook.id for hook in await store.hooks(TENANT)] == ["b", "early", "a"]
        assert (await store.hooks(TENANT))[0].payload == HOOK.payload
        assert [hook.id for hook in await store.hooks("globex")] == ["x"]
