"""Nothing in, the names of secrets out, and the patterns between such a name and its value.

A new name is a row here; a new provider's prefix is a row in `patterns`; `values` decides by a value's shape.
"""

import re
from typing import NamedTuple

from pellucid.capture.secrets.values import Kind


class Name(NamedTuple):
    """The stem of a secret's name, what must precede it, the kind of its values, and the pattern from it to a value."""

    stem: str
    before: re.Pattern[str]
    kind: Kind
    to_value: re.Pattern[str]


_ANY = re.compile("")
_KEYED = re.compile(
    r"(?:(?:private|access|account|secret|signing|encryption|master|service|auth|client|shared|app|application|deploy"
    r"|consumer|subscription|storage|admin|jwt|session|hmac|webhook|api|ssh|rsa|license|integration|bot|write|host"
    r"|(?<![a-z])dd|sentry|datadog|cloudflare|heroku|openai|stripe)[_ .-]?|[?&])$",
    re.IGNORECASE,
)
_AUTH = re.compile(r"(?:[_/:]|[\"'])$")
_APART = re.compile(r"(?:^|[^^\W\d])$")  # no letter or digit: `pass` ends words such as `minipass` and `compass`
_SHORT = re.compile(
    r"(?:^|[^A-Za-z0-9]|(?<![A-Za-z0-9])(?:db|sql|mysql|pg|mongo|redis|smtp|imap|mail|ftp|ldap|ssh|http|proxy|user|root"
    r"|admin|auth|login|wifi|vpn|key|store|app))$",
    re.IGNORECASE,
)
_SUFFIX = (
    r"(?:[_.-]?(?:access|key|keys|value|val|token|secret|string|raw|plain|text|b64|base64|prod|production|staging|dev"
    r"|live|test|old|new|primary|secondary|root|admin|[0-9]{1,3}|s)){0,4}(?![A-Za-z0-9])"
)
_CLOSE = r"(?:\\{0,7}[\"'`]|[\])}*_]){0,4}"
_QUOTE = r"[bfruBFRU]{0,2}\\{0,7}[\"'`]"
_MARKUP = r"(?:[*_]{1,3}[ \t]{0,4})?"
_BETWEEN = (
    r"(?:(?P<sep>[ \t]{0,20}(?:(?::[ \t]{0,4}[A-Za-z][\w.\[\]|, ]{0,40}?)?(?<![!<>~])={1,3}>?|:=|:(?!:)|%3[dD]))"
    r"|(?P<said>[ \t]{1,3}(?:is|was|to|ist|war|lautet|es|era|est|é)(?:[ \t]{0,3}:)?(?=[ \t])"
    r"|[ \t]{0,2}[は是为為][ \t]{0,2}:?)"
    r"|(?P<pair>\\{0,7}[\"']?,?(?:\s|\\n){1,40}\\{0,7}[\"']?value\\{0,7}[\"']?[ \t]{0,4}[:=])"
    r"|(?P<element>>(?=[^<\s]{4,400}</))"
    r"|(?P<cell>[ \t]{0,20}\|)"
    r"|(?P<block>[ \t]{0,4}\{[^{}]{0,600}?\bdefault[ \t]{0,20}=)"
    r"|(?P<space>,?[ \t]{1,8}))"
)
_GAP = (
    rf"(?:\s{{0,60}}{_MARKUP}(?={_QUOTE})"
    r"|[ \t]{0,4}[|>][+-]?[ \t]{0,4}(?:\n|\\{1,7}n)[ \t]{1,40}"
    r"|(?P<line>[ \t]{0,4}(?:\r?\n|\\{1,7}n)[ \t]{0,8}(?=[^\s\"'`]{6,128}[ \t]{0,8}(?:[\r\n]|\Z)))"
    rf"|[ \t]{{0,20}}{_MARKUP})"
)
_VALUE_AHEAD = rf"(?={_QUOTE}|[^\s\"'`]{{4}})"
_SIGN_AHEAD = r"(?=[\"'\]\s*`]{0,4}[:=|])"
_ATTRIBUTE_AHEAD = r"(?=[\"'=])"


def _name(stem: str, kind: Kind, before: re.Pattern[str] = _ANY, after: str = "") -> Name:
    """Return a `Name`, a row of `NAMES`: the name of a secret that is searched for, and the pattern from it to its
    value.

    `stem` is the text that is searched for, `kind` the kind of its values; `before` is a pattern that must match the
    text before the stem, `after` one that must follow the stem directly.
    """
    shape = after + _SUFFIX + _CLOSE + _BETWEEN + _GAP + _VALUE_AHEAD
    return Name(stem, before, kind, re.compile(shape, re.IGNORECASE))


NAMES = (
    _name("passw", "password", after="(?:or)?[dt]"),
    _name("passphrase", "password"),
    _name("passcode", "password"),
    _name("pwd", "password"),
    _name("pass", "password", _SHORT, _SIGN_AHEAD),
    _name("pw", "password", _SHORT, _SIGN_AHEAD),
    _name("secret", "key"),
    _name("token", "token"),
    _name("credential", "token"),
    _name("key", "key", _KEYED),
    _name("auth", "token", _AUTH, _ATTRIBUTE_AHEAD),
    *(_name(each, "password") for each in ("kennwort", "contraseña", "contrasena", "mot de passe", "пароль")),
    *(_name(each, "password") for each in ("パスワード", "密码", "密碼", "비밀번호")),
    _name("senha", "password", _APART),
)
ASCII_NAMES = tuple(each for each in NAMES if each.stem.isascii())
PAGING = re.compile(
    r"(?:next|prev(?:ious)?|page|cursor|continu\w{0,10}|pagination|resume|sync|delta|skip)[_.-]?$", re.IGNORECASE
)
"""The text before `token` in the names of paging tokens, which are not secrets."""
EXPORTS = re.compile(r"(?:export|set|setenv|-e|env)\s{1,4}$", re.IGNORECASE)
LOGIN = re.compile(r"login\s{1,8}\S{1,60}\s{1,8}$")
VARIABLE = re.compile(r"variable\s{1,4}\"$")  # in Terraform, the text before a name whose `default` is the value
