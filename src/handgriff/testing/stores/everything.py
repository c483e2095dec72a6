"""A batch with one operation of each kind, and a picture of all that it can have changed."""

from dataclasses import replace

from handgriff.core.batch import (
    Batch,
    CheckNothingRuns,
    ClaimEffect,
    CloseRequest,
    CountTry,
    DecideProposal,
    DeliverHook,
    Erase,
    ForkSession,
    IntroduceSeen,
    IntroduceTyped,
    KeepCode,
    KeepPrefix,
    PinSession,
    ReleaseLease,
    RenewScratch,
    RequestStop,
    RewindSession,
    SettleEffect,
    StepEffect,
    SweepEffects,
    SweepScratch,
)
from handgriff.ports.store import Store
from handgriff.testing.samples import (
    CLOSED_REQUEST,
    EFFECT,
    PINNED,
    SESSION,
    START,
    TENANT,
    USER,
    at,
    furnish,
    hold,
    jot,
    put,
    say,
)


def one_of_each() -> Batch:
    """What can be written after `furnish("s1")`, a session "s1" of globex and a lease of t1 with epoch 1."""
    return (
        *furnish("s2"),
        say("more"),
        put("topic", '"other"'),
        put("fresh", '"other"', "app"),
        jot("note", '"other"'),
        jot("fresh", "1", "other", until=1),
        RenewScratch(TENANT, "s1", "notes", START, at(120)),
        SweepScratch(TENANT, at(2), 9),
        ForkSession("s1", replace(SESSION, id="s3"), 2, (("topic", '"copy"'),)),
        RewindSession(TENANT, "s2", 5, 1, (), ("proposal of s2",)),
        Erase("globex", None, "gone"),
        IntroduceSeen(TENANT, "s1", (("order", "fresh"),)),
        IntroduceTyped(TENANT, "s1", "fresh text"),
        PinSession(TENANT, "s1", PINNED, "Title"),
        RequestStop(TENANT, "s1", "t1"),
        ReleaseLease(TENANT, "s1", "t1", 1),
        hold("t1", after=1),
        StepEffect(TENANT, EFFECT.tool, "key of s1", EFFECT.claim, "step", "1"),
        SettleEffect(TENANT, EFFECT.tool, "key of s1", EFFECT.claim, "done", at(1)),
        CheckNothingRuns(TENANT, at(1), "s3"),
        ClaimEffect(replace(EFFECT, state="done", session="gone", key="old")),
        SweepEffects(TENANT, at(1), 9),
        KeepCode(TENANT, "proposal of s1", 0, "hash", at(1), START, 9),
        CountTry(TENANT, "proposal of s1", 0),
        DecideProposal(TENANT, "proposal of s1", "pending", "declined", at(1), USER),
        DeliverHook(TENANT, "hook of s1"),
        CloseRequest(replace(CLOSED_REQUEST, id="request of s1")),
        KeepPrefix(TENANT, "h1", "text"),
        ReleaseLease(TENANT, "s1", "t1", 2),
        hold("t1", after=2),
    )


async def picture(store: Store) -> list[object]:
    """What the sample sessions and those of `one_of_each` hold."""
    return [
        await store.session(TENANT, "s1"),
        await store.session(TENANT, "s2"),
        await store.session(TENANT, "s3"),
        list(await store.sessions(TENANT, USER)),
        list(await store.events(TENANT, "s1")),
        list(await store.records(TENANT, now=START)),
        await store.session_values(TENANT, ["s1", "s2", "s3"]),
        list(await store.tenants()),
        await store.values(TENANT, "session", "s1"),
        await store.values(TENANT, "user", USER),
        await store.values(TENANT, "app", ""),
        await store.seen(TENANT, "s1", "order", "fresh"),
        await store.seen(TENANT, "s1", "order", "fresh text"),
        list(await store.effects(TENANT)),
        list(await store.unsettled(TENANT)),
        list(await store.abandoned(at(3600))),
        list(await store.uncertain([EFFECT.tool])),
        list(await store.queueing()),
        list(await store.waiting(TENANT, USER, START)),
        list(await store.proposals(TENANT)),
        list(await store.hooks(TENANT)),
        list(await store.requests(TENANT)),
        await store.prefix(TENANT, "h1"),
    ]
