"""Ids that are not the caller's: other users', other tenants', unknown and hostile ones answer alike, everywhere, and never alias. B129."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import quote

import pytest

from handgriff import Caller
from handgriff.http import asgi, dev_caller
from tests.interaction.http_wire import ADA, BOB, FOREIGN, Answer, Wire, say, wired

pytestmark = pytest.mark.anyio

HOSTILE = [
    "a:b",
    "%",
    "%25",
    "..",
    ".",
    "",
    "\0",
    "😀",
    "a/b",
    "a\\b",
    " ",
    "*",
    "s_",
    "' OR 1=1 --",
    "\ud7ff",
    "é",
    "e\u0301",
    "x" * 5000,
    "null",
    "0",
]
SESSION_ROUTES = [("GET", ""), ("DELETE", ""), ("GET", "/stream"), ("POST", "/stop")]


@dataclass(frozen=True, slots=True)
class Known:
    """What Ada of acme has, and the ids under which somebody else might try to get at it."""

    wire: Wire
    session: str
    proposal: str

    @property
    def as_others(self) -> list[tuple[str, str]]:
        """A foreigner or a colleague with Ada's ids, and anybody with ids of nobody."""
        return [(BOB, self.session), (FOREIGN, self.session), (ADA, "s_" + "0" * 32), *((ADA, hostile) for hostile in HOSTILE)]


@pytest.fixture
async def known() -> AsyncIterator[Known]:
    async with wired() as wire:
        interrupt = await wire.park()
        yield Known(wire, (await wire.session())["id"], interrupt["id"])


def same(answers: list[Answer]) -> bool:
    return len({(answer.status, answer.body, tuple(sorted(answer.headers.items()))) for answer in answers}) == 1


@pytest.mark.parametrize(("method", "rest"), SESSION_ROUTES, ids=lambda part: part or "itself")
async def test_a_session_that_is_not_ones_own_is_not_there(known: Known, method: str, rest: str) -> None:
    body: dict[str, bool] | None = {} if method == "POST" else None

    answers = [await known.wire.ask(method, f"/sessions/{quote(given, safe='')}{rest}", body, user=user) for user, given in known.as_others]

    assert answers[0].status == 404
    assert same(answers)
    assert (await known.wire.get(f"/sessions/{known.session}")).json()["head"] > 0


@pytest.mark.parametrize(
    ("method", "route", "body"),
    [
        ("GET", "/proposals/{id}", None),
        ("POST", "/proposals/{id}", {"approved": True}),
        ("POST", "/proposals/{id}", {"approved": "yes", "code": 7}),
        ("POST", "/proposals/{id}/code", {}),
        ("GET", "/confirm/{id}", None),
    ],
    ids=["show", "decide", "decide wrongly", "code", "page"],
)
async def test_a_proposal_that_is_not_ones_own_is_not_there(known: Known, method: str, route: str, body: dict[str, object] | None) -> None:
    tries = [(BOB, known.proposal), (FOREIGN, known.proposal), *known.as_others[2:]]
    paths = [(user, route.replace("{id}", quote(given, safe=""))) for user, given in tries]

    answers = [await known.wire.ask(method, path, body, user=user) for user, path in paths]

    assert answers[0].status == 404
    assert same(answers)
    assert known.wire.shop.done == []


@pytest.mark.parametrize("approved", [True, "yes"], ids=repr)
async def test_a_resume_of_anothers_proposal_is_not_there(known: Known, approved: object) -> None:
    del approved
    tries = [(BOB, known.proposal), (FOREIGN, known.proposal), *known.as_others[2:]]
    entry = {"status": "resolved", "payload": {"approved": True}}
    answers = [
        await known.wire.post("/agui", say("", resume=[{"interruptId": given, **entry}]), user=user)
        for user, given in tries
        if given != "\ud7ff"
    ]

    assert answers[0].status == 404
    assert same(answers)
    assert known.wire.shop.done == []


