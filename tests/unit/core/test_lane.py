"""Lanes and limits."""

from dataclasses import fields
from typing import Any

import pytest

from handgriff.core.contract import CallLimits
from handgriff.core.lane import Lane, Limits
from handgriff.errors import DefinitionError


def test_a_lane_names_provider_and_model() -> None:
    lane = Lane("anthropic:claude-sonnet-5")
    local = Lane("openai-compatible:http://127.0.0.1:11434/v1#qwen")

    assert (lane.provider, lane.name) == ("anthropic", "claude-sonnet-5")
    assert (local.provider, local.name) == ("openai-compatible", "http://127.0.0.1:11434/v1#qwen")


@pytest.mark.parametrize("model", ["", ":", "claude-sonnet-5", "anthropic:", ":claude-sonnet-5"])
def test_a_name_without_both_is_an_error(model: str) -> None:
    with pytest.raises(DefinitionError, match="'Lane', model"):
        Lane(model)


@pytest.mark.parametrize(("member", "value"), [("max_tokens", 0), ("weight", 0), ("weight", -1), ("effort", "extreme"), ("effort", "")])
def test_a_setting_that_would_be_refused_later_is_refused_now(member: str, value: Any) -> None:
    with pytest.raises(DefinitionError, match=f"'Lane', {member}"):
        Lane("anthropic:x", **{member: value})


@pytest.mark.parametrize("member", [item.name for item in fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, float("nan"), True, None, "12"], ids=repr)
def test_every_bound_is_a_number_above_zero(member: str, value: Any) -> None:
    with pytest.raises(DefinitionError, match=f"'Limits', {member}"):
        Limits(**{member: value})


@pytest.mark.parametrize("member", [item.name for item in fields(Limits) if item.type is int])
def test_what_counts_something_is_whole(member: str) -> None:
    with pytest.raises(DefinitionError, match="give a whole number"):
        Limits(**{member: 1.5})  # type: ignore[arg-type]  # what a checker would find


def test_times_may_be_fractions() -> None:
    limits = Limits(seconds=0.5, call_seconds=0.25, proposal_seconds=90)

    assert (limits.seconds, limits.call_seconds, limits.proposal_seconds) == (0.5, 0.25, 90)


@pytest.mark.parametrize("member", [item.name for item in fields(CallLimits)])
@pytest.mark.parametrize("value", [0, -1, float("nan"), False, "12"], ids=repr)
def test_a_tools_own_bound_is_none_or_a_number_above_zero(member: str, value: Any) -> None:
    assert getattr(CallLimits(), member) is None
    with pytest.raises(DefinitionError, match=f"'CallLimits', {member}"):
        CallLimits(**{member: value})


def test_a_tools_seconds_may_be_a_fraction_and_its_counts_may_not() -> None:
    assert CallLimits(seconds=0.5, result_bytes=1, calls=1).seconds == 0.5
    with pytest.raises(DefinitionError, match="calls"):
        CallLimits(calls=1.5)  # type: ignore[arg-type]  # what a checker would find
