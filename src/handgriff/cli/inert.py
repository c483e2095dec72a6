"""Text of models, tools and users as a terminal may be given it: words, and nothing a terminal would obey.

Below is JSON text's cleaning; above, everything here that prints. It knows no colours and no layout.
"""

import re
from typing import Final

from handgriff.core import jsontext

_SEQUENCES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links, the clipboard
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI in one character
)
# Beside C0 and C1, what turns the direction of text round: "decline" must not be shown where "confirm" was written.
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BREAKS: Final = re.compile("\r\n|[\u2028\u2029]")
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def inert(text: str) -> str:
    """*text* without control sequences, control characters and direction overrides; line breaks and tabs stay."""
    broken = _BREAKS.sub("\n", jsontext.clean(text))
    return _CONTROLS.sub("", _SEQUENCES.sub("", broken))


def one_line(text: str) -> str:
    """*text*, inert and without line breaks."""
    return " ".join(inert(text).split())


def inert_json(value: object) -> str:
    """*value* as JSON text in one line, whose strings hold no character a terminal would obey."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", jsontext.dumps(value))
