"""The suites for stores are put together of parts; none of them may hide a test of another."""

from collections import Counter

import pytest

from handgriff.testing.stores import StoreSuite, TransactionSuite


@pytest.mark.parametrize("suite", [StoreSuite, TransactionSuite], ids=["store", "transaction"])
def test_every_test_of_a_suite_has_a_name_of_its_own(suite: type) -> None:
    names = Counter(name for part in suite.__mro__ for name in vars(part) if name.startswith("test_"))

    assert len(names) > 10
    assert [name for name, count in names.items() if count > 1] == []
