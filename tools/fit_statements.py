"""Labelled sentences (`bench/labels/`) in, the weights of `observe.durability` out, with their accuracy."""

import sys
from pathlib import Path

from pellucid.lab.heads.statements import fit, load

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "bench" / "labels"
HEADS = ROOT / "src" / "pellucid" / "observe" / "heads"


def main(check: bool) -> int:
    """Fit and write each head; with `check`, return 1 if a table is not the one that the labels give, else 0."""
    stale = 0
    for head in ("statements", "questions"):
        labels = load(sorted(LABELS.glob(f"{head}*.jsonl")))
        fitted, table = fit(labels), HEADS / f"{head}.tsv"
        print(
            f"{len(labels)} {head}; left out in tenths: accuracy {fitted.accuracy:.3f}, "
            f"precision {fitted.precision:.3f}, recall {fitted.recall:.3f}, kind {fitted.kind_accuracy:.3f}"
        )
        stale |= int(not table.exists() or table.read_text("utf-8") != fitted.table)
        if not check:
            table.write_text(fitted.table, encoding="utf-8")
    return stale if check else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
