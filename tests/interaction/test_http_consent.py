"""Proposals that need a code or another person, over HTTP: what is shown, what is refused and stays, and in whose language."""

import json
import logging
import re
from typing import Any

import pytest

from handgriff import Caller
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.interaction.http_wire import ADA, BOB, DORA, EVE, FLEUR, FOREIGN, say
from tests.interaction.test_http_turns import check_run, contents
from tests.interaction.treasury import CANCEL, CLOSE, PAY, Treasury, asked, treasury, wrong

pytestmark = pytest.mark.anyio


def resumed(proposal: str, **payload: Any) -> dict[str, Any]:
    """The body of a run that answers one interrupt."""
    return say("", resume=[{"interruptId": proposal, "status": "resolved", "payload": payload}])


def custom(events: list[dict[str, Any]], name: str) -> list[Any]:
    return [event["value"] for event in events if event["type"] == "CUSTOM" and event["name"] == f"handgriff.{name}"]


# With a code ----------------------------------------------------------------------------------------------------------------


async def test_a_code_is_asked_for_and_nothing_more_than_clients_understand() -> None:
    async with treasury() as (wire, _):
        interrupt = await asked(wire, PAY, user=FLEUR)

        assert interrupt["responseSchema"] == {
            "type": "object",
            "properties": {"approved": {"type": "boolean"}, "code": {"type": "string", "title": "Code qui vous a été envoyé"}},
            "required": ["approved"],
        }
        assert interrupt["metadata"]["handgriff"] == {
            "tool": "pay",
            "diff": [{"label": "Balance", "before": "100 €", "after": "90 €"}],
            "confirm": "code",
            "count": 2,
            "sample": ["invoice 1", "invoice 2"],
        }


@pytest.mark.parametrize(
    ("user", "words"),
    [(ADA, "The code is wrong. Tries left: 4"), (DORA, "Der Code ist falsch. Verbleibende Versuche: 4")],
    ids=["en", "de"],
)
@pytest.mark.parametrize("protocol", [None, "1.0"], ids=["0.0.59", "1.0"])
async def test_a_wrong_code_ends_the_run_as_it_was_and_says_why_and_the_right_one_goes_on(
    user: str, words: str, protocol: str | None
) -> None:
    async with treasury() as (wire, shop):
        wire.user = user
        first = await wire.run(PAY, protocolVersion=protocol)
        interrupt = first.events[-1]["outcome"]["interrupts"][0]
        code = shop.mailbox.code()

        refused = await wire.post("/agui", resumed(interrupt["id"], approved=True, code=wrong(code)))
        again = refused.events[-1]["outcome"]["interrupts"]

        assert refused.kinds == ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "CUSTOM", "RUN_FINISHED"]
        assert custom(refused.events, "refused") == [{"proposal": interrupt["id"], "code": "denied", "message": words, "tries_left": 4}]
        assert again == [{**interrupt, "message": f"{interrupt['message']} {words}"}]
        assert shop.done == []

        done = await wire.post("/agui", resumed(interrupt["id"], approved=True, code=code))

        assert shop.done == ["pay 10 to acc-2"]
        assert done.events[-1]["outcome"] == {"type": "success"}
        check_run(first, refused, done)


@pytest.mark.parametrize(
    ("payload", "code"),
    [({"approved": True}, "invalid"), ({"approved": True, "code": ""}, "invalid"), ({"approved": True, "code": "yes"}, "invalid")],
    ids=["none", "empty", "no digits"],
)
async def test_without_a_code_nothing_is_tried(payload: dict[str, Any], code: str) -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, PAY)

        over_agui = await wire.post("/agui", resumed(interrupt["id"], **payload))
        posted = await wire.post(f"/proposals/{interrupt['id']}", payload)

        [told] = custom(over_agui.events, "refused")
        assert (told["code"], told["message"]) == (code, "Enter the six digits that were sent to you.")
        assert (posted.status, posted.json()["message"]) == (422, "Enter the six digits that were sent to you.")
        # It cost no try.
        tried = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True, "code": wrong(shop.mailbox.code())})
        assert (tried.status, tried.json()["code"], tried.json()["facts"]) == (403, "denied", {"tries_left": 4})


@pytest.mark.parametrize("code", [123456, None, ["123456"], {"digits": "123456"}, True], ids=repr)
async def test_a_code_is_text_or_nothing(code: object) -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, PAY)

        posted = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True, "code": code})
        over_agui = await wire.post("/agui", resumed(interrupt["id"], approved=True, code=code))

        assert (posted.status, posted.json()["facts"]) == (422, {"fields": {"code": "expected text"}})
        assert (over_agui.status, over_agui.json()["facts"]) == (422, {"fields": {"resume/0/payload/code": "expected text"}})
        assert shop.done == []


