"""A text in, the signs that it gives orders to an assistant instead of telling something out: a tuple of codes.

No list is complete: it stands beside rules that ask who said something, and not how (`memory.trust`).
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_HIDDEN = re.compile(
    "[\u202d\u202e\u2066-\u2069\U000e0001-\U000e007f]"  # order overrides, isolates, tags
    "|(?<=[A-Za-z])[\u00ad\u200b\u200c\u200d\u2060-\u2064\ufeff](?=[A-Za-z])"
    "|[\u200b\u2060-\u2064]{2}"
)
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]+\U000e007f")
"""A flag of a region: the one use of tags that is not to hide."""
_TWINS = dict(zip("аеорсхуіјѕԁɡοαερτυνικ", "aeopcxyijsdgoaeptuvik", strict=True))
"""Letters of other scripts that look like a Latin one."""
_MIXED = re.compile(r"\b(?=\w*[A-Za-z])(?=\w*[а-яіјѕα-ω])[A-Za-zа-яіјѕα-ω]{3,}\b")
_COMMENT = re.compile(r"<!--(.{1,2000}?)(?:-->|\Z)", re.DOTALL)
_TO_A_READER = re.compile(
    r"\b(?:assistants?|agents?|ai|llms?|instructions?|remember|memor(?:y|ies)|ignore|you must|system prompt|do not tell"
    r"|always|never)\b|指示|助手|记住|アシスタント",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    r"<[a-z][a-z0-9]*\b[^<>]{0,200}\bstyle ?= ?[\"'][^\"'<>]{0,200}"
    r"(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?![.\d]))"
    r"|\[(?://|comment|_)\]: ?(?:#|<>) ?[(\"']",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Sign:
    """A code with the words without which it is not worth searching for, and its patterns."""

    code: str
    cues: tuple[str, ...]
    pattern: re.Pattern[str]

    def is_in(self, said: str, lowered: str) -> bool:
        return any(cue in lowered for cue in self.cues) and self.pattern.search(said) is not None


def looks_injected(text: str) -> tuple[str, ...]:
    """The codes of the signs found, in the order of `injections.toml`, then those of hidden text; () for a plain text.

    A person's rules for their work are no injection: what counts is speaking to an assistant over its user's head,
    feigning a role, a tool or a memory, hiding, and asking for secrets to be sent away.
    """
    said = _as_read(text)
    lowered = said.lower()
    found = [sign.code for sign in _signs() if sign.is_in(said, lowered)]
    if _hides(text):
        found.append("hidden-text")
    return tuple(found)


def _as_read(text: str) -> str:
    """As a reader sees it: no invisible signs, look-alikes as plain letters, one space between words of a line."""
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    if not plain.isascii():
        plain = _MIXED.sub(lambda word: word[0].translate(str.maketrans(_TWINS)), plain)
    return "\n".join(" ".join(line.split()) for line in plain.splitlines())


def _hides(text: str) -> bool:
    """Whether it holds words that a reader of the page does not see, or letters that are not what they seem."""
    if not text.isascii() and (_HIDDEN.search(_FLAG.sub("", text)) or _disguised(text)):
        return True
    if "<" not in text and "[" not in text:
        return False
    return bool(_INVISIBLE.search(text)) or any(_TO_A_READER.search(each[1]) for each in _COMMENT.finditer(text))


def _disguised(text: str) -> bool:
    """A word of Latin letters among which some only look so: every letter of another script in it has a Latin twin."""
    for word in _MIXED.findall(text):
        strangers = [letter for letter in word if not letter.isascii()]
        if len(strangers) < len(word) and all(letter in _TWINS for letter in strangers):
            return True
    return False


@cache
def _signs() -> tuple[_Sign, ...]:
    table = tomllib.loads(files("pellucid.memory").joinpath("injections.toml").read_text("utf-8"))
    return tuple(
        _Sign(code, tuple(each["cues"]), re.compile("|".join(f"(?:{row})" for row in each["rows"]), re.IGNORECASE))
        for code, each in table.items()
    )
