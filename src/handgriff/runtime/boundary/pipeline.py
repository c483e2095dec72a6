"""The boundary itself: seven steps in one order. Chat, command line, Python and confirmed proposals all come through `pass_through`.

Each step checks something else and none replaces another. The step that decided is on the outcome's event.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import anyio

from handgriff.core import jsontext
from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.events import Moved
from handgriff.core.jsontext import JsonError
from handgriff.core.requirement import Surroundings
from handgriff.core.result import Result
from handgriff.core.rows import Effect, Proposal
from handgriff.core.schema.form import Arguments
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.ports.callers import Callers
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.attempt import Attempt, Ended, Parked, Passed, Step
from handgriff.runtime.boundary.bound import InnerCall
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.boundary.codes import Codes
from handgriff.runtime.boundary.consent import (
    check_same_call,
    check_same_way,
    check_still_true,
    make_plan,
    park,
    stale,
    who_confirms,
)
from handgriff.runtime.boundary.effect import Effects, Ran, begun_again, outcome_of
from handgriff.runtime.boundary.entitled import SecondPerson
from handgriff.runtime.boundary.gate import Gate
from handgriff.runtime.boundary.invoke import explain, failure
from handgriff.runtime.boundary.meaning import check_authority, check_known, check_meaning
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.resolve import resolve, rights_now
from handgriff.runtime.boundary.settle import Settlements
from handgriff.runtime.boundary.truth import Truths

_SAID: Final = frozenset({"refused", "message", "next", "code"})
"""Of a refusal's text, what is no fact."""


@dataclass(slots=True)
class _Trail:
    """Which step an attempt has reached, and the digest of its arguments and its claim as far as they are known."""

    step: Step = "resolve"
    digest: str = ""
    claim: str = ""