async def test_no_code_is_needed_to_decline() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, PAY)

        declined = await wire.post("/agui", resumed(interrupt["id"], approved=False))

        assert contents(declined)[0]["error"]["code"] == "declined"
        assert custom(declined.events, "decision")[-1]["message"] == "Declined. Nothing was done."
        assert shop.done == []


async def test_a_new_code_is_sent_when_it_is_asked_for_and_the_old_one_is_worth_nothing() -> None:
    clock = StillClock()
    async with treasury(clock=clock) as (wire, shop):
        interrupt = await asked(wire, PAY)
        old = shop.mailbox.code()
        path = f"/proposals/{interrupt['id']}/code"

        early = await wire.post(path)
        clock.move(31)
        sent = await wire.post(path, {})

        assert (early.status, early.headers["retry-after"], early.json()["code"]) == (429, "30", "rate_limited")
        assert early.json()["message"].endswith("another one can be sent: 30")
        assert (sent.status, sent.json()["id"], sent.json()["code_sent"]) == (200, interrupt["id"], True)
        assert len(shop.mailbox.sent) == 2
        new = shop.mailbox.code()
        stale = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True, "code": old if old != new else wrong(new)})
        assert stale.status == 403
        assert (await wire.post(f"/proposals/{interrupt['id']}", {"approved": True, "code": new})).status == 200


async def test_only_what_waits_for_its_owners_code_is_sent_one() -> None:
    clock = StillClock()
    async with treasury(clock=clock) as (wire, shop):
        plain = await asked(wire, CANCEL)
        paid = await asked(wire, PAY, thread="t2")
        closing = await asked(wire, CLOSE, thread="t3")

        none_needed = await wire.post(f"/proposals/{plain['id']}/code")
        by_another = [await wire.post(f"/proposals/{paid['id']}/code", user=user) for user in (BOB, EVE, FOREIGN)]
        by_the_second = await wire.post(f"/proposals/{closing['id']}/code", user=EVE)
        clock.move(601)
        late = await wire.post(f"/proposals/{paid['id']}/code")

        assert (none_needed.status, none_needed.json()["code"]) == (422, "invalid")
        assert [answer.status for answer in by_another] == [404] * 3
        assert by_the_second.status == 422
        assert (late.status, late.json()["message"]) == (410, "This is decided already: Nobody confirmed in time. Nothing was done.")
        assert len(shop.mailbox.sent) == 1


class Torn(Mailbox):
    """A sender whose provider is away after the first letter."""

    async def send(self, caller: Caller, text: str) -> None:
        if self.sent:
            raise OSError(text)
        await Mailbox.send(self, caller, text)


async def test_a_code_that_cannot_be_sent_says_so_and_nothing_of_it(caplog: pytest.LogCaptureFixture) -> None:
    clock = StillClock()
    async with treasury(Treasury(mailbox=Torn()), clock=clock) as (wire, _):
        interrupt = await asked(wire, PAY)
        clock.move(31)

        failed = await wire.post(f"/proposals/{interrupt['id']}/code")

        assert (failed.status, failed.json()["code"]) == (503, "transient")
        assert failed.json()["message"] == "The code could not be sent. Please try again in a moment."
        assert not re.search(r"Your code is \d", caplog.text + failed.body.decode())


async def test_five_wrong_codes_end_it_and_the_right_one_comes_too_late() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, PAY)
        path, code = f"/proposals/{interrupt['id']}", shop.mailbox.code()

        tried = [await wire.post(path, {"approved": True, "code": wrong(code)}) for _ in range(5)]
        late = await wire.post(path, {"approved": True, "code": code})

        assert [answer.status for answer in tried] == [403] * 4 + [200]
        assert [answer.json()["facts"]["tries_left"] for answer in tried[:4]] == [4, 3, 2, 1]
        assert tried[4].json()["proposal"]["state"] == "failed"
        assert (late.status, late.json()["facts"]) == (409, {"state": "failed"})
        assert shop.done == []


async def test_the_code_of_another_proposal_opens_nothing() -> None:
    async with treasury() as (wire, shop):
        one, other = await asked(wire, PAY), await asked(wire, "/pay amount=99 to=acc-9", thread="t2")
        [first, second] = [re.findall(r"\d{6}", text)[0] for _, text in shop.mailbox.sent]

        crossed = await wire.post(f"/proposals/{one['id']}", {"approved": True, "code": second})

        assert (crossed.status, shop.done) == (403 if first != second else 200, [])
        assert (await wire.get(f"/proposals/{other['id']}")).json()["state"] == "pending"


