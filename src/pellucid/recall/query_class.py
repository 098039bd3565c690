"""A query in, its class and the words that decided it out: ordered tables of patterns first, then weighed keywords."""

import re
from dataclasses import dataclass

from pellucid.recall.query_cues import CUES, CUES_EAST, MECHANISM, QueryClass
from pellucid.recall.query_words import CLASSES, weigh

_READ = 1_000
"""Characters of a long text that are read at each end."""

_CUE, _NO_CUE = 6_000, 3_000
"""What a matching pattern, or none, is worth beside the words of a query, in thousandths of a natural logarithm."""

_PLAIN = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "\u00a0": " ", "\u202f": " ", "’": "'", "´": "'"})
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
    no pattern matches) do they decide.
    """
    read = text if len(text) <= 2 * _READ else f"{text[:_READ]} {text[-_READ:]}"
    plain = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), read.translate(_PLAIN))
    matched = _matched(plain, read)
    sums, loudest = weigh(plain)
    worth = _CUE if matched.name != "other" else _NO_CUE
    scores = [total + worth * (name == matched.name) for name, total in zip(CLASSES, sums, strict=True)]
    name = CLASSES[scores.index(max(scores))]
    if name == matched.name:
        return matched
    return Tagged(name, "" if name == "other" else loudest)


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
