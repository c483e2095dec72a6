"""What every scratch must do with ids: each names itself and nothing else, however it is made into a path or a key."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from collections.abc import Sequence
from itertools import product
from typing import ClassVar, Final

from handgriff.ports.scratch import Scratch
from handgriff.testing.scratch.notes import START, TENANT, note, read, write

HOSTILE: Final = (
    "",
    "a",
    "A",
    "a_b",
    "b_c",
    "c",
    "_",
    "__",
    "a_",
    "_a",
    "a:b",
    ":",
    "a%5fb",
    "%",
    "%25",
    "*",
    "?",
    "[a]",
    "{a}",
    "}:{",
    ".",
    "..",
    "...",
    "../a",
    "a/../b",
    "/",
    "/etc",
    "a/b",
    "a\\b",
    "a.",
    ".a",
    "a.json",
    ".last_gc",
    ".lock",
    "a ",
    " a",
    " ",
    "a\n",
    "\t",
    "a\x00",
    "\x00",
    "con",
    "-rf",
    "~",
    "null",
    "0",
    "00",
    "é",
    "e\u0301",
    "ß",
    "ss",
    "\ufb00",
    "👋",
    "x" * 256,
    "x" * 255 + "y",
    "X" * 256,
    "👋" * 256,
    "👋" * 255 + "a",
)
"""Ids that alias elsewhere: joined, escaped twice, folded, normalised, cut, followed as paths, matched as patterns."""


class PlaceSuite:
    """Tenant, session and namespace."""

    hostile: ClassVar[Sequence[str]] = HOSTILE
    """An adapter whose database keeps no NUL leaves those out; `Caller` refuses them above."""

    async def test_no_two_records_of_a_tenant_alias(self, scratch: Scratch) -> None:
        joined = ("", "a", "A", "a_b", "b_c", "c", "_", "a_", "_a", "a:b", ":", "%", "a%5fb", "/", "..", "}:{", "a.json", "x" * 256)
        alone = [pair for name in self.hostile for pair in ((name, "s"), ("s", name))]
        places = sorted({*product(joined, repeat=2), *alone})
        for session, pad in places:
            await write(scratch, note("k", _said(session, pad), pad), session=session)

        for session, pad in places:
            found = await scratch.record(TENANT, session, pad, now=START)
            assert found is not None
            assert (found.tenant, found.session, found.namespace) == (TENANT, session, pad)
            assert found.values["k"].text == _said(session, pad)
        assert [(record.session, record.namespace) for record in await scratch.records(TENANT, now=START)] == places

    async def test_no_two_tenants_alias(self, scratch: Scratch) -> None:
        """B129: who names a record of another tenant names nothing."""
        for tenant in self.hostile:
            for session in (tenant, "s"):
                await write(scratch, note("k", _said(tenant, session)), tenant=tenant, session=session)

        for tenant, session in product(self.hostile, repeat=2):
            held = await read(scratch, tenant=tenant, session=session)
            assert held == ({"k": f"{tenant.encode().hex()}|{session.encode().hex()}"} if session == tenant else {})
        for tenant in self.hostile:
            assert [record.session for record in await scratch.records(tenant, now=START)] == sorted((tenant, "s"))

    async def test_forgetting_a_place_forgets_no_other(self, scratch: Scratch) -> None:
        """B135: no tenant is every tenant, and no session every session."""
        for name in self.hostile:
            await write(scratch, note("k", "1"), tenant=name, session=name)
            await write(scratch, note("k", "1"), tenant=TENANT, session=name)

        gone, left = self.hostile[::2], self.hostile[1::2]
        for name in gone:
            await scratch.forget(name)
            await scratch.forget(TENANT, name)

        assert [record.session for record in await scratch.records(TENANT, now=START)] == sorted(left)
        found = {name for name in self.hostile if await scratch.records(name, now=START)}
        assert found == set(left)


def _said(*ids: str) -> str:
    return f'"{"|".join(each.encode().hex() for each in ids)}"'
