"""Text in, the secrets assigned to telling names in it out: `password=…`, `"api_key": "…"`, `export FOO_TOKEN=…`.

Names are found by plain search and read with bounded patterns from there, and where a bare value ends is looked up once
for all names in it: so the cost is linear in the text. Whether the value is a secret, and not a word, a type or a
reference, is for `secret_values` to say.
"""

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from pellucid.capture.secrets.names import ASCII_NAMES, EXPORTS, LOGIN, NAMES, PAGING, VARIABLE, Name
from pellucid.capture.secrets.values import Kind, is_random, is_said, is_secret


class SecretSpan(NamedTuple):
    """Where a secret stands, half open, and what it is."""

    start: int
    end: int
    type: str


class _Value(NamedTuple):
    """What is assigned: where it begins, what it says, and the place of its opening quote or of itself."""

    start: int
    said: str
    opens: int
    quoted: bool


_QUOTED = re.compile(
    r"[bfruBFRU]{0,2}(?P<quote>\\{0,7}[\"'`])(?P<said>(?:(?!(?P=quote))(?:\\.|[^\r\n\\])){1,4096})(?:(?P=quote)|\Z)"
)
_BARE_END = re.compile(r"[\s\"'`]|(?<!\\)\\++[nrt\"'`]|</")
_LONGEST = 4096
_LOOKED_AT = 512
"""Characters of a bare value that decide whether it is one."""
# where a bare value ends: before the next pair of a list, a call or a connection string, or where another script begins
_NEXT = re.compile(r"[,;&|](?=[\w\"'. -]{1,60}[:=])|[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_TRAILING = ",;)]}>.!?*|"
_IN_NAMES = string.ascii_letters + string.digits + "_.-"
_LOOK_BACK = 80
_VENDOR_NAMES = """
    aws azure heroku datadog cloudflare twilio mailgun discord slack stripe openai anthropic github gitlab google
    sendgrid npm docker sentry telegram notion linear shopify square okta auth0 algolia firebase supabase vercel
    netlify jira zendesk
    """
_VENDORS = tuple(_VENDOR_NAMES.split())


def assigned_secrets(text: str, lower: str) -> Iterator[SecretSpan]:
    """Every secret that stands beside a telling name.

    Args:
        lower: `text` in lower case, position for position.
    """
    values = _Values(text)
    for name in NAMES if not text.isascii() else ASCII_NAMES:
        at = lower.find(name.stem)
        while at >= 0:
            after = at + len(name.stem)
            span = _assigned_at(values, at, after, name)
            if span:
                yield span
            at = lower.find(name.stem, max(after, span.end if span else 0))


class _Values:
    """Reads the values of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._run = (0, 0)

    def read(self, at: int) -> _Value | None:
        """The quoted or bare value that begins at a place; None where a bare one is too short to be a secret."""
        if found := _QUOTED.match(self.text, at):
            return _Value(found.start("said"), found["said"], found.start("quote"), quoted=True)
        end = self._end_of_value(at)
        if end - at < 4:
            return None
        looked_at = self.text[at : min(end, at + _LOOKED_AT)]
        cut = _NEXT.search(looked_at)
        said = looked_at[: cut.start()] if cut else self.text[at : min(end, at + _LONGEST)]
        return _Value(at, said.rstrip(_TRAILING), at, quoted=False)

    def _end_of_value(self, at: int) -> int:
        """Where the unquoted value that begins at a place ends."""
        first, end = self._run
        if not first <= at < end:
            found = _BARE_END.search(self.text, at)
            end = found.start() if found else len(self.text)
            self._run = (at, end)
        return end


def _assigned_at(values: _Values, at: int, after: int, name: Name) -> SecretSpan | None:
    """The secret that the name at `at` to `after` is given (`password = …`); None where no secret follows."""
    text = values.text
    before = text[max(0, at - _LOOK_BACK) : at]
    is_camel = text[at].isupper() and before[-1:].islower()
    if not (is_camel or name.before.search(before[-16:])):
        return None
    match = name.to_value.match(text, after)
    if match is None:
        return None
    place = before.rstrip(_IN_NAMES)
    head = before[len(place) :]
    value = (
        values.read(match.end()) if _may_follow(match, place, head) and not _is_other(name, text, at, head) else None
    )
    if value is None:
        return None
    label = head + text[at : value.opens]
    shouted = label[: len(label) // 2].isupper() or EXPORTS.search(place) is not None
    if not _is_secret_value(value, match, name.kind, shouted=shouted) or (match["cell"] and not _is_cell(text, value)):
        return None
    return SecretSpan(value.start, value.start + len(value.said), _secret_type(label.lower(), name.kind))


def _may_follow(match: re.Match[str], place: str, head: str) -> bool:
    """Whether what stands between a name and a value assigns it (`=`, `is`); much without a sign does not."""
    if match["space"]:  # `--password x`, `machine h login u password x`, `ENV TOKEN x`
        return "-" in head[:1] or "--" in head or bool(LOGIN.search(place + head)) or place.endswith("ENV ")
    if match["block"]:
        return VARIABLE.search(place) is not None
    return not match["cell"] or place.rpartition("\n")[2].lstrip().startswith("|")


def _is_other(name: Name, text: str, at: int, head: str) -> bool:
    """Whether the name tells of no secret: the token of a page, or the verdict of a test (`--- PASS: TestLogin`)."""
    if name.stem == "token":
        return PAGING.search(head) is not None
    return name.stem == "pass" and not head.strip("-") and text.startswith("PASS:", at)


def _is_cell(text: str, value: _Value) -> bool:
    end = value.start + len(value.said)
    return text[end : end + 16].lstrip(" \t*_`").startswith("|")


def _is_secret_value(value: _Value, match: re.Match[str], kind: Kind, *, shouted: bool) -> bool:
    if match["said"] or match["line"] or match["cell"]:
        return is_said(value.said) if kind == "password" else is_random(value.said, at_least=12)
    return is_secret(value.said, kind, quoted=value.quoted, shouted=shouted)


def _secret_type(label: str, kind: Kind) -> str:
    """The type of a secret by its name: `aws-secret`, `github-api-key`, `password`."""
    vendor = next((f"{vendor}-" for vendor in _VENDORS if vendor in label), "")
    if "secret_access" in label or "secretaccess" in label:
        return "aws-secret"
    if kind == "key":
        return vendor + ("api-key" if "api" in label else "secret")
    return vendor + kind
