"""What credentials look like, measured on a corpus of both kinds."""

import json
from base64 import b64encode
from hashlib import sha256, sha512

import pytest

from handgriff.core.secret import secret_in

# Marks and bodies stand apart, so that no scanner of repositories takes these for somebody's.
_HEX = sha512(b"handgriff").hexdigest()
_MIXED = b64encode(bytes.fromhex(_HEX)).decode().replace("/", "x").replace("+", "Y").rstrip("=")
_LETTERS = "".join(filter(str.isalpha, _MIXED * 3))
_UPPER = "Q7XK2M9ZT4RB6W3NLP5D8FJ1HGC0VSAYEU"

SECRETS = {
    "Anthropic": "sk-ant-" + "api03-" + _MIXED,
    "OpenAI": "sk-" + _MIXED[:48],
    "OpenAI project": "sk-" + "proj-" + _MIXED[:24] + "-_" + _MIXED[:40],
    "OpenRouter": "sk-" + "or-v1-" + _HEX[:64],
    "a provider with hex keys": "sk-" + _HEX[:32],
    "AWS id": "AKIA" + _UPPER[:16],
    "AWS temporary id": "ASIA" + _UPPER[:16],
    "AWS secret": "aws_secret_access_key" + " = " + _MIXED[:40],
    "AWS secret in JSON": json.dumps({"SecretAccessKey": _MIXED[:40]}),
    "Azure storage": "DefaultEndpointsProtocol=https;AccountName=a;" + "AccountKey=" + _MIXED[:40] + "+/" + _MIXED[:44] + "==",
    "Azure bus": "Endpoint=sb://a.example;SharedAccessKeyName=b;" + "SharedAccessKey=" + _MIXED[:43] + "=",
    "GitHub": "ghp_" + _MIXED[:36],
    "GitHub app": "ghs_" + _MIXED[:36],
    "GitHub fine-grained": "github_" + "pat_" + _MIXED[:22] + "_" + _MIXED[:59],
    "GitLab": "glpat-" + _MIXED[:20],
    "Slack bot": "xoxb-" + "123456789012-1234567890123-" + _MIXED[:24],
    "Slack app": "xapp-" + "1-A0123456789-1234567890123-" + _HEX[:64],
    "Slack webhook": "https://hooks.slack.com/" + "services/T01234567/B01234567/" + _MIXED[:24],
    "Google": "AIza" + _MIXED[:35],
    "Google OAuth": "ya29." + _MIXED[:60],
    "Google client": "GOCSPX-" + _MIXED[:28],
    "Stripe": "sk_" + "live_" + _MIXED[:24],
    "Stripe restricted": "rk_" + "test_" + _MIXED[:24],
    "webhook": "whsec_" + _MIXED[:32],
    "SendGrid": "SG." + _MIXED[:22] + "." + _MIXED[:43],
    "Telegram": "1234567890:" + "AA" + _MIXED[:33],
    "Shopify": "shpat_" + _HEX[:32],
    "Hugging Face": "hf_" + _LETTERS[:34],
    "Groq": "gsk_" + _MIXED[:52],
    "PyPI": "pypi-" + "AgEIcHlwaS5vcmc" + _MIXED[:60],
    "npm": "npm_" + _MIXED[:36],
    "RubyGems": "rubygems_" + _HEX[:48],
    "DigitalOcean": "dop_v1_" + _HEX[:64],
    "Databricks": "dapi" + _HEX[:32],
    "Vault": "hvs." + _MIXED[:28],
    "Linear": "lin_api_" + _MIXED[:40],
    "Atlassian": "ATATT3" + "xFfGF0" + _MIXED[:60] + "=1A2B3C4D",
    "JWT": ".".join(b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":"1234567"}', b"0123456789012345")),
    "JWE": b64encode(b'{"alg":"dir","enc":"A256GCM"}').decode().rstrip("=") + ".." + f"{_MIXED[:16]}.{_MIXED[:40]}.{_MIXED[:22]}",
    "bearer": "Authorization: Bearer " + _MIXED[:40],
    "bearer in small letters": "authorization: bearer " + _HEX[:40],
    "bearer with a UUID": "Bearer 550e8400-e29b-41d4-a716-446655440000",
    "basic": "Authorization: Basic " + b64encode(b"admin:hunter2").decode(),
    "URL": "postgres://svc:" + "pw1@10.0.0.5:5432/acme",
    "URL without a user": "redis://:" + "hunter2@cache.internal:6379/0",
    "URL in big letters": "HTTPS://ada:" + "hunter2@example.com",
    "connection string": "Server=db.internal;User Id=sa;" + "Password=hunter2;Encrypt=true",
    "RSA key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA",
    "key": "-----BEGIN " + "PRIVATE KEY-----\\nMIIEvQIBADANBg",
    "OpenSSH key": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "PGP key": "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----",
}
"""Made up, each by the form its maker documents."""

BENIGN = {
    "the shortest": "sk-1",
    "bad news": "Bearer of bad news",
    "a bearer of hyphens": "bearer certificate-2024-annual-report-and-outlook",
    "a long German bearer": "Bearer Donaudampfschifffahrtsgesellschaftskapitän",
    "basic words": "Basic requirements and Basic Windows2000Server, basic authentication",
    "basic slugs": "basic information/overview",
    "an order": "o_17",
    "an order with a date": "ORD-2026-03-04-000123",
    "a shop's order": "#W5744371",
    "an AWS-like order": "AKIA-2026-0001",
    "a word with ASIA": "ASIANINFRASTRUCTURES",
    "a UUID": "550e8400-e29b-41d4-a716-446655440000",
    "a UUID without hyphens": "550e8400e29b41d4a716446655440000",
    "a ULID": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "an SSCC": "00340434161094042557",
    "a GS1 element string": "(01)04012345678901(10)ABC123(17)261231(21)SN-4711",
    "a GS1 link": "https://id.gs1.org/01/04012345678901/10/ABC123/21/4711?17=261231",
    "an EAN": "4006381333931",
    "an IBAN": "DE89 3704 0044 0532 0130 00",
    "a tracking number": "1Z999AA10123456784",
    "an MD5": "d41d8cd98f00b204e9800998ecf8427e",
    "a SHA-256": sha256(b"").hexdigest(),
    "a SHA-512": _HEX,
    "a commit": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "a subresource hash": "sha384-" + b64encode(bytes.fromhex(_HEX[:96])).decode(),
    "a password hash": "$2b$12$" + _MIXED[:53],
    "an ETag": 'W/"5f3c-1a2b3c4d5e6f"',
    "a URL": "https://example.com:8443/orders/17?sort=-date&page=2#top",
    "a URL with a user": "https://ada@example.com/inbox",
    "a URL with an empty password": "ftp://anonymous:@ftp.example.com/",
    "a URL whose password is left out": "postgres://svc:***@10.0.0.5:5432/acme",
    "a URL with a placeholder": "postgres://{user}:{password}@{host}/acme or redis://:$REDIS_PASSWORD@cache or mysql://a:<password>@b",
    "a URL beside an address": "http://localhost:8080,ops@example.org",
    "an SSH remote": "git@github.com:handgriff/handgriff.git and ssh://git@github.com:22/handgriff",
    "an IPv6 URL": "http://[2001:db8::1]:8080/health",
    "a Matrix link": "https://matrix.to/#/@ada:example.org",
    "a mail address": "mailto:ada@example.com",
    "a left-out connection string": "Server=db;User Id=sa;Password=***;",
    "a sentence about passwords": "Passwort: bitte im Tresor nachsehen; das Token läuft morgen ab, der API-Schlüssel auch.",
    "German words": "Zugangsschlüssel-Übergabeprotokoll und Geheimnisträgerverpflichtungserklärung",
    "a German slug": "sk-slowakei-bratislava-altstadt-rundreise-2026",
    "a style class": "sk-circle-fade-dot-animation-wrapper",
    "a task": "task-management-and-reporting-overview-2026",
    "a locale": "sk-SK",
    "kisses": "xoxo-hugs-and-kisses-12345678-from-berlin",
    "an npm setting": "npm_config_registry_and_other_settings_of_the_user_2",
    "a transfer setting": "HF_HUB_ENABLE_HF_TRANSFER=1 hf_transfer_and_other_environment_variables_2",
    "a Stripe test name": "sk_test_environments",
    "a publishable key": "pk_" + "live_" + _MIXED[:24],
    "a Stripe object": "cus_NffrFeUfNV2Hib pi_3MtwBwLkdIwHu7ix28a3tqPa",
    "a cursor": b64encode(b'{"id":17,"at":"2026-03-04"}').decode(),
    "a picture": "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" + b64encode(bytes(range(256)) * 40).decode(),
    "a photograph": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8M/EABQQAQAAAAAAAAAAAAAAA",
    "a certificate": "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTAN",
    "a public key": "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOC",
    "an SSH public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + _MIXED[:43] + " ada@laptop",
    "a version": "handgriff-0.1.0+build.20260304.gda39a3e",
    "a package": "org.example.shop.orders.OrderCancellationServiceImplementationFactory",
    "a Java name like a token": "MyOrderCancellationServices.create.WithDefaultConfigurationOfTheShop",
    "a phone number": "+49 30 901820",
    "a product code": "SG.2026.SOMMERKOLLEKTION-DAMEN-KLEIDER-BLAU",
    "coordinates": "52.520008,13.404954",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_credential_is_found(name: str) -> None:
    """P14."""
    assert secret_in(SECRETS[name])


@pytest.mark.parametrize("name", BENIGN)
def test_what_only_looks_like_one_is_let_through(name: str) -> None:
    """P14. B139: 'sk-1' too."""
    assert secret_in(BENIGN[name]) is None
    assert secret_in(json.dumps(BENIGN[name], ensure_ascii=False)) is None


def test_precision_and_recall_over_the_corpus_are_one() -> None:
    found = sum(secret_in(text) is not None for text in SECRETS.values())
    mistaken = sum(secret_in(text) is not None for text in BENIGN.values())

    assert len(SECRETS) >= 25
    assert len(BENIGN) >= 40
    assert (found / (found + mistaken), found / len(SECRETS)) == (1.0, 1.0)


@pytest.mark.parametrize("name", SECRETS)
def test_a_credential_is_found_wherever_it_stands_in_a_stored_text(name: str) -> None:
    secret = SECRETS[name]
    values = [
        {"note": f"mine is {secret}, keep it"},
        [1, {"deep": [f"first line\n{secret}\nlast line"]}],
        f"tabs\t{secret}\tbetween",
        f"a control character \x01{secret}\x01",
        f"é{secret}",
        {secret: None},
    ]

    for value in values:
        assert secret_in(json.dumps(value, ensure_ascii=False, separators=(",", ":"))), value


@pytest.mark.parametrize("name", ["Anthropic", "OpenAI", "GitHub", "GitLab", "Google", "Stripe", "npm", "JWT", "Telegram"])
def test_a_mark_in_the_middle_of_a_word_or_a_long_run_is_none(name: str) -> None:
    """Encoded pictures and cursors hold every short row of letters somewhere."""
    for before in ("x", "0", "_", "-"):
        assert secret_in(before + SECRETS[name]) is None


def test_a_credential_is_named_and_never_repeated() -> None:
    for secret in SECRETS.values():
        kind = secret_in(secret)

        assert kind
        assert kind.startswith(("a ", "an "))
        assert secret[-12:] not in kind


def test_many_credentials_are_one_finding() -> None:
    assert secret_in(" ".join(SECRETS.values())) is not None
    assert secret_in(" ".join(BENIGN.values())) is None
    assert secret_in("") is None
