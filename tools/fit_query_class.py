"""Phrasings of queries by class (`bench/labels/queries/`) in, the weights of `recall.query_class` out.

Ridge regression of each class against the others, in its dual form, over the vector of a phrasing and its words (those
in at least two phrasings, together of length √2). The penalty is the best one on fifths left out.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pellucid.app import open_app
from pellucid.lab.heads import linear
from pellucid.lab.heads.linear import Floats
from pellucid.recall.query.classes import CLASSES, TABLE, VECTOR, features
from pellucid.settings import load

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "bench" / "labels" / "queries"
HEAD = ROOT / "src" / "pellucid" / "recall" / "heads" / TABLE
SCALE = 10_000
"""Weights are whole ten-thousandths."""
FOLDS, SPOKEN, PENALTIES = 5, 2.0, (0.3, 1.0, 3.0)


def word_features(texts: list[str]) -> tuple[list[str], Floats]:
    """Return the names of the word features, and a row for each text with how much it has of each: rows of length
    √SPOKEN."""
    features_of = [features(text) for text in texts]
    names = linear.common_features(features_of)
    known_features = [[name for name in each if name in {*names}] for each in features_of]
    weights = [dict.fromkeys(each, float(np.sqrt(SPOKEN / max(1, len(each))))) for each in known_features]
    return names, linear.matrix(weights, names)


def fit_table(texts: list[str], labels: NDArray[np.int64], vectors: Floats) -> str:
    """Fit the weights and return them as a table's text; print the share of phrasings that are right."""
    names, words = word_features(texts)
    kernel = vectors @ vectors.T + words @ words.T
    targets = np.eye(len(CLASSES))[labels] * 2 - 1
    shares = {penalty: cross_validated_share(kernel, targets, labels, penalty) for penalty in PENALTIES}
    penalty = max(shares, key=lambda each: shares[each])
    print(f"{len(texts)} phrasings; right on fifths left out: {shares[penalty]:.3f}, at a penalty of {penalty}")
    duals = solve_ridge(kernel, targets, penalty)
    weights = np.vstack([vectors.T @ duals, np.sqrt(SPOKEN) * (words.T @ duals)])
    digest = linear.fingerprint(texts)
    first_line = [f"ten-thousandths for {', '.join(CLASSES)}; {len(texts)} phrasings, sha256 {digest}"]
    names = [*(f"{VECTOR}{at}" for at in range(vectors.shape[1])), *names]
    return linear.table(first_line, names, np.rint(weights * SCALE).astype(np.int64))


def solve_ridge(kernel: Floats, targets: Floats, penalty: float) -> Floats:
    """Return the dual coefficients of a ridge regression."""
    return np.linalg.solve(kernel + penalty * np.eye(len(kernel)), targets).astype(np.float64)


def cross_validated_share(kernel: Floats, targets: Floats, labels: NDArray[np.int64], penalty: float) -> float:
    """Return the share of phrasings whose class a head finds that was fitted without their fifth."""
    fold = np.random.default_rng(1).permutation(len(labels)) % FOLDS
    predicted = linear.score_held_out(kernel, targets, fold, partial(solve_ridge, penalty=penalty))
    return float((predicted.argmax(axis=1) == labels).mean())


def main() -> int:
    """Encode the phrasings, fit, and write the table."""
    lines = [(name, line) for name in CLASSES for line in (LABELS / f"{name}.txt").read_text("utf-8").splitlines()]
    texts = [line for _, line in lines]
    labels = np.array([CLASSES.index(name) for name, _ in lines], dtype=np.int64)
    app = open_app(load())
    try:
        vectors = np.array([app.embedder.encode_query(text).vector for text in texts], dtype=np.float64)
    finally:
        app.close()
    HEAD.write_text(fit_table(texts, labels, vectors), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
