"""Whom a conversation is about, and what is theirs. The visitor of the website is the caller; which shopper that is turns out in the
conversation, once, and holds from then on. Foreign and unknown records get one answer, so that nothing can be probed.

Authority compares records with the shopper; that there is one is the gate's to see. Behind both of them stand `still_own_order` and
`still_own_record`: between the two steps somebody may have been identified.
"""

from typing import Protocol

from examples.retail.database import Database
from handgriff import Call, Refusal

SHOPPER = "shopper"
"""Session state: the id of the shopper this conversation is about."""


class OfOrder(Protocol):
    """Arguments that name an order."""

    @property
    def order_id(self) -> str: ...  # noqa: D102


class OfUser(Protocol):
    """Arguments that name a shopper."""

    @property
    def user_id(self) -> str: ...  # noqa: D102


class ByEmail(Protocol):
    """Arguments that identify by e-mail address."""

    @property
    def email(self) -> str: ...  # noqa: D102


class ByName(Protocol):
    """Arguments that identify by name and zip code."""

    @property
    def first_name(self) -> str: ...  # noqa: D102
    @property
    def last_name(self) -> str: ...  # noqa: D102
    @property
    def zip(self) -> str: ...  # noqa: D102


async def identified(call: Call[Database]) -> str:
    """The shopper of this conversation.

    Raises:
        Refusal: `denied`; nobody has been identified yet.
    """
    shopper = await call.state.get(SHOPPER)
    if not isinstance(shopper, str):
        raise Refusal(
            "denied",
            "Nobody has been identified in this conversation yet.",
            next="Ask for the e-mail address and use find_user_id_by_email, or for name and zip code and use find_user_id_by_name_zip.",
        )
    return shopper


async def admit(call: Call[Database], found: list[str]) -> bool:
    """Allow an identification: exactly one shopper was found, and the conversation is about nobody else."""
    shopper = await call.state.get(SHOPPER)
    if len(found) != 1 or shopper not in (None, found[0]):
        raise Refusal(
            "not_found",
            "No shopper whom this conversation could be about was found that way.",
            next="Ask the shopper to check what they wrote; a conversation is about one shopper only.",
        )
    return True


async def own_order(args: OfOrder, call: Call[Database]) -> bool:
    """Allow what concerns an order of the identified shopper. Before there is one no order is looked at, so that all get one answer."""
    shopper = await call.state.get(SHOPPER)
    if shopper is None:
        return True
    order = call.deps.order(args.order_id)
    if order is None or order["user_id"] != shopper:
        raise Refusal("not_found", "This shopper has no such order.", next="Use an order id from get_user_details.")
    return True


async def own_record(args: OfUser, call: Call[Database]) -> bool:
    """Allow what concerns the identified shopper. Before there is one there is nobody to compare with."""
    if args.user_id != await call.state.get(SHOPPER, args.user_id):
        raise Refusal("not_found", "That is not the shopper of this conversation.", next="Use the shopper id that the identification gave.")
    return True


async def still_own_order(args: OfOrder, call: Call[Database]) -> None:
    """The second line behind authority and gate: somebody is identified, and the order is theirs.

    Raises:
        Refusal: `denied`; nobody has been identified yet. `not_found`; the order is not theirs.
    """
    await identified(call)
    await own_order(args, call)


async def still_own_record(args: OfUser, call: Call[Database]) -> None:
    """The second line behind authority and gate: somebody is identified, and the record is theirs.

    Raises:
        Refusal: `denied`; nobody has been identified yet. `not_found`; the record is not theirs.
    """
    await identified(call)
    await own_record(args, call)
