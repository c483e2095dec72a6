"""The error tree."""

import pytest

from handgriff.errors import REFUSAL_CODES, BackendError, DefinitionError, HandgriffError, Refusal, RefusalCode


@pytest.mark.parametrize("code", REFUSAL_CODES)
def test_every_code_makes_a_refusal_that_says_code_and_message(code: RefusalCode) -> None:
    refusal = Refusal(code, "Because.", next="Do this.", retry_after=3)

    assert (refusal.code, refusal.message, refusal.next, dict(refusal.facts)) == (code, "Because.", "Do this.", {"retry_after": 3})
    assert str(refusal) == f"{code}: Because."


def test_the_codes_are_a_closed_set() -> None:
    assert len(set(REFUSAL_CODES)) == len(REFUSAL_CODES) == 19

    with pytest.raises(DefinitionError, match="'forbidden' is not a refusal code"):
        Refusal("forbidden", "No.")  # type: ignore[arg-type]  # what a checker would find


def test_an_exception_given_as_message_or_next_step_is_its_text() -> None:
    refusal = Refusal("conflict", ValueError("already paid"), next=ValueError("look again"))  # type: ignore[arg-type]  # a common slip

    assert (refusal.message, refusal.next) == ("already paid", "look again")


def test_the_facts_of_a_refusal_can_not_be_changed() -> None:
    refusal = Refusal("invalid", "No.", fields={"order": "missing"})

    with pytest.raises(TypeError):
        refusal.facts["fields"] = None  # type: ignore[index]  # the point


def test_a_definition_error_names_subject_member_and_mend() -> None:
    error = DefinitionError("cancel_order", "plan", "it is missing.", mend="attach one.")

    assert (error.subject, error.member, error.mend) == ("cancel_order", "plan", "attach one.")
    assert str(error) == "'cancel_order', plan: it is missing. Mend: attach one."


@pytest.mark.parametrize(
    ("hint", "said"), [("", "'store' failed at commit."), ("The disk is full.", "'store' failed at commit. The disk is full.")]
)
def test_a_backend_error_names_what_failed_and_where(hint: str, said: str) -> None:
    error = BackendError("store", "commit", hint=hint)

    assert (error.backend, error.operation, str(error)) == ("store", "commit", said)


def test_everything_raised_on_purpose_has_one_root() -> None:
    assert {kind.__base__ for kind in (DefinitionError, Refusal, BackendError)} == {HandgriffError}
