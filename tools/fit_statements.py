"""Labelled sentences (`bench/labels/`) in, the weights of `observe.durability` out, and how well they do."""

import sys
from pathlib import Path

from pellucid.lab.statement_head import fit, load

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "bench" / "labels"
TABLE = ROOT / "src" / "pellucid" / "observe" / "heads" / "statements.tsv"


def main(check: bool) -> int:
    """Fit and write; with `check`, say instead whether the table is the one that the labels give."""
    labels = load(sorted(LABELS.glob("*.jsonl")))
    fitted = fit(labels)
    print(
        f"{len(labels)} sentences; left out in tenths: accuracy {fitted.accuracy:.3f}, "
        f"precision {fitted.precision:.3f}, recall {fitted.recall:.3f}, kind {fitted.kind_accuracy:.3f}"
    )
    if check:
        return int(TABLE.read_text("utf-8") != fitted.table)
    TABLE.write_text(fitted.table, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
