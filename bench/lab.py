"""How good is recall on a public data set, beside BM25 alone and vectors alone?

    python bench/lab.py locomo --data path/to/data --out bench/results/lab-locomo.json
    python bench/lab.py locomo --mode extract --data path/to/data --out bench/results/lab-locomo-extract.json
    python bench/lab.py longmemeval --updates --data path/to/data --out bench/results/lab-updates.json
    python bench/lab.py all --limit 40 --keep path/to/kept --data path/to/data --out bench/results/lab-all.json
    python bench/lab.py all --floors --keep path/to/kept --data path/to/data --out bench/results/lab-floors.json

This is `pellucid lab run --ablate`, with the machine and the command written beside the numbers; with `--updates` it is
`pellucid lab run --updates` in both modes; with `all` it is `pellucid lab run --all --ablate`, with `--floors` too
`pellucid lab run --all`. Both tables stand in docs/retrieval.md (`PELLUCID_UPDATE_DOCS=1 pytest
tests/docs/test_docs_retrieval.py` writes them there).
"""

import sys
import time
from pathlib import Path

import machine
from pellucid.lab.every_set import SETS, LabAllInput, run_all
from pellucid.lab.measuring import run_lab
from pellucid.lab.sets import LabInput
from pellucid.settings import load


def report(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Measure and publish."""
    parser = machine.arguments(__doc__ or "")
    parser.add_argument("dataset", choices=("locomo", "longmemeval", "scifact", "qmsum", "sessions", "eips", "all"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mode", choices=("verbatim", "extract", "both"), default="verbatim")
    parser.add_argument("--updates", action="store_true", help="the order of facts that changed, in both modes")
    parser.add_argument("--floors", action="store_true", help="with `all`: no part is left out in turn")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=(), help="with `all`: only these")
    parser.add_argument("--context", action="store_true", help="also what the assembled contexts hold")
    parser.add_argument("--sample", default="1", help="a share of the questions, as of `pellucid lab run`")
    parser.add_argument("--limit", type=int, default=0, help="and of it so many questions at most")
    parser.add_argument("--keep", type=Path, help="a folder in which imports are kept")
    options = parser.parse_args()
    started = time.time()
    settings = load(home=options.models.parent if options.models else None)

    if options.dataset == "all":
        request = LabAllInput(
            data=options.data,
            sets=tuple(options.sets),
            mode=options.mode,
            ablate=not options.floors,
            sample=options.sample,
            limit=options.limit,
            keep=options.keep,
        )
        machine.publish(run_all(settings, request, report).to_wire(), options.out, started)
        return

    def measure(mode: str) -> dict[str, object]:
        """Run the lab in this mode."""
        lab_input = LabInput.model_validate(
            {
                "dataset": options.dataset,
                "data": options.data,
                "mode": mode,
                "updates": options.updates,
                "ablate": not options.updates and mode == "verbatim",
                "context": options.context,
                "sample": options.sample,
                "limit": options.limit,
                "keep": options.keep,
            }
        )
        return run_lab(settings, lab_input, report).to_wire()

    result = {mode: measure(mode) for mode in ("verbatim", "extract")} if options.updates else measure(options.mode)
    machine.publish(result, options.out, started)


if __name__ == "__main__":
    main()
