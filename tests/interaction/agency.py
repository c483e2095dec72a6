"""An agency that books at a provider whose answers get lost: what uncertain effects, and asking about them, are tried on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from handgriff import Assistant, Call, Caller, Known, Plan, Refusal, Result, Toolbox
from handgriff.runtime.boundary.hooks import AfterCall
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, PEOPLE, WORDS, assistant

Ticket = Annotated[str, Known("ticket")]


async def at_once() -> None:
    """Nothing is waited for."""


async def does_not_know(args: Any, call: Call) -> object:
    """The provider has no answer."""
    return None


@dataclass(slots=True)
class Agency:
    """The world: what the provider has booked, and what goes wrong on the way."""

    booked: list[str] = field(default_factory=list)
    going_wrong: list[Exception] = field(default_factory=list)
    """Raised after the booking."""
    booking: Callable[[], Awaitable[None]] = at_once
    began: int = 0
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Questions about an uncertain booking: place, key, and for whom."""
    answering: Callable[[Any, Call], Awaitable[object]] = does_not_know
    told: list[AfterCall] = field(default_factory=list)
    exists: bool = True
    owns: bool = True
    has_key: bool = True
    is_planned: bool = False
    is_asked: bool = True
    is_offered: bool = True
    places: type = str
    """What a place must be: `int`, and no stored place is valid any more."""
    seconds: float = 30

    async def callers(self, tenant: str, user: str) -> Caller | None:
        """Ada, while she exists, and the others."""
        found = PEOPLE.get((tenant, user))
        return found if self.exists or found is None or found.user != "ada" else None

    def assistant(self) -> Assistant:
        """The agency's assistant as it is today."""
        box = Toolbox("agency")

        async def book(place: str, call: Call) -> Result[dict[str, Ticket]]:
            self.began += 1
            await self.booking()
            self.booked.append(place)
            if self.going_wrong:
                raise self.going_wrong.pop(0)
            return Result(f"Booked {place}.", {"ticket": f"t-{place}"})

        book.__annotations__["place"] = self.places

        async def look(args: Any, call: Call) -> object:
            self.asked.append((args.place, call.idempotency_key, call.caller.user))
            return await self.answering(args, call)

        async def may(args: Any, call: Call) -> bool:
            return self.owns

        async def tell(told: AfterCall) -> None:
            self.told.append(replace(told, state=None))  # type: ignore[arg-type]  # what is queued

        if self.is_offered:
            tool = box.tool(
                effect="write",
                name="book",
                authorize=may,
                idempotency_key=(lambda args, call: f"key-{args.place}") if self.has_key else None,
                plan=(lambda place: Plan(f"Book {place}?")) if self.is_planned else None,
                reconcile=look if self.is_asked else None,
                limits=CallLimits(seconds=self.seconds),
                description=WORDS,
            )(book)
            tool.after_call(tell)

        @box.tool(effect="read", description=WORDS)
        async def ticket(number: Ticket) -> Result[None]:
            return Result(f"Ticket {number}.")

        return assistant(box)


def book(place: str = "Rome") -> ToolUse:
    """The model asks for a booking."""
    return ToolUse("book", {"place": place})


def booked(place: str = "Rome") -> Callable[[Any, Call], Awaitable[object]]:
    """The provider has it."""

    async def answer(args: Any, call: Call) -> object:
        return Result(f"Booked {place}, as the provider says.", {"ticket": f"t-{place}"})

    return answer


def answering(answer: object) -> Callable[[Any, Call], Awaitable[object]]:
    """The provider's answer is *answer*; an exception is raised."""

    async def answered(args: Any, call: Call) -> object:
        if isinstance(answer, Exception) and not isinstance(answer, Refusal):
            raise answer
        return answer

    return answered


NOT_BOOKED = Refusal("transient", "The provider has not booked it.")
OWNER = ADA
