"""Operations on values, as tables: what they make of a value, and what they can't work on."""

from collections.abc import Sequence
from typing import TypeAlias

from handgriff.core.delta import Add, Append, Change, Delete, Increment, Merge, Remove, Set
from handgriff.core.jsontext import MAX_DIGITS

Case: TypeAlias = tuple[Change, str | None, str | None]
"""An operation, the value before, the value after; None is absence."""

BIGGEST = 10**MAX_DIGITS - 1

FITTING: Sequence[Case] = (
    (Set("session", "k", "1"), None, "1"),
    (Set("session", "k", "null"), '"a"', "null"),
    (Set("session", "k", '{"b":1,"a":2}'), "null", '{"b":1,"a":2}'),
    (Delete("session", "k"), None, None),
    (Delete("session", "k"), "[1]", None),
    (Delete("session", "k"), "null", None),
    (Increment("session", "k", 5), None, "5"),
    (Increment("session", "k", -7), "5", "-2"),
    (Increment("session", "k", 2), "-2", "0"),
    (Increment("session", "k", 0), "5", "5"),
    (Increment("session", "k", 1), str(2**53), str(2**53 + 1)),
    (Increment("session", "k", 2**70), str(2**63), str(2**70 + 2**63)),
    (Increment("session", "k", -(2**70)), "1", str(1 - 2**70)),
    (Increment("session", "k", 1), str(BIGGEST - 1), str(BIGGEST)),
    (Increment("session", "k", -1), str(1 - BIGGEST), str(-BIGGEST)),
    (Increment("session", "k", -BIGGEST), str(BIGGEST), "0"),
    (Append("session", "k", "1"), None, "[1]"),
    (Append("session", "k", "1"), "[]", "[1]"),
    (Append("session", "k", "1"), "[1]", "[1,1]"),
    (Append("session", "k", "null"), '["a,]",{"b":[]}]', '["a,]",{"b":[]},null]'),
    (Append("session", "k", "[]"), "[[]]", "[[],[]]"),
    (Add("session", "k", '"x"'), None, '["x"]'),
    (Add("session", "k", '"x"'), "[]", '["x"]'),
    (Add("session", "k", '"x"'), '["y"]', '["y","x"]'),
    (Add("session", "k", '"x"'), '["x","y"]', '["x","y"]'),
    (Remove("session", "k", "1"), None, None),
    (Remove("session", "k", "1"), "[]", "[]"),
    (Remove("session", "k", "1"), "[2,3]", "[2,3]"),
    (Remove("session", "k", "1"), "[1,2,1,3,1]", "[2,3]"),
    (Remove("session", "k", "1"), "[1]", "[]"),
    (Remove("session", "k", "1"), "[1,1e+22,-0.0,1.5,1e-07,12345678901234567890123]", "[1e+22,-0.0,1.5,1e-07,12345678901234567890123]"),
    (Remove("session", "k", "1"), '[1,"\\u0000",{"b":1,"a":[1]},"👋"]', '["\\u0000",{"b":1,"a":[1]},"👋"]'),
    (Merge("session", "k", '{"a":1}'), None, '{"a":1}'),
    (Merge("session", "k", "{}"), None, "{}"),
    (Merge("session", "k", '{"z":null}'), None, "{}"),
    (Merge("session", "k", '{"a":1}'), '{"b":2,"a":3}', '{"b":2,"a":1}'),
    (Merge("session", "k", '{"a":1,"c":0.1}'), '{"b":1e+22}', '{"b":1e+22,"a":1,"c":0.1}'),
    (Merge("session", "k", '{"b":null}'), '{"b":2,"a":"\\u0000"}', '{"a":"\\u0000"}'),
)

LISTS, OBJECTS, NUMBERS = ("[]", "[1]"), ("{}", '{"k":1}'), ("0", "-7", "1.5")
OTHERS = ("null", "true", "false", '"1"', '"[1]"')
UNFITTING: Sequence[tuple[Change, Sequence[str]]] = (
    (Increment("session", "k", 1), (*LISTS, *OBJECTS, *OTHERS, "1.5", "1.0", "1e2", "-0.0", str(BIGGEST))),
    (Increment("session", "k", 0), ("1.0", '"1"')),
    (Increment("session", "k", -1), (str(-BIGGEST),)),
    (Append("session", "k", "1"), (*OBJECTS, *NUMBERS, *OTHERS)),
    (Add("session", "k", "1"), (*OBJECTS, *NUMBERS, *OTHERS)),
    (Remove("session", "k", "1"), (*OBJECTS, *NUMBERS, *OTHERS)),
    (Merge("session", "k", '{"a":1}'), (*LISTS, *NUMBERS, *OTHERS)),
)

EQUAL = (
    ('{"a":1,"b":2}', '{"b":2,"a":1}'),
    ('{"a":{"x":1,"y":[]},"b":[{"p":1,"q":2}]}', '{"b":[{"q":2,"p":1}],"a":{"y":[],"x":1}}'),
    ('[{"a":1,"b":2}]', '[{"b":2,"a":1}]'),
)
DIFFERENT = ("1", "1.0", "10", "true", '"1"', "null", '"null"', "[1]", "[1,2]", "[2,1]", '{"a":1}', '{"a":1.0}', '{"a":1,"b":null}', '""')