async def test_neither_a_code_nor_what_is_kept_of_it_is_in_any_answer_or_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    clock = StillClock()
    async with treasury(clock=clock) as (wire, shop):
        interrupt = await asked(wire, PAY)
        path, session = f"/proposals/{interrupt['id']}", (await wire.session())["id"]
        code = shop.mailbox.code()
        engine = await wire.host.engine()
        kept = await engine.store.proposal("acme", interrupt["id"])
        answers = [
            await wire.get("/proposals"),
            await wire.get(path),
            await wire.get(f"/confirm/{interrupt['id']}"),
            await wire.get(f"/confirm/{interrupt['id']}", user=BOB),
            await wire.post(f"{path}/code"),
            await wire.post(path, {"approved": "yes", "code": code}),
            await wire.post(path, {"approved": True, "code": int(code)}),
            await wire.post(path, f'{{"approved": true, "code": "{code}"'.encode()),
            await wire.post(path, {"approved": True, "code": code}, user=EVE),
            await wire.post("/agui", resumed(interrupt["id"], approved=True, code=[code])),
            await wire.post("/agui", resumed(interrupt["id"], approved=True, code=wrong(code))),
            await wire.get(f"/sessions/{session}/stream"),
            await wire.post("/agui", resumed(interrupt["id"], approved=True, code=code)),
            await wire.get(path),
            await wire.get(f"/sessions/{session}"),
            await wire.get(f"/sessions/{session}/stream"),
            await wire.get(f"/confirm/{interrupt['id']}"),
        ]
        stored = repr(await engine.store.events("acme", session))

    assert shop.done == ["pay 10 to acc-2"]
    assert kept is not None
    assert kept.code is not None
    salt, _, digest = kept.code.partition(":")
    told = [answer.body.decode() + repr(answer.headers) for answer in answers] + [caplog.text, stored]
    for text in told:
        assert not re.search(rf"(?<![0-9a-z]){code}(?![0-9a-z])", text)
        assert salt not in text
        assert digest not in text
    assert "code_tries" not in "".join(told)


# With another person --------------------------------------------------------------------------------------------------------


async def test_another_person_finds_it_and_confirms_it_and_the_owner_hears_of_it() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, CLOSE)
        session = await wire.session()
        path = f"/proposals/{interrupt['id']}"

        [listed] = (await wire.get("/proposals", user=EVE)).json()["proposals"]
        decided = await wire.post(path, {"approved": True}, user=EVE)
        told = await wire.get(f"/sessions/{session['id']}/stream?after={session['head']}")

        assert (listed["user"], listed["confirm"], listed["state"], listed["decided_by"]) == ("ada", "second_person", "pending", None)
        assert decided.json()["proposal"]["decided_by"] == "eve"
        assert shop.done == ["close for holiday as ada, confirmed by eve"]
        assert [each["message"] for each in custom(told.events, "decision")] == ["Being carried out.", "Done."]
        assert contents(told) == [{"summary": "Closed."}]
        assert told.text == "Closed."
        assert (await wire.get(path)).json()["decided_by"] == "eve"


async def test_the_owner_cannot_be_the_other_person_and_the_run_goes_on_waiting() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, CLOSE, user=DORA)
        wire.user = DORA

        over_agui = await wire.resume(interrupt["id"])
        posted = await wire.post(f"/proposals/{interrupt['id']}", {"approved": True})

        words = "Eine andere Person muss das bestätigen."
        assert custom(over_agui.events, "refused") == [{"proposal": interrupt["id"], "code": "denied", "message": words}]
        [again] = over_agui.events[-1]["outcome"]["interrupts"]
        assert again["message"] == f"{interrupt['message']} {words}"
        assert (posted.status, posted.json()["message"]) == (403, words)
        assert shop.done == []
        check_run(over_agui)


async def test_the_owner_can_withdraw_it() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, CLOSE)

        withdrawn = await wire.post(f"/proposals/{interrupt['id']}", {"approved": False})

        assert withdrawn.json()["proposal"]["state"] == "declined"
        assert (await wire.get("/proposals", user=EVE)).json()["proposals"] == []
        assert shop.done == []


async def test_the_owner_who_answers_after_the_other_person_sees_what_became_of_it() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, CLOSE)
        await wire.post(f"/proposals/{interrupt['id']}", {"approved": True}, user=EVE)

        late = await wire.resume(interrupt["id"])

        snapshots = [event["messages"] for event in late.events if event["type"] == "MESSAGES_SNAPSHOT"]
        assert [message["content"] for message in snapshots[-1] if message["role"] == "tool"] == ['{"summary":"Closed."}']
        assert custom(late.events, "refused") == [
            {"proposal": interrupt["id"], "code": "conflict", "message": "This is decided already: Done.", "state": "done"}
        ]
        assert late.events[-1]["outcome"] == {"type": "success"}
        assert len(shop.done) == 1


