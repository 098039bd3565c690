"""Phrasings of queries by class (`bench/labels/queries/`) in, the weights of `recall.query_class` out.

Ridge regression of each class against the others, in its dual form, over the vector of a phrasing and its words (those
that stand in two phrasings at least, together of length √2). The penalty is that which does best on fifths left out.
"""

import hashlib
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.app import open_app
from pellucid.recall.query.classes import CLASSES, TABLE, VECTOR, features
from pellucid.settings import load

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "bench" / "labels" / "queries"
HEAD = ROOT / "src" / "pellucid" / "recall" / "heads" / TABLE
SCALE = 10_000
"""Weights are whole ten-thousandths."""
FEWEST, FOLDS, SPOKEN, PENALTIES = 2, 5, 2.0, (0.3, 1.0, 3.0)
Floats = NDArray[np.float64]


def words_of(texts: list[str]) -> tuple[list[str], Floats]:
    """The names of the features that are kept, and how much of each a text has: rows of length √SPOKEN."""
    given = [features(text) for text in texts]
    counts = Counter(name for each in given for name in each)
    names = sorted(name for name, count in counts.items() if count >= FEWEST)
    column = {name: at for at, name in enumerate(names)}
    out = np.zeros((len(texts), len(names)))
    for row, each in enumerate(given):
        held = [column[name] for name in each if name in column]
        out[row, held] = np.sqrt(SPOKEN / max(1, len(held)))
    return names, out


def fitted(texts: list[str], labels: NDArray[np.int64], vectors: Floats) -> str:
    """The table as text."""
    names, spoken = words_of(texts)
    like = vectors @ vectors.T + spoken @ spoken.T
    targets = np.eye(len(CLASSES))[labels] * 2 - 1
    shares = {penalty: left_out(like, targets, labels, penalty) for penalty in PENALTIES}
    penalty = max(shares, key=lambda each: shares[each])
    print(f"{len(texts)} phrasings; right on fifths left out: {shares[penalty]:.3f}, at a penalty of {penalty}")
    duals = np.linalg.solve(like + penalty * np.eye(len(texts)), targets)
    weights = [*vectors.T @ duals, *(np.sqrt(SPOKEN) * (spoken.T @ duals))]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    rows = [f"# ten-thousandths for {', '.join(CLASSES)}; {len(texts)} phrasings, sha256 {digest}"]
    for name, row in zip([*(f"{VECTOR}{at}" for at in range(vectors.shape[1])), *names], weights, strict=True):
        whole = np.rint(row * SCALE).astype(int).tolist()
        rows.append("\t".join((name, *map(str, whole))))
    return "\n".join(rows) + "\n"


def left_out(like: Floats, targets: Floats, labels: NDArray[np.int64], penalty: float) -> float:
    """The share of phrasings whose class is found by a head that was fitted without their fifth."""
    fold, right = np.random.default_rng(1).permutation(len(labels)) % FOLDS, 0
    for number in range(FOLDS):
        seen, unseen = fold != number, fold == number
        duals: Any = np.linalg.solve(like[np.ix_(seen, seen)] + penalty * np.eye(int(seen.sum())), targets[seen])
        right += int(((like[np.ix_(unseen, seen)] @ duals).argmax(axis=1) == labels[unseen]).sum())
    return right / len(labels)


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
