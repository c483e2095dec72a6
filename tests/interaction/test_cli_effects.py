"""`handgriff effects`: what a killed process leaves uncertain is found out, or decided by an operator. Nothing is run again."""

import re
from datetime import datetime
from pathlib import Path

import pytest

from tests.interaction.cli_inside import MOVE, TILL, chat, folder, happened, run
from tests.interaction.cli_process import handgriff, of_type, with_till

__all__ = ["folder"]
KILLED = -9
OPS = ("--as", "acme/ops")
"""No caller of the host."""
PARCEL = "/send_parcel to=eve"


def killed(folder: Path, wish: str) -> str:
    """A session whose process died right after *wish*, confirmed, had happened."""
    then = {"TILL_LATER": "0"}
    asked = handgriff(with_till(folder), "chat", "till:host", "--as", "acme/ada", "--json", stdin=f"{wish}\n", env=then)
    session = asked.lines[0]["id"]
    [proposal] = of_type(asked.lines, "left_pending")[0]["proposals"]

    died = handgriff(folder, "proposals", "confirm", "till:host", proposal, "--as", "acme/ada", env=then | {"TILL_DIES": "1"})

    assert died.code == KILLED
    assert len(happened(folder)) == 1
    assert isinstance(session, str)
    return session


def told(session: str) -> tuple[str, str]:
    """What the model is told once the chat goes on: as the call's result, and as news with the next message."""
    ended = chat("And now?", session=session)
    assert ended.code == 0, ended.out
    exported = run("sessions", "export", TILL, session, "--as", "acme/ada").lines
    [result] = [line["wire"] for line in of_type(exported, "call_outcome") if line.get("wire")]
    return result, "".join(of_type(exported, "user_message")[-1]["wire"])


