"""Tiny sizes in, JSON out: every measuring program in `bench/` still runs and says what it was made to say."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    ("recall", ["--memories=90", "--queries=6"], {"ratioToBare", "recallMs", "firstRecallMs", "stageMedianMs"}),
    ("exactness", ["--memories=90", "--queries=4"], {"recallAt50", "recallAt10", "target"}),
    ("recorder", ["--memories=90", "--recalls=5"], {"beforeTheAnswerCpuMicros", "receiptBytes", "historyBytesARecall"}),
    ("telemetry", ["--events=2000", "--memories=50"], {"panels", "firstPage", "fillCpuSeconds"}),
    ("importing", ["--turns=12", "--home-turns=12", "--recalls=2"], {"ratio", "importAndRecall", "openAndRecall"}),
    (
        "graph",
        ["--documents=60", "--vectors=90", "--queries=4", "--files=6", "--embedded=2"],
        {"graphLegMs", "vectorLegMs", "ratioOfP95", "load", "documentsASecond"},
    ),
    (
        "concurrency",
        ["--clients=4", "--operations=4", "--namespaces=2"],
        {"errors", "lost", "operationsASecond", "recallsASecond", "aloneRecallMs", "ms"},
    ),
    ("redaction", ["--variants=2", "--harmless=50"], {"absent", "false_positives", "microseconds_per_100_characters"}),
    ("footprint", [], {"packages", "installedMb", "heavyFrameworks"}),
]


def bench(name: str, *options: str) -> dict[str, Any]:
    """What a program prints."""
    command = [sys.executable, str(ROOT / "bench" / f"{name}.py"), *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize(("name", "options", "keys"), PROGRAMS, ids=[name for name, _, _ in PROGRAMS])
def test_a_program_prints_its_answer_with_the_machine_and_the_command(
    name: str, options: list[str], keys: set[str], model_cache: Path
) -> None:
    printed = bench(name, *options, f"--models={model_cache.parent}")
    assert keys <= printed.keys()
    assert {"processor", "cores", "python", "loadAverage"} <= printed["machine"].keys()
    assert printed["command"] == " ".join(["python", f"bench/{name}.py", *options])
    assert str(ROOT) not in json.dumps(printed)


def test_a_written_result_is_what_was_printed(tmp_path: Path) -> None:
    printed = bench("footprint", f"--out={tmp_path / 'footprint.json'}")
    assert json.loads((tmp_path / "footprint.json").read_text("utf-8")) == printed


def test_a_small_index_finds_exactly_what_an_exact_search_finds() -> None:
    printed = bench("exactness", "--memories=90", "--queries=20")
    assert printed["recallAt50"]["sameWords"] == 1.0
    assert printed["recallAt50"]["tellingWords"] == 1.0
    assert printed["recallAt50"]["vector"] >= 0.99
