"""A person's turn in, what of it answers the turn before out: the words of assent, and what is held against them.

`Yes, but 2 needs a lock` is no acceptance of 2: the words after `but` qualify what they name.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from pellucid.language import lexicon
from pellucid.language.sentences import sentence_starts
from pellucid.language.statements.negation import polarity
from pellucid.language.words import words
from pellucid.observe.prose import sentences

LONGEST_ASSENT = 80
"""Characters of the sentence that answers, up to what is held against it: whoever writes more tells something else."""
LONGEST_QUALIFIED = 40
"""The same where something is held against it: `the list is right and so is the total, but …` answers nothing."""
LONGEST_QUOTE = 320
"""Characters of an answer that are quoted, if its first sentence has fewer."""
_NUMBER_ENDS = re.compile(r"(?<!\S)\d{1,2}\.$")
_CLAUSE = re.compile(r"[,;–—]\s*")


@dataclass(frozen=True, slots=True)
class Answer:
    """The words that answer: `assent` picks or agrees, `against` qualifies it; `quote` is the answer as it is told."""

    assent: str
    against: str
    quote: str

    @property
    def is_qualified(self) -> bool:
        """Whether the answer restricts what it agrees to, by words after a `but`."""
        return bool(self.against)

    def undenied(self) -> str:
        """Return the clauses of the assent that neither deny nor call something wrong, joined by commas: of `2, not 3`
        the `2`; empty if there is no such clause."""
        return ", ".join(clause for clause in _CLAUSE.split(self.assent) if not _is_denied(clause))


def read_answer(content: str) -> Answer | None:
    """Return a turn's first sentence as an answer, split at a word such as `but`; None if it is no answer.

    It is none if it is empty, begins with its `but`, has over 80 characters without a `but`, or over 40 before one. A
    second sentence that begins with a `but` belongs to the first.
    """
    spoken = sentences(" ".join(content.split()))
    if not spoken:
        return None
    first, rest = _first_sentence(spoken)
    contrast = _contrast().search(first)
    assent = (first[: contrast.start()] if contrast else first).strip(" .!,;:–—-")
    if not 0 < len(assent) <= (LONGEST_QUALIFIED if contrast else LONGEST_ASSENT):
        return None
    if not contrast:
        return Answer(assent, "", f"{assent} …" if rest else assent)
    return Answer(assent, first[contrast.end() :].strip(), _quoted(first, rest))


def shortened(text: str, max_length: int) -> str:
    """Return a text; if it is longer than `max_length`, its beginning and ` …`, which come on top of that length.

    The beginning ends at the last end of a sentence beyond half of `max_length`; if there is none, between words.
    """
    if len(text) <= max_length:
        return text
    ends = [at for at in sentence_starts(text) if max_length / 2 < at <= max_length]
    kept = text[: ends[-1]].rstrip() if ends else text[:max_length].rsplit(" ", 1)[0]
    return f"{kept} …"


def _first_sentence(spoken: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the first sentence, with those after it that belong to it, and the other sentences.

    To it belong a sentence that begins with a word such as `but` (`Yes. But not there`) and, once there is such a word,
    one that goes on in small letters behind the number of an item (`yes, but for 2. we want …`). `spoken` must not be
    empty.
    """
    first, *rest = spoken
    while rest and (
        _contrast().match(rest[0])
        or (_contrast().search(first) and _NUMBER_ENDS.search(first) and rest[0][:1].islower())
    ):
        first = f"{first} {rest.pop(0)}"
    return first, rest


def _quoted(first: str, rest: Iterable[str]) -> str:
    """Return the first sentence, whole, and as many of the following ones as fit into 320 characters (`LONGEST_QUOTE`).

    ` …` stands for those left out. Without any left out, the closing mark is dropped.
    """
    quote = first
    for sentence in rest:
        if len(quote) + len(sentence) >= LONGEST_QUOTE:
            return f"{quote} …"
        quote = f"{quote} {sentence}"
    return quote.rstrip(" .!,")


def _is_denied(clause: str) -> bool:
    """Whether a clause denies something or calls it wrong."""
    return polarity(clause).denied or not lexicon.words("mistaken").isdisjoint(words(clause))


@cache
def _contrast() -> re.Pattern[str]:
    """Return a pattern for words with which a speaker restricts what was said (`but`, `except`), in any language."""
    latin = "|".join(sorted(map(re.escape, lexicon.words("contrast"))))
    return re.compile(rf"(?<![\w'’-])(?:{latin})(?![\w'’-])|{lexicon.sign('contrast')}", re.IGNORECASE)
