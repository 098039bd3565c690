"""Text in, the secrets assigned to revealing names in it out: `password=…`, `"api_key": "…"`, `export FOO_TOKEN=…`.

The cost is linear in the text: names are found by plain search, patterns are bounded, and the end of an unquoted value
is searched once for all names in it.
"""

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from pellucid.capture.secrets.names import ASCII_NAMES, EXPORTS, LOGIN, NAMES, PAGING, VARIABLE, Name
from pellucid.capture.secrets.values import Kind, is_random, is_secret, is_spoken_secret


class SecretSpan(NamedTuple):
    """A secret's half-open range in a text, and its type."""

    start: int
    end: int
    type: str


class _Value(NamedTuple):
    """An assigned value without its quotes; `opens` is the position of its opening quote, else equal to `start`."""

    start: int
    text: str
    opens: int
    quoted: bool


_QUOTED = re.compile(
    r"[bfruBFRU]{0,2}(?P<quote>\\{0,7}[\"'`])(?P<said>(?:(?!(?P=quote))(?:\\.|[^\r\n\\])){1,4096})(?:(?P=quote)|\Z)"
)
_BARE_END = re.compile(r"[\s\"'`]|(?<!\\)\\++[nrt\"'`]|</")
_LONGEST = 4096
_LOOKED_AT = 512  # characters of an unquoted value that are searched for its end
# the end of a bare value: before the next pair of a list, a call or a connection string, or a letter of another script
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
    """Yield every secret assigned to a name such as `password` in `NAMES`, name by name; spans can overlap.

    `lower` is the text in lower case, with every character at the same position.
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
    """Finds the values in one text; remembers the end of the last unquoted one, for the names inside that value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._run = (0, 0)

    def read(self, at: int) -> _Value | None:
        """Return the value that begins at position `at`: what quotes enclose (1 to 4,096 characters), else all up to
        white space, a quote or `</`; None if the latter is fewer than four characters.

        An unquoted one is cut before the next pair (`, name=`) or a Chinese, Japanese or Korean character among its
        first 512 characters, else after 4,096, and loses punctuation at its end; what is left can be empty.
        """
        if found := _QUOTED.match(self.text, at):
            return _Value(found.start("said"), found["said"], found.start("quote"), quoted=True)
        end = self._end_of_value(at)
        if end - at < 4:
            return None
        looked_at = self.text[at : min(end, at + _LOOKED_AT)]
        cut = _NEXT.search(looked_at)
        text = looked_at[: cut.start()] if cut else self.text[at : min(end, at + _LONGEST)]
        return _Value(at, text.rstrip(_TRAILING), at, quoted=False)

    def _end_of_value(self, at: int) -> int:
        """Return the position of the first white space, quote, escaped line end or `</` from `at` on, else the end of
        the text; the last result is cached.
        """
        first, end = self._run
        if not first <= at < end:
            found = _BARE_END.search(self.text, at)
            end = found.start() if found else len(self.text)
            self._run = (at, end)
        return end


def _assigned_at(values: _Values, at: int, after: int, name: Name) -> SecretSpan | None:
    """Return the secret assigned to a name, whose stem (the `Password` of `dbPassword`) is between `at` and `after` of
    `values.text`; None if no secret is assigned to it.

    None, too, if the stem is only a part of another word (`name.before` does not match, nor is it the beginning of a
    part of a camel-case name). In a table, the cell of the value must be closed by `|`."""
    text = values.text
    before = text[max(0, at - _LOOK_BACK) : at]
    # a stem inside a word counts if a part of a camel-case name begins with it: `dbPassword`
    is_camel = text[at].isupper() and before[-1:].islower()
    if not (is_camel or name.before.search(before[-16:])):
        return None
    match = name.to_value.match(text, after)
    if match is None:
        return None
    before_name = before.rstrip(_IN_NAMES)
    head = before[len(before_name) :]
    value = (
        values.read(match.end())
        if _is_assignment(match, before_name, head) and not _names_no_secret(name, text, at, head)
        else None
    )
    if value is None:
        return None
    label = head + text[at : value.opens]
    is_variable = label[: len(label) // 2].isupper() or EXPORTS.search(before_name) is not None
    end = value.start + len(value.text)
    is_cell = text[end : end + 16].lstrip(" \t*_`").startswith("|")
    if not _is_secret_value(value, match, name.kind, is_variable=is_variable) or (match["cell"] and not is_cell):
        return None
    return SecretSpan(value.start, end, _secret_type(label.lower(), name.kind))


def _is_assignment(match: re.Match[str], before_name: str, head: str) -> bool:
    """Whether the text between name and value (`match`) assigns the value: `=`, `:` and `is` do, a mere space only
    after an option (`--password x`), `login u` or `ENV`, a `|` only in a table's row, a Terraform block only of a
    variable.

    `head` is the part of the name before its stem, `before_name` the text before the name.
    """
    if match["space"]:  # `--password x`, `machine h login u password x`, `ENV TOKEN x`
        return "-" in head[:1] or "--" in head or bool(LOGIN.search(before_name + head)) or before_name.endswith("ENV ")
    if match["block"]:
        return VARIABLE.search(before_name) is not None
    return not match["cell"] or before_name.rpartition("\n")[2].lstrip().startswith("|")


def _names_no_secret(name: Name, text: str, at: int, head: str) -> bool:
    """Whether the name is not a secret's: a paging token's, or a test's verdict (`--- PASS: TestLogin`).

    `at` is where the name's stem begins in `text`, `head` the part of the name before its stem.
    """
    if name.stem == "token":
        return PAGING.search(head) is not None
    return name.stem == "pass" and not head.strip("-") and text.startswith("PASS:", at)


def _is_secret_value(value: _Value, match: re.Match[str], kind: Kind, *, is_variable: bool) -> bool:
    """Whether a value is a secret, by `is_secret`; a value in prose (`is …`), a table or on the next line must look
    random.

    There `is_spoken_secret` decides on a password, `is_random` with 12 characters on any other. `match` is the text
    between name and value, `kind` the kind of the name; `is_variable`: see `is_secret`.
    """
    if match["said"] or match["line"] or match["cell"]:
        return is_spoken_secret(value.text) if kind == "password" else is_random(value.text, at_least=12)
    return is_secret(value.text, kind, quoted=value.quoted, is_variable=is_variable)


def _secret_type(label: str, kind: Kind) -> str:
    """Return the type of a secret by its name in lower case (`label`) and its kind: the kind `key` gives `api-key` if
    the label contains `api`, else `secret`; any other kind is itself the type. A vendor's name in the label stands in
    front (`github-api-key`). A label with `secret_access` or `secretaccess` always gives `aws-secret`.
    """
    vendor = next((f"{vendor}-" for vendor in _VENDORS if vendor in label), "")
    if "secret_access" in label or "secretaccess" in label:
        return "aws-secret"
    if kind == "key":
        return vendor + ("api-key" if "api" in label else "secret")
    return vendor + kind
