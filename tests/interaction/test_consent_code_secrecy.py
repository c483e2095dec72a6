"""A code is nowhere to be read but with its owner: not in what is stored, told, logged, shown or raised."""

import logging
import re
import secrets
import traceback
from pathlib import Path

import pytest

from handgriff import BackendError, Caller
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.interaction.safe import ADA, Safe, opened, pay, refused, waiting
from tests.interaction.stores import STORES, rows, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def wrong(code: str, by: int) -> str:
    return f"{(int(code) + by) % 1_000_000:06}"


async def test_neither_the_code_nor_a_guess_is_kept_told_or_logged(store: str, caplog: pytest.LogCaptureFixture) -> None:
    """A canary search over every row, event, frame, request, log line and refusal, after a code was sent, missed and given."""
    caplog.set_level(logging.DEBUG)
    mail, clock, said = Mailbox(), StillClock(), list[str]()
    async with opened(Safe(confirm="code"), [pay(), pay(7), "Paid."], codes=mail, clock=clock, store=store) as chat:
        said.append(repr((await chat.say("Pay.")).items))
        [found] = await waiting(chat.host, ADA)
        first = mail.code()
        refusal = await refused(chat.host.proposals.decide(ADA, found, True, wrong(first, 1)))
        clock.move(31)
        said.append(repr(await chat.host.proposals.send_code(ADA, found)))
        said.append(f"{refusal} {refusal.facts} {''.join(traceback.format_exception(refusal))}")
        said.append(repr(await rows(chat, store)))
        decided, after = await chat.confirm(code=mail.code())
        said += [repr(decided), repr(after.items), repr(await rows(chat, store)), repr(await chat.events())]
        said.append(repr(await chat.host.effects.list("acme")))
        said += [request.raw.decode() for request in chat.provider.requests]
        codes = {re.findall(r"\d{6}", text)[0] for _, text in mail.sent} | {wrong(first, 1)}
        assert decided.proposal.state == "done"

    said += [record.getMessage() for record in caplog.records] + [caplog.text]
    everything = "\n".join(said)
    assert len(everything) > 5000
    # Six digits in a row may stand in a longer number by chance (an id, a hash); a code stands alone.
    assert [code for code in codes if re.search(rf"(?<![0-9a-zA-Z]){code}(?![0-9a-zA-Z])", everything)] == []


async def test_the_hash_has_a_salt_so_equal_codes_look_different(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda _: 42)
    mail = Mailbox()
    async with opened(Safe(confirm="code"), [(pay(1), pay(2))], codes=mail) as chat:
        await chat.say("Pay.")
        first, second = await chat.host.proposals.list(ADA)

        assert [re.findall(r"\d{6}", text) for _, text in mail.sent] == [["000042"], ["000042"]]
        assert first.code != second.code
        assert first.code is not None
        salt, _, digest = first.code.partition(":")
        assert (len(salt), len(digest)) == (32, 128)
        assert (await chat.host.proposals.decide(ADA, second.id, True, "000042")).proposal.state == "done"


class Telltale:
    """A sender whose every error repeats what it was given."""

    def __init__(self, error: type[Exception] | None) -> None:
        self.error = error
        self.texts: list[str] = []

    async def send(self, caller: Caller, text: str) -> None:
        self.texts.append(text)
        if self.error is None:
            raise BackendError("sms", f"sending {text}", hint=text) from ValueError(text)
        raise self.error(f"could not deliver: {text}")


@pytest.mark.parametrize("error", [OSError, RuntimeError, None], ids=["OSError", "RuntimeError", "BackendError"])
async def test_a_sender_that_repeats_the_text_in_its_errors_gives_nothing_away(
    error: type[Exception] | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sender, clock, links = Telltale(error), StillClock(), list[BaseException]()
    async with opened(Safe(confirm="code"), [pay()], codes=sender, clock=clock) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        clock.move(31)
        with pytest.raises(BackendError) as raised:
            await chat.host.proposals.send_code(ADA, found)
        links.append(raised.value)
        for link in links:
            links += [each for each in (link.__cause__, link.__context__) if each is not None and each not in links]
        said = [str(link) for link in links] + [caplog.text] + [repr(record.__dict__) for record in caplog.records]
        said += [repr(await rows(chat, "memory://")), repr(await chat.events())]

    codes = [re.findall(r"\d{6}", text)[0] for text in sender.texts]
    assert len(codes) == 2
    everything = "\n".join(said)
    assert [code for code in codes if re.search(rf"(?<![0-9a-zA-Z]){code}(?![0-9a-zA-Z])", everything)] == []
    assert "could not be sent" in everything
