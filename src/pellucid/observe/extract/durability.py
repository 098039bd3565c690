"""A sentence of a coding session in, how likely it is worth keeping and of what kind out.

A linear model over the words of a sentence, pairs of them, its beginning and end, its form, and its frame: `never push
to main` and `never touch the lock file` are alike without the words that name things. It was fitted by
`tools/fit_statements.py` on sentences of our own writing (`bench/labels/`); its weights are a readable table. It needs
no vectors, so that extraction needs no encoder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import exp, log1p, sqrt
from typing import Literal, get_args

from pellucid.language import lexicon
from pellucid.language.scripts import EAST, HANGUL
from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.model.memory import Category

Kind = Literal["decision", "rule", "preference", "fact", "correction", "procedure", "commitment", "finding"]
KINDS: tuple[Kind, ...] = get_args(Kind)
CATEGORY: dict[Kind, Category] = {kind: "fact" if kind == "finding" else kind for kind in KINDS}
"""Maps each kind to the category of its memories: a finding is a fact that was found out."""
Head = Literal["statements", "questions"]
"""`statements`: is a sentence worth keeping? `questions`: does a question of a dialogue ask how something shall be, and
not for the next step?"""

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s]")
_GOING_ON = re.compile(
    r"\b(?:ha(?:ve|s|d)|['’](?:ve|s|d)|[iw]e?ve)(?: (?!not\b)\w+){0,3}? been(?: \w+ly)? \w{2,}ing\b", re.IGNORECASE
)
"""A progressive perfect (`has been failing`): it tells how things have been, which is no decision or preference."""
_EAST = re.compile(f"[{EAST}{HANGUL}]")
_FRAME = 3 / 4
"""The norm of the features of frames, as a share of the norm of the features of words."""
_LONGEST = 600
"""Characters of a sentence that are read."""


@dataclass(frozen=True, slots=True)
class DurabilityReading:
    """The probability that a sentence is worth keeping, and the likeliest kind it is of."""

    durable: float
    """The probability that the sentence is worth keeping, 0 to 1."""
    kind: Kind
    of_kind: float
    """The probability that the sentence is of that kind, if it is worth keeping."""


@dataclass(frozen=True, slots=True)
class WeightTable:
    """Maps each feature to its weights: for worth keeping from a user, from an assistant, then for each of `KINDS`."""

    weights: dict[str, tuple[float, ...]]

    def read(self, sentence: str, *, by_user: bool) -> DurabilityReading:
        """Return how likely a sentence is worth keeping if a person said it (`by_user`) or else an assistant, and its
        likeliest kind; only its first 600 characters count.

        The kind is `fact` instead of a decision, rule or preference if the sentence tells how things have been
        (`has been failing`).
        """
        total = [0.0] * (2 + len(KINDS))
        for name, value in features(sentence).items():
            if row := self.weights.get(name):
                for column, weight in enumerate(row):
                    total[column] += weight * value
        # the first two columns are durability by speaker, the others the kinds
        best = max(range(len(KINDS)), key=lambda at: total[2 + at])
        kind = KINDS[best]
        if kind in ("decision", "rule", "preference") and _GOING_ON.search(sentence):
            kind = "fact"
        return DurabilityReading(_logistic(total[0 if by_user else 1]), kind, _logistic(total[2 + best]))


def _logistic(total: float) -> float:
    """Return the probability of a sum of weights: the logistic function."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@cache
def load_table(head: Head = "statements") -> WeightTable:
    """Load the shipped weights that answer one question: `statements`, `questions` (see `Head`). Cached."""
    text = (files("pellucid.observe") / "heads" / f"{head}.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return WeightTable({name: tuple(int(value) / 100 for value in values) for name, *values in rows})


def features(sentence: str) -> dict[str, float]:
    """Return a dict from the names of a sentence's features to their values; 600 characters are read.

    Words and their neighbours make a vector of length 4, frames one of length 3, however long the sentence is; form
    adds numbers and flags, whose names begin with `=`.
    """
    text = sentence.strip()[:_LONGEST]
    words = tokens(text)
    return (
        _scaled_features(set(_word_features(words)), 4)
        | _scaled_features(set(_word_frames(words)), 4 * _FRAME)
        | _form_features(text, words)
    )


def _scaled_features(names: set[str], norm: float) -> dict[str, float]:
    """Return the features, all with one positive value such that their vector has this norm; `{}` for no features."""
    return dict.fromkeys(names, norm / sqrt(max(1, len(names))))


def tokens(text: str) -> list[str]:
    """Return the words and signs of a text in lower case, numbers as `0`; each East Asian letter is a token."""
    out: list[str] = []
    for token in _TOKEN.findall(text.lower().replace("’", "'")):
        if token.isdigit():
            out.append("0")
        elif _EAST.search(token):
            out.extend(token)
        else:
            out.append(token)
    return out


def _word_features(words: list[str]) -> Iterator[str]:
    """Yield the words, pairs of neighbours, the first one to three words as `^ …`, the last one or two as `… $`."""
    yield from words
    yield from (f"{one} {two}" for one, two in pairwise(words))
    for length in (1, 2, 3):
        if len(words) >= length:
            yield f"^ {' '.join(words[:length])}"
    for length in (1, 2):
        if len(words) >= length:
            yield f"{' '.join(words[-length:])} $"


def _word_frames(words: list[str]) -> Iterator[str]:
    """Yield neighbouring pairs and triples of a sentence's frame, each after `~ `.

    The frame has the function words, numbers and signs, `^` and `$` at its ends, and one `~` for each run of other
    words.
    """
    function_words = lexicon.words("function", "vague", "limits", "negators")
    frame = ["^"]
    for word in words:
        kept = word if not word[0].isalpha() or word.replace("'", "") in function_words else "~"
        if kept != "~" or frame[-1] != "~":
            frame.append(kept)
    frame.append("$")
    for length in (2, 3):
        for at in range(len(frame) - length + 1):
            yield f"~ {' '.join(frame[at : at + length])}"


def _form_features(text: str, words: list[str]) -> dict[str, float]:
    """Return the features of a sentence's form, by name (`=size`, `=asks` …): its length in `words`, its closing mark,
    and whether it has numbers, code, and a capital in front.
    """
    size, end = log1p(len(words)), closing_mark(text) or " "
    return {
        "=one": 1.0,
        "=size": size - 2.5,
        "=size2": (size - 2.5) ** 2,
        "=asks": float(end in QUESTION_MARKS),
        "=announces": float(end in ":："),
        "=ends": float(end in ".!。"),
        "=number": float("0" in words),
        "=code": float("`" in text),
        "=capital": float(text[:1].isupper()),
    }
