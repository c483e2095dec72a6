"""The shop's way to the payment provider: asks for a refund under a key, and what became of one. It decides nothing about what is unknown.

Below is HTTP; above, the tools. What is raised says how much is known: `NothingBooked` that no money went, anything else nothing at all.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import httpx2

SECONDS: Final = 5.0
"""Patience with an answer, well below the tool's own: whoever asks later must find no request of ours still on its way."""


KeyState: TypeAlias = Literal["booked", "declined", "in_flight", "unknown"]
"""What the provider says of a key."""


class NothingBooked(Exception):  # it says what is known, not what went wrong
    """The provider has not booked it; the message is safe to show."""


class DeclinedError(NothingBooked):
    """The provider will not make this refund."""


class UnreachableError(NothingBooked):
    """The provider could not even be connected to."""


class UncertainError(Exception):
    """The provider's answer does not say whether it has booked."""


@dataclass(frozen=True, slots=True)
class PaymentProvider:
    """The provider at *url*, for one merchant. *patience* is in seconds."""

    url: str
    merchant: str
    patience: float = SECONDS

    async def refund(self, key: str, reference: str, cents: int) -> None:
        """Send *cents* back, once for *key*. When this returns, they are booked.

        Raises:
            NothingBooked: they are not.
            Exception: nobody knows.
        """
        async with self._client() as client:
            try:
                body = {"payment": reference, "cents": cents}
                answer = await client.post("/refunds", json=body, headers={"Idempotency-Key": key})
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                raise UnreachableError("The payment provider can't be reached. Nothing was refunded.") from error
        match answer.status_code:
            case 201:
                return
            case 402:
                raise DeclinedError(
                    "The payment provider declined: the customer's account can't be paid to any more. Nothing was refunded."
                )
            case status:
                raise UncertainError(f"the payment provider answered {status} to {key}")

    async def find(self, key: str) -> KeyState:
        """What became of *key*.

        Raises:
            Exception: the provider did not say.
        """
        async with self._client() as client:
            answer = await client.get("/refunds", params={"key": key})
        match answer.status_code, answer.json():
            case 200, {"state": "booked"}:
                return "booked"
            case 200, {"state": "declined"}:
                return "declined"
            case 200, {"state": "in_flight"}:
                return "in_flight"
            case 404, {"error": "unknown_key"}:  # any other 404 may be about the address, and says nothing
                return "unknown"
            case status, _:
                raise UncertainError(f"the payment provider answered {status} to the question about {key}")

    def _client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=self.url, timeout=self.patience, headers={"Authorization": f"Bearer {self.merchant}"})
