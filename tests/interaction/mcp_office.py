"""An office that pays invoices, for tests of the MCP face; copied into a folder it is the module `office` that the command line serves.

Its machine lives by session or by handle, or one in the whole process; beside its steps there are tools that are bound to nothing, that
take long, that fail, that change somebody's rights, and one that nobody here may use.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import anyio
from pydantic import BaseModel, Field
from starlette.requests import Request

from handgriff import Assistant, Call, Caller, Change, Host, Machine, Plan, Refusal, Result, Toolbox
from handgriff.machine import State, Transition
from handgriff.ports.store import Store

STATES = (
    State("draft", on={"SUBMIT": "review"}),
    State("review", on={"APPROVE": "approved", "REJECT": "draft", "REMIND": Transition("review", reenter=True)}),
    State("approved", on={"DISCHARGE": "discharged"}),
    State("discharged", type="final"),
)
WORDS = "Use when: asked. Not for: anything else. Needs: nothing. Effect: as it says."
SECRET = "postgres://office:hunter2@db/office"


class Filter(BaseModel):
    """What an invoice must be like; the nested ones too."""

    word: str
    inside: "list[Filter]" = []


@dataclass(slots=True)
class Office:
    """What it has done, and what holds its slow tools up."""

    instance: Literal["session", "handle", "process"] = "session"
    done: list[str] = field(default_factory=list)
    began: anyio.Event = field(default_factory=anyio.Event)
    ended: anyio.Event = field(default_factory=anyio.Event)
    door: anyio.Event = field(default_factory=anyio.Event)
    people: dict[tuple[str, str], Caller] = field(default_factory=dict)
    is_broken: bool = False
    """Nobody can say who somebody is."""

    def __post_init__(self) -> None:
        for tenant, user in (("acme", "ada"), ("acme", "ben"), ("globex", "ada"), ("globex", "eve")):
            locale = "de-AT" if user == "eve" else "en"
            self.people[tenant, user] = Caller(tenant, user, permissions={"invoices"}, locale=locale)

    async def callers(self, tenant: str, user: str) -> Caller | None:
        """Who somebody is today."""
        if self.is_broken:
            raise ConnectionError(SECRET)
        return self.people.get((tenant, user))

    async def authenticate(self, request: Request) -> Caller | None:
        """`Bearer TENANT/USER`, as they are today; `Bearer TENANT/USER less` grants nothing."""
        who, _, less = request.headers.get("authorization", "").removeprefix("Bearer ").partition(" ")
        tenant, _, user = who.partition("/")
        found = self.people.get((tenant, user))
        return replace(found, permissions=frozenset()) if found and less == "less" else found

    def grant(self, who: str, permission: str) -> None:
        """Somebody may do more from now on."""
        tenant, _, user = who.partition("/")
        found = self.people[tenant, user]
        self.people[tenant, user] = replace(found, permissions=found.permissions | {permission})

    def host(self, store: str | Store = "memory://") -> Host:
        """The office behind its store."""
        return Host(self.assistant(), store=store, callers=self.callers, model="scripted:office")

    def assistant(self) -> Assistant:
        """All its tools."""
        boxes = [self._invoices(), self._others()]
        return Assistant("office", instructions="You work in an office.", toolboxes=boxes)

    def _invoices(self) -> Toolbox:
        kept: dict[str, Any] = {"handle": "invoice"} if self.instance == "handle" else {}
        invoice = Machine("invoice", *STATES, instance=self.instance, **kept)
        box = Toolbox("invoices", requires="invoices")

        if self.instance == "handle":

            @box.tool(effect="write", description=WORDS, starts=invoice)
            async def open_invoice() -> Result[None]:
                return self._did("open_invoice")

        @box.tool(
            effect="write",
            description=WORDS,
            at=invoice.at("draft"),
            fires=invoice.event("SUBMIT"),
            compact="Submits the invoice.",
            title={"en": "Submit", "de": "Einreichen"},
        )
        async def submit_invoice() -> Result[None]:
            return Result("Submitted.", link="/invoices/1", diff=[Change("State", "draft", "review")])

        @box.tool(effect="write", description=WORDS, at=invoice.at("review"), fires=invoice.event("APPROVE"))
        async def approve_invoice() -> Result[None]:
            return self._did("approve_invoice")

        @box.tool(effect="write", description=WORDS, at=invoice.at("review"), fires=invoice.event("REJECT"))
        async def reject_invoice() -> Result[None]:
            return self._did("reject_invoice")

        @box.tool(effect="write", description=WORDS, at=invoice.at("review"), fires=invoice.event("REMIND"))
        async def remind() -> Result[None]:
            return self._did("remind")

        @box.tool(effect="irreversible", description=WORDS, at=invoice.at("approved"), fires=invoice.event("DISCHARGE"))
        async def discharge_invoice() -> Result[None]:
            return self._did("discharge_invoice")

        @discharge_invoice.plan
        async def preview() -> Plan:
            return Plan("Pay the invoice?", diff=[Change("State", "approved", "discharged")])

        return box

    def _others(self) -> Toolbox:
        box = Toolbox("others")

        @box.tool(effect="read", description=WORDS)
        async def look_up(limit: Annotated[int, Field(ge=1, le=100)] = 10, filters: Sequence[Filter] = ()) -> Result[list[str]]:
            return Result(f"{limit} found.", ["<a>", "b"])

        @box.tool(effect="read", description=WORDS)
        async def wait_long(call: Call) -> Result[None]:
            await self._wait()
            return Result("It took long.")

        @box.tool(effect="write", description=WORDS)
        async def write_long(call: Call) -> Result[None]:
            await self._wait()
            return self._did("write_long")

        @box.tool(effect="read", description=WORDS)
        async def break_down() -> Result[None]:
            raise RuntimeError(SECRET)

        @box.tool(effect="read", description=WORDS)
        async def chatter() -> Result[None]:
            print("noise", flush=True)  # noqa: T201  # on the streams of a process that is no place for it
            return Result("Printed.")

        @box.tool(effect="write", description=WORDS)
        async def promote(who: str) -> Result[None]:
            self.grant(who, "audit")
            return Result("Promoted.")

        @box.tool(effect="read", description=WORDS, requires="audit")
        async def audit() -> Result[None]:
            return self._did("audit")

        @box.tool(effect="write", description=WORDS)
        async def refuse() -> Result[None]:
            raise Refusal("denied", "Not today.", next="Come back tomorrow.", day="tomorrow")

        return box

    async def _wait(self) -> None:
        self.began.set()
        try:
            await self.door.wait()
        finally:
            self.ended.set()

    def _did(self, what: str) -> Result[None]:
        self.done.append(what)
        return Result(f"{what}: done.")


@asynccontextmanager
async def opened(office: Office, **options: Any) -> AsyncIterator[Host]:
    """The office at work."""
    async with office.host(**options) as host:
        yield host


ALWAYS: Sequence[str] = ("break_down", "chatter", "look_up", "promote", "refuse", "wait_long", "write_long")
"""What everybody is offered in every state."""
IN_DRAFT = tuple(sorted((*ALWAYS, "submit_invoice")))
IN_REVIEW = tuple(sorted((*ALWAYS, "approve_invoice", "reject_invoice", "remind")))
IN_APPROVED = tuple(sorted((*ALWAYS, "discharge_invoice")))
STEPS = ("approve_invoice", "discharge_invoice", "reject_invoice", "remind", "submit_invoice")

office, by_handle = Office(), Office(instance="handle")
assistant, host, handles = office.assistant(), office.host(), by_handle.host()
authenticate = office.authenticate
