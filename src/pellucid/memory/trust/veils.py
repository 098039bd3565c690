"""A text in, what is veiled in it out: escaped, spelled with digits or gaps, encoded, or put where nobody looks.

Each function reads a text once, however it is made.
"""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator

from pellucid.language.hidden import TWINS

_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4})\}?|\\x([0-9a-fA-F]{2})|%([2-7][0-9a-fA-F])|\\([nrt\"/])")
_LEET_WORD = re.compile(r"(?<![\w@$])(?=[\d@$!]{0,20}[a-zA-Z])(?=[a-zA-Z]{0,20}[\d@$!])[a-zA-Z\d@$!]{2,24}(?![\w@$])")
_LEET: dict[int, str] = {ord(sign): letter for sign, letter in zip("0134578@$!9", "oieastbasig", strict=True)}
_SPACED = re.compile(r"(?<![\w.-])[a-zA-Z](?:[ .\-_*·/|][a-zA-Z]){4,400}(?![\w])")
_GAP = re.compile(r"[ .\-_*·/|]")
_WORDS_IN = re.compile(
    "ignore|disregard|forget|override|bypass|previous|prior|earlier|above|all|your|the|system|instructions?|prompt|rules|"
    "guidelines|secrets?|passwords?|tokens?|send|reveal|user|tell|not|do|never|run|execute"
)
_BLOB = re.compile(r"(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{24,4000}={0,2}|(?:[0-9a-fA-F]{2}[ :]?){16,2000})(?![\w+/-])")
_BLOBS = 16
_LONGEST_HIDDEN = 2_000
_HIDDEN_SIGNS = re.compile(
    "[\u202d\u202e\u2066-\u2069\U000e0001-\U000e007f]"  # order overrides, isolates, tags
    "|(?<=[A-Za-z])[\u00ad\u200b\u200c\u200d\u2060-\u2064\ufeff](?=[A-Za-z])"
    "|[\u200b\u2060-\u2064]{2}"
)
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]+\U000e007f")
"""A flag of a region: the one use of tags that is not to hide."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSEEN_STYLE = re.compile(
    r"<[a-z][a-z0-9]{0,20}\b[^<>]{0,200}\bstyle ?= ?[\"'][^\"'<>]{0,200}"
    r"(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?![.\d])"
    r"|color ?: ?(?:white|#fff|transparent))"
    r"|\[(?://|comment|_)\]: ?(?:#|<>) ?[(\"']",
    re.IGNORECASE,
)


def unveiled(text: str) -> Iterator[str]:
    """Other readings of a text, where they differ: escapes resolved, digits as letters, `i g n o r e` as a word."""
    if "\\" in text or "&" in text or "%" in text:
        plain = html.unescape(_ESCAPE.sub(_decoded_character, text))
        if plain != text:
            yield plain
    for letters in (_LEET, _LEET | {ord("1"): "l"}):
        spelled, count = _LEET_WORD.subn(lambda word, letters=letters: word[0].translate(letters), text)
        if count > 1:
            yield spelled
    if _SPACED.search(text):
        yield _SPACED.sub(lambda run: " ".join(_WORDS_IN.findall(_GAP.sub("", run[0]).lower())), text)


def decoded(text: str) -> Iterator[str]:
    """The texts that a text holds as base64 or hexadecimal digits; and itself in rot13, if it speaks of that."""
    for number, found in enumerate(_BLOB.finditer(text)):
        if number == _BLOBS:
            break
        yield from _decoded_texts(found[0])
    if "rot13" in text.lower() or "rot-13" in text.lower():
        yield codecs.encode(text, "rot13")


def page_comments(text: str) -> Iterator[str]:
    """The HTML comments in a text, each cut at 2,000 characters; one that is never closed goes to the end."""
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        yield text[start + 4 : min(end, start + _LONGEST_HIDDEN) if end >= 0 else start + _LONGEST_HIDDEN]
        start = text.find("<!--", end + 3) if end >= 0 else -1


def has_hidden_words(text: str) -> bool:
    """Whether a text has words that a reader of the page does not see, or letters that are not what they seem."""
    if not text.isascii() and (_HIDDEN_SIGNS.search(_FLAG.sub("", text)) or _is_disguised(text)):
        return True
    return ("<" in text or "[" in text) and _UNSEEN_STYLE.search(text) is not None


def _is_disguised(text: str) -> bool:
    """Whether a Latin word in a text has letters of other scripts, all of which look like Latin ones."""
    for word in _WORD.findall(text):
        if not word.isascii():
            strangers = [letter for letter in word if not letter.isascii()]
            if len(strangers) < len(word) and all(letter in TWINS for letter in strangers):
                return True
    return False


def _decoded_character(found: re.Match[str]) -> str:
    """The character that an escape stands for; a space for an escaped `n`, `r` or `t`."""
    digits = found[1] or found[2] or found[3]
    if digits:
        return chr(int(digits, 16))
    return found[4] if found[4] in '"/' else " "


def _decoded_texts(blob: str) -> Iterator[str]:
    """The texts that a run of hexadecimal digits, or of base64, decodes to; none if it is no text."""
    plain = re.sub(r"[ :]", "", blob)
    for decode in (binascii.unhexlify, _from_base64):
        try:
            said = decode(plain).decode("utf-8")
        except (ValueError, UnicodeDecodeError):
            continue
        if said.isprintable() or "\n" in said:
            yield said


def _from_base64(blob: str) -> bytes:
    """The bytes of base64 in either alphabet, whatever its padding; ValueError if it is none."""
    padded = blob.rstrip("=") + "=" * (-len(blob.rstrip("=")) % 4)
    return base64.b64decode(padded.replace("-", "+").replace("_", "/"), validate=True)
