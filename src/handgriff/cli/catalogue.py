"""The terminal's own words, in German, French and English. What all faces say of proposals and endings is in the core's catalogue.

Below is that catalogue; above, the chat and the renderer. Help and the operator's commands are English only.
"""

from collections.abc import Mapping
from typing import Final

from handgriff.core.catalogue import language

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "confirm": {"en": "Confirm? [y/N] ", "de": "Bestätigen? [j/N] ", "fr": "Confirmer ? [o/N] "},
    "withdraw": {"en": "Withdraw it? [y/N] ", "de": "Zurückziehen? [j/N] ", "fr": "Retirer la demande ? [o/N] "},
    "code": {
        "en": "{label} (an empty line sends a new one): ",
        "de": "{label} (eine leere Zeile sendet einen neuen): ",
        "fr": "{label} (une ligne vide en envoie un nouveau) : ",
    },
    "code_sent": {
        "en": "A code was sent to you; confirming asks for it. If none has come, ask for a new one.",
        "de": "Ein Code wurde Ihnen gesendet; beim Bestätigen wird danach gefragt. Kam keiner an, fordern Sie einen neuen an.",
        "fr": "Un code vous a été envoyé ; il sera demandé à la confirmation. S’il n’arrive pas, demandez-en un nouveau.",
    },
    "code_unsent": {
        "en": "Too many codes were sent to you; ask for a new one later.",
        "de": "Es wurden Ihnen zu viele Codes gesendet; fordern Sie später einen neuen an.",
        "fr": "Trop de codes vous ont été envoyés ; demandez-en un nouveau plus tard.",
    },
    "sibling": {"en": "{number} of {count}", "de": "{number} von {count}", "fr": "{number} sur {count}"},
    "how_person": {"en": "person", "de": "Person", "fr": "personne"},
    "how_code": {"en": "code", "de": "Code", "fr": "code"},
    "how_second_person": {"en": "second person", "de": "zweite Person", "fr": "deuxième personne"},
    "yes_or_no": {"en": "Please answer y or n.", "de": "Bitte mit j oder n antworten.", "fr": "Répondez par o ou n."},
    "left_pending": {
        "en": "Undecided: {ids}. Your next message will end it.",
        "de": "Nicht entschieden: {ids}. Ihre nächste Nachricht beendet es.",
        "fr": "Non décidé : {ids}. Votre prochain message y mettra fin.",
    },
    "another": {
        "en": "As somebody else: {command}",
        "de": "Als jemand anderes: {command}",
        "fr": "En tant que quelqu’un d’autre : {command}",
    },
    "awaits_another": {
        "en": "Waits for another person: {ids}. An empty line looks again; your next message will end it.",
        "de": "Wartet auf eine andere Person: {ids}. Eine leere Zeile sieht wieder nach; Ihre nächste Nachricht beendet es.",
        "fr": "Attend une autre personne : {ids}. Une ligne vide vérifie à nouveau ; votre prochain message y mettra fin.",
    },
    "session": {"en": "Session {id}", "de": "Gespräch {id}", "fr": "Conversation {id}"},
    "resume": {"en": "Go on later with --session {id}", "de": "Später weiter mit --session {id}", "fr": "Reprendre avec --session {id}"},
    "leave": {"en": "Ctrl-D leaves.", "de": "Strg-D beendet.", "fr": "Ctrl-D pour quitter."},
    "stopping": {"en": "Stopping …", "de": "Wird angehalten …", "fr": "Arrêt …"},
    "cut_off": {"en": "(cut off)", "de": "(abgebrochen)", "fr": "(interrompu)"},
    "replayed": {"en": "(repeated)", "de": "(wiederholt)", "fr": "(répété)"},
    "incident": {"en": "Incident {id}", "de": "Vorfall {id}", "fr": "Incident {id}"},
    "retrying": {
        "en": "The model is busy; trying again in {seconds} s …",
        "de": "Das Modell ist beschäftigt; neuer Versuch in {seconds} s …",
        "fr": "Le modèle est occupé ; nouvel essai dans {seconds} s …",
    },
    "usage": {
        "en": "Model requests: {requests}. Tokens: {sent} in ({cached} cached), {out} out. Cost: {cost}.",
        "de": "Modellanfragen: {requests}. Token: {sent} hin ({cached} aus dem Cache), {out} zurück. Kosten: {cost}.",
        "fr": "Requêtes au modèle : {requests}. Jetons : {sent} envoyés ({cached} en cache), {out} reçus. Coût : {cost}.",
    },
    "unpriced": {"en": "no price known", "de": "kein Preis bekannt", "fr": "prix inconnu"},
    "partly_priced": {
        "en": "{cost} and {count} without a price",
        "de": "{cost} und {count} ohne Preis",
        "fr": "{cost} et {count} sans prix",
    },
}

YES: Final = frozenset({"y", "yes", "j", "ja", "o", "oui"})
NO: Final = frozenset({"", "n", "no", "nein", "non"})


def word(key: str, locale: str, **facts: object) -> str:
    """The words *key* in the language of *locale* (BCP 47), in English where there are none, with *facts* filled in."""
    return WORDS[key][language(locale)].format(**facts)
