"""The parts of an address as arguments, and the address made of them."""

from typing import Annotated, TypeAlias

from pydantic import Field

from examples.retail.records import Address

Address1: TypeAlias = Annotated[str, Field(min_length=1, max_length=200, description="Street and number, e.g. '12 Mill Lane'.")]
Address2: TypeAlias = Annotated[str, Field(max_length=200, description="Flat or suite, e.g. 'Suite 3'; empty text where there is none.")]
City: TypeAlias = Annotated[str, Field(min_length=1, max_length=100, description="City, e.g. 'Denver'.")]
State: TypeAlias = Annotated[str, Field(min_length=1, max_length=100, description="State, e.g. 'CO'.")]
Country: TypeAlias = Annotated[str, Field(min_length=1, max_length=100, description="Country, e.g. 'USA'.")]
Zip: TypeAlias = Annotated[str, Field(min_length=1, max_length=20, description="Zip code, e.g. '80014'.")]


def address(*, address1: str, address2: str, city: str, state: str, country: str, zip_code: str) -> Address:
    """An address of its parts."""
    return {"address1": address1, "address2": address2, "city": city, "state": state, "country": country, "zip": zip_code}
