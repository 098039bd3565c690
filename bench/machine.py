"""A measurement in, one JSON document out: the numbers, the machine they come from, the command to repeat it."""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np

from pellucid.encoders.onnx import onnxruntime

ROOT = Path(__file__).parents[1]
MODELS = ROOT / ".cache" / "models"
WIDTH = 120
_PLACES = ("--out", "--models", "--data", "--keep")
"""Options whose values are paths on one machine, and not part of the measurement."""


def arguments(question: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every program has."""
    parser = argparse.ArgumentParser(description=question, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", type=Path, default=MODELS, help="the folder of the encoder's cache")
    parser.add_argument("--out", type=Path, help="write the document here, too")
    return parser


def publish(result: dict[str, object], out: Path | None, started: float) -> None:
    """Print a result with its machine, and write it to `out`, if given; `started` is when the program began
    (`time.time`)."""
    document = result | {"seconds": round(time.time() - started, 1), "command": command(), "machine": machine()}
    text = format_json(document) + "\n"
    if out:
        out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


def format_json(value: object, indent: int = 0) -> str:
    """Return a value as JSON, with everything that fits in 120 characters on one line."""
    flat = json.dumps(value)
    if indent + len(flat) <= WIDTH or not isinstance(value, dict | list):
        return flat
    inside, outside = "\n" + " " * (indent + 2), "\n" + " " * indent
    named = isinstance(value, dict)
    items = (
        [(f"{json.dumps(name)}: ", each) for name, each in value.items()] if named else [("", each) for each in value]
    )
    lines = [head + format_json(each, indent + 2) for head, each in items]
    return f"{'{' if named else '['}{inside}{f',{inside}'.join(lines)}{outside}{'}' if named else ']'}"


def command() -> str:
    """Return the command line without the paths in it."""
    words, rest = ["python", f"bench/{Path(sys.argv[0]).name}"], iter(sys.argv[1:])
    for word in rest:
        if word in _PLACES:
            next(rest, None)
        elif not word.startswith(tuple(f"{place}=" for place in _PLACES)):
            words.append(word)
    return " ".join(words)


def machine() -> dict[str, object]:
    """Return the processor, the versions and how busy the machine is; the load average includes this program."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "onnxruntime": onnxruntime.__version__,
        "sqlite": apsw.sqlite_lib_version(),
        "loadAverage": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def spread(values: Sequence[float], digits: int = 3) -> dict[str, float]:
    """Return the median, the 95th percentile and the mean."""
    p50, p95 = np.percentile(values, [50, 95])
    return {
        "p50": round(float(p50), digits),
        "p95": round(float(p95), digits),
        "mean": round(float(np.mean(values)), digits),
    }
