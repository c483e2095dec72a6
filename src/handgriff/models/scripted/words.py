"""The scripted model's own sentences, in the languages it speaks, and what it reads of results.

Below are plain strings; above, `answer` chooses. It guesses a language from what was typed, and knows no locale.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError
from handgriff.models.scripted.wire import OfferedTool

Language: TypeAlias = Literal["en", "de", "fr"]

_MARKS: Final[Mapping[Language, str]] = {
    "en": " hello hi the and please what how can you is are my show me i ",
    "de": " hallo guten tag der die das und bitte was wie kannst du sie ist sind mein meine zeig ich nicht ",
    "fr": " bonjour salut le la les et quoi comment peux tu vous est sont mon mes montre je ne pas merci ",
}

_GREETINGS: Final[Mapping[Language, str]] = {
    "en": "I am the scripted model: without a provider's key I can't think, but I can call this assistant's tools. {how}",
    "de": "Ich bin das Skript-Modell: Ohne Schlüssel eines Anbieters kann ich nicht denken, aber die Werkzeuge aufrufen. {how}",
    "fr": "Je suis le modèle scripté : sans clé d’un fournisseur, je ne réfléchis pas, mais je peux appeler les outils. {how}",
}
_HOW: Final[Mapping[Language, str]] = {
    "en": "Type a tool and its arguments, such as {examples}.",
    "de": "Schreiben Sie ein Werkzeug und seine Argumente, zum Beispiel {examples}.",
    "fr": "Écrivez un outil et ses arguments, par exemple {examples}.",
}
_NO_TOOLS: Final[Mapping[Language, str]] = {
    "en": "Here I am offered none.",
    "de": "Hier wird mir keines angeboten.",
    "fr": "Ici, aucun ne m’est proposé.",
}
_STOPPED: Final[Mapping[Language, str]] = {
    "en": "I stop here; nothing more was done.",
    "de": "Ich höre hier auf; mehr wurde nicht getan.",
    "fr": "Je m’arrête ici ; rien de plus n’a été fait.",
}

_EXAMPLES: Final = 4
_LONGEST: Final = 2000
_ENVELOPE: Final = re.compile(r"<untrusted-[^>]*>\s*(?P<inside>.*?)\s*</untrusted-[^>]*>", re.DOTALL)


def language(texts: Sequence[str]) -> Language:
    """The language of *texts*, as far as a few common words tell; English where they don't."""
    words = set(re.findall(r"[^\W\d_]+", " ".join(texts).lower()))
    return max(_MARKS, key=lambda name: sum(f" {word} " in _MARKS[name] for word in words))


def greeting(spoken: Language, tools: Sequence[OfferedTool]) -> str:
    """What this model is and how to make it call a tool."""
    examples = ", ".join(f"`{_example(tool)}`" for tool in tools[:_EXAMPLES])
    how = _HOW[spoken].format(examples=examples) if examples else _NO_TOOLS[spoken]
    return _GREETINGS[spoken].format(how=how)


def stopped(spoken: Language) -> str:
    """That no more calls are allowed."""
    return _STOPPED[spoken]


def summary(results: Sequence[str]) -> str:
    """What *results*, as the model reads them, came to: a line each."""
    return "\n".join(_line(text) for text in results)


def _example(tool: OfferedTool) -> str:
    return " ".join((f"/{tool.name}", *(f"{name}=…" for name in tool.required)))


def _line(text: str) -> str:
    enveloped = _ENVELOPE.search(text)
    inside = enveloped["inside"] if enveloped else text.strip()
    try:
        body = jsontext.loads(inside)
    except JsonError:
        return inside[:_LONGEST]
    parts = [body.get(name) for name in ("summary", "message", "next")] if isinstance(body, dict) else []
    return " ".join(part for part in parts if isinstance(part, str)) or inside[:_LONGEST]
