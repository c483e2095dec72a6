"""What an application's own function may answer and raise while somebody is identified."""

import logging

import pytest

from handgriff import BackendError, Caller, DefinitionError, Refusal
from handgriff.serving.identify import identified

pytestmark = pytest.mark.anyio
ADA = Caller("acme", "ada")


async def test_the_caller_is_who_the_application_says() -> None:
    async def who(request: str) -> Caller | None:
        return ADA if request == "ada" else None

    assert await identified(who, "ada") is ADA
    assert await identified(who, "eve") is None


async def test_whatever_breaks_identifies_nobody_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def who(request: str) -> Caller | None:
        raise KeyError(request)

    with caplog.at_level(logging.ERROR, "handgriff.identify"):
        assert await identified(who, "ada") is None
    assert "authenticate failed" in caplog.text


@pytest.mark.parametrize("error", [Refusal("denied", "No."), BackendError("callers", "reading")], ids=["a refusal", "a backend"])
async def test_what_the_application_means_is_passed_on(error: Exception) -> None:
    async def who(request: str) -> Caller | None:
        raise error

    with pytest.raises(type(error)) as raised:
        await identified(who, "ada")
    assert raised.value is error


async def test_an_answer_that_is_no_caller_is_the_author_s_mistake() -> None:
    async def who(request: str) -> Caller | None:
        return "ada"  # type: ignore[return-value]  # that is the mistake

    with pytest.raises(DefinitionError, match="it is a str"):
        await identified(who, "ada")
