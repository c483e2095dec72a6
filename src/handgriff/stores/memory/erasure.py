"""A tenant or a user erased: what is theirs goes, what others keep of them gets another name."""

from dataclasses import replace

from handgriff.core.batch import Erase
from handgriff.core.events import Decision, OperatorChange, encode
from handgriff.stores.memory.sessions import delete_session
from handgriff.stores.memory.tables import Tables


def erase(tables: Tables, operation: Erase) -> None:
    """Remove what belongs to a tenant, or to one of its users; ledger rows get the pseudonym."""
    tenant, user = operation.tenant, operation.user
    for session in [each for each in tables.sessions.values() if each.tenant == tenant and user in (None, each.user)]:
        delete_session(tables, tenant, session.id, None)
    tables.drop(tables.effects, lambda _, row: row.tenant == tenant and user in (None, row.user))
    tables.drop(tables.proposals, lambda _, row: row.tenant == tenant and user in (None, row.user))
    tables.drop(tables.codes, lambda key, _: key[0] == tenant and user in (None, key[1]))
    tables.drop(tables.workflows, lambda _, row: row.tenant == tenant and user in (None, row.user))
    tables.drop(tables.hooks, lambda _, row: row.tenant == tenant and user in (None, row.user))
    tables.drop(tables.state, lambda key, _: key.tenant == tenant and (user is None or (key.scope, key.owner) == ("user", user)))
    if user is None:
        tables.drop(tables.prefixes, lambda key, _: key[0] == tenant)
    _rename_payer(tables, operation)
    if user is not None:
        _rename_decider(tables, tenant, user, operation.pseudonym)


def _rename_payer(tables: Tables, operation: Erase) -> None:
    # A tenant's rows move to the pseudonym as a whole; a user's stay with the tenant that paid for them.
    tenant = operation.tenant if operation.user is not None else operation.pseudonym
    rows = [row for row in tables.requests.values() if row.tenant == operation.tenant and operation.user in (None, row.user)]
    if operation.user is None:
        tables.drop(tables.requests, lambda key, _: key[0] == operation.tenant)
    for row in rows:
        tables.put(tables.requests, (tenant, row.id), replace(row, tenant=tenant, user=operation.pseudonym))


def _rename_decider(tables: Tables, tenant: str, user: str, pseudonym: str) -> None:
    for proposal in [each for each in tables.proposals.values() if (each.tenant, each.decided_by) == (tenant, user)]:
        tables.put(tables.proposals, (tenant, proposal.id), replace(proposal, decided_by=pseudonym))
    for effect in [each for each in tables.effects.values() if (each.tenant, each.resolved_by) == (tenant, user)]:
        tables.put(tables.effects, (tenant, effect.tool, effect.key), replace(effect, resolved_by=pseudonym))
    for place, event in list(tables.events.items()):
        body = event.body
        if place[0] == tenant and isinstance(body, (Decision, OperatorChange)) and body.by == user:
            renamed = replace(body, by=pseudonym)
            tables.put(tables.events, place, replace(event, body=renamed))
            stored = (*place[:2], event.id)
            seq, *_, delta = tables.bodies[stored]
            tables.put(tables.bodies, stored, (seq, *encode(renamed), delta))
