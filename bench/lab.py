"""How good is recall on a public data set, beside BM25 alone and vectors alone?

    python bench/lab.py locomo --data path/to/data --out bench/results/lab-locomo.json

This is `pellucid lab run --ablate`, with the machine and the command written beside the numbers.
"""

import sys
import time
from pathlib import Path

import machine
from pellucid.operations.lab import LabInput, run_lab
from pellucid.settings import load


def main() -> None:
    parser = machine.arguments(__doc__ or "")
    parser.add_argument("dataset", choices=("locomo", "longmemeval", "scifact"))
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    started = time.time()
    home = given.models.parent if given.models else None
    outcome = run_lab(
        load(home=home),
        LabInput(dataset=given.dataset, data=given.data, ablate=True),
        lambda said: print(said, file=sys.stderr),
    )
    machine.publish(outcome.to_wire(), given.out, started)


if __name__ == "__main__":
    main()
