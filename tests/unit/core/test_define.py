"""From a draft to a contract: everything that can be found before a tool is first called."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Secret, SecretStr

from handgriff.core.call import Call
from handgriff.core.contract import CallLimits, Contract
from handgriff.core.define import Draft, define, find_call, hints_of
from handgriff.core.marks import Data, Known, Selector
from handgriff.core.result import Plan, Result
from handgriff.errors import DefinitionError, Refusal

WORDS = "Use when: x. Not for: y. Needs: z. Effect: none."
OrderId = Annotated[str, Known("order")]


class Deps: ...


class Order(BaseModel):
    id: OrderId
    note: str = ""


async def cancel(order: str, call: Call[Deps]) -> Result[None]:
    return Result(f"{order} {call.id}")


async def plan_cancel(order: str, call: Call) -> Plan:
    return Plan(f"{order} {call.id}")


async def by_amount(args: Any, call: Call) -> str | None:
    return "code" if args.order else None


def at_once(order: str) -> Result[None]:
    return Result(order)


def draft(handler: Callable[..., Any] = cancel, **members: Any) -> Draft:
    given = {"name": "cancel", "toolbox": "shop", "description": WORDS, "effect": "write", "errors": {}, "title": {}, "keywords": {}}
    return Draft(**{"handler": handler, **given, **members})


def function(source: str, **names: Any) -> Any:
    """The function `f` that *source* defines, among the names of this module and *names*."""
    namespace = {**globals(), "Secret": Secret, **names}
    exec(source, namespace)  # noqa: S102  # our own examples, most of them wrong on purpose
    return namespace["f"]


def taking(annotation: Any, name: str = "argument") -> Any:
    """A handler with one argument called *name*, of that annotation."""
    return function(f"async def f({name}: annotation) -> Result[None]: ...", annotation=annotation)


def fault(found: Draft) -> DefinitionError:
    """What is wrong with it; it names the tool and the mend, whatever it is."""
    with pytest.raises(DefinitionError) as raised:
        define(found)
    assert raised.value.subject == found.name
    assert raised.value.mend
    return raised.value


def test_a_contract_holds_what_was_given_and_what_follows_from_it() -> None:
    limits = CallLimits(seconds=3)
    contract = define(draft(plan=plan_cancel, effect="irreversible", limits=limits, title={"en": "Cancel"}, core=True))

    assert (contract.name, contract.description.needs, contract.effect, contract.toolbox) == ("cancel", "z.", "irreversible", "shop")
    assert [argument.name for argument in contract.schema.arguments] == ["order"]
    assert (contract.call_parameter, contract.plan_call, *contract.plan_takes) == ("call", "call", "order")
    assert (contract.confirm, contract.writes, contract.limits, contract.title, contract.core) == (
        "person",
        "state",
        limits,
        {"en": "Cancel"},
        True,
    )
    assert (contract.handler, contract.plan) == (cancel, plan_cancel)
    assert contract.is_barrier
    assert contract.has_effect_record


@pytest.mark.parametrize(
    ("members", "confirm", "writes", "is_barrier"),
    [
        ({"effect": "read"}, None, None, False),
        ({"effect": "read", "writes": "state"}, None, "state", True),
        ({"effect": "write"}, None, "state", True),
        ({"effect": "write", "plan": plan_cancel}, "person", "state", True),
        ({"effect": "write", "plan": plan_cancel, "confirm": "person"}, "person", "state", True),
        ({"effect": "irreversible", "plan": plan_cancel}, "person", "state", True),
        ({"effect": "write", "plan": plan_cancel, "confirm": "code"}, "code", "state", True),
        ({"effect": "irreversible", "plan": plan_cancel, "confirm": "second_person"}, "second_person", "state", True),
        ({"effect": "irreversible", "plan": plan_cancel, "confirm": by_amount}, by_amount, "state", True),
    ],
)
def test_effect_and_plan_decide_who_confirms_and_what_may_be_written(
    members: dict[str, Any], confirm: object, writes: str | None, is_barrier: bool
) -> None:
    contract = define(draft(**members))

    assert (contract.confirm, contract.writes, contract.is_barrier) == (confirm, writes, is_barrier)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "calendar.read",
        "user-profile/update",
        "мой_tool",
        "x" * 65,
        "1abc",
        "a b",
        "Cancel",
        "_x",
        "cancel\n",
        " cancel",
        "c\u200bancel",
    ],
    ids=repr,
)
def test_a_name_no_provider_takes_is_refused(name: str) -> None:
    """B122."""
    assert fault(draft(name=name)).member == "name"


def test_a_name_may_have_64_letters_and_differ_in_the_last() -> None:
    """B122: nothing is cut, so nothing collides."""
    names = ["x" * 63 + "a", "x" * 63 + "b", "a", "a_1"]

    assert [define(draft(name=name)).name for name in names] == names


@pytest.mark.parametrize(
    ("member", "members"),
    [
        ("effect", {"effect": "destroy"}),
        ("effect", {"effect": None}),
        ("plan", {"effect": "irreversible"}),
        ("plan", {"effect": "read", "plan": plan_cancel}),
        ("confirm", {"confirm": "person"}),
        ("confirm", {"confirm": "code"}),
        ("confirm", {"confirm": "second_person"}),
        ("confirm", {"confirm": by_amount}),
        ("confirm", {"confirm": "", "plan": plan_cancel}),
        ("confirm", {"confirm": "Person", "plan": plan_cancel}),
        ("confirm", {"confirm": "person code", "plan": plan_cancel}),
        ("confirm", {"confirm": False, "plan": plan_cancel}),
        ("confirm", {"confirm": ["person"], "plan": plan_cancel}),
        ("confirm", {"confirm": 5, "plan": plan_cancel}),
        ("confirm", {"effect": "read", "confirm": "person"}),
        ("reconcile", {"effect": "read", "reconcile": by_amount}),
        ("reconcile", {"reconcile": by_amount, "transaction": True}),
        ("reconcile", {"reconcile": "look"}),
        ("authorize", {"authorize": True}),
        ("validate", {"validate": "order"}),
        ("idempotency_key", {"idempotency_key": "key"}),
        ("plan", {"plan": "Cancel it?"}),
        ("transaction", {"effect": "read", "transaction": True}),
        ("transaction", {"transaction": "yes"}),
        ("transaction", {"transaction": 1}),
        ("transaction", {"handler": at_once, "transaction": True}),
        ("writes", {"writes": "user"}),
        ("errors", {"errors": {LookupError: "missing"}}),
        ("errors", {"errors": {"LookupError": "not_found"}}),
        ("errors", {"errors": {int: "not_found"}}),
        ("errors", {"errors": {KeyboardInterrupt: "not_found"}}),
        ("description", {"description": None}),
        ("description", {"description": "Use when: x. Not for: y. Needs: z."}),
        ("description", {"description": f"Cancels. {WORDS}"}),
    ],
)
def test_duties_that_can_not_hold_are_refused(member: str, members: dict[str, Any]) -> None:
    assert fault(draft(**members)).member == member


class Called:
    """A handler that is an object."""

    async def __call__(self, order: str) -> Result[None]:
        return Result(order)


def test_certainty_is_asked_for_or_committed() -> None:
    assert define(draft(reconcile=by_amount)).reconcile is by_amount
    assert define(draft(transaction=True)).transaction
    assert define(draft(Called().__call__, transaction=True)).transaction
    assert not define(draft()).transaction


def test_a_wrong_way_to_confirm_is_told_the_right_ones() -> None:
    error = fault(draft(confirm="nobody", plan=plan_cancel))

    assert all(word in error.mend for word in ("'person'", "'code'", "'second_person'", "(args, call)"))


def test_errors_map_exceptions_to_codes_or_to_refusals() -> None:
    def gone(error: LookupError) -> Refusal:
        return Refusal("not_found", str(error))

    errors = {LookupError: gone, ValueError: "conflict"}

    assert define(draft(errors=errors)).errors == errors


AUTHORITY = ["tenant", "tenant_id", "TENANT", "tenantId", "user", "user_id", "userId", "UserID", "owner_id", "account_id", "role", "roles"]
AUTHORITY += ["is_admin", "isAdmin", "permissions", "on_behalf_of", "onBehalfOf", "as_user", "scope"]


@pytest.mark.parametrize("name", AUTHORITY)
def test_an_argument_named_like_authority_is_refused_unless_it_is_data(name: str) -> None:
    """B134: who calls is never said by a model."""
    error = fault(draft(taking(str, name)))

    assert error.member == f"argument {name!r}"
    assert "call.caller" in error.mend
    assert define(draft(taking(Annotated[str, Data("own record only")], name))).schema.arguments[0].is_data


@pytest.mark.parametrize("name", ["customer", "order_id", "username", "enrolment", "scopes_of_work", "tenants", "owned", "role_name"])
def test_a_name_that_only_sounds_alike_is_taken(name: str) -> None:
    assert define(draft(taking(str, name))).schema.arguments[0].name == name


def test_a_field_of_the_one_model_is_an_argument_too() -> None:
    """B134: the application's own model may hold what comes from the caller."""

    class Request(BaseModel):
        order: str
        tenant_id: str

    assert fault(draft(taking(Request))).member == "argument 'tenant_id'"


