"""The terminal's own words, in German, French and English. What an answer's end says comes from the core's catalogue.

Below is nothing; above, the chat and the renderer. Help and the operator's commands are English only.
"""

from collections.abc import Mapping
from typing import Final

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "before": {"en": "before", "de": "vorher", "fr": "avant"},
    "after": {"en": "after", "de": "nachher", "fr": "après"},
    "expires": {"en": "Expires {at}", "de": "Gilt bis {at}", "fr": "Valable jusqu’au {at}"},
    "confirm": {"en": "Confirm? [y/N] ", "de": "Bestätigen? [j/N] ", "fr": "Confirmer ? [o/N] "},
    "yes_or_no": {"en": "Please answer y or n.", "de": "Bitte mit j oder n antworten.", "fr": "Répondez par o ou n."},
    "left_pending": {
        "en": "Undecided: {ids}. Your next message will end it.",
        "de": "Nicht entschieden: {ids}. Ihre nächste Nachricht beendet es.",
        "fr": "Non décidé : {ids}. Votre prochain message y mettra fin.",
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
    words = WORDS[key]
    language = locale.replace("_", "-").split("-", 1)[0].lower()
    return words.get(language, words["en"]).format(**facts)
