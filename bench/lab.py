"""How good is recall on a public data set, beside BM25 alone and vectors alone?

    python bench/lab.py locomo --data path/to/data --out bench/results/lab-locomo.json
    python bench/lab.py locomo --mode extract --data path/to/data --out bench/results/lab-locomo-extract.json
    python bench/lab.py longmemeval --updates --data path/to/data --out bench/results/lab-updates.json

This is `pellucid lab run --ablate`, with the machine and the command written beside the numbers; with `--updates` it is
`pellucid lab run --updates` in both modes.
"""

import sys
import time
from pathlib import Path

import machine
from pellucid.lab.measuring import LabInput, run_lab
from pellucid.settings import load


def main() -> None:
    parser = machine.arguments(__doc__ or "")
    parser.add_argument("dataset", choices=("locomo", "longmemeval", "scifact", "qmsum", "sessions", "eips"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mode", choices=("verbatim", "extract", "both"), default="verbatim")
    parser.add_argument("--updates", action="store_true", help="the order of facts that changed, in both modes")
    parser.add_argument("--context", action="store_true", help="also what the assembled contexts hold")
    given = parser.parse_args()
    started = time.time()
    settings = load(home=given.models.parent if given.models else None)

    def measure(mode: str) -> dict[str, object]:
        asked = LabInput.model_validate(
            {
                "dataset": given.dataset,
                "data": given.data,
                "mode": mode,
                "updates": given.updates,
                "ablate": not given.updates and mode == "verbatim",
                "context": given.context,
            }
        )
        return run_lab(settings, asked, lambda said: print(said, file=sys.stderr)).to_wire()

    result = {mode: measure(mode) for mode in ("verbatim", "extract")} if given.updates else measure(given.mode)
    machine.publish(result, given.out, started)


if __name__ == "__main__":
    main()
