import sys
from types import ModuleType

import pytest

from handgriff.cli.faults import WrongUse
from handgriff.cli.given import Given
from handgriff.cli.opening import hosted, load_caller, locale_of, staged
from handgriff.codes.console import ConsoleCodeSender
from handgriff.core.caller import Caller
from handgriff.core.lane import Lane
from handgriff.core.result import Plan, Result
from handgriff.core.toolbox import Toolbox
from handgriff.errors import DefinitionError, Refusal
from handgriff.host.host import Host
from handgriff.runtime.assistant import Assistant

LANES = {"small": Lane("anthropic:one", effort="low"), "large": Lane("scripted:two")}


async def load(tenant: str, user: str) -> Caller | None:
    return Caller(tenant, user, permissions=frozenset({"orders.cancel"})) if tenant == "acme" else None


def _coded() -> Toolbox:
    box = Toolbox("till")

    @box.tool(effect="irreversible", confirm="code")
    async def pay() -> Result[None]:
        """Use when: money must go out. Not for: orders. Needs: nothing. Effect: pays for good."""
        return Result("Paid.")

    @pay.plan
    async def plan() -> Plan:
        return Plan("Pay?")

    return box


@pytest.fixture(autouse=True)
def application(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "HANDGRIFF_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    module = ModuleType("opening_shop")
    plain = Assistant("shop", instructions="Help.", toolboxes=[])
    attributes = {
        "assistant": plain,
        "laned": Assistant("shop", instructions="Help.", toolboxes=[], lanes=LANES),
        "coded": Assistant("shop", instructions="Help.", toolboxes=[_coded()]),
        "host": Host(plain, store="memory://", callers=load, model="scripted:x"),
    }
    vars(module).update(attributes)
    monkeypatch.setitem(sys.modules, "opening_shop", module)


def given(
    name: str = "assistant", *, who: str | None = "acme/ada", dev: bool = True, store: str | None = "memory://", **options: object
) -> Given:
    return Given(target=f"opening_shop:{name}", who=who, dev=dev, store=store, **options)  # type: ignore[arg-type]  # fields by name


@pytest.mark.anyio
async def test_in_dev_the_rights_are_those_of_the_command_line() -> None:
    async with staged(given(can=["a", "b"], role=["boss"], module=["gifts"], locale="fr")) as stage:
        caller = stage.caller

    assert caller == Caller(
        "acme", "ada", permissions=frozenset({"a", "b"}), roles=frozenset({"boss"}), modules=frozenset({"gifts"}), locale="fr"
    )


@pytest.mark.anyio
async def test_in_dev_they_are_the_whole_tenants_and_nobody_elses() -> None:
    async with hosted(given(can=["a"])) as host:
        assert (await load_caller(host, given(who="acme/eve"))) == Caller("acme", "eve", permissions=frozenset({"a"}), locale="en")
        with pytest.raises(Refusal, match="not_found"):
            await load_caller(host, given(who="other/ada"))


@pytest.mark.anyio
async def test_in_dev_codes_are_written_to_the_console() -> None:
    async with hosted(given("coded", can=["a"])) as host:
        assert isinstance((await host.engine()).boundary.codes.sender, ConsoleCodeSender)


@pytest.mark.anyio
async def test_a_host_keeps_its_own_way_of_sending_codes() -> None:
    async with hosted(given("host", dev=False, store=None)) as host:
        assert (await host.engine()).boundary.codes.sender is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("who", "locale", "spoken"), [("acme/ada", None, "en"), ("acme/ada", "de", "de"), ("other/ops", None, "en"), ("other/ops", "fr", "fr")]
)
async def test_an_operator_who_is_no_caller_is_spoken_to_all_the_same(who: str, locale: str | None, spoken: str) -> None:
    operator = given("host", who=who, dev=False, store=None, locale=locale)

    async with hosted(operator) as host:
        assert await locale_of(host, operator) == spoken


@pytest.mark.anyio
async def test_a_host_is_asked_for_its_callers() -> None:
    async with staged(given("host", dev=False, store=None, locale="de")) as stage:
        assert stage.caller.can("orders.cancel")
        assert stage.caller.locale == "de"
    with pytest.raises(Refusal, match="no caller other/ada"):
        async with staged(given("host", who="other/ada", dev=False, store=None)):
            pass


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param(given(dev=False, store=None), "Add --dev", id="an assistant without dev"),
        pytest.param(given("host", dev=False, store=None, can=["x"]), "--can works only with --dev", id="rights without dev"),
        pytest.param(given("host", dev=False), "--store works only with --dev", id="a store without dev"),
        pytest.param(given("host", store=None, model="a:b"), "leave out --model", id="a model for a host"),
        pytest.param(given("host", store=None), "leave out --dev", id="a host in dev"),
    ],
)
async def test_options_that_do_not_fit_are_wrong_use(options: Given, told: str) -> None:
    with pytest.raises(WrongUse, match=told):
        async with hosted(options):
            pass


@pytest.mark.anyio
async def test_a_host_may_be_served_in_dev() -> None:
    async with hosted(given("host", store=None), may_be_dev=True) as host:
        assert (await load_caller(host, given("host", store=None))).user == "ada"


@pytest.mark.anyio
async def test_a_lane_without_a_key_is_answered_by_the_script_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    async with hosted(given("laned")) as host:
        lanes = (await host.engine()).lanes

    assert lanes == {"small": Lane("scripted:dev", effort="low"), "large": Lane("scripted:two")}
    assert "ANTHROPIC_API_KEY" in (said := capsys.readouterr().err)
    assert said.endswith("Until then the scripted model answers.\n")


@pytest.mark.anyio
async def test_a_lane_with_a_key_keeps_its_model(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "made-up")

    async with hosted(given("laned")) as host:
        assert (await host.engine()).lanes == LANES

    assert capsys.readouterr().err == ""


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("named", "environment", "model"),
    [(None, None, "scripted:dev"), (None, "scripted:env", "scripted:env"), ("scripted:typed", "scripted:env", "scripted:typed")],
)
async def test_the_model_is_the_option_then_the_environment_then_the_script(
    monkeypatch: pytest.MonkeyPatch, named: str | None, environment: str | None, model: str
) -> None:
    if environment:
        monkeypatch.setenv("HANDGRIFF_MODEL", environment)

    async with hosted(given(model=named)) as host:
        assert (await host.engine()).lanes == {"standard": Lane(model)}


@pytest.mark.anyio
async def test_a_typed_model_takes_the_place_of_every_lane() -> None:
    async with hosted(given("laned", model="scripted:typed")) as host:
        assert {lane.model for lane in (await host.engine()).lanes.values()} == {"scripted:typed"}


@pytest.mark.anyio
async def test_an_unknown_provider_is_the_authors_fault() -> None:
    with pytest.raises(DefinitionError, match="'nobody'"):
        async with hosted(given(model="nobody:none")):
            pass