@pytest.fixture(autouse=True)
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands run when every lease of the killed process is over."""
    monkeypatch.setenv("TILL_LATER", "300")


def test_B106_looking_finds_out_what_became_of_a_payment(folder: Path) -> None:
    """B106: the process died between the payment and its outcome; the bank says that it happened, and it is not paid again."""
    session = killed(folder, MOVE)

    listed = run("effects", "ls", TILL, *OPS)
    [effect] = run("effects", "ls", TILL, *OPS, "--json").json

    assert re.search(rf"^{effect['key']} +transfer +done +.* ada +Done\. *$", listed.out, re.MULTILINE)
    assert (effect["state"], effect["resolved_by"], effect["arguments"]) == ("done", "reconcile", {"amount": 5})
    assert effect["result"]["summary"] == "The bank has moved 5."
    assert "The bank has moved 5." in told(session)[0]
    assert len(happened(folder)) == 1


def test_a_payment_that_the_bank_does_not_know_has_not_happened(folder: Path) -> None:
    session = killed(folder, MOVE)
    (folder / "bank.txt").unlink()

    [effect] = run("effects", "ls", TILL, *OPS, "--json").json

    assert (effect["state"], effect["result"]["message"]) == ("failed", "The bank has moved nothing.")
    assert "The bank has moved nothing." in told(session)[0]
    assert happened(folder) == []


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", "It is not known whether it happened. This is being looked into."),
        ("de", "Es ist nicht bekannt, ob es geschehen ist. Das wird geprüft."),
        ("fr", "On ne sait pas si cela a eu lieu. C'est en cours de vérification."),
    ],
    ids=["en", "de", "fr"],
)
@pytest.mark.parametrize("became", ["done", "failed"])
def test_what_nobody_can_ask_about_is_resolved_by_an_operator(folder: Path, locale: str, words: str, became: str) -> None:
    session = killed(folder, PARCEL)
    [effect] = run("effects", "ls", TILL, *OPS, "--state", "indeterminate", "--json").json
    one = (TILL, "send_parcel", effect["key"])

    listed = run("effects", "ls", TILL, *OPS, "--locale", locale)
    shown = run("effects", "show", *one, *OPS, "--locale", locale)
    resolved = run("effects", "resolve", *one, became, *OPS)
    again = run("effects", "resolve", *one, became, *OPS, "--json")

    assert words in listed.out
    assert f"\nstate: indeterminate: {words}\n" in shown.out
    for line in ('arguments: {"to":"eve"}', "certainty: it leaves the database: without an outcome nobody knows", f"session: {session}"):
        assert f"\n{line}\n" in shown.out
    assert re.search(r"^proposal: p_\w+$", shown.out, re.MULTILINE)
    assert resolved.code == 0
    assert "\nresolved by: ops\n" in resolved.out
    assert "Nothing was run, repeated or taken back; the model is told with the next message." in resolved.out
    assert (again.code, again.json["refused"]) == (1, "conflict")
    result, news = told(session)
    assert "indeterminate" in result
    assert f"An operator looked into it: it was {'done' if became == 'done' else 'not done'}." in news
    assert happened(folder) == ["parcel to eve"], "nothing was run again"


def test_what_the_outside_world_can_not_say_yet_stays_uncertain_and_is_asked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = killed(folder, MOVE)

    monkeypatch.setenv("TILL_BANK_AWAY", "1")
    assert run("effects", "ls", TILL, *OPS, "--json").json[0]["state"] == "indeterminate"
    monkeypatch.delenv("TILL_BANK_AWAY")
    assert run("effects", "ls", TILL, *OPS, "--json").json[0]["state"] == "done"
    result, news = told(session)
    assert "indeterminate" in result
    assert "The bank has moved 5." in news


def test_before_the_lease_is_over_nobody_decides(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(folder, PARCEL)
    monkeypatch.delenv("TILL_LATER")

    [effect] = run("effects", "ls", TILL, *OPS, "--json").json
    refused = run("effects", "resolve", TILL, "send_parcel", effect["key"], "failed", *OPS, "--json")

    assert effect["state"] == "running"
    assert (refused.code, refused.json["refused"]) == (1, "conflict")
    until = datetime.fromisoformat(effect["lease_until"])
    assert refused.json["message"] == f"This effect is running: its call has until {until.isoformat(timespec='seconds')}."
    assert 1 < refused.json["retry_after"] <= (until - datetime.fromisoformat(effect["claimed_at"])).total_seconds()
    assert "Wait for its outcome." in refused.json["next"]


def test_of_a_transaction_it_is_said_that_it_is_certain(folder: Path) -> None:
    run("call", TILL, "book", "--args", '{"cents": 5}', "--as", "acme/ada")
    [effect] = run("effects", "ls", TILL, *OPS, "--json").json

    shown = run("effects", "show", TILL, "book", effect["key"], *OPS)

    assert (effect["transaction"], effect["state"]) == (True, "done")
    assert "\ncertainty: transaction: what it writes is committed with its outcome, or not at all\n" in shown.out


def test_an_operators_language_is_the_callers_where_the_host_knows_them(folder: Path) -> None:
    run("call", TILL, "book", "--args", '{"cents": 5}', "--as", "acme/ada")

    assert "Erledigt." in run("effects", "ls", TILL, "--as", "acme/bob").out
    assert "Done." in run("effects", "ls", TILL, *OPS).out


@pytest.mark.parametrize("who", ["globex/ada", "nobody/ops"])
def test_another_tenants_effects_are_not_there(folder: Path, who: str) -> None:
    run("call", TILL, "book", "--args", '{"cents": 5}', "--as", "acme/ada")
    [effect] = run("effects", "ls", TILL, *OPS, "--json").json

    assert run("effects", "ls", TILL, "--as", who, "--json").json == []
    for words in (("show", TILL, "book", effect["key"]), ("resolve", TILL, "book", effect["key"], "failed")):
        assert run("effects", *words, "--as", who, "--json").json["refused"] == "not_found"


def test_the_help_of_resolve_says_that_nothing_is_run(folder: Path) -> None:
    assert "Nothing is run, repeated or taken back" in " ".join(run("effects", "resolve", "--help").out.split())
