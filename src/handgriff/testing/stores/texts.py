"""What every store must do with the text of a value: keep each byte, wherever it goes. And what a merge makes of it."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import pytest

from handgriff.core import jsontext
from handgriff.core.batch import ForkSession, RewindSession
from handgriff.core.delta import Append, Merge, Set
from handgriff.core.rows import Session
from handgriff.core.scope import Scope
from handgriff.ports.store import Store
from handgriff.testing.samples import START, TENANT, USER, at, change, create, put, renew
from handgriff.testing.stores.answers import note_texts, texts

TEXTS = (
    "null",
    "true",
    '""',
    '"\\u0000"',
    '"a\\u0000b\\u001f"',
    '"👋🏽 👩‍👩‍👧"',
    '"é"',
    '"e\u0301"',
    '"\u2028\u00a0\ufeff\x7f"',
    '"\\"quoted\\" and \\\\ and \\\\u0041 and \\n"',
    '"\'; DROP TABLE state; --"',
    '"$1 %s %(a)s {x} ${y} :z"',
    '" padded "',
    "0",
    "-0.0",
    "1.0",
    "1e+22",
    "1e-07",
    "0.1",
    "1.7976931348623157e+308",
    "5e-324",
    "9007199254740993",
    "-1180591620717411303424",
    "9" * 100,
    '{"b":1,"a":{"z":[],"":null},"B":2}',
    '{"é":1,"e\u0301":2,"__proto__":3}',
    '[[],{},"",null,[[0]]]',
    '"' + "x" * 60_000 + '"',
)
"""As `jsontext` writes them: what a database that reads JSON would write otherwise."""

RFC_7396: tuple[tuple[str, str, str], ...] = (
    ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
    ('{"a":"b"}', '{"a":null}', "{}"),
    ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
    ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
    ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
    ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
    ('["a","b"]', '["c","d"]', '["c","d"]'),
    ('{"a":"b"}', '["c"]', '["c"]'),
    ('{"a":"foo"}', "null", "null"),
    ('{"a":"foo"}', '"bar"', '"bar"'),
    ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
    ("[1,2]", '{"a":"b","c":null}', '{"a":"b"}'),
    ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
)
"""The examples of RFC 7396, appendix A: original, patch, result."""


class TextSuite:
    """Byte for byte."""

    @pytest.mark.parametrize("scope", ["app", "user", "session"])
    async def test_a_text_is_read_back_byte_for_byte(self, store: Store, scope: Scope) -> None:
        await store.commit((create(), *(put(f"k{number}", text, scope) for number, text in enumerate(TEXTS))))

        assert await texts(store, scope) == {f"k{number}": text for number, text in enumerate(TEXTS)}

    async def test_a_note_is_read_back_byte_for_byte(self, store: Store) -> None:
        written = {f"k{number}": text for number, text in enumerate(TEXTS[:-1])}
        await store.commit((create(), change(renew(), *(Set("scratch", key, text, "notes") for key, text in written.items()))))

        (record,) = await store.records(TENANT, now=START)
        assert note_texts(record) == written
        assert record == await store.record(TENANT, "s1", "notes", now=at(1))

    async def test_an_item_and_a_member_keep_their_bytes(self, store: Store) -> None:
        items = [Append("session", "list", text) for text in TEXTS[:-1]]
        members = [Merge("session", "object", f'{{"m{number}":{text}}}') for number, text in enumerate(TEXTS[:-1]) if text != "null"]
        await store.commit((create(), change(*items), change(*members)))

        held = await texts(store)
        assert held["list"] == f"[{','.join(TEXTS[:-1])}]"
        merged = {f"m{number}": jsontext.loads(text) for number, text in enumerate(TEXTS[:-1]) if text != "null"}
        assert held["object"] == jsontext.dumps(_without_nulls(merged))

    async def test_a_fork_and_a_rewind_keep_the_bytes_they_are_given(self, store: Store) -> None:
        values = tuple((f"k{number}", text) for number, text in enumerate(TEXTS))
        await store.commit((create(), ForkSession("s1", Session(TENANT, USER, "s2", START), 0, values)))
        await store.commit((RewindSession(TENANT, "s1", 0, 0, values),))

        assert await texts(store, owner="s1") == await texts(store, owner="s2") == dict(values)

    async def test_a_merge_follows_the_examples_of_RFC_7396(self, store: Store) -> None:  # noqa: N802  # its name
        originals = [put(f"k{number}", f'{{"x":{original}}}') for number, (original, _, _) in enumerate(RFC_7396)]
        patches = [Merge("session", f"k{number}", f'{{"x":{patch}}}') for number, (_, patch, _) in enumerate(RFC_7396)]
        await store.commit((create(), *originals, change(*patches)))

        wanted = {f"k{number}": "{}" if result == "null" else f'{{"x":{result}}}' for number, (_, _, result) in enumerate(RFC_7396)}
        assert await texts(store) == wanted

    async def test_a_merge_keeps_the_order_of_members_and_puts_new_ones_last(self, store: Store) -> None:
        await store.commit((create(), put("k", '{"z":1,"a":{"y":1,"b":2},"m":3}')))

        await store.commit((change(Merge("session", "k", '{"c":9,"m":null,"a":{"a":0,"y":8},"z":7}')),))

        assert await texts(store) == {"k": '{"z":7,"a":{"y":8,"b":2,"a":0},"c":9}'}


def _without_nulls(value: jsontext.Json) -> jsontext.Json:
    # A patch says with null that a member goes, at every depth of objects; in lists null stays.
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(item) for name, item in value.items() if item is not None}
