"""One proposal as HTML: what will happen, both sides of it, how much of it, until when, and the buttons of whoever may decide.

Below are proposals and the catalogue; above, the page puts cards beside each other. Pure. Everything of tools, models and people is text.
"""

from collections.abc import Iterable
from datetime import UTC

from handgriff.core import jsontext
from handgriff.core.caller import Caller
from handgriff.core.events import ShownChange
from handgriff.core.jsontext import Json
from handgriff.core.rows import Proposal
from handgriff.http.page import text, word


def card(proposal: Proposal, caller: Caller, *, state: str, title: str, name: str) -> str:
    """The card of *proposal* for *caller*. *title* is the tool's display name; *name* tells this card's elements from others'."""
    locale = caller.locale
    parts = (
        f'<section class="card" data-proposal="{text(proposal.id)}" aria-labelledby="{name}">',
        f'<h2 id="{name}" dir="auto">{text(proposal.summary)}</h2>',
        f'<p class="quiet"><bdi>{text(title)}</bdi> · {word("card_asked_by", locale, user=_isolated(proposal.user))}</p>',
        _changes(proposal.diff, locale),
        _sample(proposal, locale),
        _arguments(proposal, locale),
        _controls(proposal, caller, name) if state == "pending" else _decided_by(proposal, locale),
        f'<p role="status" tabindex="-1">{"" if state == "pending" else word(f"state_{state}", locale)}</p>',
        "</section>",
    )
    return "\n".join(part for part in parts if part)


def _changes(diff: Iterable[ShownChange], locale: str) -> str:
    rows = "".join(
        f'<tr><th scope="row" dir="auto">{text(change.label)}</th>{_side("del", change.before)}{_side("ins", change.after)}</tr>'
        for change in diff
    )
    head = "".join(f'<th scope="col">{word(key, locale)}</th>' for key in ("card_label", "card_before", "card_after"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""


def _side(element: str, value: str | None) -> str:
    return "<td>–</td>" if value is None else f'<td dir="auto"><{element}>{text(value)}</{element}></td>'


def _sample(proposal: Proposal, locale: str) -> str:
    items = "".join(f'<li dir="auto">{text(item)}</li>' for item in proposal.sample)
    key = "card_count" if items else "card_total"
    told = "" if proposal.count is None else f"<p>{word(key, locale, count=str(proposal.count))}</p>"
    return f"{told}<ul>{items}</ul>" if items else told


def _arguments(proposal: Proposal, locale: str) -> str:
    values = jsontext.loads(proposal.arguments)
    rows = "".join(
        f'<tr><th scope="row" dir="auto">{text(key)}</th><td dir="auto">{text(_plain(value))}</td></tr>'
        for key, value in (values.items() if isinstance(values, dict) else ())
    )
    return f"<table><caption>{word('card_arguments', locale)}</caption><tbody>{rows}</tbody></table>" if rows else ""


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)


def _controls(proposal: Proposal, caller: Caller, name: str) -> str:
    locale, is_owner = caller.locale, caller.user == proposal.user
    until = proposal.expires_at.astimezone(UTC)
    time = f'<time datetime="{until.isoformat()}">{until:%Y-%m-%d %H:%M} UTC</time>'
    only_withdraws = proposal.confirm == "second_person" and is_owner
    decline = _button("decline", word("card_withdraw" if only_withdraws else "card_decline", locale), name)
    confirm = "" if only_withdraws else _button("confirm", word("card_confirm", locale), name)
    parts = (
        f'<p class="quiet">{word("card_expires", locale, time=time)}</p>',
        f"<p>{word('card_second_person', locale)}</p>" if only_withdraws else "",
        _code(locale, name) if proposal.confirm == "code" else "",
        f"<p>{decline} {confirm}</p>",
        f"<noscript><p>{word('card_script', locale)}</p></noscript>",
    )
    return f'<div class="controls">{"".join(parts)}</div>'


def _code(locale: str, name: str) -> str:
    # As long as a code with spaces between its digits may get.
    field = f'<input id="{name}-code" inputmode="numeric" autocomplete="one-time-code" maxlength="16" size="10">'
    label = f'<label for="{name}-code">{word("card_code", locale)}</label>'
    return f"<p>{label} {field} {_button('code', word('card_send_code', locale), name)}</p>"


def _button(act: str, label: str, name: str) -> str:
    return f'<button type="button" class="{act}" data-act="{act}" aria-describedby="{name}">{label}</button>'


def _decided_by(proposal: Proposal, locale: str) -> str:
    if proposal.decided_by is None:
        return ""
    return f'<p class="quiet">{word("card_decided_by", locale, user=_isolated(proposal.decided_by))}</p>'


def _isolated(user: str) -> str:
    return f"<bdi>{text(user)}</bdi>"
