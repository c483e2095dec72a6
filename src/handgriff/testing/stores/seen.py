"""What every store must know about values that were seen in a session."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from handgriff.core.batch import IntroduceSeen, IntroduceTyped
from handgriff.ports.store import Store
from handgriff.testing.samples import TENANT, create


class SeenSuite:
    """Introduced by a result, or typed by the user."""

    async def test_a_value_is_introduced_as_its_kind(self, store: Store) -> None:
        values = (("order", "o_17"), ("order", "o_18"), ("user", "7"))
        await store.commit(
            (create(), IntroduceSeen(TENANT, "s1", values), IntroduceSeen(TENANT, "s1", values), IntroduceSeen(TENANT, "s1", ()))
        )

        assert [await store.seen(TENANT, "s1", kind, value) for kind, value in values] == ["introduced"] * 3
        assert await store.seen(TENANT, "s1", "user", "o_17") is None
        assert await store.seen(TENANT, "s1", "order", "o_1") is None
        assert await store.seen(TENANT, "s1", "order", "O_17") is None

    async def test_a_value_stands_by_itself_in_what_was_typed(self, store: Store) -> None:
        await store.commit((create(), IntroduceTyped(TENANT, "s1", "Storno von o_17, bitte."), IntroduceTyped(TENANT, "s1", "x_99")))

        assert await store.seen(TENANT, "s1", "order", "o_17") == "typed"
        assert await store.seen(TENANT, "s1", "anything", "Storno von") == "typed"
        assert await store.seen(TENANT, "s1", "order", "x_99") == "typed"
        assert await store.seen(TENANT, "s1", "order", "o_18") is None

    async def test_a_part_of_a_word_was_not_typed(self, store: Store) -> None:
        await store.commit((create(), IntroduceTyped(TENANT, "s1", "o_1712 Größe caf\u00e9s")))

        for value in ("o_17", "712", "röße", "Grö", "caf"):
            assert await store.seen(TENANT, "s1", "order", value) is None

    async def test_two_characters_are_too_few_to_be_typed_and_enough_to_be_introduced(self, store: Store) -> None:
        await store.commit((create(), IntroduceTyped(TENANT, "s1", "17 or 18 "), IntroduceSeen(TENANT, "s1", (("order", "18"),))))

        assert await store.seen(TENANT, "s1", "order", "17") is None
        assert await store.seen(TENANT, "s1", "order", "") is None
        assert await store.seen(TENANT, "s1", "order", "18") == "introduced"

    async def test_every_typed_text_counts_also_a_repeated_one(self, store: Store) -> None:
        texts = ("abc1", "abc", "abc", "xabc", "last")
        await store.commit((create(), *(IntroduceTyped(TENANT, "s1", text) for text in texts)))

        assert await store.seen(TENANT, "s1", "order", "abc") == "typed"
        assert await store.seen(TENANT, "s1", "order", "last") == "typed"
        assert await store.seen(TENANT, "s1", "order", "abc1") == "typed"

    async def test_an_introduced_value_that_was_typed_is_introduced(self, store: Store) -> None:
        await store.commit((create(), IntroduceTyped(TENANT, "s1", "o_17"), IntroduceSeen(TENANT, "s1", (("order", "o_17"),))))

        assert await store.seen(TENANT, "s1", "order", "o_17") == "introduced"

    async def test_what_one_session_saw_no_other_did(self, store: Store) -> None:
        await store.commit((create("s1"), create("s2"), create("s1", tenant="globex")))
        await store.commit((IntroduceTyped(TENANT, "s1", "o_17"), IntroduceSeen(TENANT, "s1", (("order", "o_18"),))))

        for value in ("o_17", "o_18"):
            assert await store.seen(TENANT, "s2", "order", value) is None
            assert await store.seen("globex", "s1", "order", value) is None
