"""What every store must do with a session's own instances when it is forked or cut back. Those with a handle stay as they are."""

# ruff: noqa: S101, D102  # tests: assert is the tool, numbers are the examples, a name says what it tests

from dataclasses import replace

from handgriff.core.batch import ForkSession, RewindSession, StartWorkflow
from handgriff.core.rows import Session, Workflow
from handgriff.ports.store import Store
from handgriff.testing.samples import EFFECT, START, TENANT, USER, WORKFLOW, at, create, own_workflow, say
from handgriff.testing.stores.answers import refusal
from handgriff.testing.stores.workflows import TAKEN, claim, found, settle

OLD = replace(own_workflow(), snapshot='{"value":"old"}', version=7)
"""What an instance of the sample session becomes when it is rewound."""


class WorkflowCopySuite:
    """Copied, replaced, counted on."""

    async def test_a_fork_owns_the_instances_it_is_given(self, store: Store) -> None:
        given = [replace(own_workflow("s2", machine), snapshot='{"value":"then"}', version=2) for machine in ("chat", "order")]
        await store.commit((create(), say("e1"), StartWorkflow(own_workflow()), StartWorkflow(WORKFLOW), _fork(*given)))

        assert list(await store.workflows(TENANT, session="s2")) == given
        assert list(await store.workflows(TENANT, session="s1")) == [own_workflow()]
        assert await found(store) == WORKFLOW

    async def test_a_fork_that_is_given_none_has_none(self, store: Store) -> None:
        await store.commit((create(), StartWorkflow(own_workflow()), claim(of=own_workflow()), _fork()))

        assert list(await store.workflows(TENANT, session="s2")) == []

    async def test_fork_and_source_move_by_themselves(self, store: Store) -> None:
        mine, copied = own_workflow(), own_workflow("s2")
        await store.commit((create(), StartWorkflow(mine), _fork(copied)))

        await store.commit((claim(of=copied), settle(of=copied)))

        assert await found(store, mine) == mine
        assert await found(store, copied) == replace(copied, snapshot='{"value":"sent"}', hash="n" * 64, version=1)

    async def test_a_fork_whose_instance_is_there_already_or_whose_source_is_unknown_makes_none(self, store: Store) -> None:
        """B129."""
        taken = replace(own_workflow("s2"), session=None)
        await store.commit((create(), create("theirs", tenant="globex"), StartWorkflow(taken)))

        assert await refusal(store, _fork(own_workflow("s2", "other"), own_workflow("s2"))) == ("workflow", "s2")
        assert await refusal(store, replace(_fork(own_workflow("s2", "other")), source="theirs")) == ("session", "theirs")

        assert await store.session(TENANT, "s2") is None
        assert list(await store.workflows(TENANT)) == [taken]

    async def test_a_rewind_replaces_what_it_is_given_and_counts_on(self, store: Store) -> None:
        stored = replace(own_workflow(), version=3, user="bob", created_at=at(5))
        begun = replace(OLD, machine="order", expires_at=at(9))
        await store.commit((create(), say("e1"), StartWorkflow(stored), _rewind(OLD, begun)))

        assert await found(store, OLD) == replace(OLD, version=4)
        assert await found(store, begun) == begun
        await store.commit((_rewind(OLD, begun),))
        assert [workflow.version for workflow in await store.workflows(TENANT)] == [5, 8]

    async def test_a_rewind_removes_the_sessions_others_and_no_one_elses(self, store: Store) -> None:
        own = [own_workflow("s1", machine) for machine in ("a", "chat", "z")]
        elsewhere = [own_workflow("s2", "a"), WORKFLOW, replace(WORKFLOW, handle="s1"), own_workflow("s1", "a", tenant="globex")]
        sessions = (create(), create("s2"), create(tenant="globex"))
        await store.commit((*sessions, say("e1"), *map(StartWorkflow, (*own, *elsewhere))))

        await store.commit((_rewind(OLD),))

        assert list(await store.workflows(TENANT, session="s1")) == [replace(OLD, version=1)]
        for workflow in elsewhere:
            assert await found(store, workflow) == workflow
        await store.commit((_rewind(),))
        assert list(await store.workflows(TENANT, session="s1")) == []
        assert len(await store.workflows(TENANT)) + len(await store.workflows("globex")) == len(elsewhere)

    async def test_a_claim_from_before_does_not_fit_what_was_rewound(self, store: Store) -> None:
        await store.commit((create(), say("e1"), StartWorkflow(own_workflow()), _rewind(own_workflow())))

        assert await refusal(store, claim(0, of=own_workflow())) == ("workflow", "s1")
        await store.commit((settle(of=own_workflow()), claim(1, of=own_workflow())))

    async def test_a_rewind_is_refused_while_a_call_holds_an_instance(self, store: Store) -> None:
        """Also where it would be replaced, removed, or nobody runs any more: what becomes of the claim is said first."""
        held, other = own_workflow(), own_workflow("s1", "other")
        await store.commit((create(), say("e1"), StartWorkflow(other), StartWorkflow(held), claim(of=held)))

        for given in ((), (OLD,), (other,)):
            assert await refusal(store, _rewind(*given)) == ("workflow", "s1")
        assert await refusal(store, replace(_rewind(), head=9)) == ("session", "s1")
        assert len(await store.events(TENANT, "s1")) == 1
        assert list(await store.workflows(TENANT)) == [
            replace(held, claim="c1", tool=EFFECT.tool, key=EFFECT.key, next='{"value":"sent"}', next_hash="n" * 64),
            other,
        ]

        await store.commit((settle(moves=False, of=held), _rewind(OLD)))
        assert list(await store.workflows(TENANT)) == [replace(OLD, version=2)]

    async def test_a_held_instance_of_somebody_else_holds_up_no_rewind(self, store: Store) -> None:
        foreign = (own_workflow("s2"), own_workflow("s1", tenant="globex"), WORKFLOW)
        sessions = (create(), create("s2"), create(tenant="globex"))
        await store.commit((*sessions, say("e1"), *map(StartWorkflow, foreign), *(claim(of=each) for each in foreign)))

        await store.commit((_rewind(OLD),))

        assert await found(store, OLD) == OLD

    async def test_a_rewind_does_not_reach_an_instance_that_is_not_the_sessions(self, store: Store) -> None:
        """Whatever it is told: a handle of the whole tenant may be named like anything."""
        await store.commit((create(), create("s2"), say("e1"), StartWorkflow(WORKFLOW), StartWorkflow(own_workflow("s2"))))

        assert await refusal(store, _rewind(replace(WORKFLOW, session="s1"))) == TAKEN
        assert await refusal(store, _rewind(OLD, replace(own_workflow("s2"), session="s1"))) == ("workflow", "s2")

        assert list(await store.workflows(TENANT)) == [own_workflow("s2"), WORKFLOW]
        assert len(await store.events(TENANT, "s1")) == 1


def _fork(*given: Workflow) -> ForkSession:
    return ForkSession("s1", Session(TENANT, USER, "s2", START), 1, (), given)


def _rewind(*given: Workflow) -> RewindSession:
    return RewindSession(TENANT, "s1", 1, 0, (), workflows=given)
