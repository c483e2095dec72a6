"""`python -m handgriff.testing.loopback`."""

import os
import signal
import subprocess
import sys

import anthropic
import pytest

from handgriff.testing.loopback.__main__ import fixed_answer, main
from handgriff.testing.loopback.script import Answer, Text


def test_a_process_of_its_own_answers_with_as_many_events_as_asked_and_ends_on_a_signal() -> None:
    command = [sys.executable, "-m", "handgriff.testing.loopback", "--events", "9", "--chunk", "2", "--key", "k"]
    # The suite may run before anything was installed.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
            create = client.messages.with_streaming_response.create
            with create(model="m", max_tokens=1, messages=[{"role": "user", "content": "q"}], stream=True) as response:
                events = [event.event for event in anthropic.Stream.raw_events(response.http_response)]
        process.send_signal(signal.SIGTERM)

        assert process.wait(10) == 0
    assert len(events) == 9


def test_the_answer_has_the_events_it_is_asked_for() -> None:
    assert fixed_answer(361, chunk=3) == Answer((Text("x" * 355 * 3, chunk=3),))


def test_fewer_events_than_a_message_needs_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--events", "6"])

    assert "an answer has at least 7 events" in capsys.readouterr().err
