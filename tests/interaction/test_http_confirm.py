"""`GET /confirm/{id}`: the page for people who come by a link. It shows everything, to whom it may be shown, and changes nothing."""

import re
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from handgriff.models.scripted import Use
from handgriff.testing.clock import StillClock
from tests.interaction.http_wire import ADA, BOB, DORA, EVE, FLEUR, FOREIGN, Answer
from tests.interaction.treasury import CANCEL, CLOSE, PAY, asked, treasury

pytestmark = pytest.mark.anyio


def acts(answer: Answer) -> list[str]:
    return re.findall(r'data-act="(\w+)"', answer.body.decode())


def headings(answer: Answer) -> list[str]:
    return re.findall(r"<h2[^>]*>(.*?)</h2>", answer.body.decode())


@pytest.mark.parametrize("dev", [False, True], ids=["without dev", "with dev"])
async def test_it_is_there_in_development_and_without_and_runs_nothing_but_its_own_script_B147(dev: bool) -> None:
    async with treasury(dev=dev) as (wire, _):
        interrupt = await asked(wire, PAY)

        page = await wire.get(f"/confirm/{interrupt['id']}")
        files = [await wire.get(path, user=None) for path in ("/confirm.js", "/confirm.css")]

        assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert page.headers["cache-control"] == "no-store"
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert [file.headers["content-type"] for file in files] == ["text/javascript; charset=utf-8", "text/css; charset=utf-8"]
        assert not re.search(rb"<script>|\son\w+=|\sstyle=|https?://", page.body)
        assert not re.search(rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|http", files[0].body)
        assert headings(page) == ["Pay 10 to acc-2?"]
        assert acts(page) == ["code", "decline", "confirm"]


async def test_looking_decides_nothing_however_often_and_sends_no_code() -> None:
    async with treasury() as (wire, shop):
        interrupts = [await asked(wire, text, thread=text) for text in (CANCEL, PAY, CLOSE)]

        for interrupt in interrupts:
            for user in (ADA, EVE, BOB, FOREIGN, None):
                await wire.get(f"/confirm/{interrupt['id']}?approved=true&code={shop.mailbox.code()}", user=user)
            await wire.ask("HEAD", f"/confirm/{interrupt['id']}")

        assert (shop.done, len(shop.mailbox.sent)) == ([], 1)
        assert len((await wire.get("/proposals")).json()["proposals"]) == 3


@pytest.mark.parametrize(
    ("user", "words"),
    [
        (ADA, ["Confirmation", "Decline", "Confirm"]),
        (DORA, ["Bestätigung", "Ablehnen", "Bestätigen"]),
        (FLEUR, ["Confirmation", "Refuser"]),
    ],
    ids=["en", "de", "fr"],
)
async def test_it_is_in_the_callers_language(user: str, words: list[str]) -> None:
    async with treasury() as (wire, _):
        interrupt = await asked(wire, CANCEL, user=user)

        text = (await wire.get(f"/confirm/{interrupt['id']}", user=user)).body.decode()

        for word in words:
            assert f">{word}<" in text


async def test_what_was_asked_for_together_is_on_one_page_each_with_its_own_buttons_B100() -> None:
    script = [(Use("cancel_order", {"order": "o_17"}), Use("cancel_order", {"order": "o_19"}))]
    async with treasury(script=script) as (wire, _):
        answer = await wire.run("Cancel both.")
        first, second = answer.events[-1]["outcome"]["interrupts"]

        pages = [await wire.get(f"/confirm/{each['id']}") for each in (first, second)]
        await wire.post(f"/proposals/{second['id']}", {"approved": False})
        after = await wire.get(f"/confirm/{first['id']}")

        assert pages[0].body == pages[1].body
        assert headings(pages[0]) == ["Cancel o_17?", "Cancel o_19?"]
        assert acts(pages[0]) == ["decline", "confirm"] * 2
        assert re.findall(r'data-proposal="([^"]+)"', pages[0].body.decode()) == [first["id"], second["id"]]
        assert (headings(after), acts(after)) == (headings(pages[0]), ["decline", "confirm"])
        assert "Declined. Nothing was done." in after.body.decode()


async def test_another_person_sees_who_asks_and_only_what_they_may_confirm() -> None:
    async with treasury() as (wire, _):
        answer = await wire.run(f"{CLOSE}\n{PAY}")
        closing = next(each for each in answer.events[-1]["outcome"]["interrupts"] if each["metadata"]["handgriff"]["tool"] == "close_shop")

        theirs = await wire.get(f"/confirm/{closing['id']}", user=DORA)
        own = await wire.get(f"/confirm/{closing['id']}")

        assert headings(theirs) == ["Close the shop for holiday?"]
        assert acts(theirs) == ["decline", "confirm"]
        assert "Gewünscht von <bdi>ada</bdi>" in theirs.body.decode()
        assert "<bdi>Schließen</bdi>" in theirs.body.decode()
        assert len(headings(own)) == 2
        assert acts(own) == ["decline", "code", "decline", "confirm"]
        assert "Another person must confirm this." in own.body.decode()


@pytest.mark.parametrize("how", ["done", "declined", "expired", "superseded"])
async def test_what_is_over_says_what_became_of_it_and_cannot_be_decided(how: str) -> None:
    clock = StillClock()
    async with treasury(clock=clock) as (wire, _):
        interrupt = await asked(wire, CANCEL)
        match how:
            case "expired":
                clock.move(600)
            case "superseded":
                await wire.run("Something else.")
            case _:
                await wire.post(f"/proposals/{interrupt['id']}", {"approved": how == "done"})

        page = await wire.get(f"/confirm/{interrupt['id']}")

        words = (await wire.get(f"/proposals/{interrupt['id']}")).json()["state_text"]
        assert acts(page) == []
        assert f'tabindex="-1">{words.replace(chr(39), "&#x27;")}</p>' in page.body.decode()


@pytest.mark.parametrize(
    ("accepted", "words"),
    [
        ("fr-CH, fr;q=0.9, en;q=0.8", "Il n&#x27;y a rien à confirmer"),
        ("en;q=0.3, de;q=0.7", "Hier gibt es"),
        ("it, ja;q=0.9, de;q=0.1", "Hier gibt es"),
        ("*", "There is nothing here"),
        ("de;q=x", "There is nothing here"),
        ("", "There is nothing here"),
    ],
)
async def test_what_is_not_there_is_a_plain_page_in_the_browsers_words(accepted: str, words: str) -> None:
    async with treasury() as (wire, _):
        interrupt = await asked(wire, CANCEL)
        headers = {"accept-language": accepted, "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

        pages = [await wire.get(f"/confirm/{given}", user=user, headers=headers) for user, given in ((BOB, interrupt["id"]), (ADA, "p_0"))]

        assert [page.status for page in pages] == [404, 404]
        assert pages[0].body == pages[1].body
        assert words in pages[0].body.decode()
        assert pages[0].headers["content-security-policy"].startswith("default-src 'none'")


async def test_who_is_not_signed_in_reads_so_and_a_program_gets_a_problem() -> None:
    async with treasury() as (wire, _):
        interrupt = await asked(wire, CANCEL)

        page = await wire.get(f"/confirm/{interrupt['id']}", user=None, headers={"accept-language": "de"})
        problem = await wire.get(f"/confirm/{interrupt['id']}", user=None, headers={"accept": "application/json"})

        assert (page.status, page.headers["www-authenticate"]) == (401, "Bearer")
        assert "Bitte melden Sie sich an" in page.body.decode()
        assert "Cancel" not in page.body.decode()
        assert (problem.status, problem.json()["code"]) == (401, "unauthenticated")


async def test_it_works_below_any_path_it_is_mounted_at() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, CANCEL)
        wire.app = Starlette(routes=[Mount("/a/b", app=wire.app)])
        address = f"/a/b/confirm/{interrupt['id']}"

        page = (await wire.get(address)).body.decode()
        files = re.findall(r'(?:href|src)="([^"]+)"', page)
        served = [(await wire.get(urljoin(address, file))).status for file in files]
        decided = await wire.post(urljoin(address, f"../proposals/{interrupt['id']}"), {"approved": True})

        assert (files, served) == (["../confirm.css", "../confirm.js"], [200, 200])
        assert (decided.status, shop.done) == (200, ["cancel o_17"])


async def test_what_a_program_asked_for_has_its_page_too() -> None:
    async with treasury() as (wire, shop):
        caller = await wire.host.caller("acme", "ada")
        outcome = await wire.host.call(caller, "cancel_order", {"order": "o_17"})
        [waiting] = await wire.host.proposals.list(caller)

        page = await wire.get(f"/confirm/{waiting.id}")

        assert outcome.code == "unconfirmed"
        assert f"/confirm/{waiting.id}" in outcome.text
        assert headings(page) == ["Cancel o_17?"]
        assert shop.done == []