class Login(BaseModel):
    name: str
    password: SecretStr


@pytest.mark.parametrize(
    "annotation",
    ["SecretStr", "SecretStr | None", "list[SecretStr]", "Secret[int]", "dict[str, SecretStr]", "list[Login]", "Login | None"],
)
def test_a_secret_never_passes_through_a_model(annotation: str) -> None:
    """B139: at any depth."""
    error = fault(draft(function(f"async def f(login: {annotation}) -> Result[None]: ...")))

    assert error.member == "argument 'login'"
    assert "secret" in str(error)


@pytest.mark.parametrize("name", ["filter", "query", "where", "all", "select", "selector", "criteria", "Query"])
def test_a_write_takes_no_free_selection_unless_it_is_declared_and_planned(name: str) -> None:
    declared = taking(Annotated[str, Selector()], name)
    plan = function(f"async def f({name}: str) -> Plan: ...")

    assert fault(draft(taking(str, name))).member == f"argument {name!r}"
    assert fault(draft(declared)).member == "plan"
    assert define(draft(declared, plan=plan)).schema.arguments[0].is_selector
    assert define(draft(taking(str, name), effect="read")).effect == "read"


def test_a_declared_selection_of_any_name_needs_a_plan() -> None:
    assert fault(draft(taking(Annotated[str, Selector()], "which"))).member == "plan"


