"""Who is calling."""

import pytest

from handgriff.core.caller import ID_BYTES, Caller, is_id
from handgriff.errors import DefinitionError

NO_IDS = [None, "", 0, True, b"acme", "a\x00b", "\ud83d", "x" * (ID_BYTES + 1), "é" * (ID_BYTES // 2 + 1)]
IDS = ["*", "0", "acme,globex", "ACME", "acme", " ", "x" * ID_BYTES, "é" * (ID_BYTES // 2)]


@pytest.mark.parametrize("value", NO_IDS, ids=repr)
def test_without_a_tenant_or_user_there_is_no_caller(value: str) -> None:
    """B135: nothing that could be read as "all tenants" names one."""
    assert not is_id(value)
    with pytest.raises(DefinitionError, match="tenant"):
        Caller(value, "ada")
    with pytest.raises(DefinitionError, match="user"):
        Caller("acme", value)


@pytest.mark.parametrize("value", IDS, ids=lambda value: value[:12])
def test_an_id_is_a_literal_and_means_only_itself(value: str) -> None:
    """B135: no pattern, no list, no folding of case."""
    caller = Caller(value, value)

    assert is_id(value)
    assert (caller.tenant, caller.user) == (value, value)
    assert caller == Caller(value, value)
    assert caller not in [Caller(other, other) for other in IDS if other != value]


def test_a_fresh_caller_may_do_nothing() -> None:
    caller = Caller("acme", "ada")

    assert (caller.permissions, caller.roles, caller.modules, caller.locale) == (frozenset(), frozenset(), frozenset(), "en")
    assert not caller.can("orders.cancel")
    assert not caller.can("")


def test_a_permission_is_the_very_word() -> None:
    caller = Caller("acme", "ada", permissions={"orders.cancel", "*"})

    assert caller.can("orders.cancel")
    assert not any(caller.can(other) for other in ("orders", "orders.*", "Orders.cancel", "orders.cancel ", "invoices.delete"))


@pytest.mark.parametrize("member", ["permissions", "roles", "modules"])
@pytest.mark.parametrize("value", ["orders.cancel", {"orders.cancel": False}, None, 5, ["orders.cancel", 7], [None]], ids=repr)
def test_what_is_no_set_of_words_grants_nothing(member: str, value: object) -> None:
    """B040: an unreadable grant is an error, never a wider one."""
    with pytest.raises(DefinitionError, match=member):
        Caller("acme", "ada", **{member: value})  # type: ignore[arg-type]  # what an application might pass


@pytest.mark.parametrize("value", [["a", "b", "a"], ("b", "a"), {"a", "b"}, iter("ab")], ids=["list", "tuple", "set", "iterator"])
def test_a_grant_may_come_as_any_collection(value: object) -> None:
    assert Caller("acme", "ada", roles=value).roles == {"a", "b"}  # type: ignore[arg-type]  # any of them


def test_a_locale_is_text() -> None:
    with pytest.raises(DefinitionError, match="locale"):
        Caller("acme", "ada", locale=None)  # type: ignore[arg-type]  # a column that may be null


def test_what_counts_is_what_both_grant() -> None:
    today = Caller(
        "acme", "ada", permissions=frozenset("abc"), roles=frozenset({"clerk", "boss"}), modules=frozenset({"shop"}), locale="de"
    )
    grant = Caller("acme", "ada", permissions=frozenset("bcd"), roles=frozenset({"clerk"}), modules=frozenset({"crm"}), locale="fr")

    assert today.within(grant) == Caller("acme", "ada", permissions=frozenset("bc"), roles=frozenset({"clerk"}), locale="de")
    assert today.within(Caller("acme", "ada")) == Caller("acme", "ada", locale="de")


@pytest.mark.parametrize("other", [Caller("globex", "ada"), Caller("acme", "bob"), Caller("ACME", "ada")], ids=str)
def test_somebody_else_grants_nothing(other: Caller) -> None:
    with pytest.raises(DefinitionError, match="another principal"):
        Caller("acme", "ada").within(other)
