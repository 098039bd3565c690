"""Text in, the secrets that their form reveals out: key blocks, headers, URLs, cards, seed phrases (BIP 39)."""

import re
from collections.abc import Iterator

from pellucid.capture.secrets.assignments import SecretSpan
from pellucid.capture.secrets.values import is_code, is_random, is_secret, is_stand_in

_BEGIN = re.compile(r"-----BEGIN (?P<what>[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=\s:,.()\"'\\-]*+")
_CUT_BODY = re.compile(r"(?:\s|\\{1,7}[nr])*+(?:[A-Za-z0-9+/=]{16,}+(?:\s|\\{1,7}[nr])*+)++")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PUTTY = re.compile(r"Private-Lines: \d{1,4}(?:\s|\\+[nr])+(?P<secret>(?:[A-Za-z0-9+/=]{1,80}(?:\s|\\+[nr])*){1,200})")
_QUOTE = r"\\{0,7}[\"']"

_AUTHORIZATION = re.compile(
    rf"authorization(?:{_QUOTE}|[\])]){{0,3}}\s{{0,4}}(?:=>|[:=,])\s{{0,4}}[bfru]?(?:{_QUOTE})?"
    r"(?P<scheme>(?:bearer|basic|token|digest|apikey|bot|key|negotiate)\s{1,4})?(?P<secret>[^\s\"'\\,;<>{}$]{6,8192})",
    re.IGNORECASE,
)
_BEARER = re.compile(
    rf"bearer(?:{_QUOTE})?[ \t:=,]{{1,4}}(?:{_QUOTE})?(?P<secret>[\w.~+/=-]{{16,8192}})", re.IGNORECASE
)
_COOKIE = re.compile(
    rf"cookie(?:{_QUOTE})?(?:\s{{0,4}}[:=,]\s{{0,4}}|[ \t]{{1,4}}(?={_QUOTE}))(?:{_QUOTE})?"
    r"(?P<secret>[\w.$-]{1,80}=(?P<first>[^\s;\"'\\,<>{}()$]{6,4096})(?:;\s{0,2}[^\r\n\"'\\;]{0,4096}){0,60})",
    re.IGNORECASE,
)
_URL = re.compile(r"://(?P<user>[^\s/:@\"'<>`\[]{0,256}):(?P<secret>[^\s/\"'<>`]{1,256})@(?=[\w.\[{$%-])")
_URL_TOKEN = re.compile(r"://(?P<secret>[\w.~%+=-]{20,512})@(?=[\w\[])")
_PORT = re.compile(r"\d{1,5}(?:[?#].*)?")
_CARD = re.compile(r"[2-6]\d{3}(?:[ -]?\d{4}){3}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5}")
_BRANDS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}"
)
_CARD_NAMED = re.compile(
    r"card|visa|amex|discover|credit|debit|(?:(?<![a-z])|(?<=\\[nrt]))(?:pan|cc|jcb)(?![a-z])|kart[ei]|tarjeta|carte|カード|卡",
    re.IGNORECASE,
)
_NEAR = 40  # characters before a number that are searched for such a word
_SEED_LENGTHS = frozenset({12, 15, 18, 21, 24})
_SEED_GAP = 4  # the most characters between a word and the next number
_SEED_NAME = re.compile(
    r"(?:mnemonic|(?:seed|recovery|backup)[_ -]?(?:phrase|words?))(?:\\{0,7}[\"'*`]{1,3})?\s{0,3}"
    r"(?:[:=]|\bis\b)[\s*\"'`\\]{0,8}",
    re.IGNORECASE,
)
_SEED_MARKS = ("mnemonic", "seed", "recovery", "backup")
_SEED_PHRASE = re.compile(
    r"(?P<secret>[a-z]{3,8}(?P<gap>,?[ \t]{1,2}|,?\r?\n[ \t]{0,8})[a-z]{3,8}(?:(?P=gap)[a-z]{3,8}){10,22})"
    r"(?![ \t]{0,2}[a-z])",
    re.IGNORECASE,
)
_SEED_WORD = re.compile(r"(?<![\w.])(\d{1,2})[.):][ \t]{0,4}([a-z]{3,8})(?![\w-])")


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Yield PEM, OpenSSH and PGP private keys, the whole block or what is left of one that was cut off, and of PuTTY
    keys the private lines.
    """
    at = text.find("-----BEGIN")
    while at >= 0:
        next_begin = text.find("-----BEGIN", at + 1)
        begin = _BEGIN.match(text, at)
        end = _key_end(text, begin.end(), next_begin if next_begin >= 0 else len(text)) if begin else 0
        if begin and end:
            what = {"OPENSSH": "ssh-", "PGP": "pgp-"}.get(begin["what"].strip(), "")
            yield SecretSpan(at, end, f"{what}private-key")
        at = next_begin
    if "Private-Lines:" in text:
        yield from (SecretSpan(*match.span("secret"), "ssh-private-key") for match in _PUTTY.finditer(text))


def _key_end(text: str, at: int, limit: int) -> int:
    """Return the position after the PEM private key whose body begins at `at`, its END line included; of a key that was
    cut off, the end of what is left of its body. 0 if no key's body is there.

    `limit` is where the next key begins, at the latest the end of the text.
    """
    end = _END.match(text, found) if (found := text.find("-----END", at, limit)) >= 0 else None
    if end and _KEY_BODY.fullmatch(text, at, found):
        return end.end()
    cut = _CUT_BODY.match(text, at, limit)
    return cut.end() if cut else 0


def header_secrets(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the credentials of `Authorization`, `Bearer` and cookie headers, in HTTP, code or JSON, if they look
    random; spans can overlap.

    Of a cookie header all cookies are one credential, if the value of the first looks random. `lower` is the text in
    lower case, with every character at the same position.
    """
    for match in matches_at_mark(_AUTHORIZATION, "authorization", text, lower):
        if not is_code(match["secret"]) and _is_credential(match["secret"], bool(match["scheme"])):
            yield SecretSpan(*match.span("secret"), "authorization-header")
    for match in matches_at_mark(_BEARER, "bearer", text, lower):
        if is_random(match["secret"]):
            yield SecretSpan(*match.span("secret"), "bearer-token")
    for match in matches_at_mark(_COOKIE, "cookie", text, lower):
        if is_random(match["first"], at_least=6):
            yield SecretSpan(*match.span("secret"), "cookie")


