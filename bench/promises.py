"""Does every promise of recall and explanation hold of ten thousand recalls over vaults at random?

    python bench/promises.py --recalls 10000 --seed 1 --out bench/results/promises.json

Each vault holds memories in every state, a conversation and another namespace; each question is asked with settings and
a caller drawn at random. tests/kits/promises.py says what is checked; `broken` names what broke a promise.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import machine
from pellucid.encoders.minilm.encoder import MODEL_NAME, MiniLM

sys.path.append(str(machine.ROOT / "tests"))
from kits.promises import of_every_vault, open_vault

VAULTS_A_SEED = 1_000_000


def main() -> int:
    """Ask, print, and return 1 if any promise is broken."""
    parser = machine.arguments(__doc__ or "")
    parser.add_argument("--recalls", type=int, default=10_000)
    options, started = parser.parse_args(), time.time()
    encoder, first = MiniLM(options.models / MODEL_NAME), options.seed * VAULTS_A_SEED
    with TemporaryDirectory(prefix="pellucid-promises-") as folder:
        held, broken, recalls = of_every_vault(
            lambda number: open_vault(Path(folder), encoder, first + number), options.recalls, options.seed
        )
    outcome = {"benchmark": "promises", "recalls": recalls, "held": dict(sorted(held.items())), "broken": broken}
    machine.publish(outcome, options.out, started)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
