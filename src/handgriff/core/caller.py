"""Who is calling. A caller comes from the application's authentication, never from anything a model or a client wrote."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from handgriff.errors import DefinitionError

ID_BYTES = 256
"""Longest tenant or user id, in bytes of UTF-8; it becomes part of every primary key."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated principal of a request: tenant, user, and what they may do.

    `permissions` and `roles` are the application's own words. `modules` are what the tenant has subscribed to.
    `locale` is a BCP 47 tag; summaries and messages to people follow it.

    Raises:
        DefinitionError: tenant or user is missing, not text, too long, or holds what no store can keep; or a grant is no set of words.
    """

    tenant: str
    user: str
    permissions: AbstractSet[str] = field(default=frozenset(), kw_only=True)
    roles: AbstractSet[str] = field(default=frozenset(), kw_only=True)
    modules: AbstractSet[str] = field(default=frozenset(), kw_only=True)
    locale: str = field(default="en", kw_only=True)

    def __post_init__(self) -> None:
        for member in ("tenant", "user"):
            _check_id(member, getattr(self, member))
        for member in ("permissions", "roles", "modules"):
            object.__setattr__(self, member, _words(member, getattr(self, member)))
        locale: object = self.locale
        if not isinstance(locale, str):
            raise DefinitionError("Caller", "locale", f"{locale!r} is no text.", mend="give a language tag, such as 'en' or 'de-AT'.")

    def can(self, permission: str) -> bool:
        """Whether *permission* is granted."""
        return permission in self.permissions

    def within(self, grant: "Caller") -> "Caller":
        """What both grant: these rights, cut to those of *grant*. They must be the same principal."""
        if (self.tenant, self.user) != (grant.tenant, grant.user):
            raise DefinitionError(
                "callers",
                "return value",
                "it answered another principal than the one asked for.",
                mend="return the caller of that tenant and user, or None.",
            )
        if self.permissions <= grant.permissions and self.roles <= grant.roles and self.modules <= grant.modules:
            return self  # as nearly always: nothing is cut
        return replace(
            self,
            permissions=self.permissions & grant.permissions,
            roles=self.roles & grant.roles,
            modules=self.modules & grant.modules,
        )


def is_id(value: object) -> bool:
    """Whether *value* can name a tenant, user or session: text, not empty, bounded, encodable, without NUL (PostgreSQL keeps none)."""
    if not isinstance(value, str) or not value or "\x00" in value:
        return False
    try:
        return len(value.encode()) <= ID_BYTES
    except UnicodeEncodeError:
        return False


def _check_id(member: str, value: object) -> None:
    if not is_id(value):
        raise DefinitionError(
            "Caller", member, f"{value!r} cannot name a {member}.", mend=f"give the {member} as text of 1 to {ID_BYTES} bytes without NUL."
        )


def _words(member: str, value: object) -> frozenset[str]:
    # A lone string is an iterable of letters, and a mapping is one of its keys whatever it says of them: both grant what nobody meant.
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        words = frozenset(value)
        if all(isinstance(word, str) for word in words):
            return words
    raise DefinitionError("Caller", member, f"{value!r} is no set of words.", mend="give a set of texts, such as {'orders.cancel'}.")
