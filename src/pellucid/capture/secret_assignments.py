"""Text in, the secrets assigned to telling names in it out: `password=…`, `"api_key": "…"`, `export FOO_TOKEN=…`.

Names are found by plain search and read with bounded patterns from there, so the cost is linear in the text. Whether
the value is a secret, and not a word, a type or a reference, is for `secret_values` to say.
"""

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from pellucid.capture.secret_values import Kind, is_random, is_said, is_secret


class Span(NamedTuple):
    """Where a secret stands, half open, and what it is."""

    start: int
    end: int
    type: str


class _Name(NamedTuple):
    """A stem to look for, what the name must look like around it, and what its values are."""

    stem: str
    before: re.Pattern[str]
    after: str
    kind: Kind


_ANY = re.compile("")
_KEYED = re.compile(
    r"(?:(?:private|access|account|secret|signing|encryption|master|service|auth|client|shared|app|application|deploy"
    r"|consumer|subscription|storage|admin|jwt|session|hmac|webhook|api|ssh|rsa|license|integration|bot|write|host"
    r"|(?<![a-z])dd|sentry|datadog|cloudflare|heroku|openai|stripe)[_ .-]?|[?&])$",
    re.IGNORECASE,
)
_AUTH = re.compile(r"(?:[_/:]|[\"'])$")
_NAMES = (
    _Name("passw", _ANY, r"(?:or)?d", "password"),
    _Name("passphrase", _ANY, r"", "password"),
    _Name("passcode", _ANY, r"", "password"),
    _Name("pwd", _ANY, r"", "password"),
    _Name("pass", re.compile(r"(?:[_.-]|[\"'?&]|(?:^|\s)|[a-z](?=$))$"), r"(?=[\"'\]\s]{0,3}[:=])", "password"),
    _Name("secret", _ANY, r"", "key"),
    _Name("token", _ANY, r"", "token"),
    _Name("credential", _ANY, r"", "token"),
    _Name("key", _KEYED, r"", "key"),
    _Name("auth", _AUTH, r"(?=[\"'=])", "token"),
)

_SUFFIX = (
    r"(?:[_.-]?(?:access|key|keys|value|val|token|secret|string|raw|plain|text|b64|base64|prod|production|staging|dev"
    r"|live|test|old|new|primary|secondary|root|admin|[0-9]{1,3}|s)){0,4}(?![A-Za-z0-9])"
)
_CLOSE = r"(?:\\{0,7}[\"'`]|[\])}]){0,3}"
_QUOTE_AHEAD = r"(?=[bfruBFRU]{0,2}\\{0,7}[\"'`])"
_BETWEEN = (
    r"(?:(?P<sep>[ \t]{0,20}(?:(?::[ \t]{0,4}[A-Za-z][\w.\[\]|, ]{0,40}?)?(?<![!<>~])={1,3}>?|:=|:(?!:)|%3[dD]))"
    r"|(?P<said>[ \t]{1,3}(?:is|was|to)(?:[ \t]{0,3}:)?(?=[ \t]))"
    r"|(?P<pair>\\{0,7}[\"']?,?(?:\s|\\n){1,40}\\{0,7}[\"']?value\\{0,7}[\"']?[ \t]{0,4}[:=])"
    r"|(?P<element>>(?=[^<\s]{4,400}</))"
    r"|(?P<space>,?[ \t]{1,8}))"
)
_GAP = rf"(?:\s{{0,60}}{_QUOTE_AHEAD}|[ \t]{{0,4}}[|>][+-]?[ \t]{{0,4}}(?:\n|\\{{1,7}}n)[ \t]{{1,40}}|[ \t]{{0,20}})"
_VALUE = (
    r"(?:[bfruBFRU]{0,2}(?P<quote>\\{0,7}[\"'`])(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\r\n\\])){1,4096})(?:(?P=quote)|\Z)"
    r"|(?P<bare>(?:(?!\\+[nrt\"'`]|</)[^\s\"'`]){4,4096}))"
)
_ASSIGNED = {
    name.stem: re.compile(name.after + _SUFFIX + _CLOSE + _BETWEEN + _GAP + _VALUE, re.IGNORECASE) for name in _NAMES
}
_LOGIN = re.compile(r"login\s{1,8}\S{1,60}\s{1,8}$")
_EXPORT = re.compile(r"(?:export|set|setenv|-e|env)\s{1,4}$", re.IGNORECASE)
_IN_NAMES = string.ascii_letters + string.digits + "_.-"
# where a bare value ends: before the next pair of a list, a call or a connection string, and closing punctuation
_NEXT_PAIR = re.compile(r"[,;&|](?=[\w\"'. -]{1,60}[:=])")
_TRAILING = re.compile(r"[,;)\]}>.!?*]+$")
_LOOK_BACK = 80
_VENDORS = (
    "aws", "azure", "heroku", "datadog", "cloudflare", "twilio", "mailgun", "discord", "slack", "stripe", "openai",
    "anthropic", "github", "gitlab", "google", "sendgrid", "npm", "docker", "sentry", "telegram", "notion", "linear",
    "shopify", "square", "okta", "auth0", "algolia", "firebase", "supabase", "vercel", "netlify", "jira", "zendesk",
)  # fmt: skip


def assigned_secrets(text: str, lower: str) -> Iterator[Span]:
    """Every secret that stands beside a telling name.

    Args:
        lower: `text` in lower case, position for position.
    """
    for name in _NAMES:
        at = lower.find(name.stem)
        while at >= 0:
            after = at + len(name.stem)
            span = _assigned_at(text, at, after, name)
            if span:
                yield span
            at = lower.find(name.stem, max(after, span.end if span else 0))


def _assigned_at(text: str, at: int, after: int, name: _Name) -> Span | None:
    before = text[max(0, at - _LOOK_BACK) : at]
    if not name.before.search(before[-16:]):
        return None
    match = _ASSIGNED[name.stem].match(text, after)
    if match is None:
        return None
    place = before.rstrip(_IN_NAMES)
    head = before[len(place) :]
    # `--password x`, `machine h login u password x`, `ENV TOKEN x`: no sign stands between name and value
    if match["space"] and not ("-" in head[:1] or "--" in head or _LOGIN.search(before) or place.endswith("ENV ")):
        return None
    start, value = _value(match)
    label = head + text[at : match.start("quote" if match["quote"] else "bare")]
    shouted = label[: len(label) // 2].isupper() or _EXPORT.search(place) is not None
    if not _accepts(value, match, name.kind, shouted):
        return None
    return Span(start, start + len(value), _type(label.lower(), name.kind))


def _value(match: re.Match[str]) -> tuple[int, str]:
    if match["quote"]:
        return match.start("quoted"), match["quoted"]
    value = _NEXT_PAIR.split(match["bare"], maxsplit=1)[0]
    return match.start("bare"), _TRAILING.sub("", value)


def _accepts(value: str, match: re.Match[str], kind: Kind, shouted: bool) -> bool:
    if match["said"]:
        return is_said(value) if kind == "password" else is_random(value, at_least=12)
    return is_secret(value, kind, quoted=match["quote"] is not None, shouted=shouted)


def _type(label: str, kind: Kind) -> str:
    vendor = next((f"{vendor}-" for vendor in _VENDORS if vendor in label), "")
    if "secret_access" in label or "secretaccess" in label:
        return "aws-secret"
    if kind == "key":
        return vendor + ("api-key" if "api" in label else "secret")
    return vendor + kind
