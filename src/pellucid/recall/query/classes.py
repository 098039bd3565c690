"""A query and its vector in, its class out: one linear head over both.

`tools/fit_query_class.py` fits the weights on example queries written for this purpose (`bench/labels/queries/`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pellucid.language import lexicon
from pellucid.language.scripts import is_east

QueryClass = Literal["decision", "historical", "architectural", "current_state", "other"]
"""What an answer would be about: what was decided, how it was, how it is built, how it is now, or something else."""
CLASSES: tuple[QueryClass, ...] = get_args(QueryClass)
"""In the order in which ties are decided."""

TABLE = "query_class.tsv"
VECTOR = "#"
"""Begins the name of a row that weighs a component of the vector."""

_READ = 1_000
"""Characters that are read: about as many as the encoder reads."""
_PLAIN = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "\u00a0": " ", "\u202f": " ", "’": "'", "´": "'"})
_PRESENT, _PAST = frozenset(("do", "does")), frozenset(("been", "ago", "yesterday", "since", "until"))
_OPENING = 5
"""Words from the start of a question in which its verb is looked for."""
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"(?<!\w)[\"“„«][^\"“”„«»]{2,120}[\"”“»](?!\w)")


@dataclass(frozen=True, slots=True)
class QueryHead:
    """The weights of each class: for a word, a pair of words or an opening, and for each vector component (384, 5)."""

    words: Mapping[str, tuple[int, ...]]
    vector: NDArray[np.int64]


def classify(text: str, vector: NDArray[np.float32] | None = None) -> QueryClass:
    """Return the kind of answer a query is after, by its first 1,000 characters; quotations are not read.

    score(class) = Σ w(feature, class) / √n over the n words, pairs and openings that have weights, + vector · w(class).
    The highest score wins. `vector` is the query's; without it (no encoder) the words alone count. A question in the
    present tense (`how often do we …`) that would be `historical` is `current_state`.
    """
    plain = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text[:_READ].translate(_PLAIN))
    head = load_head()
    weights = [head.words[feature] for feature in features(plain) if feature in head.words]
    scores = np.array(weights, dtype=np.int64).reshape(-1, len(CLASSES)).sum(axis=0) / sqrt(max(1, len(weights)))
    if vector is not None:
        scores = scores + vector.astype(np.float64) @ head.vector
    best = CLASSES[int(np.argmax(scores))]
    return "current_state" if best == "historical" and _asks_about_present(plain) else best


def _asks_about_present(plain: str) -> bool:
    """Whether `do` or `does` is among the first five words of a question, and none of its words tells of the past (by
    the lists `past` and `_PAST`, or by ending in `ed`)."""
    words = [word.lower() for word in _WORD.findall(plain)]
    past_words = lexicon.words("past")
    past = any(word in past_words or word in _PAST or word.endswith("ed") for word in words)
    return not past and not _PRESENT.isdisjoint(words[:_OPENING])


def features(text: str) -> list[str]:
    """Return the distinct features of a query: its words, its pairs of neighbouring words, and its opening, in this
    order.

    `<` and `>` are the words before the first and after the last; `^` begins the opening, the first three words. In
    Chinese and Japanese characters count as words. A capitalised word other than the first becomes `NAME`, the others
    are in lower case.
    """
    if is_east(text):
        words = ["<", *text, ">"]
    else:
        words = ["<", *(_feature_of_word(word, at) for at, word in enumerate(_WORD.findall(text))), ">"]
    opening = "^" + " ".join(words[1:4])
    return list(dict.fromkeys([*words, *(f"{a} {b}" for a, b in pairwise(words)), opening]))


def _feature_of_word(word: str, position: int) -> str:
    """Return `NAME` for a capitalised word neither first (position 0) nor `I`, else the word in lower case."""
    return "NAME" if position and word[0].isupper() and word != "I" else word.lower()


@cache
def load_head() -> QueryHead:
    """Return the trained weights for query classes that come with the package."""
    rows = (files("pellucid.recall") / "heads" / TABLE).read_text("utf-8").splitlines()[1:]
    weights = {name: tuple(map(int, cells)) for name, *cells in (row.split("\t") for row in rows)}
    vector = [weights.pop(f"{VECTOR}{at}") for at in range(sum(name.startswith(VECTOR) for name in weights))]
    return QueryHead(weights, np.array(vector, dtype=np.int64))
