"""Sentences people read, in German, French and English. Models read English only."""

from collections.abc import Mapping
from typing import Final

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
}


def say(key: str, locale: str) -> str:
    """The sentence *key* in the language of *locale* (BCP 47), in English where it has no such translation."""
    sentence = SENTENCES.get(key) or SENTENCES["failed"]
    language = locale.replace("_", "-").split("-", 1)[0].lower()
    return sentence.get(language, sentence["en"])