async def test_a_resume_in_another_thread_is_not_there(known: Known) -> None:
    await known.wire.run("/list_orders", thread="t2")

    answers = [await known.wire.resume(known.proposal, thread=thread) for thread in ("t2", "nowhere", "s_" + "0" * 32)]

    assert answers[0].status == 404
    assert same(answers)
    assert known.wire.shop.done == []


async def test_a_turn_in_anothers_session_is_refused_and_makes_none(known: Known) -> None:
    tries = [(BOB, known.session), (FOREIGN, known.session), (ADA, "s_" + "0" * 32)]

    answers = [await known.wire.run("/list_orders", thread=thread, user=user) for user, thread in tries]

    assert answers[0].status == 404
    assert same(answers)
    for user in (BOB, FOREIGN):
        assert (await known.wire.get("/sessions", user=user)).json()["sessions"] == []


async def test_lists_filtered_by_anothers_session_are_refused(known: Known) -> None:
    answers = [await known.wire.get(f"/proposals?session={quote(given)}", user=user) for user, given in known.as_others if given]

    assert answers[0].status == 404
    assert same(answers)


async def test_a_colleague_sees_nothing_of_it_in_any_list(known: Known) -> None:
    for user in (BOB, FOREIGN):
        assert (await known.wire.get("/sessions", user=user)).json()["sessions"] == []
        assert (await known.wire.get("/proposals", user=user)).json()["proposals"] == []


async def test_effects_of_one_tenant_are_not_the_others(known: Known) -> None:
    await known.wire.resume(known.proposal)

    assert len(await known.wire.host.effects.list("acme")) == 1
    assert not await known.wire.host.effects.list("globex")


@pytest.mark.parametrize("thread", ["a:b", "%", "..", "😀", "a/b", " ", "A", "a", "é", "e\u0301", "acme/ada", "' OR 1=1 --"])
async def test_a_thread_of_any_name_is_ones_own(known: Known, thread: str) -> None:
    made = {user: (await known.wire.run("/list_orders", thread=thread, user=user)).status for user in (ADA, BOB, FOREIGN)}
    again = await known.wire.run("/list_orders", thread=thread)

    assert set(made.values()) == {200}
    assert again.status == 200
    aliases = [session["alias"] for session in (await known.wire.get("/sessions")).json()["sessions"]]
    assert sorted(aliases) == sorted(["t1", thread])
    ids = {session["id"] for user in made for session in (await known.wire.get("/sessions", user=user)).json()["sessions"]}
    assert len(ids) == 4


@pytest.mark.parametrize(
    "people",
    [
        [("a", "b:c"), ("a:b", "c")],
        [("a", "b/c"), ("a/b", "c")],
        [("a", "*"), ("*", "a")],
        [("initech", "ada"), ("INITECH", "ada")],
        [("a%3Ab", "c"), ("a:b", "c")],
        [("é", "x"), ("e\u0301", "x")],
    ],
    ids=lambda people: " ".join("|".join(person) for person in people),
)
async def test_tenants_and_users_whose_names_run_together_stay_apart_B135(known: Known, people: list[tuple[str, str]]) -> None:
    wire, made = known.wire, []
    for tenant, user in people:
        wire.app = asgi(wire.host, authenticate=dev_caller(Caller(tenant, user)))
        created = await wire.post("/sessions", {"alias": "same"})
        made.append(created.json()["id"])
        assert created.status == 201
        assert [session["id"] for session in (await wire.get("/sessions")).json()["sessions"]] == [made[-1]]

    assert (await wire.get(f"/sessions/{made[0]}")).status == 404


async def test_a_path_that_leaves_its_folder_is_only_an_id(known: Known) -> None:
    for path in ("/sessions/../proposals", "/sessions/..%2fproposals", f"/sessions/{known.session}/../{known.session}"):
        assert (await known.wire.get(path)).status == 404
