"""A tool's display name, in the language of whoever reads it."""

from collections.abc import Mapping


def title_in(titles: Mapping[str, str], locale: str) -> str | None:
    """The title in the language of *locale*, in English, or in whatever there is; None where the tool has none."""
    language = locale.replace("_", "-").split("-", 1)[0].lower()
    return titles.get(locale) or titles.get(language) or titles.get("en") or next(iter(titles.values()), None)
