"""Strategies for kept instances of machines: of few keys, so that claims, settlements and rewinds meet."""

from dataclasses import replace

from hypothesis import strategies as st

from handgriff.core.batch import CheckWorkflow, ClaimWorkflow, DropWorkflow, Operation, SettleWorkflow, StartWorkflow, SweepWorkflows
from handgriff.core.rows import Fired, Workflow
from handgriff.testing.samples import HELD_WORKFLOW, WORKFLOW, at
from tests.contract.names import SESSIONS, name, session, tenant, time, user

MACHINES, HANDLES = ("m", "n"), (*SESSIONS, "x")

machine = st.sampled_from(MACHINES)
handle = st.sampled_from(HANDLES)
key = {"tenant": tenant, "machine": machine, "handle": handle}
version = st.integers(0, 3)
text = st.sampled_from(('{"value":"a"}', '{"value":"é\\u0000👋"}'))

fires = st.none() | st.builds(Fired, machine, handle, name, st.none() | text, st.none() | name)
instances = st.builds(
    replace,
    st.sampled_from((WORKFLOW, WORKFLOW, HELD_WORKFLOW)),
    **key,
    user=st.none() | user,
    session=st.none() | session,
    hash=name,
    snapshot=text,
    created_at=time,
    expires_at=st.none() | time,
    version=version,
)
own = st.builds(
    lambda workflow, owner, is_handle: replace(workflow, session=owner, handle=owner if is_handle else workflow.handle, claim=None),
    instances,
    session,
    st.booleans(),
)
"""Of a session, mostly under its id."""


def given(tenant_: str) -> st.SearchStrategy[tuple[Workflow, ...]]:
    """What a fork or a rewind in a tenant brings; whose it is may also be wrong."""
    return st.lists(own.map(lambda workflow: replace(workflow, tenant=tenant_)), max_size=2).map(tuple)


writes: st.SearchStrategy[Operation] = st.one_of(
    st.builds(StartWorkflow, instances),
    st.builds(StartWorkflow, own),
    st.builds(ClaimWorkflow, **key, version=version, claim=name, tool=name, key=name, next=text, next_hash=name),
    st.builds(ClaimWorkflow, **key, version=st.just(0), claim=name, tool=name, key=name, next=text, next_hash=name),
    st.builds(SettleWorkflow, **key, claim=st.sampled_from(("x", "y", "c1")), moves=st.booleans(), expires_at=st.none() | time),
    st.builds(CheckWorkflow, **key, version=version),
    st.builds(DropWorkflow, **key, version=version),
    st.builds(SweepWorkflows, tenant, st.integers(1, 4).map(at), st.integers(1, 2)),
)
