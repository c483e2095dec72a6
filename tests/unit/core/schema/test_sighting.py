from handgriff.core.marks import Known
from handgriff.core.schema.shape import compiled
from handgriff.core.schema.sighting import Sighting, sightings
from handgriff.core.schema.vocabulary import KNOWN, Raw

ORDER: Raw = {"type": "string", KNOWN: Known("order").kind}
USER: Raw = {"type": "object", "properties": {"user": {"type": "integer", KNOWN: "user"}, "kind": {"const": "user"}}, "required": ["kind"]}


def test_nothing_is_looked_for_where_nothing_is_known() -> None:
    assert sightings(compiled({"properties": {"a": {}}}), {"a": "o_1"}) == ()


def test_values_are_found_through_references_that_come_back() -> None:
    """B043"""
    shape = compiled({"$ref": "#/$defs/T", "$defs": {"T": {"properties": {"id": ORDER, "kids": {"items": {"$ref": "#/$defs/T"}}}}}})

    assert sightings(shape, {"id": "o_1", "kids": [{"id": "o_2", "kids": []}]}) == (
        Sighting("id", "order", "o_1"),
        Sighting("kids/0/id", "order", "o_2"),
    )


def test_only_the_branch_that_fits_is_looked_through() -> None:
    other: Raw = {"type": "object", "properties": {"user": ORDER, "kind": {"const": "order"}}, "required": ["kind"]}
    shape = compiled({"anyOf": [USER, other]})

    assert sightings(shape, {"kind": "user", "user": 7}) == (Sighting("user", "user", "7"),)
    assert sightings(shape, {"kind": "order", "user": "o_1"}) == (Sighting("user", "order", "o_1"),)


def test_where_two_branches_fit_both_count() -> None:
    shape = compiled({"anyOf": [{"type": "string"}, ORDER, {"type": "string", KNOWN: "invoice"}]})

    assert sightings(shape, "x_1") == (Sighting("", "order", "x_1"), Sighting("", "invoice", "x_1"))


def test_only_texts_and_numbers_are_values() -> None:
    shape = compiled({"items": {KNOWN: "order"}})

    assert [each.value for each in sightings(shape, ["a", 7, 2.5, True, None, {}, [["b"]]])] == ["a", "7", "2.5", "b"]


def test_items_and_names_are_found_at_their_path() -> None:
    shape = compiled(
        {"properties": {"pair": {"prefixItems": [{}, ORDER]}, "map": {"propertyNames": ORDER, "additionalProperties": {"items": ORDER}}}}
    )

    assert sightings(shape, {"pair": ["x", "o_1", "y"], "map": {"o_2": ["o_3"]}}) == (
        Sighting("pair/1", "order", "o_1"),
        Sighting("map/o_2", "order", "o_2"),
        Sighting("map/o_2/0", "order", "o_3"),
    )
