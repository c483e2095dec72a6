"""One proposal, confirmed fifty times at once through two server processes: one effect, and a clear answer to everybody else."""

from collections import Counter
from pathlib import Path

import anyio
import anyio.to_thread
import httpx2
import pytest

from handgriff.testing.loopback.script import ToolUse
from tests.interaction.stores import store_name
from tests.interaction.test_replicas import Pair, pair

pytestmark = pytest.mark.anyio
TIMES = 50


async def _confirmed(replicas: Pair, proposal: str) -> list[httpx2.Response]:
    answers: list[httpx2.Response] = []
    clients = [replicas.one.client, replicas.two.client]

    async def confirm(client: httpx2.AsyncClient) -> None:
        answers.append(await client.post(f"/proposals/{proposal}", json={"approved": True}))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(TIMES):
                tasks.start_soon(confirm, clients[number % 2])
    return answers


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_fifty_confirmations_through_two_servers_are_one_charge(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """B096, B105."""
    store = await anyio.to_thread.run_sync(store_name, kind, request, tmp_path)
    async with pair(store, tmp_path, [ToolUse("charge", {"cents": 30}), "It is charged."]) as replicas:
        await replicas.one.run("Charge 30.")
        [waiting] = (await replicas.two.client.get("/proposals")).json()["proposals"]

        answers = await _confirmed(replicas, waiting["id"])

        assert len(replicas.done) == 1
        assert replicas.done[0].startswith("charge 30 as ")
        assert Counter(answer.status_code for answer in answers) == {200: 1, 409: TIMES - 1}
        [done] = [answer.json() for answer in answers if answer.status_code == httpx2.codes.OK]
        assert (done["proposal"]["state"], done["outcome"]["summary"]) == ("done", "Charged.")
        late = [answer.json() for answer in answers if answer.status_code != httpx2.codes.OK]
        assert {problem["code"] for problem in late} == {"conflict"}
        assert {problem["facts"]["state"] for problem in late} <= {"running", "done"}

        await replicas.two.client.get(f"/sessions/{waiting['session']}/stream")
        events = await replicas.one.events()
        assert [event["text"] for event in events if event["kind"] == "assistant_message"][1:] == ["It is charged."]
        assert len(replicas.provider.requests) == 2
