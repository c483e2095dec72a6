"""What every scratch must do with a write: all operations, in order, however many write at once."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import anyio
import pytest

from handgriff.core import jsontext
from handgriff.core.delta import Add, Clear, Delete, Increment, Merge, Remove, Set
from handgriff.core.jsontext import Json
from handgriff.core.rows import Record
from handgriff.core.state import LIMITS
from handgriff.errors import BackendError
from handgriff.ports.scratch import Scratch
from handgriff.ports.store import CommitRefused
from handgriff.testing.scratch.notes import HOUR, PAD, SESSION, START, TENANT, at, clear, item, note, read, renewing, values, write


class WriteSuite:
    """Operations and what is read after them."""

    async def test_a_record_is_what_was_written(self, scratch: Scratch) -> None:
        await write(scratch, note("direction", '"DHL->DPD"'), item("codes", '"A1"'))

        found = await scratch.record(TENANT, SESSION, PAD, now=START)

        assert found == Record(TENANT, SESSION, PAD, at(HOUR), await values(scratch))
        assert await read(scratch) == {"direction": "DHL->DPD", "codes": ["A1"]}
        assert list(await scratch.records(TENANT, now=START)) == [found]

    async def test_every_operation_works(self, scratch: Scratch) -> None:
        await write(scratch, note("n", "1"), note("gone", "1"), note("tags", '["a","b"]'), note("form", '{"a":1,"b":2}'))
        await write(
            scratch,
            Increment("scratch", "n", 2, PAD),
            Delete("scratch", "gone", PAD),
            Add("scratch", "tags", '"a"', PAD),
            Add("scratch", "tags", '"c"', PAD),
            Remove("scratch", "tags", '"b"', PAD),
            Merge("scratch", "form", '{"a":null,"c":3}', PAD),
            item("codes", "true"),
        )

        assert await read(scratch) == {"n": 3, "tags": ["a", "c"], "form": {"b": 2, "c": 3}, "codes": [True]}

    async def test_operations_apply_in_their_order(self, scratch: Scratch) -> None:
        await write(scratch, item("codes", "1"), note("codes", "[]"), item("codes", "2"), item("codes", "3"))

        assert await read(scratch) == {"codes": [2, 3]}

    async def test_null_is_a_value_and_absence_is_not(self, scratch: Scratch) -> None:
        """B012: what is deleted is gone, what is null is there."""
        await write(scratch, note("answer", "null"), note("gone", "null"))
        await write(scratch, Delete("scratch", "gone", PAD))

        assert await read(scratch) == {"answer": None}

    @pytest.mark.parametrize(
        "value",
        ["", "a\x00b", 'é 👋 \u2028 \\ "', -0.5, 1e22, int("9" * 40), {}, [[], {}], {"": {"a.b": [None]}}, '{"x": 1}', False],
        ids=["empty", "NUL", "signs", "fraction", "exponent", "digits", "object", "lists", "nested", "JSON in text", "false"],
    )
    async def test_a_value_comes_back_as_it_was_written(self, scratch: Scratch, value: Json) -> None:
        text = jsontext.dumps(value)
        await write(scratch, note("value", text))

        assert {key: value.text for key, value in (await values(scratch)).items()} == {"value": text}

    async def test_no_key_is_special(self, scratch: Scratch) -> None:
        keys = ("data", "expires_at", "versions", "first_version", "values", "__proto__", "a.b:c-d_e", "0", "k" * 256)
        await write(scratch, *(note(key, f'"{key}"') for key in keys))

        assert await read(scratch) == {key: key for key in keys}

    async def test_one_delta_may_write_several_records(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1", "one"), note("b", "2", "two"), note("c", "3", "one"))

        assert await read(scratch, "one") == {"a": 1, "c": 3}
        assert await read(scratch, "two") == {"b": 2}

    async def test_only_what_is_about_scratch_is_applied(self, scratch: Scratch) -> None:
        delta = (Set("session", "topic", "1"), Set("user", "name", "2"), *renewing(note("a", "1")), Set("app", "brand", "3"))
        await scratch.write(TENANT, SESSION, delta, now=START, limits=LIMITS)
        await scratch.write(TENANT, SESSION, (Set("session", "topic", "1"),), now=START, limits=LIMITS)
        await scratch.write(TENANT, SESSION, (), now=START, limits=LIMITS)

        assert await read(scratch) == {"a": 1}
        assert len(await scratch.records(TENANT, now=START)) == 1

    async def test_a_record_that_is_cleared_is_gone(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"), note("b", "1", "other"))
        await clear(scratch)
        await clear(scratch, "never")

        assert [record.namespace for record in await scratch.records(TENANT, now=START)] == ["other"]

    async def test_what_comes_after_clearing_is_all_there_is(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"), note("b", "1"))
        delta = (Clear(PAD), *renewing(note("b", "2"), moment=10))
        await scratch.write(TENANT, SESSION, delta, now=at(10), limits=LIMITS)

        found = await scratch.record(TENANT, SESSION, PAD, now=at(10))
        assert found is not None
        assert found.expires_at == at(10 + HOUR)
        assert await read(scratch) == {"b": 2}

    @pytest.mark.parametrize(("value", "change"), [('"text"', Increment("scratch", "a", 1, PAD)), ("{}", item("a", "1"))])
    async def test_an_operation_that_does_not_fit_leaves_nothing_of_its_record(
        self, scratch: Scratch, value: str, change: Increment
    ) -> None:
        await write(scratch, note("a", value))
        before = await scratch.record(TENANT, SESSION, PAD, now=START)

        with pytest.raises(CommitRefused) as refused:
            await write(scratch, note("b", "1"), change, moment=10)

        assert (refused.value.guard, refused.value.subject) == ("state", "a")
        assert await scratch.record(TENANT, SESSION, PAD, now=at(10)) == before

    async def test_text_that_is_not_unicode_is_refused_whole(self, scratch: Scratch) -> None:
        half = "\ud83d"
        with pytest.raises(BackendError):
            await write(scratch, note("a", "1"), note("b", f'"{half}"'))
        with pytest.raises(BackendError):
            await write(scratch, note("a", "1"), session=half)

        assert list(await scratch.records(TENANT, now=START)) == []

    async def test_what_was_read_does_not_change_the_record(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "[1]"))
        found = await scratch.record(TENANT, SESSION, PAD, now=START)
        assert found is not None
        value = found.values["a"].json()
        assert isinstance(value, list)
        value.append(2)
        if isinstance(found.values, dict):
            found.values.clear()

        assert await read(scratch) == {"a": [1]}

    async def test_sixteen_writers_of_one_record_lose_nothing(self, scratch: Scratch) -> None:
        """The codes that tools collect at once, which get and set would lose."""

        async def work(writer: int) -> None:
            for step in range(5):
                code = f'"{writer}-{step}"'
                await write(scratch, item("codes", code), Increment("scratch", "count", 1, PAD), note(f"last{writer}", code))

        async with anyio.create_task_group() as tasks:
            for writer in range(16):
                tasks.start_soon(work, writer)

        held = await read(scratch)
        codes = held.pop("codes")
        assert isinstance(codes, list)
        assert sorted(map(str, codes)) == sorted(f"{writer}-{step}" for writer in range(16) for step in range(5))
        assert held == {"count": 80, **{f"last{writer}": f"{writer}-4" for writer in range(16)}}

    async def test_a_cancelled_write_is_whole_or_not_there(self, scratch: Scratch) -> None:
        async def work(number: int, scope: anyio.CancelScope) -> None:
            with scope:
                await write(scratch, item("a", str(number)), item("b", str(number)), note(f"k{number}", "1"))

        async with anyio.create_task_group() as tasks:
            scopes = [anyio.CancelScope() for _ in range(16)]
            for number, scope in enumerate(scopes):
                tasks.start_soon(work, number, scope)
            await anyio.lowlevel.checkpoint()
            for scope in scopes[::2]:
                scope.cancel()

        held = await read(scratch)
        written = held.pop("a")
        assert isinstance(written, list)
        assert held.pop("b") == written
        assert held.keys() == {f"k{number}" for number in written}
        assert {*range(1, 16, 2)} <= set(map(int, map(str, written)))
