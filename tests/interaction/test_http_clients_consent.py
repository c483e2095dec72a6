"""What people decide with the AG-UI clients they have, 1.0.0 and 0.0.59 from npm, against a real server. Cases B094, B096, B100, B101."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Caller
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.interaction.browser import CLIENTS
from tests.interaction.http_server import served
from tests.interaction.test_http_clients import check_clean, results, roles
from tests.interaction.treasury import Treasury, treasury

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("client", ["agui1", "agui059"])


@dataclass(slots=True)
class Letterbox(Mailbox):
    """A mailbox that the client's process can read."""

    file: Path = Path()

    async def send(self, caller: Caller, text: str) -> None:
        await Mailbox.send(self, caller, text)
        await anyio.Path(f"{self.file}.code").write_text(self.code())


@dataclass(frozen=True, slots=True)
class Stage:
    """Where scenarios are played."""

    node: str
    client: str
    file: Path
    shop: Treasury

    async def play(self, scenario: str, **options: Any) -> dict[str, Any]:
        """What the client saw, with a server of its own."""
        async with treasury(self.shop, **options) as (wire, _), served(wire.host) as address:
            arguments = [self.node, "consent.mjs", self.client, address, scenario, str(self.file)]
            with anyio.fail_after(60):
                done = await anyio.run_process(arguments, cwd=CLIENTS, check=False)
        assert done.returncode == 0, done.stderr.decode()
        saw: dict[str, Any] = json.loads(done.stdout)
        assert saw["warnings"] == []
        return saw


@pytest.fixture
def stage(node: str, client: str, tmp_path: Path) -> Stage:
    return Stage(node, client, tmp_path / "kept", Treasury(mailbox=Letterbox(file=tmp_path / "kept")))


def clean(saw: dict[str, Any], *but: str) -> None:
    check_clean({name: {"problem": None, **run} for name, run in saw.items() if name not in ("warnings", *but)} | {"warnings": []})


def told(run: dict[str, Any], name: str) -> list[Any]:
    return [value for each, value in run["custom"] if each == name]


@both
async def test_a_wrong_code_leaves_the_interrupt_open_and_the_right_one_resumes_it(stage: Stage) -> None:
    saw = await stage.play("code")

    clean(saw)
    assert stage.shop.done == ["pay 10 to acc-2"]
    assert [saw[name]["outcome"] for name in ("asked", "refused", "none", "done")] == ["interrupt", "interrupt", "interrupt", "success"]
    [refused], [none] = told(saw["refused"], "refused"), told(saw["none"], "refused")
    assert (refused["code"], refused["tries_left"], none["code"]) == ("denied", 4, "invalid")
    assert [each["message"] for each in saw["refused"]["pending"]] == ["Pay 10 to acc-2? The code is wrong. Tries left: 4"]
    assert {each["id"] for name in ("asked", "refused", "none") for each in saw[name]["pending"]} == {saw["asked"]["pending"][0]["id"]}
    assert saw["done"]["pending"] == []
    assert results(saw["done"]) == [{"summary": "Paid."}]
    assert roles(saw["after"]) == ["user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"]


@both
async def test_of_two_siblings_each_gets_its_own_answer_B100(stage: Stage) -> None:
    saw = await stage.play("siblings")

    clean(saw)
    assert stage.shop.done == ["cancel o_17"]
    assert len(saw["asked"]["pending"]) == 2
    assert [result.get("error", {}).get("code") for result in results(saw["done"])] == [None, "declined"]
    assert [each["message"] for each in told(saw["done"], "decision")] == ["Being carried out.", "Done.", "Declined. Nothing was done."]
    assert saw["done"]["outcome"] == saw["after"]["outcome"] == "success"


@both
@pytest.mark.parametrize("scenario", ["secondTab", "replayed"])
async def test_whoever_comes_second_sees_that_it_is_done_B096(stage: Stage, scenario: str) -> None:
    saw = await stage.play(scenario)

    clean(saw)
    assert stage.shop.done == ["cancel o_17"]
    assert saw["late"]["outcome"] == "success"
    assert saw["late"]["pending"] == []
    assert [(each["code"], each["state"]) for each in told(saw["late"], "refused")] == [("conflict", "done")]
    assert results(saw["late"]) == results(saw["done"])
    assert roles(saw["late"]) == ["user", "assistant", "tool", "assistant"]


@both
async def test_a_newer_message_in_another_tab_takes_its_place(stage: Stage) -> None:
    saw = await stage.play("superseded")

    clean(saw)
    assert stage.shop.done == []
    assert results(saw["late"])[0]["error"]["code"] == "superseded"
    assert [each["code"] for each in told(saw["late"], "refused")] == ["superseded"]
    assert saw["late"]["outcome"] == "success"
    assert roles(saw["late"]) == ["user", "assistant", "tool", "user", "assistant", "tool", "assistant"]


@both
async def test_another_person_confirms_and_the_owners_conversation_goes_on(stage: Stage) -> None:
    saw = await stage.play("secondPerson")

    clean(saw, "decided")
    assert stage.shop.done == ["close for holiday as ada, confirmed by eve"]
    assert saw["refused"]["outcome"] == "interrupt"
    assert [each["message"] for each in saw["refused"]["pending"]] == ["Close the shop for holiday? Another person must confirm this."]
    assert (saw["decided"]["proposal"]["state"], saw["decided"]["proposal"]["decided_by"]) == ("done", "eve")
    assert "Closed." in saw["decided"]["stream"]
    assert results(saw["done"]) == [{"summary": "Closed."}]
    assert saw["done"]["pending"] == []


@both
@pytest.mark.parametrize("clicks", ["clicks", "clicksAnew"])
async def test_after_a_reload_and_a_restart_the_click_still_counts_once_B096(stage: Stage, clicks: str) -> None:
    store = f"sqlite:///{stage.file}.db"
    asked = await stage.play("asks", store=store)
    saw = await stage.play(clicks, store=store)
    late = await stage.play("clicks", store=store)

    clean(asked | saw)
    assert stage.shop.done == ["cancel o_17"]
    assert results(saw["done"])[0]["summary"] == results(late["done"])[0]["summary"] == "Order cancelled."
    assert saw["done"]["outcome"] == late["done"]["outcome"] == "success"
    assert roles(saw["after"]) == ["user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"]


@both
async def test_a_click_that_comes_too_late_says_so_and_the_conversation_goes_on_B101(stage: Stage) -> None:
    # Ahead of the client's clock, which would refuse to send it otherwise.
    clock, store = StillClock(datetime.now(UTC) + timedelta(hours=1)), f"sqlite:///{stage.file}.db"
    await stage.play("asks", store=store, clock=clock)
    clock.move(601)

    saw = await stage.play("clicks", store=store, clock=clock)

    clean(saw)
    assert stage.shop.done == []
    assert results(saw["done"])[0]["error"]["code"] == "expired"
    assert [each["message"] for each in told(saw["done"], "decision")] == ["Nobody confirmed in time. Nothing was done."]
    assert [each["code"] for each in told(saw["done"], "refused")] == ["expired"]
    assert saw["done"]["pending"] == []
    assert saw["after"]["outcome"] == "success"
