"""Tools about the shopper: who it is, their record, their address."""

from typing import Annotated

from pydantic import Field

from examples.retail import rules
from examples.retail.alter import forbidden_is_refused
from examples.retail.database import Database
from examples.retail.diff import agreement, user_lines
from examples.retail.identity import SHOPPER, ByEmail, ByName, admit, own_record, still_own_record
from examples.retail.ids import UserId
from examples.retail.places import Address1, Address2, City, Country, State, Zip, address
from examples.retail.records import Address, User
from examples.retail.views import Shopper, UserView, user_view
from handgriff import Call, Plan, Refusal, Result, Toolbox

shopper = Toolbox("shopper")

FirstName = Annotated[str, Field(min_length=1, max_length=100, description="First name, e.g. 'Ada'.")]
LastName = Annotated[str, Field(min_length=1, max_length=100, description="Last name, e.g. 'Moss'.")]
Email = Annotated[str, Field(min_length=3, max_length=200, description="E-mail address, e.g. 'ada.moss@example.com'.")]


@shopper.tool(effect="read", writes="state", title="Find shopper by e-mail", core=True)
async def find_user_id_by_email(email: Email, call: Call[Database]) -> Result[Shopper]:
    """Use when: a conversation begins and the shopper gives an e-mail address; identifies whom it is about, once and for good.
    Not for: a second shopper. Needs: the address, from the shopper. Effect: none in the shop.
    """
    return await _identify(call.deps.users_by_email(email), call)


@find_user_id_by_email.authorize
async def admitted_by_email(args: ByEmail, call: Call[Database]) -> bool:
    """One shopper has this address, and the conversation is about nobody else."""
    return await admit(call, call.deps.users_by_email(args.email))


@shopper.tool(effect="read", writes="state", title="Find shopper by name")
async def find_user_id_by_name_zip(first_name: FirstName, last_name: LastName, zip: Zip, call: Call[Database]) -> Result[Shopper]:  # noqa: A002  # the shop's word
    """Use when: a conversation begins and the shopper has no e-mail address at hand; identifies whom it is about, once and for good.
    Not for: a second shopper. Needs: first name, last name and zip code, from the shopper. Effect: none in the shop.
    """
    return await _identify(call.deps.users_by_name(first_name, last_name, zip), call)


@find_user_id_by_name_zip.authorize
async def admitted_by_name(args: ByName, call: Call[Database]) -> bool:
    """One shopper has this name and zip code, and the conversation is about nobody else."""
    return await admit(call, call.deps.users_by_name(args.first_name, args.last_name, args.zip))


@shopper.tool(effect="read", authorize=own_record, validate=still_own_record, title="Shopper details")
async def get_user_details(user_id: UserId, call: Call[Database]) -> Result[UserView]:
    """Use when: the shopper's name, address, payment methods or list of orders is wanted. Not for: what is in an order.
    Needs: user_id from find_user_id_by_email or find_user_id_by_name_zip. Effect: none.
    """
    found = _user(call.deps, user_id)
    return Result(f"{found['name']['first_name']} {found['name']['last_name']}, {len(found['orders'])} orders.", user_view(found))


@shopper.tool(effect="write", authorize=own_record, validate=still_own_record, title="Change shopper's address")
async def modify_user_address(
    *,
    user_id: UserId,
    address1: Address1,
    address2: Address2,
    city: City,
    state: State,
    country: Country,
    zip: Zip,  # noqa: A002  # the shop's word
    call: Call[Database],
) -> Result[UserView]:
    """Use when: the shopper has moved and wants another default address. Not for: where an order goes, see modify_pending_order_address.
    Needs: user_id from find_user_id_by_email or find_user_id_by_name_zip, the whole new address. Effect: replaces the account's address.
    """
    with call.deps.transaction():
        before, after = _moved(
            call.deps, user_id, address(address1=address1, address2=address2, city=city, state=state, country=country, zip_code=zip)
        )
        call.deps.put("users", user_id, after)
    return Result("The address of the account was changed.", user_view(after), diff=list(user_lines(before, after)))


@modify_user_address.plan
async def plan_address(
    *,
    user_id: UserId,
    address1: Address1,
    address2: Address2,
    city: City,
    state: State,
    country: Country,
    zip: Zip,  # noqa: A002
    call: Call[Database],
) -> Plan:
    """Show the new address beside the old one."""
    before, after = _moved(
        call.deps, user_id, address(address1=address1, address2=address2, city=city, state=state, country=country, zip_code=zip)
    )
    return agreement("Change the address of your account?", list(user_lines(before, after)))


async def _identify(found: list[str], call: Call[Database]) -> Result[Shopper]:
    await call.state.set(SHOPPER, found[0])
    return Result("The shopper was identified.", Shopper(user_id=found[0]))


def _user(database: Database, user_id: str) -> User:
    found = database.user(user_id)
    if found is None:
        raise Refusal("not_found", "There is no such shopper.", next="Identify the shopper again.")
    return found


def _moved(database: Database, user_id: str, to: Address) -> tuple[User, User]:
    before = _user(database, user_id)
    with forbidden_is_refused():
        return before, rules.move(before, to)