@pytest.mark.parametrize(
    ("plan", "named"),
    [
        ("async def f(order: str, other: str) -> Plan: ...", "other"),
        ("async def f(order: str, call) -> Plan: ...", "call"),
        ("async def f(**arguments: str) -> Plan: ...", "arguments"),
        ("async def f(*order: str, more: str) -> Plan: ...", "more"),
        ("async def f(order: 'Nowhere') -> Plan: ...", "Nowhere"),
    ],
)
def test_a_plan_asks_for_nothing_the_handler_does_not_take(plan: str, named: str) -> None:
    error = fault(draft(plan=function(plan)))

    assert error.member == "plan"
    assert named in str(error)


@pytest.mark.parametrize(
    ("plan", "takes", "call"),
    [
        ("async def f() -> Plan: ...", (), None),
        ("async def f(context: Call[Deps]) -> Plan: ...", (), "context"),
        ("def f(call: Call, order: str) -> Plan: ...", ("order",), "call"),
    ],
)
def test_a_plan_may_leave_parameters_out_and_name_the_call_as_it_likes(plan: str, takes: tuple[str, ...], call: str | None) -> None:
    contract = define(draft(plan=function(plan)))

    assert (tuple(contract.plan_takes), contract.plan_call) == (takes, call)


def test_a_model_is_one_parameter_for_the_plan_and_its_fields_for_the_model() -> None:
    handler = function("async def f(params: Order, call: Call) -> Result[Order]: ...")
    contract = define(draft(handler, plan=function("async def f(params: Order) -> Plan: ...")))

    assert contract.plan_takes == frozenset({"params"})
    assert [argument.name for argument in contract.schema.arguments] == ["id", "note"]
    assert contract.schema.arguments[0].known == ("order",)
    assert contract.output.introduces == {"order"}


@pytest.mark.parametrize(
    ("handler", "member"),
    [
        ("async def f(order: str) -> Order: ...", "return annotation"),
        ("async def f(order: str): ...", "return annotation"),
        ("async def f(order: str) -> None: ...", "return annotation"),
        ("async def f(order: str) -> Result[Deps]: ...", "return annotation"),
        ("async def f(order: 'Missing') -> Result[None]: ...", "annotations"),
        ("async def f(order: 'pytest.Missing') -> Result[None]: ...", "annotations"),
        ("async def f(order: 'list[') -> Result[None]: ...", "annotations"),
        ("async def f(*orders: str) -> Result[None]: ...", "parameter 'orders'"),
        ("async def f(order) -> Result[None]: ...", "parameter 'order'"),
        ("async def f(order: str, /) -> Result[None]: ...", "parameter 'order'"),
        ("async def f(order: Deps) -> Result[None]: ...", "parameter 'order'"),
        ("async def f(call: Call, other: Call) -> Result[None]: ...", "parameter 'other'"),
    ],
)
def test_a_signature_that_can_not_be_shown_names_the_place(handler: str, member: str) -> None:
    assert fault(draft(function(handler))).member == member


def test_a_result_without_a_type_holds_no_data() -> None:
    assert define(draft(function("async def f() -> Result: ..."))).output.text == '{"type":"null"}'


def test_the_call_is_found_by_its_type() -> None:
    assert find_call(hints_of("cancel", "annotations", cancel)) == "call"
    assert find_call({"return": Call, "order": str}) is None
    assert find_call({"call": str, "context": Call[Deps]}) == "context"


PLAIN = function("async def f() -> Plan: ...")


@pytest.mark.parametrize(
    "change", [{"name": "other"}, {"description": WORDS.replace("x", "w")}, {"effect": "irreversible"}, {"handler": taking(int, "order")}]
)
def test_a_digest_changes_with_what_a_person_agreed_to(change: dict[str, Any]) -> None:
    """B102: a proposal made under another contract is stale."""
    before, after = define(draft(plan=PLAIN)), define(replace(draft(plan=PLAIN), **change))

    assert before.digest() != after.digest()


def test_a_digest_does_not_change_with_what_only_the_server_knows() -> None:
    quiet: Contract = define(draft(plan=plan_cancel))
    other = define(draft(plan=plan_cancel, requires=("p",), limits=CallLimits(calls=1), title={"en": "T"}, validate=PLAIN))

    assert quiet.digest() == other.digest()


def test_choices_are_kept_in_the_schema() -> None:
    assert define(draft(taking(Literal["a", "b"]))).schema.arguments[0].has_choices
