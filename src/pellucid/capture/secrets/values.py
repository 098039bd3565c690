"""A value found beside a secret's name in, whether it is a secret out: the guards that leave prose and code alone."""

import re
from collections import Counter
from math import log2
from typing import Literal

Kind = Literal["password", "key", "token"]

_PLACEHOLDER = re.compile(
    r"\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[\w.\[\]'\"]*\}?|<.*|%\(.*|%[A-Za-z_]\w*%|#\{.*|@\w+@|\[[\w:. -]*\]?"
    r"|[*.•…_-]{2,}|[xX]{3,}.*|\(.*|\\.*|!\w+|&\w+|\|.*|>.*|.*[xX]{4,}|.*(?:\.{3}|…)",
    re.DOTALL,
)
_CODE = re.compile(r"[A-Za-z_$][\w$.?!]*[(\[{].*|[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[;,)]*", re.DOTALL)
_VERSION = re.compile(r"(?:[\^~<>=]{1,2} ?)?v?\d+(?:\.(?:\d+|[x*])){1,3}(?:[-+.][\w.+-]{0,20})?")
_STAND_IN = re.compile(
    r"(?:your|my|the)?[_-]?(?:pass(?:word|wd)?|pwd?|secret|token|xxx+|pw|key|auth)[_-]?\d?", re.IGNORECASE
)
_INSERTED = re.compile(r"\{[A-Za-z_][^{}]*\}|%[sdr(]|\$\{")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_URL = re.compile(r"[A-Za-z]:\\.*|[a-z][a-z0-9+.-]*://.*", re.DOTALL)
_AWS_SECRET = re.compile(r"[A-Za-z0-9/+]{40}")
_DIGEST = re.compile(r"(?:sha\d{1,3}|md5|blake\w{1,3})[-:].*|h1:.*|(?:mem|rec|ep|obs)_[0-9a-f]{32}", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d\d?:\d\d.*|v?\d+(?:\.\d+)+[\w.+-]{0,20}|[\d.,_]+[a-zA-Z%]{0,3}")
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PIECE = re.compile(r"[-_./:+\s]+")
_WORDY = re.compile(r"[A-Za-z]*\d{0,2}|\d{1,4}|v\d+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\d{0,2}")
_MEASURE = re.compile(r"\d{1,4}[a-z]+|v\d.*")
_SPOKEN = re.compile(r"[A-Z]?[a-z]*\d?|\d{1,4}[a-z]*")
_ALGORITHM_NAMES = """
    sha1 sha224 sha256 sha384 sha512 md5 bcrypt argon2 argon2id pbkdf2 base64 base58 base32 utf8 utf16 utf8mb4
    aes128 aes256 hs256 hs512 rs256 es256 ed25519 x25519 secp256k1 x509 oauth2 http2 ipv4 ipv6 i18n l10n k8s e2e s3
    ec2 p256
    """
_ALGORITHMS = frozenset(_ALGORITHM_NAMES.split())
_STOPWORDS = re.compile(
    r"pass|pwd|secret|token|key|cred|auth|example|sample|test|dummy|fake|mock|place|change|replace|your|enter|here|user"
    r"|input|field|form|hash|string|null|none|true|false|undefined|required|optional|value|config|env|redact|hidden"
    r"|bearer|basic|random|default|valid|type|name|label|text|file|path|number|bytes|object|function|string|column",
    re.IGNORECASE,
)
_LOOKED_AT = 256  # characters of a value that are examined
_VOWELS = re.compile(r"[aeiouyAEIOUY]")


def entropy(value: str) -> float:
    """Return the Shannon entropy of a value's characters, in bits a character; 0 for an empty one."""
    return -sum(n / len(value) * log2(n / len(value)) for n in Counter(value).values()) if value else 0.0


def is_secret(value: str, kind: Kind, *, quoted: bool, is_variable: bool) -> bool:
    """Whether a value assigned to a secret's name is a secret, not a word, a placeholder, code, a version, a digest or
    a path; False for fewer than four characters.

    `value` is without its quotes; its first 256 characters are examined. `kind` is what its name says: a password is
    told by its characters (`_is_password`), a key or token must look random (`_is_key`). A `quoted` value must not have
    a variable inserted, another must not read as code (`is_code`). `is_variable`: the name is an environment
    variable's, in capitals or exported; then, as in quotes, letters alone can be a secret.
    """
    value = value[:_LOOKED_AT]
    if kind == "key" and _AWS_SECRET.fullmatch(value) and _has_letter_and_digit(value) and entropy(value) > 4.2:
        return True
    is_other = _PLACEHOLDER.fullmatch(value) or _DIGEST.fullmatch(value) or _VERSION.fullmatch(value)
    if len(value) < 4 or is_other or _is_url_or_path(value):
        return False
    if _INSERTED.search(value) if quoted else is_code(value):
        return False
    if kind == "password":
        return _is_password(value, quoted=quoted, literal=quoted or is_variable)
    return _is_key(value, kind, quoted=quoted, literal=quoted or is_variable)


def is_typed_password(value: str) -> bool:
    """Whether the argument of a password option is a password: four characters or more, no placeholder (`is_stand_in`,
    `<…>`), no variable, and none inserted.
    """
    inserted = _PLACEHOLDER.fullmatch(value) or _INSERTED.search(value)
    return len(value) >= 4 and not inserted and not is_stand_in(value)


def is_stand_in(value: str) -> bool:
    """Whether the whole value is a placeholder such as `password` or `your-token`; capitals do not matter."""
    return _STAND_IN.fullmatch(value) is not None


def is_code(value: str) -> bool:
    """Whether an unquoted value reads as code, so that the secret itself is elsewhere: a name followed by `(`, `[` or
    `{`, or names joined by `.`, `::` or `->`.
    """
    return _CODE.fullmatch(value) is not None


def is_random(value: str, at_least: int = 16) -> bool:
    """Whether a value of `at_least` characters or more mixes letters and digits at random: it has both, is not made of
    words, and its entropy is at least 2.6 bits a character (3 from 20 characters on).

    False for a shorter value, a URL, a path, a digest, or one of Pellucid's ids.
    """
    if len(value) < at_least or _DIGEST.fullmatch(value) or _is_url_or_path(value):
        return False
    return (
        _has_letter_and_digit(value)
        and not _is_made_of_words(value)
        and entropy(value) >= (3.0 if len(value) >= 20 else 2.6)
    )


def is_spoken_secret(value: str) -> bool:
    """Whether the text after "the password is" has a secret in it: it has six characters or more, and one of its pieces
    mixes letters and digits.

    Pieces are separated by hyphens, dots, slashes and the like. The name of an algorithm and a measure (`20ms`) do not
    count; nor does `v` with a number and more, if it is the only piece, or a word with one digit at its end, if there
    are several.
    """
    pieces = _PIECE.split(value)
    wordy = _MEASURE if len(pieces) == 1 else _SPOKEN
    return len(value) >= 6 and any(
        _has_letter_and_digit(piece) and not wordy.fullmatch(piece) and piece.lower() not in _ALGORITHMS
        for piece in pieces
    )


def _is_url_or_path(value: str) -> bool:
    """Whether a value is a URL, or a path: it begins with `/`, `./`, `../`, `~/` or a drive's letter, or has at least
    two slashes.

    It counts as base64, not as a path, if a piece between slashes has 16 characters or more and is not made of words.
    """
    if _URL.fullmatch(value):
        return True
    pieces = value.split("/")
    anchored = value.startswith(("/", "./", "../", "~/"))
    return (anchored or len(pieces) > 2) and all(len(piece) < 16 or _is_made_of_words(piece) for piece in pieces)


def _is_password(value: str, *, quoted: bool, literal: bool) -> bool:
    """Whether a value is a password: without white space, of six characters or more, with a digit, or with a letter and
    one of `!@#$%^&*?~=+`.

    Four characters suffice for a `quoted` value with letter and digit. If it is `literal` (quoted, or a variable's, so
    not code), six characters without any of these suffice, if they are no capitalised word and contain none of
    `_STOPWORDS`. The name of an algorithm, or a common word with a number, is no password.
    """
    if any(char.isspace() for char in value):
        return False
    has_letter, has_digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if has_digit and not has_letter:
        return len(value) >= 6
    if has_digit:
        return len(value) >= (4 if quoted else 6) and value.lower() not in _ALGORITHMS and not _is_numbered_word(value)
    if any(char in "!@#$%^&*?~=+" for char in value):
        return has_letter and len(value) >= 6
    return literal and len(value) >= 6 and not value.istitle() and not _STOPWORDS.search(value)


def _is_numbered_word(value: str) -> bool:
    """Whether a value is an identifier made of words and small numbers, one of them in `_STOPWORDS`: `password1` or
    `user_password_2`.
    """
    return (
        _IDENTIFIER.fullmatch(value) is not None and _is_made_of_words(value) and _STOPWORDS.search(value) is not None
    )


def _is_key(value: str, kind: Kind, *, quoted: bool, literal: bool) -> bool:
    """Whether the value of a key or token looks random: eight characters or more, without white space, no date or
    number.

    A UUID counts only if `kind` is `key`, letters alone only if `literal` (quoted, or a variable's) and unlike words.
    An identifier with fewer than three digits that is not `literal` may be code: it counts from 20 characters on,
    without any of `_STOPWORDS`. In all other cases `is_random` decides, from 8 characters on, or 10 if it is not
    `literal`.
    """
    if len(value) < 8 or any(char.isspace() for char in value) or _DATE.fullmatch(value):
        return False
    if UUID.fullmatch(value):
        return kind == "key"
    if not _has_letter_and_digit(value):
        return literal and len(value) >= 8 and not _reads_like_words(value)
    if not literal and _IDENTIFIER.fullmatch(value) and sum(map(str.isdigit, value)) < 3:
        return len(value) >= 20 and not _STOPWORDS.search(value)
    return is_random(value, at_least=8 if quoted or literal else 10)


def _has_letter_and_digit(value: str) -> bool:
    """Whether a value has a letter and a digit."""
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value))


def _is_made_of_words(value: str) -> bool:
    """Whether every piece between separators (hyphen, dot, slash and the like) is empty, a run of ASCII letters (a word
    or not) with at most two digits at its end, `v` and digits, a number of at most four digits, or the name of an
    algorithm."""
    return all(_WORDY.fullmatch(piece) or piece.lower() in _ALGORITHMS for piece in _PIECE.split(value))


def _reads_like_words(value: str) -> bool:
    """Whether a value without digits reads like words: it has fewer than 12 characters, contains one of `_STOPWORDS`,
    or more than 31 % of its characters are vowels.
    """
    return len(value) < 12 or _STOPWORDS.search(value) is not None or len(_VOWELS.findall(value)) > 0.31 * len(value)
