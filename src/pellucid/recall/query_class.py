"""A query in, its class and the words that decided it out: ordered tables of patterns first, then weighed keywords."""

import re
from dataclasses import dataclass

from pellucid.model.frame_words import PAST
from pellucid.recall.query_cues import CUES, CUES_EAST, MECHANISM, QueryClass
from pellucid.recall.query_words import CLASSES, weigh

_READ = 1_000
"""Characters of a long text that are read at each end."""

_CUE, _NO_CUE = 6_000, 3_000
"""What a matching pattern, or none, is worth beside the words of a query, in thousandths of a natural logarithm."""

_PLAIN = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "\u00a0": " ", "\u202f": " ", "’": "'", "´": "'"})
_PRESENT, _PAST = frozenset(("do", "does")), frozenset(("been", "ago", "yesterday", "since", "until"))
_OPENING = 5
"""Words from the start of a question among which its verb stands."""
_WORD = re.compile(r"[^\W\d_]+")
_EAST = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_QUOTED = re.compile(r"(?<!\w)[\"“„«][^\"“”„«»]{2,120}[\"”“»](?!\w)")


@dataclass(frozen=True, slots=True)
class Tagged:
    """A class, and the words of the query that decided it: "" where none did."""

    name: QueryClass
    cue: str = ""


def classify(text: str) -> Tagged:
    """What kind of answer a query is after; of more than 2,000 characters only the two ends are read.

    The first pattern that matches names a class. Only where the other words speak against it by more than e⁶ (e³ where
    no pattern matches) do they decide. What is asked in the present tense (`how often do we …`) is not about the past.
    """
    read = text if len(text) <= 2 * _READ else f"{text[:_READ]} {text[-_READ:]}"
    plain = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), read.translate(_PLAIN))
    matched = _matched(plain, read)
    sums, loudest = weigh(plain)
    worth = _CUE if matched.name != "other" else _NO_CUE
    scores = [total + worth * (name == matched.name) for name, total in zip(CLASSES, sums, strict=True)]
    name = CLASSES[scores.index(max(scores))]
    if name == "historical" and (asking := _present(plain)):
        return matched if matched.name not in (name, "other") else Tagged("current_state", asking)
    if name == matched.name:
        return matched
    return Tagged(name, "" if name == "other" else loudest)


def _present(plain: str) -> str:
    """The `do` or `does` by which a question asks, unless some word of it is in the past; else ""."""
    words = _WORD.findall(plain)
    past = any(word in PAST or word in _PAST or word.endswith("ed") for word in map(str.lower, words))
    return "" if past else next((word for word in words[:_OPENING] if word.lower() in _PRESENT), "")


def _matched(plain: str, read: str) -> Tagged:
    """The class of the first pattern that matches, and its match as it was typed."""
    lowered = plain.lower()
    if len(lowered) != len(plain):
        lowered = plain
    for name, pattern in (*CUES_EAST, *CUES) if _EAST.search(plain) else CUES:
        if found := pattern.search(lowered):
            return Tagged(name, read[found.start() : found.end()].strip() if name != "other" else "")
    found = MECHANISM.search(plain[:1].lower() + plain[1:])
    return Tagged("architectural", read[: found.end()]) if found else Tagged("other")


__all__ = ["QueryClass", "Tagged", "classify"]
