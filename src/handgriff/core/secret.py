r"""What credentials look like: keys and tokens that carry their maker's mark. A pattern that everyday text falls into is not taken in.

Texts are looked at as they are stored, so JSON's escapes stand in them: a key after a line break follows the two characters `\n`.
"""

import re
from base64 import b64decode
from binascii import Error
from typing import Final

# A mark stands at the beginning of a word: not in one, nor in the long runs that pictures and cursors are encoded as.
_START: Final = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=\\u00[0-9a-f]{2}))"
_END: Final = r"(?![A-Za-z0-9_-])"
# Marks that words could follow, too, are followed by a digit somewhere.
_DIGIT: Final = r"(?=[A-Za-z]*[0-9])"

_MARKED: Final = (
    ("an Anthropic key", "sk-ant-", r"[\w-]{16}"),
    ("an AWS access key", "AKIA", rf"[A-Z0-9]{{16}}{_END}"),
    ("an AWS access key", "ASIA", rf"{_DIGIT}[A-Z0-9]{{16}}{_END}"),
    ("an Azure key", "AccountKey= SharedAccessKey=", r"[A-Za-z0-9+/]{42,88}="),
    ("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30}"),
    ("a GitHub token", "github_pat_", r"\w{30}"),
    ("a GitLab token", "glpat- gldt- glrt- glptt- gloas- glcbt-", r"[\w-]{18}"),
    ("a Slack token", "xoxa- xoxb- xoxc- xoxe- xoxo- xoxp- xoxr- xoxs-", r"(?:[0-9]{1,2}-)?[0-9]{8,}-"),
    ("a Slack token", "xoxe-1- xoxe.xoxb-1- xoxe.xoxp-1-", r"\w{20}"),
    ("a Slack token", "xoxd-", r"[\w%+/]{40}"),
    ("a Slack token", "xapp-", r"[0-9]-[A-Z0-9]{8,}-"),
    ("a Google key", "AIza", r"[\w-]{35}"),
    ("a Google token", "ya29. GOCSPX-", r"[\w-]{20}"),
    ("a payment provider's key", "sk_live_ sk_test_ rk_live_ rk_test_ bk_live_ bk_test_", rf"{_DIGIT}[A-Za-z0-9]{{10}}"),
    ("a payment provider's key", "sq0atp- sq0csp-", r"[\w-]{22}"),
    ("a webhook secret", "whsec_", rf"{_DIGIT}[A-Za-z0-9+/=]{{16}}"),
    ("a mail service's key", "SG.", r"[\w-]{20,24}\.[\w-]{40}"),
    ("a shop's token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    ("a model provider's key", "hf_", rf"[A-Za-z0-9]{{30,}}{_END}"),
    ("a model provider's key", "gsk_ r8_ xai- pplx-", rf"{_DIGIT}[A-Za-z0-9]{{36}}"),
    ("a package index token", "pypi-AgEIcHlwaS5vcmc dckr_pat_", r"[\w-]{20}"),
    ("a package index token", "npm_", rf"[A-Za-z0-9]{{36}}{_END}"),
    ("a package index token", "rubygems_", r"[0-9a-f]{40}"),
    ("a cloud service's token", "dop_v1_ doo_v1_ dor_v1_ dapi sbp_", r"[0-9a-f]{32}"),
    ("a cloud service's token", "hvs. hvb. hvr. glsa_ figd_", r"[\w-]{24}"),
    ("a work tool's token", "lin_api_ ntn_", rf"{_DIGIT}[A-Za-z0-9]{{32}}"),
    ("a work tool's token", "ATATT3", r"[\w=-]{40}"),
    ("a work tool's token", "PMAK-", r"[0-9a-f]{24}-"),
    ("a work tool's token", "NRAK-", r"[A-Z0-9]{27}"),
    ("a signed token (JWT)", "eyJ", r"[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8}"),
    ("an encrypted token (JWE)", "eyJ", r"[\w-]{16,}\.[\w-]*\.[\w-]{16,}\.[\w-]{16,}\.[\w-]{16}"),
)
"""Kinds, marks, and what follows a mark."""

# Who writes these into a text leaves the password out, or a name in its place.
_PLACEHOLDER: Final = r"[*xX•.]{1,64}|<[^>]{0,64}>|\{[^}]{0,64}\}|\$\{?[A-Z_]{1,64}\}?"
_SHAPED: Final = (
    ("a private key", "PRIVATE KEY", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"),
    ("a private key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50}"),
    ("an AWS secret key", "ccess", r"(?i:secret_?access_?key)[^A-Za-z0-9/+]{1,6}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"),
    ("an AWS secret key", "ACCESS", r"SECRET_?ACCESS_?KEY[^A-Za-z0-9/+]{1,6}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"),
    ("a bot's token", ":AA", rf"{_START}[0-9]{{8,10}}:AA[\w-]{{33}}{_END}"),
    ("a Slack webhook", "hooks.slack.com", r"://hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[A-Z0-9]{6,}/\w{16}"),
    (
        "a URL with a password",
        "://",
        rf"(?<=\w)://[^\s/:@\"\\?#]{{0,256}}:(?!(?:{_PLACEHOLDER})@|[0-9]{{1,5}}[,;|)>])[^\s/:@\"\\]{{1,256}}@",
    ),
    (
        "a connection string with a password",
        ";",
        rf";\s{{0,3}}(?i:password|pwd)\s{{0,3}}=\s{{0,3}}(?!(?:{_PLACEHOLDER})(?:[;\"]|$))[^;\s\"]{{3}}",
    ),
)
"""Kinds, what stands in each of them, and their whole form."""

# To look for a few letters costs next to nothing, so that most texts meet no pattern at all.
_KNOWN: Final = (
    *((kind, mark, re.compile(f"{_START}{re.escape(mark)}{rest}", re.ASCII)) for kind, marks, rest in _MARKED for mark in marks.split()),
    *((kind, mark, re.compile(pattern, re.ASCII)) for kind, mark, pattern in _SHAPED),
)
_API_KEY: Final = re.compile(rf"{_START}sk-([\w-]{{20,}})", re.ASCII)
_BEARER: Final = re.compile(rf"{_START}bearer +([a-z0-9._~+/-]{{20,}})", re.ASCII | re.IGNORECASE)
_BASIC: Final = re.compile(rf"{_START}basic +([a-z0-9+/]{{8,1024}}={{0,2}})", re.ASCII | re.IGNORECASE)
_TURN: Final = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")
_TURNS = 3
"""So often letters and digits alternate in a random text, and hardly ever in words, years and quarters joined by hyphens."""


def secret_in(text: str) -> str | None:
    """What the first credential in *text* looks like, in words; None where there is none."""
    for kind, mark, pattern in _KNOWN:
        if mark in text and pattern.search(text):
            return kind
    if "sk-" in text and any(map(_is_random, _API_KEY.findall(text))):
        return "an API key"
    small = text.lower()
    if "bearer " in small and any(map(_is_random, _BEARER.findall(text))):
        return "an authorization header"
    if "basic " in small and any(map(_is_login, _BASIC.findall(text))):
        return "an authorization header"
    return None


def _is_random(text: str) -> bool:
    is_mixed = any(not run.isalpha() and not run.isdigit() for run in _LONG_RUN.findall(text))
    return is_mixed or len(_TURN.findall(text)) >= _TURNS


def _is_login(text: str) -> bool:
    try:
        name, colon, password = b64decode(text + "=" * (-len(text) % 4), validate=True).partition(b":")
    except (Error, ValueError):
        return False
    return bool(colon and password) and (name + password).isascii() and (name + password).decode().isprintable()
