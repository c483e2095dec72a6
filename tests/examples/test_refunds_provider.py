"""The payment provider over HTTP, in a process of its own: what is booked under a key, how it fails, and what survives it. Case B105."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from examples.refunds.launch import Running, provider_process

SOON = 1.0
"""Seconds after which a client has had enough of a provider that hangs."""


@dataclass(frozen=True, slots=True)
class Client:
    """A merchant's way to the provider."""

    running: Running
    merchant: str = "lumen"

    def ask(self, key: str | None, cents: object = 500, payment: object = "card_1", *, patience: float = 30) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.merchant}"} | ({} if key is None else {"Idempotency-Key": key})
        answer = httpx2.post(
            f"{self.running.url}/refunds", json={"payment": payment, "cents": cents}, headers=headers, timeout=patience, trust_env=False
        )
        return answer.status_code, answer.json()

    def of(self, key: str) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.merchant}"}
        answer = httpx2.get(f"{self.running.url}/refunds", params={"key": key}, headers=headers, trust_env=False)
        return answer.status_code, answer.json()

    def charges(self) -> list[tuple[str, str, int]]:
        found = httpx2.get(f"{self.running.url}/charges", trust_env=False).json()["charges"]
        return [(each["merchant"], each["key"], each["cents"]) for each in found]

    def arm(self, fault: object, key: object = None) -> int:
        return httpx2.post(f"{self.running.url}/fault", json={"fault": fault, "key": key}, trust_env=False).status_code

    def wait_until_in_flight(self, key: str) -> None:
        while self.of(key) != (200, {"state": "in_flight"}):
            pass


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with provider_process(tmp_path / "provider") as running:
        yield Client(running)


def test_B105_the_same_key_and_wish_is_answered_the_same_and_booked_once(client: Client) -> None:
    answers = [client.ask("k1") for _ in range(3)]

    assert answers == [(201, {"state": "booked", "id": "b_1", "payment": "card_1", "cents": 500})] * 3
    assert client.charges() == [("lumen", "k1", 500)]


@pytest.mark.parametrize(("cents", "payment"), [(501, "card_1"), (500, "card_2")], ids=["amount", "payment"])
def test_B105_a_key_used_for_another_wish_is_refused_and_nothing_is_booked(client: Client, cents: int, payment: str) -> None:
    client.ask("k1")

    assert client.ask("k1", cents, payment) == (422, {"error": "key_reused"})
    assert client.charges() == [("lumen", "k1", 500)]


def test_B105_a_key_in_flight_is_a_conflict_and_then_has_its_answer(client: Client) -> None:
    client.arm("hold")
    with ThreadPoolExecutor() as threads:
        first = threads.submit(client.ask, "k1")
        client.wait_until_in_flight("k1")

        assert client.ask("k1") == (409, {"error": "in_flight"})
        assert client.charges() == []
        client.arm(None)
        assert first.result()[0] == 201
    assert client.ask("k1") == first.result()
    assert client.charges() == [("lumen", "k1", 500)]


def test_one_key_asked_for_by_many_at_once_is_booked_once(client: Client) -> None:
    with ThreadPoolExecutor(20) as threads:
        statuses = [status for status, _ in threads.map(lambda _: client.ask("k1"), range(60))]

    assert set(statuses) <= {201, 409}
    assert client.charges() == [("lumen", "k1", 500)]


def test_B105_keys_are_each_merchants_own(client: Client) -> None:
    other = Client(client.running, "harbour")
    client.ask("k1")

    assert other.of("k1")[0] == 404
    assert other.ask("k1", 900)[0] == 201
    assert client.charges() == [("lumen", "k1", 500), ("harbour", "k1", 900)]


