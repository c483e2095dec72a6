"""Sentences people read, in German, French and English. Models read English only."""

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = frozenset({"en", "de", "fr"})

SENTENCES: Final[Mapping[str, Mapping[str, str]]] = {
    "interrupted": {
        "en": "The answer was interrupted. What had been done until then is kept.",
        "de": "Die Antwort wurde unterbrochen. Was bis dahin getan war, bleibt.",
        "fr": "La réponse a été interrompue. Ce qui avait été fait reste acquis.",
    },
    "aborted": {
        "en": "Stopped.",
        "de": "Angehalten.",
        "fr": "Arrêté.",
    },
    "limit": {
        "en": "The limit of steps for one answer was reached.",
        "de": "Die Grenze der Schritte für eine Antwort ist erreicht.",
        "fr": "La limite d'étapes pour une réponse est atteinte.",
    },
    "time": {
        "en": "The time for one answer is over.",
        "de": "Die Zeit für eine Antwort ist um.",
        "fr": "Le temps prévu pour une réponse est écoulé.",
    },
    "output_limit": {
        "en": "The answer was cut off: it became too long.",
        "de": "Die Antwort wurde abgeschnitten: Sie wurde zu lang.",
        "fr": "La réponse a été coupée : elle devenait trop longue.",
    },
    "context_full": {
        "en": "This conversation has become too long. Please begin a new one.",
        "de": "Dieses Gespräch ist zu lang geworden. Bitte beginnen Sie ein neues.",
        "fr": "Cette conversation est devenue trop longue. Veuillez en commencer une nouvelle.",
    },
    "model_declined": {
        "en": "The model declined to answer this.",
        "de": "Das Modell hat die Antwort darauf abgelehnt.",
        "fr": "Le modèle a refusé de répondre à cela.",
    },
    "overloaded": {
        "en": "The model is overloaded. Please try again in a moment.",
        "de": "Das Modell ist überlastet. Bitte versuchen Sie es gleich noch einmal.",
        "fr": "Le modèle est surchargé. Veuillez réessayer dans un instant.",
    },
    "rate_limited": {
        "en": "Too many requests at the moment. Please try again later.",
        "de": "Im Augenblick zu viele Anfragen. Bitte versuchen Sie es später noch einmal.",
        "fr": "Trop de demandes pour le moment. Veuillez réessayer plus tard.",
    },
    "failed": {
        "en": "The answer failed. Please try again.",
        "de": "Die Antwort ist fehlgeschlagen. Bitte versuchen Sie es noch einmal.",
        "fr": "La réponse a échoué. Veuillez réessayer.",
    },
    "budget": {
        "en": "The budget for answers is spent.",
        "de": "Das Budget für Antworten ist aufgebraucht.",
        "fr": "Le budget de réponses est épuisé.",
    },
    "waiting": {
        "en": "Waiting for your confirmation.",
        "de": "Wartet auf Ihre Bestätigung.",
        "fr": "En attente de votre confirmation.",
    },
    "code": {
        "en": "Your code is {code}. It confirms: {summary}",
        "de": "Ihr Code ist {code}. Er bestätigt: {summary}",
        "fr": "Votre code est {code}. Il confirme : {summary}",
    },
    "code_subject": {
        "en": "Your confirmation code",
        "de": "Ihr Bestätigungscode",
        "fr": "Votre code de confirmation",
    },
    "state_pending": {
        "en": "Waiting for a decision.",
        "de": "Wartet auf eine Entscheidung.",
        "fr": "En attente d'une décision.",
    },
    "state_running": {
        "en": "Being carried out.",
        "de": "Wird gerade ausgeführt.",
        "fr": "En cours d'exécution.",
    },
    "state_done": {
        "en": "Done.",
        "de": "Erledigt.",
        "fr": "Fait.",
    },
    "state_declined": {
        "en": "Declined. Nothing was done.",
        "de": "Abgelehnt. Es ist nichts geschehen.",
        "fr": "Refusé. Rien n'a été fait.",
    },
    "state_expired": {
        "en": "Nobody confirmed in time. Nothing was done.",
        "de": "Nicht rechtzeitig bestätigt. Es ist nichts geschehen.",
        "fr": "Non confirmé à temps. Rien n'a été fait.",
    },
    "state_stale": {
        "en": "Things have changed since it was shown. Nothing was done.",
        "de": "Seit es gezeigt wurde, hat sich etwas geändert. Es ist nichts geschehen.",
        "fr": "Les choses ont changé depuis l'affichage. Rien n'a été fait.",
    },
    "state_superseded": {
        "en": "A newer message took its place. Nothing was done.",
        "de": "Eine neuere Nachricht trat an seine Stelle. Es ist nichts geschehen.",
        "fr": "Un message plus récent l'a remplacé. Rien n'a été fait.",
    },
    "state_failed": {
        "en": "It could not be done.",
        "de": "Es konnte nicht ausgeführt werden.",
        "fr": "Cela n'a pas pu être fait.",
    },
    "state_indeterminate": {
        "en": "It is not known whether it happened. This is being looked into.",
        "de": "Es ist nicht bekannt, ob es geschehen ist. Das wird geprüft.",
        "fr": "On ne sait pas si cela a eu lieu. C'est en cours de vérification.",
    },
    "card_title": {
        "en": "Please confirm",
        "de": "Bitte bestätigen",
        "fr": "Veuillez confirmer",
    },
    "card_confirm": {
        "en": "Confirm",
        "de": "Bestätigen",
        "fr": "Confirmer",
    },
    "card_decline": {
        "en": "Decline",
        "de": "Ablehnen",
        "fr": "Refuser",
    },
    "card_label": {
        "en": "What",
        "de": "Was",
        "fr": "Quoi",
    },
    "card_before": {
        "en": "Before",
        "de": "Vorher",
        "fr": "Avant",
    },
    "card_after": {
        "en": "After",
        "de": "Nachher",
        "fr": "Après",
    },
    "card_expires": {
        "en": "Can be confirmed until {time}",
        "de": "Kann bestätigt werden bis {time}",
        "fr": "Peut être confirmé jusqu'à {time}",
    },
    "card_count": {
        "en": "{count} in all, for example:",
        "de": "Insgesamt {count}, zum Beispiel:",
        "fr": "{count} au total, par exemple :",
    },
    "card_total": {
        "en": "{count} in all",
        "de": "Insgesamt {count}",
        "fr": "{count} au total",
    },
    "card_code": {
        "en": "Code that was sent to you",
        "de": "Code, der Ihnen gesendet wurde",
        "fr": "Code qui vous a été envoyé",
    },
    "card_send_code": {
        "en": "Send a new code",
        "de": "Neuen Code senden",
        "fr": "Envoyer un nouveau code",
    },
    "card_code_sent": {
        "en": "A new code was sent.",
        "de": "Ein neuer Code wurde gesendet.",
        "fr": "Un nouveau code a été envoyé.",
    },
    "card_wrong_code": {
        "en": "The code is wrong. Tries left: {left}",
        "de": "Der Code ist falsch. Verbleibende Versuche: {left}",
        "fr": "Le code est incorrect. Essais restants : {left}",
    },
    "card_second_person": {
        "en": "Another person must confirm this.",
        "de": "Eine andere Person muss das bestätigen.",
        "fr": "Une autre personne doit confirmer cela.",
    },
    "card_asked_by": {
        "en": "Asked for by {user}",
        "de": "Gewünscht von {user}",
        "fr": "Demandé par {user}",
    },
    "card_page": {
        "en": "Confirmation",
        "de": "Bestätigung",
        "fr": "Confirmation",
    },
    "card_arguments": {
        "en": "Details",
        "de": "Angaben",
        "fr": "Détails",
    },
    "card_withdraw": {
        "en": "Withdraw",
        "de": "Zurückziehen",
        "fr": "Retirer",
    },
    "card_decided_by": {
        "en": "Decided by {user}",
        "de": "Entschieden von {user}",
        "fr": "Décidé par {user}",
    },
    "card_decided": {
        "en": "This is decided already: {state}",
        "de": "Darüber ist schon entschieden: {state}",
        "fr": "C'est déjà décidé : {state}",
    },
    "card_code_needed": {
        "en": "Enter the six digits that were sent to you.",
        "de": "Geben Sie die sechs Ziffern ein, die Ihnen gesendet wurden.",
        "fr": "Saisissez les six chiffres qui vous ont été envoyés.",
    },
    "card_code_wait": {
        "en": "A code was sent a short while ago. Seconds until another one can be sent: {seconds}",
        "de": "Vor Kurzem wurde ein Code gesendet. Sekunden, bis ein neuer gesendet werden kann: {seconds}",
        "fr": "Un code a été envoyé récemment. Secondes avant de pouvoir en envoyer un autre : {seconds}",
    },
    "card_code_failed": {
        "en": "The code could not be sent. Please try again in a moment.",
        "de": "Der Code konnte nicht gesendet werden. Bitte versuchen Sie es gleich noch einmal.",
        "fr": "Le code n'a pas pu être envoyé. Veuillez réessayer dans un instant.",
    },
    "card_again": {
        "en": "This can't be checked just now. It still waits; please try again.",
        "de": "Das kann gerade nicht geprüft werden. Es wartet weiter; bitte versuchen Sie es noch einmal.",
        "fr": "Cela ne peut pas être vérifié pour l'instant. La demande attend toujours ; veuillez réessayer.",
    },
    "card_missing": {
        "en": "There is nothing here for you to confirm. The link may be incomplete, or meant for somebody else.",
        "de": "Hier gibt es für Sie nichts zu bestätigen. Vielleicht ist der Link unvollständig oder für jemand anderen bestimmt.",
        "fr": "Il n'y a rien à confirmer ici pour vous. Le lien est peut-être incomplet, ou destiné à quelqu'un d'autre.",
    },
    "card_sign_in": {
        "en": "Please sign in, then open the link again.",
        "de": "Bitte melden Sie sich an und öffnen Sie den Link noch einmal.",
        "fr": "Veuillez vous connecter, puis ouvrir le lien à nouveau.",
    },
    "card_failed": {
        "en": "This page can't be shown just now. Please try again in a moment.",
        "de": "Diese Seite kann gerade nicht gezeigt werden. Bitte versuchen Sie es gleich noch einmal.",
        "fr": "Cette page ne peut pas être affichée pour l'instant. Veuillez réessayer dans un instant.",
    },
    "card_lost": {
        "en": "The server can't be reached. Please try again.",
        "de": "Der Server ist nicht erreichbar. Bitte versuchen Sie es noch einmal.",
        "fr": "Le serveur est injoignable. Veuillez réessayer.",
    },
    "card_script": {
        "en": "This page needs JavaScript to send your decision.",
        "de": "Diese Seite braucht JavaScript, um Ihre Entscheidung zu senden.",
        "fr": "Cette page a besoin de JavaScript pour envoyer votre décision.",
    },
}


def say(key: str, locale: str) -> str:
    """The sentence *key* in the language of *locale* (BCP 47), in English where it has no such translation."""
    sentence = SENTENCES.get(key) or SENTENCES["failed"]
    return sentence[language(locale)]


def language(locale: str) -> str:
    """Which of the catalogue's languages *locale* is read in."""
    found = locale.replace("_", "-").split("-", 1)[0].lower()
    return found if found in LANGUAGES else "en"
