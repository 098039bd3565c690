"""Labelled sentences in, the weights that `observe.extract.durability` reads out, with their quality on others.

Logistic regression with a quadratic penalty, solved exactly in its dual form (as many unknowns as sentences), once for
what is worth keeping and once for each kind; user and assistant share their words, and have a smaller part each.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pellucid.lab.heads import linear
from pellucid.lab.heads.linear import Floats
from pellucid.observe.extract.durability import KINDS, features

PENALTY = 3.0
OWN = 0.5
"""The part of two sentences' likeness that counts only if the same side said both."""
FOLDS = 10
FEWEST = 3  # sentences a word, a pair or a piece of a frame must stand in to have a weight
_NUMBERS: dict[str, int] = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class SentenceLabel:
    """One labelled sentence; `kind` is `none` if it is not worth keeping."""

    text: str
    by_user: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """The table of weights as text, and its quality by cross-validation."""

    table: str
    accuracy: float
    precision: float
    recall: float
    kind_accuracy: float


def load(paths: Sequence[Path]) -> list[SentenceLabel]:
    """Load the labels of JSON-lines files `{text, role, kind}`, each text once (with its last label), in an order by
    hash. ValueError or KeyError for a malformed line.
    """
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines() if line.strip()]
    found = {str(row["text"]): SentenceLabel(str(row["text"]), row["role"] == "user", str(row["kind"])) for row in rows}
    return sorted(found.values(), key=lambda label: hashlib.sha256(label.text.encode()).digest())


def fit(labels: Sequence[SentenceLabel]) -> Fitted:
    """Return the weights fitted on all labels, as a table, and their quality by cross-validation in ten folds: a
    sentence with a probability above 0.5 counts as worth keeping, and its kind is the likeliest.

    Features whose weights are all 0 in hundredths are left out of the table. KeyError for a kind that is neither `none`
    nor one of `KINDS`.
    """
    feature_maps = [features(label.text) for label in labels]
    names = linear.common_features(feature_maps, always="=", fewest=FEWEST)
    matrix = linear.matrix(feature_maps, names)
    user = np.array([label.by_user for label in labels])
    like = (matrix @ matrix.T) * np.where(user[:, None] == user, 1 + OWN, 1.0)
    worth = np.array([label.kind != "none" for label in labels], dtype=float)
    chances = _by_folds(like, worth)
    kept = np.flatnonzero(worth)
    kinds = np.array([_NUMBERS[labels[at].kind] for at in kept.tolist()])
    same = matrix[kept] @ matrix[kept].T
    guessed = np.stack([_by_folds(same, (kinds == number).astype(float)) for number in range(len(KINDS))])
    columns = _weights(matrix, user, like, worth, kept, kinds)
    whole = np.rint(columns * 100).astype(np.int64)
    digest = linear.fingerprint(f"{each.kind}\t{each.text}" for each in labels)
    head = [f"weights in hundredths; fitted on {len(labels)} sentences, sha256 {digest}"]
    head.append("\t".join(("feature", "user", "assistant", *KINDS)))
    is_positive = chances > 0.5
    return Fitted(
        table=linear.table(
            head, [name for name, row in zip(names, whole, strict=True) if row.any()], whole[whole.any(axis=1)]
        ),
        accuracy=float((is_positive == (worth > 0)).mean()),
        precision=float(worth[is_positive].mean()),
        recall=float(is_positive[worth > 0].mean()),
        kind_accuracy=float((guessed.argmax(axis=0) == kinds).mean()),
    )


def _weights(
    matrix: Floats,
    user: NDArray[np.bool_],
    like: Floats,
    worth: Floats,
    kept: NDArray[np.int64],
    kinds: NDArray[np.int64],
) -> Floats:
    """Return the weights of each feature (rows): for the user, for the assistant, and for each kind (columns).

    `matrix` has a row a sentence, `user` says which the user said, `like` is their kernel matrix, `worth` is 1 for
    those worth keeping; `kept` are the indices of these, `kinds` their kinds' numbers.
    """
    duals = _solve(like, worth)
    shared = matrix.T @ duals
    own = [shared + OWN * (matrix[side].T @ duals[side]) for side in (user, ~user)]
    same = matrix[kept] @ matrix[kept].T
    each = [matrix[kept].T @ _solve(same, (kinds == number).astype(float)) for number in range(len(KINDS))]
    return np.stack([*own, *each], axis=1)


def _solve(like: Floats, target: Floats) -> Floats:
    """Return the dual coefficients of a logistic regression on the kernel matrix `like` and targets of 0 and 1, by at
    most 30 rounds of iteratively reweighted least squares.
    """
    duals: Floats = np.zeros(len(target))
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(like @ duals, -30, 30)))
        weight = chance * (1 - chance) + 1e-4
        wanted = like @ duals + (target - chance) / weight
        fresh: Floats = np.linalg.solve(like + np.diag(PENALTY / weight), wanted).astype(np.float64)
        moved, duals = float(np.abs(fresh - duals).max()), fresh
        if moved < 1e-6:
            break
    return duals


def _by_folds(like: Floats, target: Floats) -> Floats:
    """Return each sentence's probability of the target 1 by a model fitted without its fold (one of ten); `like` is the
    sentences' kernel matrix.
    """
    said = linear.score_held_out(like, target, np.arange(len(target)) % FOLDS, _solve)
    chance: Floats = 1 / (1 + np.exp(-np.clip(said, -30, 30)))
    return chance