@pytest.mark.parametrize(
    ("key", "cents", "payment", "what"),
    [
        (None, 500, "card_1", "Idempotency-Key"),
        ("", 500, "card_1", "Idempotency-Key"),
        ("k1", 0, "card_1", "cents"),
        ("k1", -5, "card_1", "cents"),
        ("k1", 12.5, "card_1", "cents"),
        ("k1", True, "card_1", "cents"),
        ("k1", "500", "card_1", "cents"),
        ("k1", 500, "", "payment"),
        ("k1", 500, None, "payment"),
    ],
    ids=["no-key", "empty-key", "nothing", "less", "parts-of-cents", "boolean", "text", "no-payment", "null-payment"],
)
def test_what_cannot_be_booked_is_refused_by_name(client: Client, key: str | None, cents: object, payment: object, what: str) -> None:
    status, body = client.ask(key, cents, payment)

    assert (status, body["what"]) == (400, what)
    assert client.charges() == []


@pytest.mark.parametrize(
    ("fault", "charges", "found"), [("before", 0, 404), ("during", 1, 200), ("hang", 1, 200), ("after", 1, 200)], ids=str
)
def test_a_fault_loses_the_answer_and_the_key_still_says_what_happened(client: Client, fault: str, charges: int, found: int) -> None:
    assert client.arm(fault) == 200

    if fault == "after":
        assert client.ask("k1") == (500, {"error": "broken"})
    else:
        with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.ReadTimeout)):
            client.ask("k1", patience=SOON)
    assert len(client.charges()) == charges
    assert client.of("k1")[0] == found
    assert client.ask("k1")[0] == 201
    assert client.charges() == [("lumen", "k1", 500)]


def test_a_fault_for_one_key_waits_for_that_key(client: Client) -> None:
    client.arm("after", "k2")

    assert [client.ask(key)[0] for key in ("k1", "k2", "k2", "k3")] == [201, 500, 201, 201]


def test_a_disarmed_fault_meets_nobody(client: Client) -> None:
    client.arm("before")
    client.arm(None)

    assert client.ask("k1")[0] == 201


@pytest.mark.parametrize(("fault", "key"), [("later", None), (1, None), ("after", 1)], ids=["unknown", "number", "key"])
def test_a_fault_that_is_none_is_refused(client: Client, fault: object, key: object) -> None:
    assert client.arm(fault, key) == 400
    assert client.ask("k1")[0] == 201


def test_a_closed_account_is_declined_and_stays_so(client: Client) -> None:
    assert [client.ask("k1", payment="closed_1") for _ in range(2)] == [(402, {"state": "declined"})] * 2
    assert client.of("k1") == (200, {"state": "declined"})
    assert client.charges() == []


@pytest.mark.parametrize("path", ["/", "/refunds", "/refund?key=k1"], ids=str)
def test_there_is_nothing_else_to_look_at(client: Client, path: str) -> None:
    assert httpx2.get(f"{client.running.url}{path}", trust_env=False).status_code in {400, 404}


def test_what_was_booked_outlives_a_kill_with_its_answers(client: Client) -> None:
    first = client.ask("k1")
    client.arm("during")
    with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadError)):
        client.ask("k2")

    client.running.kill()
    client.running.start_again()

    assert client.charges() == [("lumen", "k1", 500), ("lumen", "k2", 500)]
    assert client.of("k2")[1]["state"] == "booked"
    assert client.ask("k1") == first
    assert client.ask("k1", 501) == (422, {"error": "key_reused"})
    assert len(client.charges()) == 2


def test_what_was_in_flight_at_a_kill_was_never_booked(client: Client) -> None:
    client.arm("hold")
    with ThreadPoolExecutor() as threads:
        held = threads.submit(client.ask, "k1")
        client.wait_until_in_flight("k1")
        client.running.kill()
        with pytest.raises(httpx2.HTTPError):
            held.result()

    client.running.start_again()

    assert client.of("k1")[0] == 404
    assert client.charges() == []
    assert client.ask("k1")[0] == 201


def test_it_listens_on_this_machine_alone_and_knows_nothing_of_who_uses_it(client: Client) -> None:
    code = "import sys, examples.refunds.provider; print([name for name in sys.modules if name.startswith(('handgriff', 'httpx'))])"
    known = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)

    assert client.running.url.startswith("http://127.0.0.1:")
    assert known.stdout == "[]\n"
