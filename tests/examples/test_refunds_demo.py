"""The played demo: in a process of its own on both databases, and what it says of a shop that is not as it should be."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import Thread

import httpx2
import pytest
from rich.console import Console

from examples.refunds.__main__ import main
from examples.refunds.assistant import make_host
from examples.refunds.books import open_book
from examples.refunds.data import make, seed
from examples.refunds.launch import provider_process
from examples.refunds.play import Stage, play
from examples.refunds.proof import complaints_of_book, complaints_of_events, complaints_of_host, complaints_of_provider
from examples.refunds.provider import Server
from examples.refunds.script import LINES, STEPS
from handgriff.cli.render import Renderer
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox
from tests.examples.refunds_shop import ADA, KINDS, database
from tests.interaction.cli_process import Ended, environment, handgriff

ROOT = Path(__file__).resolve().parents[2]
PROMISED = (
    r"Ada> Greta Lindqvist waited two weeks for her lamp\. .*",
    r"  . give_credit: Greta Lindqvist has € 10\.00 of store credit for o_501\.",
    r".* refund_payment .*",
    r".* Send € 50\.00 back to Greta Lindqvist for Desk lamp \(o_501\)\? It can't be called back\. .*",
    r"Ada confirms\.",
    r"  . refund_payment: Refund pay_501-r1: € 50\.00 are on their way back\.",
    r"Ada confirms with the code \d{6}\.",
    r". denied: The code is wrong\. .*",
    r"On Ada's phone: Your code is \d{6}\. It confirms: Send € 240\.00 back to Omar Haddad .*",
    r"  . refund_payment: Refund pay_502-r1: € 240\.00 are on their way back\.",
    r". denied: Another person must confirm this\. .*",
    r"Ben confirms\.",
    r". not_found: There is no such proposal\.",
    r"Cleo confirms\.",
    r"  . refund_payment: Refund pay_503-r1: € 1,500\.00 are on their way back\.",
    r"  . refund_payment: indeterminate: .*nobody knows yet\.",
    r"  . refund_payment: conflict: Nobody knows yet whether refund pay_504-r1 over € 40\.00 was made\. .*",
    r"\(1 minute later\. .*",
    r"  . refund_payment: Refund pay_504-r1: € 40\.00 are on their way back\.",
    r"  . refund_payment: transient: Refund pay_504-r2 over € 40\.00 never reached the payment provider\. .*",
    r"  . refund_payment: Refund pay_504-r3: € 40\.00 are on their way back\.",
    r"  . refund_payment: conflict: The payment provider declined: .*",
    r"  . give_credit: declined: .*",
    r"What the shop's book calls made, the provider has booked, once, and nothing else\.",
)
"""Lines of the demo, in their order."""


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "examples.refunds", *arguments],
        cwd=ROOT,
        env=environment({"COLUMNS": "160"}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The payment provider, for plays that are judged here."""
    with Server(tmp_path_factory.mktemp("provider"), 0) as made:
        thread = Thread(target=made.serve_forever, args=(0.02,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_the_demo_plays_and_shows_what_it_promises(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    async with database(kind, request, tmp_path) as url:
        played = run([] if kind == "sqlite" else ["--store", url])

    assert (played.returncode, played.stderr) == (0, ""), played.stdout
    lines = iter(played.stdout.splitlines())
    for promised in PROMISED:
        assert any(re.fullmatch(promised, line) for line in lines), promised


def test_a_play_is_kept_and_not_played_over(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert run(["--folder", str(folder)]).returncode == 0

    again = run(["--folder", str(folder)])
    on_the_same_shop = run(["--store", f"sqlite:///{folder / 'shop.db'}"])

    assert (again.returncode, "bookings of another play" in again.stderr) == (2, True)
    assert (on_the_same_shop.returncode, "a shop in that database already" in on_the_same_shop.stderr) == (2, True)
    # What lies behind an incident is in the log, and no code is.
    log = (folder / "shop.log").read_text(encoding="utf-8")
    assert "RemoteProtocolError" in log
    assert "Your code is" not in log


def test_it_says_how_it_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    assert "--store" in capsys.readouterr().out


@pytest.mark.anyio
async def test_a_conversation_that_ends_otherwise_is_complained_of(tmp_path: Path, server: Server) -> None:
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    mailbox, clock = Mailbox(), StillClock()
    declining = tuple(replace(line, clicks=(), fault=None) for line in LINES)
    async with open_book(url) as book:
        await seed(book)
        async with make_host(url, server.url, codes=mailbox, steps=STEPS, clock=clock) as host:
            shown = await play(Stage(host, server.url, mailbox, clock, Renderer(Console(file=StringIO()))), declining)
            assert await complaints_of_host(host, ADA) == ()

        found = "\n".join((*complaints_of_events(shown), *await complaints_of_book(book)))
    for name in ("how the turns ended", "what was refused", "which clicks", "who agreed", "what was found out", "was not told", "refunds"):
        assert name in found, found
    assert "the credit" not in found


@pytest.mark.anyio
async def test_a_double_charge_is_complained_of(tmp_path: Path) -> None:
    with provider_process(tmp_path / "provider") as provider:
        nothing = await complaints_of_provider(provider.url)
        async with httpx2.AsyncClient(base_url=provider.url) as client:
            await client.post("/refunds", json={"payment": "card_501", "cents": 5000}, headers={"Idempotency-Key": "twice"})
        twice = await complaints_of_provider(provider.url)

    assert "what the provider has booked: {}, not" in nothing[0]
    assert "('twice', 5000): 1" in twice[0]


@pytest.mark.anyio
async def test_a_shop_is_made_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shop.db'}"

    assert [await make(url), await make(url)] == [True, False]
    async with open_book(url) as book:
        assert await book.rows("SELECT count(*) FROM shop_order") == [(7,)]


def test_the_shop_can_be_used_from_the_command_line(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'shop.db'}"
    made = subprocess.run(
        [sys.executable, "-W", "error", "-m", "examples.refunds.data", store], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with provider_process(tmp_path / "provider") as provider:
        env = {"REFUNDS_STORE": store, "REFUNDS_PROVIDER": provider.url}

        def call(tool: str, arguments: str) -> Ended:
            command = ("call", "examples.refunds.serve:host", tool, "--args", arguments)
            return handgriff(ROOT, *command, "--as", "lumen/ada", "--json", env=env)

        credit = call("give_credit", '{"order": "o_501", "cents": 1000}')
        refund = call("refund_payment", '{"payment": "pay_502", "cents": 24000}')
        code = re.search(r"Your code is (\d{6})\.", refund.err)
        assert code is not None
        who = ("examples.refunds.serve:host", str(refund.json["proposal"]), "--as", "lumen/ada")
        confirmed = handgriff(ROOT, "proposals", "confirm", *who, stdin=f"{code[1]}\n", env=env)

    assert made.stdout == "The shop is ready.\n"
    assert (credit.code, credit.err) == (0, ""), credit
    assert (refund.code, refund.json["refused"], refund.json["confirm"]) == (1, "unconfirmed", "code")
    assert code[1] not in refund.out
    assert confirmed.code == 0, confirmed
    assert "Refund pay_502-r1: € 240.00 are on their way back." in confirmed.out
