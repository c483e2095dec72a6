"""A bound: a number greater than zero. What bounds nothing is refused while the program is being built."""

from handgriff.errors import DefinitionError


def check_bound(subject: str, member: str, value: object, *, is_whole: bool) -> None:
    """Refuse what bounds nothing.

    Raises:
        DefinitionError: *value* is not greater than zero, or not whole where it counts something.
    """
    kinds = int if is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
        what = "a whole number" if is_whole else "a number"
        raise DefinitionError(subject, member, f"{value!r} is no bound.", mend=f"give {what} greater than zero.")
