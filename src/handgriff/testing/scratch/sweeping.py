"""What every scratch must do when garbage is collected: take what is over when it is taken, in bounded steps, and nothing else."""

# ruff: noqa: S101, PLR2004, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

import anyio

from handgriff.ports.scratch import Scratch
from handgriff.testing.scratch.notes import HOUR, MS, PAD, SESSION, TENANT, at, item, note, read, write


class SweepSuite:
    """Sweeping and forgetting."""

    async def test_a_sweep_removes_what_is_over_and_says_how_much(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1", "short"), ttl=100)
        await write(scratch, note("a", "1", "long"))

        assert await scratch.sweep(TENANT, now=at(100 - MS), limit=10) == 0
        assert await scratch.sweep(TENANT, now=at(100), limit=10) == 1
        assert await scratch.sweep(TENANT, now=at(100), limit=10) == 0
        # Also for a reader whose clock is late: it is gone, and not only unseen.
        assert [record.namespace for record in await scratch.records(TENANT, now=at(0))] == ["long"]

    async def test_a_sweep_is_bounded(self, scratch: Scratch) -> None:
        for number in range(5):
            await write(scratch, note("a", "1", f"pad{number}"))

        assert [await scratch.sweep(TENANT, now=at(HOUR), limit=2) for _ in range(4)] == [2, 2, 1, 0]

    async def test_a_sweep_where_nothing_is_finds_nothing(self, scratch: Scratch) -> None:
        assert await scratch.sweep("nobody", now=at(HOUR), limit=10) == 0

    async def test_a_sweep_leaves_other_tenants_alone(self, scratch: Scratch) -> None:
        for tenant in ("acme", "acme2", "acm", "*", "ACME"):
            await write(scratch, note("a", "1"), tenant=tenant)

        assert await scratch.sweep("acme", now=at(HOUR), limit=10) == 1
        for tenant in ("acme2", "acm", "*", "ACME"):
            assert await read(scratch, tenant=tenant) == {"a": 1}

    async def test_what_was_renewed_survives(self, scratch: Scratch) -> None:
        """B007: also what is new, and only what is over counts."""
        for pad in ("a", "b"):
            await write(scratch, note("k", "1", pad), ttl=100)
        await scratch.renew(TENANT, SESSION, "a", now=at(99), until=at(99 + HOUR))
        await write(scratch, note("k", "1", "c"), moment=99)

        assert await scratch.sweep(TENANT, now=at(200), limit=10) == 1
        assert [record.namespace for record in await scratch.records(TENANT, now=at(200))] == ["a", "c"]

    async def test_a_sweep_takes_nothing_that_is_renewed_meanwhile(self, scratch: Scratch) -> None:
        """B007: whoever collects decides when it removes, and not when it has looked."""
        for number in range(16):
            await write(scratch, note("k", "1", f"pad{number}"), ttl=100)
        removed: list[int] = []

        async def sweep() -> None:
            removed.append(await scratch.sweep(TENANT, now=at(200), limit=100))

        async def append(number: int) -> None:
            await write(scratch, item("codes", "1", f"pad{number}"), moment=99)

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(append, number)
                tasks.start_soon(sweep)

        records = await scratch.records(TENANT, now=at(200))
        assert len(records) == 16
        # What a sweep has removed began anew with the write; the others went on.
        assert sum("k" not in record.values for record in records) == sum(removed)

    async def test_forgetting_a_session_removes_its_records_and_no_other(self, scratch: Scratch) -> None:
        for session in ("s1", "s2", "s", "s11", "S1", "*"):
            await write(scratch, note("a", "1", PAD), note("a", "1", "two"), session=session)
        await write(scratch, note("a", "1"), tenant="globex", session="s1")

        await scratch.forget(TENANT, "s1")

        assert list(await scratch.records(TENANT, session="s1", now=at(0))) == []
        assert [record.session for record in await scratch.records(TENANT, now=at(0))] == [
            "*",
            "*",
            "S1",
            "S1",
            "s",
            "s",
            "s11",
            "s11",
            "s2",
            "s2",
        ]
        assert await read(scratch, tenant="globex") == {"a": 1}

    async def test_forgetting_a_tenant_removes_all_of_it_and_no_other(self, scratch: Scratch) -> None:
        for tenant in ("acme", "acme2", "acm", "*"):
            for session in ("s1", "s2"):
                await write(scratch, note("a", "1"), tenant=tenant, session=session)

        await scratch.forget("acme")

        assert list(await scratch.records("acme", now=at(0))) == []
        for tenant in ("acme2", "acm", "*"):
            assert len(await scratch.records(tenant, now=at(0))) == 2

    async def test_what_was_forgotten_is_not_there_to_be_swept(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"), session="s1")
        await write(scratch, note("a", "1"), session="s2")

        await scratch.forget(TENANT, "s1")
        assert await scratch.sweep(TENANT, now=at(HOUR), limit=10) == 1
        await scratch.forget(TENANT)
        await scratch.forget("nobody")
        await scratch.forget(TENANT, "nobody")

    async def test_more_records_than_one_step_looks_at_are_listed_and_forgotten(self, scratch: Scratch) -> None:
        for number in range(130):
            await write(scratch, note("a", "1", f"pad{number:03}"), note("a", "1", f"pid{number:03}"))

        found = await scratch.records(TENANT, now=at(0))
        await scratch.forget(TENANT)

        assert [record.namespace for record in found] == sorted(f"{kind}{number:03}" for kind in ("pad", "pid") for number in range(130))
        assert list(await scratch.records(TENANT, now=at(0))) == []

    async def test_closing_again_is_nothing(self, scratch: Scratch) -> None:
        await scratch.close()
        await scratch.close()