async def test_who_lacks_the_right_or_belongs_elsewhere_finds_nothing() -> None:
    async with treasury() as (wire, shop):
        interrupt = await asked(wire, CLOSE)
        path = f"/proposals/{interrupt['id']}"

        for user in (BOB, FOREIGN, "globex/eve"):
            assert (await wire.get("/proposals", user=user)).json()["proposals"] == []
            told = [await wire.get(path, user=user), await wire.post(path, {"approved": True}, user=user)]
            told += [await wire.get("/proposals/p_0", user=user), await wire.post("/proposals/p_0", {"approved": "?"}, user=user)]
            assert {(answer.status, answer.body) for answer in told} == {(404, told[0].body)}
        # Nor can anybody but the owner answer in the owner's conversation.
        assert (await wire.post("/agui", resumed(interrupt["id"], approved=True), user=EVE)).status == 404
        assert shop.done == []


# What could not be checked --------------------------------------------------------------------------------------------------


async def test_what_cannot_be_checked_just_now_waits_on_and_the_other_is_carried_out() -> None:
    async with treasury() as (wire, shop):
        first = await wire.run(f"{PAY}\n{CANCEL}")
        pay, cancel = first.events[-1]["outcome"]["interrupts"]
        shop.is_away = True
        entries = [
            {"interruptId": pay["id"], "status": "resolved", "payload": {"approved": True, "code": shop.mailbox.code()}},
            {"interruptId": cancel["id"], "status": "resolved", "payload": {"approved": True}},
        ]

        answered = await wire.post("/agui", say("", resume=entries))

        [told] = custom(answered.events, "refused")
        assert (told["proposal"], told["code"]) == (pay["id"], "transient")
        assert told["message"] == "This can't be checked just now. It still waits; please try again."
        assert [open_["id"] for open_ in answered.events[-1]["outcome"]["interrupts"]] == [pay["id"]]
        assert shop.done == ["cancel o_17"]
        shop.is_away = False
        done = await wire.post("/agui", resumed(pay["id"], approved=True, code=shop.mailbox.code()))
        assert shop.done == ["cancel o_17", "pay 10 to acc-2"]
        assert len(contents(done)) == 1
        check_run(first, answered, done)


# In whose language ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "words"),
    [
        (ADA, ["Waiting for a decision.", "Declined. Nothing was done.", "This is decided already: Declined. Nothing was done."]),
        (
            DORA,
            [
                "Wartet auf eine Entscheidung.",
                "Abgelehnt. Es ist nichts geschehen.",
                "Darüber ist schon entschieden: Abgelehnt. Es ist nichts geschehen.",
            ],
        ),
        (FLEUR, ["En attente d'une décision.", "Refusé. Rien n'a été fait.", "C'est déjà décidé : Refusé. Rien n'a été fait."]),
    ],
    ids=["en", "de", "fr"],
)
async def test_every_state_is_told_in_the_callers_language(user: str, words: list[str]) -> None:
    async with treasury() as (wire, _):
        wire.user = user
        interrupt = await asked(wire, CANCEL)
        path = f"/proposals/{interrupt['id']}"

        before = (await wire.get(path)).json()["state_text"]
        declined = (await wire.post(path, {"approved": False})).json()["proposal"]["state_text"]
        late = (await wire.post(path, {"approved": True})).json()["message"]

        assert [before, declined, late] == words


@pytest.mark.parametrize("approved", [True, False], ids=["confirm", "decline"])
async def test_what_is_over_is_shown_as_expired_and_whoever_decides_it_first_is_told_the_same_as_the_next(approved: bool) -> None:
    clock = StillClock()
    async with treasury(clock=clock) as (wire, shop):
        interrupt = await asked(wire, CANCEL)
        path = f"/proposals/{interrupt['id']}"
        clock.move(600)

        shown = (await wire.get(path)).json()
        decided = [await wire.post(path, {"approved": approved}) for _ in range(2)]

        assert (shown["state"], shown["state_text"]) == ("expired", "Nobody confirmed in time. Nothing was done.")
        assert (await wire.get("/proposals")).json()["proposals"] == []
        assert (decided[0].status, decided[0].json()) == (decided[1].status, decided[1].json())
        assert (decided[0].status, decided[0].json()["code"], decided[0].json()["facts"]) == (410, "expired", {"state": "expired"})
        assert decided[0].json()["message"] == "This is decided already: Nobody confirmed in time. Nothing was done."
        assert (await wire.get(path)).json()["state"] == "expired"
        # It is an end like every other: the conversation has gone on with it.
        late = await wire.resume(interrupt["id"])
        [told] = [json.loads(message["content"]) for message in late.events[2]["messages"] if message["role"] == "tool"]
        assert (told["error"]["code"], late.events[-1]["outcome"]) == ("expired", {"type": "success"})
        assert shop.done == []
