"""How long does a command take as a whole process, from Python's start to its end?

    python bench/starting.py --runs 9

Processor time (user and system) of whole processes, in turn, in a home of `--memories` made-up memories that the model
encoded: it survives a busy machine better than the clock does. `python` starts and ends; `libraries` also imports what
a recall cannot do without (NumPy, onnxruntime, APSW, tokenizers). A first run of each is not counted.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import corpus
import machine
from importing import opened, take, transcript

MAIN = (
    "import sys; sys.dont_write_bytecode = False; "  # what is compiled is kept, as an installed package's is
    "from pellucid.surfaces.cli import main; sys.argv[0] = 'pellucid'; main()"
)


def commands(home: Path) -> dict[str, list[str]]:
    """What is started, by name."""
    place = ["--home", str(home), "--namespace", corpus.NAMESPACE]
    told = {
        "help": ["--help"],
        "list": ["list", *place],
        "recall": ["recall", "where is the harbour", *place],
        "remember": ["remember", "The harbour crane lifts forty tonnes.", *place],
    }
    bare = {"python": "pass", "libraries": "import numpy, onnxruntime, apsw, tokenizers"}
    return {name: ["-c", program] for name, program in bare.items()} | {
        name: ["-c", MAIN, *words] for name, words in told.items()
    }


def cpu_ms(words: Sequence[str]) -> float:
    """Milliseconds of processor time of a process."""
    child = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, words
    return (used.ru_utime + used.ru_stime) * 1000


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--memories", type=int, default=600)
    parser.add_argument("--runs", type=int, default=9)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        home = Path(folder) / "home"
        app = opened(home, given.models)
        texts = corpus.texts(given.memories, given.seed, corpus.ordinary_words(given.models, given.seed))
        take(app, transcript(Path(folder) / "turns.jsonl", texts))
        app.close()
        (home / "models").symlink_to(given.models)
        started_with = commands(home)
        rounds = [{name: cpu_ms(words) for name, words in started_with.items()} for _ in range(given.runs + 1)][1:]
    result = {name: round(median(each[name] for each in rounds)) for name in started_with}
    question = {"question": __doc__.splitlines()[0], "memories": given.memories, "runs": given.runs}
    machine.publish(question | {"cpuMs": result}, given.out, started)


if __name__ == "__main__":
    main()
