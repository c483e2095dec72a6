"""The root is a short list of nouns; a new name there is a decision."""

import handgriff


def test_the_root_exports_exactly_these_nouns() -> None:
    assert handgriff.__all__ == sorted(handgriff.__all__)
    assert " ".join(handgriff.__all__) == (
        "Assistant BackendError Call Caller Change DefinitionError HandgriffError Host "
        "Known Lane Limits Machine Plan Refusal Result Toolbox"
    )