def _is_credential(value: str, has_scheme: bool) -> bool:
    """Whether an `Authorization` value is a credential: it looks random (`is_random`) and has at least 16 characters,
    after a scheme such as `Bearer` at least eight.

    After a scheme, eight letters and digits or more also are one if a capital stands behind the first and not all
    letters are capitals.
    """
    if is_random(value, at_least=8 if has_scheme else 16):
        return True
    return has_scheme and len(value) >= 8 and value.isalnum() and not value.isupper() and value[1:] != value[1:].lower()


def url_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield the passwords of `scheme://user:password@host`, and the random texts of 20 characters or more that are
    alone before the `@`.
    """
    at = text.find("://")
    while at >= 0:
        match = _URL.match(text, at)
        if match and _is_url_password(match["user"], match["secret"]):
            yield SecretSpan(*match.span("secret"), "url-password")
        elif (token := _URL_TOKEN.match(text, at)) and is_random(token["secret"], at_least=20):
            yield SecretSpan(*token.span("secret"), "url-token")
        at = text.find("://", at + 3)


def _is_url_password(user: str, password: str) -> bool:
    """Whether the text between `:` and `@` in a URL is a password: by `is_secret`, or because it has letters and digits
    only.

    Never a port, a placeholder, `none`, `null` or `port`, nor anything after a user that is a variable or placeholder
    (it begins with `$`, `{`, `<` or `%`).
    """
    if user[:1] in ("$", "{", "<", "%") or _PORT.fullmatch(password) or is_stand_in(password):
        return False
    return is_secret(password, "password", quoted=True, is_variable=True) or (
        password.isalnum() and password.lower() not in ("none", "null", "port")
    )


def card_numbers(text: str) -> Iterator[SecretSpan]:
    """Yield payment card numbers: a major brand's prefix and length, at most one kind of separator (space or hyphen), a
    valid check digit (Luhn's), and apart from other text.

    Apart is a number without a letter, digit, `_`, `-`, `+` or `/` directly before or after it, or `.` before. One
    without separators needs a word such as `card` in the 40 characters before it, for one in fifty sixteen-digit
    numbers is valid.
    """
    for match in _CARD.finditer(text):
        if match[0].isdigit() and not _CARD_NAMED.search(text, max(0, match.start() - _NEAR), match.start()):
            continue
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        digits = match[0].replace(" ", "").replace("-", "")
        separators = {char for char in match[0] if not char.isdigit()}
        stands_apart = not any(char.isalnum() or char in "_.-+/" for char in before + after.replace(".", ""))
        if len(separators) < 2 and stands_apart and _BRANDS.fullmatch(digits) and _passes_luhn(digits):
            yield SecretSpan(*match.span(), "credit-card")


def _passes_luhn(digits: str) -> bool:
    """Whether a number's check digit is valid (ISO/IEC 7812-1, annex B)."""
    doubled = "0246813579"
    return sum(int(doubled[int(d)] if i % 2 else d) for i, d in enumerate(reversed(digits))) % 10 == 0


def matches_at_mark(shape: re.Pattern[str], mark: str, text: str, lower: str) -> Iterator[re.Match[str]]:
    """Yield a pattern's matches in `text`, each of which must begin with the lower-case `mark`; they do not overlap.

    `lower` is the text in lower case, with every character at the same position; the mark is searched for in it.
    """
    at = lower.find(mark)
    while at >= 0:
        match = shape.match(text, at)
        if match:
            yield match
        at = lower.find(mark, match.end() if match else at + len(mark))


def seed_phrases(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield wallets' seed phrases (BIP 39): 12 to 24 words after a name such as `recovery phrase:`, or numbered from 1.

    `lower` is the text in lower case, with every character at the same position.
    """
    for mark in _SEED_MARKS:
        for name in matches_at_mark(_SEED_NAME, mark, text, lower):
            if found := _SEED_PHRASE.match(text, name.end()):
                yield SecretSpan(*found.span("secret"), "seed-phrase")
    if any(first in text for first in ("1.", "1)", "1:")) and any(last in text for last in ("12.", "12)", "12:")):
        yield from _numbered_seed_phrases(text)


def _numbered_seed_phrases(text: str) -> Iterator[SecretSpan]:
    """Yield phrases such as `1. abandon 2. ability …`: words numbered from 1 without a gap, 12, 15, 18, 21 or 24 of
    them.

    A number follows a word within four characters of white space or separators.
    """
    run: list[re.Match[str]] = []
    for found in _SEED_WORD.finditer(text):
        gap = text[run[-1].end() : found.start()] if run else ""
        is_next = bool(run) and int(found[1]) == len(run) + 1
        follows = is_next and len(gap) <= _SEED_GAP and not gap.strip(" \t\r\n,;|")
        if not follows:
            yield from _phrase_of_run(run)
            run = []
        if follows or found[1] == "1":
            run.append(found)
    yield from _phrase_of_run(run)


def _phrase_of_run(run: list[re.Match[str]]) -> Iterator[SecretSpan]:
    """Yield a run of numbered words as a seed phrase if it has 12, 15, 18, 21 or 24 words, more than half of them
    different; else nothing.
    """
    if len(run) in _SEED_LENGTHS and len({found[2] for found in run}) > len(run) // 2:
        yield SecretSpan(run[0].start(2), run[-1].end(), "seed-phrase")
