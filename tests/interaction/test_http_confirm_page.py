"""The confirmation page in a real browser: what people see who come by a link, and how they decide. B096, B100, B147."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from handgriff import Host
from handgriff.models.scripted import ScriptedModel, Use
from handgriff.ports.model import Model
from tests.interaction.browser import CLIENTS, Browser, Tab
from tests.interaction.dev_page import FAILED
from tests.interaction.http_server import served
from tests.interaction.http_wire import ADA, DORA, EVE, Wire, load_caller, say
from tests.interaction.test_dev_page_inert import HOSTILE, hostile_shop
from tests.interaction.treasury import CANCEL, CLOSE, PAY, Treasury, asked, treasury, wrong

pytestmark = pytest.mark.anyio
PHONE = {"width": 390, "height": 844}
STATUS = ".card [role=status]"
BOTH = [(Use("cancel_order", {"order": "o_17"}), Use("cancel_order", {"order": "o_19"}))]


@dataclass(frozen=True, slots=True)
class Visit:
    """A tab, the treasury, and where it is served."""

    tab: Tab
    wire: Wire
    shop: Treasury
    address: str

    async def open(self, proposal: str, tab: Tab | None = None) -> None:
        await (tab or self.tab).go(f"{self.address}/confirm/{proposal}")


@asynccontextmanager
async def visiting(browser: Browser, *, user: str = ADA, person: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Visit]:
    """Somebody who is signed in. Whatever happens, the page asks nobody else for anything and breaks nothing."""
    async with treasury(**options) as (wire, shop), served(wire.host) as address:
        await browser.sit_down(extraHTTPHeaders={"x-user": user}, **(person or {}))
        yield Visit(browser.tab("first"), wire, shop, address)

        seen = await browser.seen()
        assert [url for url in seen.requests if not url.startswith(f"{address}/")] == []
        assert [text for text in seen.console if not text.startswith(FAILED)] == []
        assert (seen.errors, seen.dialogs) == ([], [])
        await browser.sit_down()


async def status(tab: Tab) -> list[str]:
    return await tab.texts(STATUS)


async def test_a_code_that_is_wrong_says_so_and_the_right_one_is_carried_out_without_a_reload(browser: Browser) -> None:
    async with visiting(browser) as at:
        interrupt = await asked(at.wire, PAY)
        code = at.shop.mailbox.code()
        await at.open(interrupt["id"])
        await at.tab.do(["getByLabel", "Code that was sent to you"], ["fill", wrong(code)])
        await at.tab.click("Confirm")
        await at.tab.sees(STATUS, "The code is wrong. Tries left: 4")
        focused = await at.tab.do(["locator", ":focus"], ["getAttribute", "id"])
        await at.tab.click("Send a new code")
        await at.tab.sees(STATUS, "A code was sent a short while ago.")
        await at.tab.do(["fill", "#card-1-code", f"{code[:3]} {code[3:]}"])
        await at.tab.click("Confirm")
        await at.tab.sees(STATUS, "Done. Paid.")

        assert focused == "card-1-code"
        assert at.shop.done == ["pay 10 to acc-2"]
        assert await at.tab.count("button") == 0
        assert await at.tab.do(["locator", ":focus"], ["getAttribute", "role"]) == "status"


async def test_before_and_after_are_told_by_words_and_signs_and_until_when_by_the_persons_clock(browser: Browser) -> None:
    async with visiting(browser, person={"timezoneId": "Asia/Tokyo", "locale": "en-GB"}) as at:
        interrupt = await asked(at.wire, PAY)
        await at.open(interrupt["id"])

        assert await at.tab.texts("thead th") == ["What", "Before", "After"]
        assert await at.tab.texts("tbody:first-of-type tr :is(th, del, ins)") == ["Balance", "100 €", "90 €", "amount", "to"]
        assert await at.tab.value("getComputedStyle(document.querySelector('del'), '::before').content") == '"\u2212 "'
        assert await at.tab.texts("li") == ["invoice 1", "invoice 2"]
        [shown] = await at.tab.texts("time")
        instant = await at.tab.value("Date.parse(document.querySelector('time').dateTime)")
        tokyo = await at.tab.value(f"new Date({instant}).toLocaleTimeString('en', {{ timeStyle: 'short', timeZone: 'Asia/Tokyo' }})")
        assert shown.endswith(tokyo)


async def test_each_of_two_has_its_own_buttons_and_its_own_end_B100(browser: Browser) -> None:
    async with visiting(browser, script=BOTH) as at:
        answer = await at.wire.run("Cancel both.")
        await at.open(answer.events[-1]["outcome"]["interrupts"][1]["id"])
        await at.tab.do(["locator", ".card", {"hasText": "o_19"}], ["getByRole", "button", {"name": "Confirm"}], ["click"])
        await at.tab.sees(STATUS, "Done. Order cancelled.")
        between = list(at.shop.done), await at.tab.count("button")
        await at.tab.click("Decline")
        await at.tab.sees(STATUS, "Declined. Nothing was done.")

        assert between == (["cancel o_19"], 2)
        assert await status(at.tab) == ["Declined. Nothing was done.", "Done. Order cancelled."]
        assert at.shop.done == ["cancel o_19"]


async def test_a_second_tab_is_told_that_it_is_done_already_B096(browser: Browser) -> None:
    async with visiting(browser) as at:
        interrupt = await asked(at.wire, CANCEL)
        second, third = browser.tab("second"), browser.tab("third")
        await at.open(interrupt["id"])
        await at.open(interrupt["id"], second)
        await at.tab.click("Confirm")
        await at.tab.sees(STATUS, "Done. Order cancelled.")
        await second.click("Confirm")
        await second.sees(STATUS, "This is decided already: Done.")
        await at.open(interrupt["id"], third)

        assert at.shop.done == ["cancel o_17"]
        assert [await tab.count("button") for tab in (at.tab, second, third)] == [0, 0, 0]
        assert await status(third) == ["Done."]


async def test_with_the_keyboard_alone_declining_comes_first_and_nothing_starts_on_confirm(browser: Browser) -> None:
    async with visiting(browser) as at:
        interrupt = await asked(at.wire, CANCEL)
        await at.open(interrupt["id"])
        start = await at.tab.value("document.activeElement.tagName")
        await at.tab.do(["press", "body", "Enter"])
        await at.tab.do(["press", "body", "Tab"])
        first = await at.tab.texts(":focus")
        await at.tab.press("Tab")
        second = await at.tab.texts(":focus")
        untouched = list(at.shop.done), await status(at.tab)
        await at.tab.press("Enter")
        await at.tab.sees(STATUS, "Done. Order cancelled.")

        assert (start, first, second) == ("BODY", ["Decline"], ["Confirm"])
        assert untouched == ([], [""])


async def test_who_clicks_twice_decides_once(browser: Browser) -> None:
    async with visiting(browser) as at:
        answer = await at.wire.run("/send_letter to=Bob")
        await at.open(answer.events[-1]["outcome"]["interrupts"][0]["id"])
        await at.tab.do(["getByRole", "button", {"name": "Confirm"}], ["dblclick"])
        await at.tab.sees(STATUS, "Being carried out.")
        await at.tab.click("Decline")
        at.shop.door.set()
        await at.tab.sees(STATUS, "Done. Sent.")

        assert at.shop.done == ["letter Bob"]
        posted = [url for url in (await browser.seen()).requests if "/proposals/" in url]
        assert len(posted) == 1


async def test_another_person_confirms_in_their_own_language(browser: Browser) -> None:
    async with visiting(browser, user=DORA) as at:
        interrupt = await asked(at.wire, CLOSE)
        await at.open(interrupt["id"])
        await at.tab.sees("p", "Gewünscht von ada")
        await at.tab.click("Bestätigen")
        await at.tab.sees(STATUS, "Erledigt. Closed.")

        assert at.shop.done == ["close for holiday as ada, confirmed by dora"]
        assert await at.tab.do(["locator", "html"], ["getAttribute", "lang"]) == "de"


async def test_the_owner_of_what_another_must_confirm_can_only_withdraw_it(browser: Browser) -> None:
    async with visiting(browser) as at:
        interrupt = await asked(at.wire, CLOSE)
        await at.open(interrupt["id"])

        assert await at.tab.texts("button") == ["Withdraw"]
        await at.tab.click("Withdraw")
        await at.tab.sees(STATUS, "Declined. Nothing was done.")
        assert (await at.wire.get("/proposals", user=EVE)).json()["proposals"] == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 502, "contentType": "text/html", "body": "<h1>Bad gateway</h1>"}, "The server can't be reached."),
        ({"status": 401, "contentType": "application/problem+json", "body": '{"detail":"Who?"}'}, "Please sign in"),
        ({"status": 503, "contentType": "application/problem+json", "body": '{"detail":"D","message":"<b>M</b>"}'}, "<b>M</b>"),
    ],
    ids=["no answer", "signed out", "not now"],
)
async def test_what_did_not_arrive_can_be_tried_again(browser: Browser, answer: dict[str, Any], words: str) -> None:
    async with visiting(browser) as at:
        interrupt = await asked(at.wire, CANCEL)
        await at.open(interrupt["id"])
        await browser.ask(tab="first", stub="**/proposals/**", answer=answer)
        await at.tab.click("Confirm")
        await at.tab.sees(STATUS, words)

        assert await at.tab.texts("button") == ["Decline", "Confirm"]
        assert await at.tab.count("b") == 0
        assert at.shop.done == []


async def test_text_of_tools_stays_text_B147(browser: Browser) -> None:
    models: list[Model] = [ScriptedModel([Use("show", {"text": HOSTILE})])]
    async with (
        Host(hostile_shop(), store="memory://", callers=load_caller, model="scripted:demo", models=models) as host,
        served(host) as address,
    ):
        await browser.sit_down(extraHTTPHeaders={"x-user": ADA})
        tab = browser.tab("first")
        caller = await host.caller("acme", "ada")
        session = await host.sessions.create(caller)
        async for _ in host.turn(caller, session.id, say("Show it.")["messages"][0]["content"]):
            pass
        [waiting] = await host.proposals.list(caller)
        await tab.go(f"{address}/confirm/{waiting.id}")
        markup = "main :is(img, iframe, svg, script, object, link, style, a), main [onerror], main [onload]"
        before = await tab.count(markup)
        texts = [(await tab.texts(part))[0] for part in ("h2", "bdi", "tbody th", "del", "ins")]
        await tab.click("Confirm")
        await tab.sees(STATUS, "Summary <img")
        after, seen = await tab.count(markup), await browser.seen()
        await browser.sit_down()

    assert (before, after) == (0, 0)
    assert all("<img src=x onerror=alert(1)>" in text for text in texts)
    assert [url for url in seen.requests if not url.startswith(f"{address}/")] == []
    assert (seen.console, seen.errors, seen.dialogs) == ([], [], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_whoever_cannot_see_it_can_use_it(browser: Browser, scheme: str) -> None:
    axe = (CLIENTS / "node_modules" / "axe-core" / "axe.min.js").read_text()
    async with visiting(browser, user=DORA, person={"colorScheme": scheme}) as at:
        at.wire.user = DORA
        answer = await at.wire.run(f"{PAY}\n{CANCEL}\n{CLOSE}")
        proposal, other = (each["id"] for each in answer.events[-1]["outcome"]["interrupts"][:2])
        await at.wire.post(f"/proposals/{other}", {"approved": False})
        await at.open(proposal)
        found = [await violations(at.tab, axe)]
        await at.tab.click("Bestätigen")
        await at.tab.sees(STATUS, "Geben Sie die sechs Ziffern ein")
        found.append(await violations(at.tab, axe))
        await at.open("p_0")
        found.append(await violations(at.tab, axe))

        assert found == [[], [], []]


async def violations(tab: Tab, axe: str) -> Any:
    await tab.value(f"{axe};0")
    return await tab.value("axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))")


async def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser) -> None:
    async with visiting(browser, person={"viewport": PHONE}) as at:
        interrupt = await asked(at.wire, f"/pay amount=10 to={'x' * 200}")
        await at.open(interrupt["id"])

        assert await at.tab.value("document.documentElement.scrollWidth") == PHONE["width"]
        assert min(await at.tab.value("[...document.querySelectorAll('button, input')].map((part) => part.offsetHeight)")) >= 44