@dataclass(frozen=True, slots=True)
class Boundary:
    """The pipeline of one host."""

    assistant: Assistant
    store: Store
    callers: Callers
    surroundings: Surroundings
    calls: Calls
    effects: Effects
    settlements: Settlements
    truths: Truths
    gate: Gate
    second_person: SecondPerson
    codes: Codes

    async def pass_through(self, attempt: Attempt) -> Passed:
        """Take *attempt* through the steps. It always answers; what raises is a broken store, or a cancelled read."""
        trail = _Trail()
        started = self.effects.clock.monotonic()
        try:
            return await self._steps(attempt, trail, started)
        except Refusal as refusal:
            digest = trail.digest or _raw_digest(attempt.arguments)
            return self.effects.ended(attempt, trail.step, outcome_of(refusal), digest, started=started)

    async def _steps(self, attempt: Attempt, trail: _Trail, started: float) -> Passed:
        caller = await self._rights_now(attempt)
        contract = resolve(self.assistant, attempt.tool, caller, self.surroundings)
        self._check_nesting(attempt, contract)
        trail.step = "form"
        arguments = self._validated(attempt, contract)
        trail.digest = jsontext.digest(arguments.canonical)
        try:
            with anyio.CancelScope() as scope:
                return await self._perform(attempt, contract, caller, arguments, trail, started, scope)
        finally:
            # Settled or not: whoever cancels this task waits for nothing that is settled afterwards.
            self.effects.own.pop(trail.claim, None)
        raise AssertionError("unreachable: this scope is never cancelled itself")

    async def _perform(
        self,
        attempt: Attempt,
        contract: Contract,
        caller: Caller,
        arguments: Arguments,
        trail: _Trail,
        started: float,
        scope: anyio.CancelScope,
    ) -> Passed:
        """Steps 3 to 7 inside the application's objects. A write is settled after they are closed: closing may be what commits it."""
        passed: Passed | None = None
        claimed: tuple[Ready, Effect] | None = None
        ran: Ran | None = None
        moved: list[Moved] = []
        try:
            async with self.calls.bound(attempt, contract, caller, self._inner(attempt, contract, moved)) as call:
                ready = Ready(attempt, contract, caller, arguments, call, trail.digest, started)
                checked = await self._checked(ready, trail)
                if isinstance(checked, Ended):
                    return checked
                ready = checked
                trail.step = "consent"
                # From here on a stop or a client that leaves cancels nothing of it: a write is parked, or claimed, run and settled.
                scope.shield = contract.has_effect_record
                passed = await self._consent(ready)
                if passed is None and not contract.has_effect_record:
                    trail.step = "effect"
                    return self.effects.ended(attempt, trail.step, await self.effects.read(ready), ready.digest, started=started)
                if passed is None:
                    trail.step = "effect"
                    claim = await self._claimed(ready)
                    if isinstance(claim, Ended):
                        passed = claim
                    else:
                        ready, effect = claimed = claim
                        trail.claim = effect.claim
                        self.effects.own[effect.claim] = (effect.tenant, effect.session)
                        ran = await self.gate.told(ready, self.effects.done(ready, await self.effects.run(*claimed)), moved)
        except Exception as error:
            if claimed is not None:
                ran = self.effects.failed(claimed[0], error)
            elif passed is None:
                raise self.effects.refusal(error, contract, attempt.id) from error
            else:
                self.effects.incident(error, contract.name, attempt.id)
        if claimed is not None:
            return await self.settlements.settle(*claimed, ran or self.effects.failed(claimed[0], _swallowed()))
        if passed is None:
            raise self.effects.refusal(_swallowed(), contract, attempt.id)
        return passed

    async def _rights_now(self, attempt: Attempt) -> Caller:
        try:
            return await rights_now(self.callers, attempt.grant)
        except (BackendError, DefinitionError) as error:
            # Said before any name is resolved, so it says nothing about the tool.
            raise failure(error, attempt.tool, self.effects.incident(error, attempt.tool, attempt.id)) from error

    def _validated(self, attempt: Attempt, contract: Contract) -> Arguments:
        try:
            return contract.schema.validate(attempt.arguments)
        except Exception as error:  # a validator of the application's may raise anything
            raise self.effects.refusal(error, contract, attempt.id) from error

    async def _checked(self, ready: Ready, trail: _Trail) -> Ready | Ended:
        """*ready* with what the gate has let pass; or the answer to a wish that was carried out before and closed its own way."""
        trail.step = "authority"
        await check_authority(ready.contract, ready.arguments, ready.call)
        trail.step = "gate"
        try:
            passage = await self.gate.check(ready)
        except Refusal as refusal:
            repeated = await self.effects.repeated(ready) if refusal.code in ("closed", "not_found") else None
            if repeated is None:
                raise
            return repeated
        ready = ready.passed(passage)
        trail.step = "meaning"
        await check_known(
            self.store,
            self.assistant,
            self.surroundings,
            attempt=ready.attempt,
            contract=ready.contract,
            arguments=ready.arguments,
            caller=ready.caller,
        )
        await check_meaning(ready.contract, ready.arguments, ready.call)
        return ready

    async def _consent(self, ready: Ready) -> Passed | None:
        contract, effects, confirmed = ready.contract, self.effects, ready.attempt.confirmed
        if confirmed is not None:
            await self._check_confirmed(ready, confirmed)
            return None
        confirm = await who_confirms(ready, seconds=effects.seconds(contract))
        if confirm is None:
            return None
        if ready.attempt.parent is not None:
            raise Refusal(
                "unconfirmed", f"{contract.name} needs a person's confirmation, so another tool can't call it.", next="Call it directly."
            )
        plan = await make_plan(ready, seconds=effects.seconds(contract))
        seconds = effects.limits.proposal_seconds
        parked = await park(ready, plan, confirm, store=self.store, clock=effects.clock, ids=effects.ids, seconds=seconds)
        if confirm == "code":
            parked = Parked(await self._code_sent(ready, parked.proposal))
        if ready.attempt.place.can_park:
            return parked
        link = f"/confirm/{parked.proposal.id}"
        raise Refusal("unconfirmed", f"{plan.summary} A person must confirm this.", link=link, proposal=parked.proposal.id, confirm=confirm)

    async def _code_sent(self, ready: Ready, proposal: Proposal) -> Proposal:
        """The proposal with its first code on the way. What can't be sent now can be asked for again."""
        try:
            return await self.codes.send(ready.caller, proposal)
        except Refusal as refusal:
            ready.call.log.warning("no code was sent for proposal %s: %s", proposal.id, refusal.code)
        except (BackendError, DefinitionError) as error:
            self.effects.incident(error, ready.contract.name, ready.call.id)
        return await self.store.proposal(proposal.tenant, proposal.id) or proposal

    async def _check_confirmed(self, ready: Ready, proposal: Proposal) -> None:
        check_same_call(ready, proposal)
        check_same_way(await who_confirms(ready, seconds=self.effects.seconds(ready.contract)), proposal)
        try:
            plan = await make_plan(ready, seconds=self.effects.seconds(ready.contract))
        except Exception as error:
            explained = explain(error, ready.contract)
            if not isinstance(explained, Refusal) or explained.code in ("transient", "rate_limited"):
                raise
            # It can't be planned any more: the world has moved since the person saw it.
            raise stale(explained.message) from error
        check_still_true(plan, proposal)

    async def _claimed(self, ready: Ready) -> tuple[Ready, Effect] | Ended:
        key = await self.effects.key(ready)
        if ready.contract.idempotency_key is not None:
            # The same wish may have been left behind by a crash; what became of it is found out before it is answered.
            record = await self.effects.held(ready, key)
            if record is not None and record.state in ("running", "indeterminate") and not self.effects.is_running(record):
                await self.truths.settle_late(record)
                record = await self.effects.held(ready, key)
            ready = ready if record is None else begun_again(ready, record)
        confirmed, second = ready.attempt.confirmed, ready.attempt.second
        if confirmed is not None and second is not None and not await self.second_person.may_be(second, confirmed):
            # Asked when they decided, and once more, because checks and plan take their time.
            raise Refusal("denied", "Whoever confirmed it may not do so any more. Nothing was done.")
        claim = await self.effects.claim(ready, key)
        return claim if isinstance(claim, Ended) else (ready, claim)

    def _check_nesting(self, attempt: Attempt, contract: Contract) -> None:
        if attempt.parent is not None and contract.is_barrier and not attempt.parent_writes:
            raise Refusal("denied", f"A read may not call {contract.name}, which writes.")

    def _inner(self, attempt: Attempt, contract: Contract, moved: list[Moved]) -> InnerCall:
        async def inner(name: str, args: Mapping[str, Any], *, may_write: bool) -> Result[Any]:
            passed = await self.pass_through(
                Attempt(
                    id=self.effects.ids.new("call"),
                    tool=name,
                    arguments=args,
                    grant=attempt.grant,
                    place=attempt.place,
                    is_typed=attempt.is_typed,
                    parent=attempt.id,
                    parent_writes=contract.is_barrier and may_write,
                )
            )
            result = await self._inner_result(passed)
            if isinstance(passed, Ended) and passed.outcome.moved is not None:
                moved.append(passed.outcome.moved)
            return result

        return inner

    async def _inner_result(self, passed: Passed) -> Result[Any]:
        if not isinstance(passed, Ended):
            raise AssertionError("an inner call is never parked")  # noqa: TRY004  # a promise of _consent, not a type
        if passed.ops:
            await self.store.commit(passed.ops)
        outcome = passed.outcome
        if outcome.code is not None:
            raise Refusal(outcome.code, outcome.shown.summary, next=outcome.next, **(_facts(outcome.text) | {"incident": outcome.incident}))
        return Result(outcome.shown.summary, None if outcome.data is None else jsontext.loads(outcome.data))


def _facts(text: str) -> dict[str, Any]:
    """What a refusal told beside its sentence."""
    told = jsontext.loads(text)
    return {name: fact for name, fact in told.items() if name not in _SAID} if isinstance(told, dict) else {}


def _swallowed() -> Exception:
    return RuntimeError("the application's own context swallowed an exception")


def _raw_digest(arguments: str | Mapping[str, Any]) -> str:
    try:
        return jsontext.digest(jsontext.clean(arguments) if isinstance(arguments, str) else jsontext.dumps(dict(arguments)))
    except JsonError:
        return ""
