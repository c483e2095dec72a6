"""The page of development when a turn does not simply go on: stopped, cut off, refused, looked at again."""

import pytest
from starlette.requests import Request

from handgriff import Caller
from handgriff.models.scripted import Say, Use
from tests.interaction.browser import Browser
from tests.interaction.dev_page import ADA, CANCEL, scene
from tests.interaction.http_wire import paced, say

pytestmark = pytest.mark.anyio


# What is stopped, lost and found again ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["button", "escape"])
async def test_a_stopped_answer_keeps_what_was_said_and_the_next_one_works(browser: Browser, how: str) -> None:
    pace, model = paced(Say("alpha beta gamma delta"), Say("epsilon"))
    async with scene(browser, model=model) as at:
        await at.tab.say("Hello")
        pace.allow(2)
        await at.tab.sees(".assistant", "beta")
        await (at.tab.click("Stop") if how == "button" else at.tab.press("Escape"))
        await at.tab.sees("#status", "Stopped.")
        stopped = await at.tab.texts(".assistant"), await at.tab.texts("form button:visible")
        pace.allow(3)
        await at.tab.say("Again")
        await at.tab.sees(".assistant", "epsilon")

        assert stopped == (["alpha beta"], ["Send"])
        assert await at.tab.texts(".user, .assistant") == ["Hello", "alpha beta", "Again", "epsilon"]


async def test_a_reload_shows_the_history_and_what_still_waits(browser: Browser) -> None:
    async with scene(browser) as at:
        await at.tab.say("/list_orders")
        await at.tab.sees("#status", "Answered.")
        await at.park()
        before = await at.tab.texts("#log > *")
        await at.tab.do(["reload"])
        await at.tab.sees(".card", "Cancel o_17?")
        after = await at.tab.texts("#log > *")
        await at.tab.click("Confirm")
        await at.tab.sees("summary", "Order cancelled.")

        assert after == before
        assert at.wire.shop.done == ["cancel o_17"]


async def test_a_second_tab_follows_a_running_answer(browser: Browser) -> None:
    pace, model = paced(Say("alpha beta gamma"))
    async with scene(browser, model=model) as at:
        await at.tab.say("Hello")
        pace.allow(2)
        await at.tab.sees(".assistant", "beta")
        second = await at.second()
        await second.sees(".assistant", "beta")
        pace.allow()
        await second.sees("#status", "Answered.")

        assert await second.texts(".user, .assistant") == ["Hello", "alpha beta gamma"]


@pytest.mark.parametrize("piece", [2**16, 1], ids=["whole", "bytewise"])
async def test_a_lost_connection_shows_each_message_once_however_its_bytes_were_cut_B143(browser: Browser, piece: int) -> None:
    pace, model = paced(Use("list_orders"), Say("Grüße aus\u2028Köln 🦒 und nichts zweimal"))
    async with scene(browser, model=model, piece=piece) as at:
        await at.tab.say("Hello")
        for allowed, word in ((3, "aus"), (2, "🦒"), (2, "nichts")):
            pace.allow(allowed)
            await at.tab.sees(".assistant", word)
            at.relay.cut()
            await at.tab.sees("#status", "The connection was lost")
        pace.allow()
        await at.tab.sees("#status", "Answered.")

        assert await at.tab.texts(".user") == ["Hello"]
        assert await at.tab.texts("summary") == ["Orders: 3 orders."]
        assert await at.tab.texts(".assistant") == ["Grüße aus\u2028Köln 🦒 und nichts zweimal"]


async def test_a_server_that_is_gone_is_said_to_be_and_the_page_stays_usable_B144(browser: Browser) -> None:
    async with scene(browser) as at:
        await at.tab.say("/slow_read")
        await at.tab.sees("summary", "half of it")
        at.relay.cut(is_down=True)
        await at.tab.sees("[role=alert]", "Interrupted: the server can't be reached.")
        lost = await at.tab.texts("summary"), await at.tab.texts("form button:visible")
        at.relay.is_down = False
        at.wire.shop.door.set()
        await at.tab.do(["reload"])
        await at.tab.sees("summary", "slow_read: It took long.")

        assert lost == (["slow_read: interrupted"], ["Send"])


async def test_a_message_that_did_not_arrive_is_given_back(browser: Browser) -> None:
    async with scene(browser) as at:
        await at.tab.say("/list_orders")
        await at.tab.sees("#status", "Answered.")
        at.relay.cut(is_down=True)
        await at.tab.say(CANCEL)
        await at.tab.sees("#status", "The connection was lost")
        at.relay.is_down = False
        await at.tab.sees("#status", "Answered.")

        assert await at.tab.texts(".user") == ["/list_orders"]
        assert await at.tab.do(["inputValue", "#input"]) == CANCEL
        assert await at.tab.count(".card") == 0


async def test_a_new_conversation_shows_nothing_of_the_answer_that_still_runs(browser: Browser) -> None:
    pace, model = paced(Say("alpha beta gamma delta"))
    async with scene(browser, model=model) as at:
        await at.tab.say("First")
        pace.allow()
        await at.tab.sees(".assistant", "alpha")
        second = await at.second()
        await at.tab.click("New conversation")
        pace.allow()
        await second.sees(".assistant", "beta")
        shown = await at.tab.texts("#log > *, #status")
        await at.tab.say("Second")
        pace.allow(6)
        await at.tab.sees("#status", "Answered.")

        assert shown == [""]
        assert await at.tab.texts(".user, .assistant") == ["Second", "alpha beta gamma delta"]


# What is refused ------------------------------------------------------------------------------------------------------------


async def test_a_busy_conversation_is_an_alert_and_the_message_is_given_back(browser: Browser) -> None:
    async with scene(browser) as at:
        await at.tab.say("/list_orders")
        await at.tab.sees("#status", "Answered.")
        session = (await at.tab.do(["url"])).partition("#")[2]
        async with at.wire.open("POST", "/agui", say("/slow_read", thread=session)) as stream:
            await stream.until("TOOL_CALL_END")
            await at.tab.say(CANCEL)
            await at.tab.sees("[role=alert]", "another turn")

        assert await at.tab.do(["inputValue", "#input"]) == CANCEL
        assert await at.tab.texts(".user") == ["/list_orders"]
        assert await at.tab.texts("form button:visible") == ["Send"]


async def test_somebody_unknown_is_told_so(browser: Browser) -> None:
    known: list[Caller] = []

    async def authenticate(request: Request) -> Caller | None:
        return known[0] if known else None

    async with scene(browser, authenticate=authenticate) as at:
        await at.tab.say("/list_orders")
        await at.tab.sees("[role=alert]", "Say who you are.")
        known.append(ADA)
        await at.tab.press("Enter")
        await at.tab.sees("summary", "3 orders.")

        assert await at.tab.texts(".user") == ["/list_orders"]


async def test_a_conversation_that_is_gone_is_said_to_be_and_a_new_one_begins(browser: Browser) -> None:
    async with scene(browser) as at:
        await at.tab.go("about:blank")
        await at.tab.go(f"{at.address}/#s_gone/../../menu")
        await at.tab.sees("[role=alert]", "no such")
        await at.tab.say("/list_orders")
        await at.tab.sees("summary", "3 orders.")
