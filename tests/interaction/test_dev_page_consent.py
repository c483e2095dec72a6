"""Cards of the page of development that need a code or another person, in a real browser."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from tests.interaction.browser import Browser
from tests.interaction.dev_page import Scene, scene
from tests.interaction.http_wire import EVE
from tests.interaction.treasury import CANCEL, CLOSE, PAY, Treasury, wrong

pytestmark = pytest.mark.anyio


def treasury_scene(browser: Browser, shop: Treasury, **options: Any) -> AbstractAsyncContextManager[Scene]:
    return scene(browser, shop=shop, codes=shop.mailbox, callers=shop.callers, **options)


async def test_a_code_is_typed_on_the_card_and_a_wrong_one_leaves_it_there(browser: Browser) -> None:
    shop = Treasury()
    async with treasury_scene(browser, shop) as at:
        await at.tab.say(PAY)
        await at.tab.sees(".card", "2 in all, for example: invoice 1, invoice 2")
        code = shop.mailbox.code()
        await at.tab.do(["getByLabel", "Code"], ["fill", wrong(code)])
        await at.tab.click("Confirm")
        await at.tab.sees(".card .told", "The code is wrong. Tries left: 4")
        held = await at.tab.texts(".card button"), await at.tab.do(["locator", ":focus"], ["getAttribute", "aria-label"]), list(shop.done)
        await at.tab.click("Send a new code")
        await at.tab.sees(".card .told", "A code was sent a short while ago.")
        await at.tab.do(["getByLabel", "Code"], ["fill", code])
        await at.tab.click("Confirm")
        await at.tab.sees("summary", "pay: Paid.")
        await at.tab.sees("#status", "Answered.")

        assert held == (["Send a new code", "Decline", "Confirm"], "Code", [])
        assert shop.done == ["pay 10 to acc-2"]


async def test_a_card_that_needs_a_code_is_there_again_after_a_reload(browser: Browser) -> None:
    shop = Treasury()
    async with treasury_scene(browser, shop) as at:
        await at.tab.say(PAY)
        await at.tab.sees(".card", "Pay 10 to acc-2?")
        await at.tab.do(["reload"])
        await at.tab.sees(".card", "Pay 10 to acc-2?")
        await at.tab.do(["getByLabel", "Code"], ["fill", shop.mailbox.code()])
        await at.tab.click("Confirm")
        await at.tab.sees("summary", "pay: Paid.")

        assert shop.done == ["pay 10 to acc-2"]


async def test_what_another_must_confirm_can_only_be_withdrawn_here_and_shows_what_became_of_it(browser: Browser) -> None:
    shop = Treasury()
    async with treasury_scene(browser, shop) as at:
        await at.tab.say(CLOSE)
        await at.tab.sees(".card", "Another person must confirm this")
        buttons = await at.tab.texts(".card button")
        [waiting] = (await at.wire.get("/proposals", user=EVE)).json()["proposals"]
        link = await at.tab.do(["locator", ".card a"], ["getAttribute", "href"])
        await at.wire.post(f"/proposals/{waiting['id']}", {"approved": True}, user=EVE, headers={"host": "127.0.0.1"})
        await at.tab.do(["reload"])
        await at.tab.sees("summary", "Close: Closed.")

        assert buttons == ["Withdraw"]
        assert link == f"confirm/{waiting['id']}"
        assert shop.done == ["close for holiday as ada, confirmed by eve"]
        assert await at.tab.count(".card") == 0


async def test_what_cannot_be_checked_just_now_can_be_confirmed_again(browser: Browser) -> None:
    shop = Treasury()
    async with treasury_scene(browser, shop) as at:
        await at.tab.say(PAY)
        await at.tab.sees(".card")
        shop.is_away = True
        await at.tab.do(["getByLabel", "Code"], ["fill", shop.mailbox.code()])
        await at.tab.click("Confirm")
        await at.tab.sees(".card .told", "This can't be checked just now.")
        shop.is_away = False
        await at.tab.click("Confirm")
        await at.tab.sees("summary", "pay: Paid.")

        assert shop.done == ["pay 10 to acc-2"]


async def test_the_ends_of_a_proposal_are_told_in_the_servers_words(browser: Browser) -> None:
    shop = Treasury()
    async with treasury_scene(browser, shop) as at:
        await at.tab.say(CANCEL)
        await at.tab.sees(".card")
        second = await at.second()
        await second.sees(".card")
        await second.click("Decline")
        await second.sees("#status", "Answered.")
        await at.tab.click("Confirm")
        await at.tab.sees("[role=alert]", "This is decided already: Declined. Nothing was done.")

        assert shop.done == []
