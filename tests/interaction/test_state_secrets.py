"""What is shaped like a credential is refused wherever it would be kept, and may be had for one turn. Promise P14."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, DefinitionError
from handgriff.tool import ABSENT
from tests.interaction.desk import ADA
from tests.interaction.slate import Slate
from tests.interaction.stores import STORES, rows, store_name

pytestmark = pytest.mark.anyio
SEED = "Zq7" * 14

# Put together here, so that nobody who searches for keys finds one.
KEYS = {
    "anthropic": f"sk-{'ant'}-{SEED}",
    "openai": f"sk-{'proj'}-{SEED}",
    "aws": f"AK{'IA'}{SEED.upper()[:16]}",
    "github": f"gh{'p'}_{SEED[:36]}",
    "gitlab": f"gl{'pat'}-{SEED[:20]}",
    "slack": f"xo{'xb'}-123456789012-{SEED[:24]}",
    "google": f"AI{'za'}{SEED[:35]}",
    "payment": f"sk_{'live'}_{SEED[:24]}",
    "webhook": f"wh{'sec'}_{SEED[:24]}",
    "token": f"ey{'J'}{SEED[:20]}.eyJ{SEED[:20]}.{SEED[:20]}",
    "header": f"{'Bearer'} {SEED}",
    "private key": f"-----BEGIN {'RSA PRIVATE KEY'}-----",
    "url": f"postgresql://app:{'hunter2'}@db.example/app",
}
LOOK_ALIKES = [
    "INV-2026-000123",
    "sk-8 skateboard, blue",
    "a task-1234567890 and a risk-assessment-for-2026",
    "Bearer of good news",
    "https://example.com/orders/ab12?page=2",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "550e8400-e29b-41d4-a716-446655440000",
    "DHL->DPD",
    "ada@example.com",
    "AKIA is the beginning of a key",
    "eyJ",
]
WRITES: dict[str, Callable[[Any, str, str], Any]] = {
    "set": lambda place, key, secret: place.set(key, secret),
    "deep": lambda place, key, secret: place.set(key, {"a": [{"b": f"it is {secret}."}]}),
    "name": lambda place, key, secret: place.set(key, {secret: 1}),
    "append": lambda place, key, secret: place.append(key, secret),
    "add": lambda place, key, secret: place.add(key, [secret]),
    "merge": lambda place, key, secret: place.merge(key, {"a": secret}),
    "compare": lambda place, key, secret: place.compare_and_set(key, ABSENT, secret),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def refusal_of(write: Awaitable[object]) -> str:
    """What is said where *write* is refused; nothing where it is not."""
    try:
        await write
    except DefinitionError as error:
        return str(error)
    return ""


async def test_no_operation_keeps_a_credential_in_any_place(store: str) -> None:
    """Session, user, app and scratch; in a value, deep in one, as a name in one. What a turn alone has is allowed."""
    slate = Slate()

    async def work(call: Call) -> list[str]:
        wrong = []
        for name, write in WRITES.items():
            for place, key in ((call.state, "k"), (call.state, "user:k"), (call.state, "app:k"), (call.scratch("s"), "k")):
                for kind, secret in KEYS.items():
                    told = await refusal_of(write(place, key, secret))
                    if "temp:" not in told or SEED[:12] in told:
                        wrong.append(f"{name} {key} {kind} {told}")
            for kind, secret in KEYS.items():
                await write(call.state, f"temp:{name}.{kind.replace(' ', '_')}", secret)
        return wrong

    async with slate.chat(store) as chat:
        assert (await slate.call(chat, "share", work)).is_ok

        assert slate.seen.pop() == []
        lies = str(await rows(chat, store))
        assert [kind for kind, secret in KEYS.items() if secret in lies] == []


@pytest.mark.parametrize("kind", KEYS)
async def test_nor_does_any_way_in_from_outside(kind: str) -> None:
    slate = Slate()
    async with slate.chat() as chat:
        for key in ("k", "user:k", "app:k"):
            with pytest.raises(DefinitionError, match="secret store"):
                await chat.host.sessions.create(ADA, state={key: KEYS[kind]})
            with pytest.raises(DefinitionError, match="secret store"):
                await chat.host.state.set("acme", chat.session.id, key, KEYS[kind], by="olga")

        assert await chat.host.sessions.state(ADA, chat.session.id) == {}


async def test_what_only_looks_a_little_like_one_is_kept() -> None:
    slate = Slate()

    async def work(call: Call) -> None:
        for text in LOOK_ALIKES:
            await call.state.append("k", text)

    async with slate.chat() as chat:
        assert (await slate.call(chat, "keep", work)).is_ok

        assert (await chat.host.sessions.state(ADA, chat.session.id))["k"] == LOOK_ALIKES
