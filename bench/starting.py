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
from importing import import_verbatim, open_home, write_transcript

MAIN = (
    "import sys; sys.dont_write_bytecode = False; "  # what is compiled is kept, as an installed package's is
    "from pellucid.surfaces.cli import main; sys.argv[0] = 'pellucid'; main()"
)


def commands(home: Path) -> dict[str, list[str]]:
    """Map the name of each process to the arguments of Python that start it."""
    home_options = ["--home", str(home), "--namespace", corpus.NAMESPACE]
    arguments_of = {
        "help": ["--help"],
        "list": ["list", *home_options],
        "recall": ["recall", "where is the harbour", *home_options],
        "remember": ["remember", "The harbour crane lifts forty tonnes.", *home_options],
    }
    programs = {"python": "pass", "libraries": "import numpy, onnxruntime, apsw, tokenizers"}
    return {name: ["-c", program] for name, program in programs.items()} | {
        name: ["-c", MAIN, *arguments] for name, arguments in arguments_of.items()
    }


def cpu_ms(arguments: Sequence[str]) -> float:
    """Return the milliseconds of processor time of a process."""
    child = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, arguments
    return (usage.ru_utime + usage.ru_stime) * 1000


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--memories", type=int, default=600)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        home = Path(folder) / "home"
        app = open_home(home, options.models)
        texts = corpus.texts(options.memories, options.seed, corpus.ordinary_words(options.models, options.seed))
        import_verbatim(app, write_transcript(Path(folder) / "turns.jsonl", texts))
        app.close()
        (home / "models").symlink_to(options.models)
        commands_ = commands(home)
        rounds = [{name: cpu_ms(arguments) for name, arguments in commands_.items()} for _ in range(options.runs + 1)][
            1:
        ]
    result = {name: round(median(each[name] for each in rounds)) for name in commands_}
    question = {"question": __doc__.splitlines()[0], "memories": options.memories, "runs": options.runs}
    machine.publish(question | {"cpuMs": result}, options.out, started)


if __name__ == "__main__":
    main()
