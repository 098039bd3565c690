"""Phrasings of queries by class (`bench/labels/queries/`) in, the weights of `recall.query_class` out.

Ridge regression of each class against the others, in its dual form, over the vector of a phrasing and its words (those
that stand in two phrasings at least, together of length √2). The penalty is that which does best on fifths left out.
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


def words_of(texts: list[str]) -> tuple[list[str], Floats]:
    """The names of the features that are kept, and how much of each a text has: rows of length √SPOKEN."""
    given = [features(text) for text in texts]
    names = linear.common_features(given)
    held = [[name for name in each if name in {*names}] for each in given]
    worth = [dict.fromkeys(each, float(np.sqrt(SPOKEN / max(1, len(each))))) for each in held]
    return names, linear.matrix(worth, names)


def fitted(texts: list[str], labels: NDArray[np.int64], vectors: Floats) -> str:
    """The table as text."""
    names, spoken = words_of(texts)
    like = vectors @ vectors.T + spoken @ spoken.T
    targets = np.eye(len(CLASSES))[labels] * 2 - 1
    shares = {penalty: right(like, targets, labels, penalty) for penalty in PENALTIES}
    penalty = max(shares, key=lambda each: shares[each])
    print(f"{len(texts)} phrasings; right on fifths left out: {shares[penalty]:.3f}, at a penalty of {penalty}")
    duals = solve(like, targets, penalty)
    weights = np.vstack([vectors.T @ duals, np.sqrt(SPOKEN) * (spoken.T @ duals)])
    digest = linear.fingerprint(texts)
    head = [f"ten-thousandths for {', '.join(CLASSES)}; {len(texts)} phrasings, sha256 {digest}"]
    names = [*(f"{VECTOR}{at}" for at in range(vectors.shape[1])), *names]
    return linear.table(head, names, np.rint(weights * SCALE).astype(np.int64))


def solve(like: Floats, targets: Floats, penalty: float) -> Floats:
    """The dual coefficients of a ridge regression."""
    return np.linalg.solve(like + penalty * np.eye(len(like)), targets).astype(np.float64)


def right(like: Floats, targets: Floats, labels: NDArray[np.int64], penalty: float) -> float:
    """The share of phrasings whose class is found by a head that was fitted without their fifth."""
    fold = np.random.default_rng(1).permutation(len(labels)) % FOLDS
    said = linear.score_held_out(like, targets, fold, partial(solve, penalty=penalty))
    return float((said.argmax(axis=1) == labels).mean())


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
    HEAD.write_text(fitted(texts, labels, vectors), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
