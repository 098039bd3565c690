"""A model folder in, JSON out: how fast MiniLM starts, answers queries and encodes memories, and its peak memory.

    python bench/encoder.py [--cache FOLDER]

Each variant runs in a process of its own. Texts are random words, so that no two are alike.
"""

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.minilm.session import Variant

PROSE = (
    "the export of nightly receipts moved from cron to a timer because nobody noticed when it was skipped after reboot "
    "and billing asked for proof so we keep every run in a ledger with its start end rows and checksum then compare "
    "yesterday with today before any customer sees numbers change Ines owns this and Tomasz reviews it on Fridays"
)
DEFAULT_CACHE = Path(__file__).parents[1] / ".cache" / "models" / "all-MiniLM-L6-v2"
VARIANTS: tuple[Variant, ...] = ("int8", "float")
rng = random.Random(20)


def random_texts(count: int, words: int) -> list[str]:
    """Return `count` texts of so many random words each."""
    return [" ".join(rng.choices(PROSE.split(), k=words)) for _ in range(count)]


def milliseconds(since: float) -> float:
    """Return the milliseconds since a time of `time.perf_counter`."""
    return (time.perf_counter() - since) * 1000


def query_times(model: MiniLM, count: int) -> dict[str, float]:
    """Time `count` different queries, one after another."""
    times: list[float] = []
    for text in random_texts(count, 9):
        started = time.perf_counter()
        model.encode_query(text)
        times.append(milliseconds(started))
    return {"p50Ms": round(float(np.percentile(times, 50)), 2), "p95Ms": round(float(np.percentile(times, 95)), 2)}


def throughput(model: MiniLM, count: int, words: int) -> dict[str, float]:
    """Time the encoding of `count` memories of one size, as `index` does it: wall time, and processor time of all
    threads."""
    texts = random_texts(count, words)
    started, cpu_start = time.perf_counter(), time.process_time()
    tokens = sum(len(encoding.tokens) + 2 for encoding in model.encode(texts))
    return {
        "texts": count,
        "tokensEach": round(tokens / count, 1),
        "textsPerSecond": round(count * 1000 / milliseconds(started)),
        "cpuMsEach": round((time.process_time() - cpu_start) * 1000 / count, 2),
    }


def measure(cache: Path, variant: Variant) -> dict[str, object]:
    """Measure one variant; call in a fresh process whose cache is filled."""
    started = time.perf_counter()
    model = MiniLM(cache, variant=variant)
    model.encode_query("is anybody there")
    return {
        "sessionStartMs": round(milliseconds(started), 1),
        "query": query_times(model, 300),
        "short": throughput(model, 2000, 22),
        "long": throughput(model, 200, 183),
        "peakRssMb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def in_a_fresh_process(cache: Path, variant: Variant) -> dict[str, object]:
    """Measure one variant in a new process."""
    MiniLM(cache, variant=variant).encode_query("fetch and build what is missing")
    command = [sys.executable, __file__, "--cache", str(cache), "--only", variant]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure both variants and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("--only", choices=VARIANTS, help="measure this variant in this process")
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.cache, arguments.only)))
        return
    results = {variant: in_a_fresh_process(arguments.cache, variant) for variant in VARIANTS}
    machine = {"machine": platform.machine(), "processors": os.cpu_count(), "python": platform.python_version()}
    print(json.dumps(machine | results, indent=2))


if __name__ == "__main__":
    main()
