"""What was sent is never changed: each request begins with the one before it, in every process. Cases B071 to B077."""

import hashlib
import json
import os
import sys
from itertools import pairwise
from pathlib import Path

import anyio
import pytest

from handgriff import Caller, Host, Result, Toolbox
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.testing.clock import CountedIds, StillClock
from handgriff.testing.harness import MODEL, PRICES, harness
from handgriff.testing.loopback.prompt import Block, extends, read_prompt
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, EVE, WORDS, assistant, everybody
from tests.interaction.prefix_conversation import ODD, SCRIPT, forty_tools, record, somebody, ten_turns

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).resolve().parents[2]


async def test_two_processes_with_other_hash_seeds_send_the_same_bytes() -> None:
    """B071, and promise 3: forty tools in another order, permissions in another order, the same ten turns, here and there."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-m", "tests.interaction.prefix_conversation", seed]
    done = await anyio.run_process(command, cwd=ROOT, env=environment)

    here = [hashlib.sha256(raw).hexdigest() for raw in await record(3)]
    assert len(here) == 16
    assert json.loads(done.stdout) == here


async def test_every_request_extends_the_one_before_it() -> None:
    """B072, B073: through results, refusals, proposals decided in every way, retries, a cut message and a stop."""
    requests = await record(1)

    broken = [n for n, (before, after) in enumerate(pairwise(requests)) if not extends(before, after)]
    assert broken == []
    assert ODD.encode()[1:-1].replace(b'": ', b'":') in requests[1].replace(b'": ', b'":')


async def test_arguments_are_sent_back_as_they_came_also_after_a_restart(tmp_path: Path) -> None:
    """B072: key order, 1.0, escapes; through the database."""
    database = f"sqlite:///{tmp_path}/h.db"
    clock, caller, made = StillClock(), somebody(1), forty_tools(1)
    async with harness(made, caller, script=[*SCRIPT, "Back again."], store=database, clock=clock, ids=CountedIds()) as chat:
        await ten_turns(chat, clock)
        await chat.host.close()
        model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)

        async def callers(tenant: str, user: str) -> Caller:
            return caller

        async with Host(forty_tools(2), store=database, callers=callers, model=MODEL, models=[model], prices=PRICES) as other:
            async for _ in other.turn(caller, chat.session.id, "Again?"):
                pass
        await model.close()

        last, again = chat.provider.requests[-2:]
        assert extends(last.raw, again.raw)
        assert chat.provider.violations == ()


def shared(raw: bytes) -> tuple[Block, ...]:
    """The blocks up to and with the long mark."""
    blocks = read_prompt(raw).blocks
    last = max(n for n, block in enumerate(blocks) if block.mark == "1h")
    return blocks[: last + 1]


async def test_two_tenants_share_everything_up_to_the_long_mark_and_nothing_behind_it() -> None:
    """Nothing before the mark depends on tenant, user or session."""
    box = Toolbox("shop")

    @box.tool(effect="read", description=WORDS)
    async def look() -> Result[None]:
        return Result("Seen.")

    made = assistant(box, context="You serve a shop.")
    async with harness(made, ADA, script=["Hello."] * 3, callers=everybody) as chat:
        await chat.say("Hello")
        sessions = [(EVE, await chat.host.sessions.create(EVE)), (ADA, await chat.host.sessions.create(ADA))]
        for caller, session in sessions:
            async for _ in chat.host.turn(caller, session.id, "Hello"):
                pass

        requests = [request.raw for request in chat.provider.requests]
        assert len({shared(raw) for raw in requests}) == 1
        head = requests[0][: requests[0].index(b"You serve a shop.")]
        assert all(raw.startswith(head) for raw in requests)
        assert len({read_prompt(raw).blocks[len(shared(raw))].text for raw in requests}) == 3, "each session has a mark of its own"


async def test_a_deploy_changes_no_running_conversation_but_is_enforced(tmp_path: Path) -> None:
    """B073: the prefix is the session's for life; a removed tool answers like one that never was."""
    database, ran = f"sqlite:///{tmp_path}/h.db", []

    def version(words: str, name: str, instructions: str) -> Toolbox:
        box = Toolbox("shop")

        @box.tool(effect="read", name=name, description=WORDS.replace("tested", words))
        async def look() -> Result[None]:
            ran.append(name)
            return Result("Seen.")

        return box

    first = assistant(version("asked", "look", ""), instructions="Be kind.", context="Old.")
    second = assistant(version("wanted", "peek", ""), instructions="Be brief.", context="New.")
    async with harness(first, ADA, script=[ToolUse("look", {}), "Seen.", ToolUse("look", {}), "Gone.", "Hello."], store=database) as chat:
        await chat.say("Look.")
        await chat.host.close()
        model = AnthropicModel(api_key=chat.provider.api_key, base_url=chat.provider.url)
        async with Host(second, store=database, callers=everybody, model=MODEL, models=[model], prices=PRICES) as other:
            async for _ in other.turn(ADA, chat.session.id, "Look again."):
                pass
            fresh = await other.sessions.create(ADA)
            async for _ in other.turn(ADA, fresh.id, "Hello"):
                pass
        await model.close()

        requests = [request.raw for request in chat.provider.requests]
        assert all(extends(before, after) for before, after in pairwise(requests[:4]))
        assert b"There is no such tool." in requests[3]
        assert ran == ["look"]
        assert all(word in requests[4] for word in (b"Be brief.", b"New.", b'"peek"'))
        assert b"Be kind." not in requests[4]


async def test_marks_are_few_legal_and_where_the_next_request_finds_them() -> None:
    """B074, B075, B076, B077: at most four, long before short, on no thinking; and what was written is read again."""
    clock, caller = StillClock(), somebody(1)
    async with harness(forty_tools(1), caller, script=SCRIPT, clock=clock) as chat:
        await ten_turns(chat, clock)

        for request in chat.provider.requests:
            blocks = read_prompt(request.raw).blocks
            marks = [block.mark for block in blocks if block.mark]
            assert 1 <= len(marks) <= 4
            assert marks == sorted(marks, key=lambda mark: mark != "1h")
            assert all('"type":"thinking"' not in block.text for block in blocks if block.mark)
        answered = [request for request in chat.provider.requests if request.usage is not None]
        for before, after in pairwise(answered):
            assert before.usage is not None
            assert after.usage is not None
            assert after.usage.read >= before.usage.total - before.usage.fresh, f"request {after.number} reads what was kept"
            assert after.usage.written_1h == 0
