"""A query in, how far its words speak for each class out: counted in phrasings of our own, by naive Bayes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import log

from pellucid.recall.query_cues import QueryClass

CLASSES: tuple[QueryClass, ...] = ("decision", "historical", "architectural", "current_state", "other")
"""In the order in which ties are decided."""

_ADDED = 0.3
"""What is added to each count, so that a word never seen in a class does not rule it out."""

_SCALE = 1_000
"""Weights are whole thousandths of a natural logarithm, so that sums are exact."""

_WORD = re.compile(r"\w+")
_EAST = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")

Weights = tuple[int, ...]
"""For each class, in thousandths of a natural logarithm."""


def weigh(text: str) -> tuple[Weights, str]:
    """How far the words speak for each class, in thousandths of ln P, and the word that speaks loudest for the first.

    score(class) = Σ ln((n(word, class) + 0.3) / (n(class) + 0.6)) over the words, pairs and openings that some phrasing
    holds; a capitalised word behind the first counts as a name, whichever it is.
    """
    table = _table()
    known = [(feature, table[feature]) for feature in _features(text) if feature in table]
    sums = tuple(sum(weights[at] for _, weights in known) for at in range(len(CLASSES)))
    best = max(range(len(CLASSES)), key=lambda at: sums[at])
    alone = [
        (weights[best] - max(weights[:best] + weights[best + 1 :]), word) for word, weights in known if word in text
    ]
    return sums, max(alone)[1] if alone else ""


def _features(text: str) -> list[str]:
    if _EAST.search(text):
        words = ["<", *text, ">"]
    else:
        found = _WORD.findall(text)
        words = ["<", *(_folded(word, at) for at, word in enumerate(found)), ">"]
    opening = "^" + " ".join(words[1:4])
    return list(dict.fromkeys([*words, *(f"{a} {b}" for a, b in pairwise(words)), opening]))


def _folded(word: str, at: int) -> str:
    return "NAME" if at and word[0].isupper() and word != "I" else word.lower()


@cache
def _table() -> Mapping[str, Weights]:
    counts = {name: Counter[str]() for name in CLASSES}
    sizes = Counter[str]()
    for name in CLASSES:
        for phrasing in phrasings(name):
            sizes[name] += 1
            counts[name].update(_features(phrasing))
    every = set[str]().union(*counts.values())
    return {
        feature: tuple(
            round(_SCALE * log((counts[name][feature] + _ADDED) / (sizes[name] + 2 * _ADDED))) for name in CLASSES
        )
        for feature in every
    }


def phrasings(name: QueryClass) -> Iterable[str]:
    """The phrasings of a class that ship with the package, one a line."""
    return files("pellucid.recall").joinpath("phrasings", f"{name}.txt").read_text("utf-8").splitlines()
