"""A text in, its hidden readings out: escaped, spelled with digits or gaps, encoded, or placed where nobody looks.

Each function takes linear time, whatever the text.
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
"""The flag of a region: the only harmless use of tag characters."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSEEN_STYLE = re.compile(
    r"<[a-z][a-z0-9]{0,20}\b[^<>]{0,200}\bstyle ?= ?[\"'][^\"'<>]{0,200}"
    r"(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?![.\d])"
    r"|color ?: ?(?:white|#fff|transparent))"
    r"|\[(?://|comment|_)\]: ?(?:#|<>) ?[(\"']",
    re.IGNORECASE,
)


def unveiled(text: str) -> Iterator[str]:
    """Yield other readings of a text: with its escapes resolved, if it has any; with the digits and signs in its words
    as letters (once with `1` as `i`, once as `l`), if two words have such; with each run of five single letters or more
    (`i g n o r e`) as the words of `_WORDS_IN` that it spells, if it has one.
    """
    if "\\" in text or "&" in text or "%" in text:
        plain = html.unescape(_ESCAPE.sub(_decoded_character, text))
        if plain != text:
            yield plain
    for letters in (_LEET, _LEET | {ord("1"): "l"}):
        respelled, count = _LEET_WORD.subn(lambda word, letters=letters: word[0].translate(letters), text)
        if count > 1:
            yield respelled
    if _SPACED.search(text):
        yield _SPACED.sub(lambda run: " ".join(_WORDS_IN.findall(_GAP.sub("", run[0]).lower())), text)


def decoded(text: str) -> Iterator[str]:
    """Yield the texts that the first 16 runs of base64 or hexadecimal digits in a text decode to; if the text mentions
    rot13, then also the whole text decoded from rot13.

    A run has at least 24 signs of base64, or 16 pairs of hexadecimal digits; one that does not decode to text is left
    out.
    """
    for number, found in enumerate(_BLOB.finditer(text)):
        if number == _BLOBS:
            break
        yield from _decoded_texts(found[0])
    if "rot13" in text.lower() or "rot-13" in text.lower():
        yield codecs.encode(text, "rot13")


def page_comments(text: str) -> Iterator[str]:
    """Yield the contents of the HTML comments in a text, in order, each cut so that with its `<!--` it has 2,000
    characters at most; an unclosed one ends with the text.
    """
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        yield text[start + 4 : min(end, start + _LONGEST_HIDDEN) if end >= 0 else start + _LONGEST_HIDDEN]
        start = text.find("<!--", end + 3) if end >= 0 else -1


def has_hidden_words(text: str) -> bool:
    """Whether a text has words that a reader of the page does not see: an invisible sign between Latin letters, two in
    a row or signs that turn the order of writing, anywhere; an element of an unseen style; a link definition used as a
    comment (`[//]: # (…)`); or a word that mixes Latin letters with look-alikes. HTML comments do not count (see
    `page_comments`).
    """
    if not text.isascii() and (_HIDDEN_SIGNS.search(_FLAG.sub("", text)) or _is_disguised(text)):
        return True
    return ("<" in text or "[" in text) and _UNSEEN_STYLE.search(text) is not None


def _is_disguised(text: str) -> bool:
    """Whether a word of three letters or more in a text mixes Latin letters with letters that are not ASCII, all of
    which look like Latin ones.
    """
    for word in _WORD.findall(text):
        if not word.isascii():
            strangers = [letter for letter in word if not letter.isascii()]
            if len(strangers) < len(word) and all(letter in TWINS for letter in strangers):
                return True
    return False


def _decoded_character(found: re.Match[str]) -> str:
    """Return the character that an escape means; a space for an escaped `n`, `r` or `t`."""
    digits = found[1] or found[2] or found[3]
    if digits:
        return chr(int(digits, 16))
    return found[4] if found[4] in '"/' else " "


def _decoded_texts(blob: str) -> Iterator[str]:
    """Yield the texts that a run of hexadecimal digits, or of base64, decodes to; what is not UTF-8, or neither
    printable nor of several lines, is left out.
    """
    plain = re.sub(r"[ :]", "", blob)
    for decode in (binascii.unhexlify, _from_base64):
        try:
            text = decode(plain).decode("utf-8")
        except (ValueError, UnicodeDecodeError):
            continue
        if text.isprintable() or "\n" in text:
            yield text


def _from_base64(blob: str) -> bytes:
    """Decode base64 of either alphabet, whatever its padding; raise ValueError if it is not base64."""
    padded = blob.rstrip("=") + "=" * (-len(blob.rstrip("=")) % 4)
    return base64.b64decode(padded.replace("-", "+").replace("_", "/"), validate=True)
