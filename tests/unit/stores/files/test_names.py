"""Names of files and folders."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.stores.files.names import file_name, folder_name, is_of_session, is_record
from handgriff.testing.scratch.places import HOSTILE


@pytest.mark.parametrize(
    ("namespace", "session", "name"),
    [
        ("relabeling", "s1", "relabeling_s1.json"),
        ("my_codes", "s_0f", "my%5fcodes_s_0f.json"),
        ("Undo", "a/b", "%55ndo_a%2fb.json"),
        ("", "", "%_%.json"),
        (".a", "b.", "%2ea_b%2e.json"),
        ("a.b", "..", "a.b_%2e%2e.json"),
        ("é", "%", "%c3%a9_%25.json"),
    ],
)
def test_a_file_is_named_after_its_record(namespace: str, session: str, name: str) -> None:
    assert file_name(namespace, session) == name


@pytest.mark.parametrize(
    ("tenant", "name"), [("acme", "acme"), ("acme_eu.example", "acme_eu.example"), ("..", "%2e%2e"), ("", "%"), (".", "%2e")]
)
def test_a_folder_is_named_after_its_tenant(tenant: str, name: str) -> None:
    assert folder_name(tenant) == name


def test_no_two_records_share_a_name_however_a_file_system_folds() -> None:
    names = {file_name(*pair).lower() for pair in product(HOSTILE, repeat=2)}

    assert len(names) == len(HOSTILE) ** 2
    assert all(is_record(name) and len(name) < 256 for name in names)


ID = st.text(st.one_of(st.characters(), st.sampled_from("_%.~aA/")), max_size=300)


@given(ID, ID, ID, ID)
def test_equal_names_are_of_equal_ids(namespace: str, session: str, other_namespace: str, other_session: str) -> None:
    name, other = file_name(namespace, session), file_name(other_namespace, other_session)

    assert (name.lower() == other.lower()) == ((namespace, session) == (other_namespace, other_session))
    assert is_of_session(name, session)
    assert is_of_session(name, other_session) == (session == other_session)
    assert re.fullmatch(r"[a-z0-9%~_-][a-z0-9%~_.-]*\.json", name)
    assert folder_name(session) not in {".", "..", ""}
