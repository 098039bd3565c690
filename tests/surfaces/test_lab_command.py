"""A folder with one small set in, what `pellucid lab run --all` prints, and whether it fails, out."""

import json
from pathlib import Path

import pytest

from kits.cli import Cli

MEETING = {
    "meeting_transcripts": [
        {"speaker": "Ana", "content": "The ferry rings its bell twice before it leaves ."},
        {"speaker": "Bo", "content": "The lantern burns for ninety minutes ."},
    ],
    "specific_query_list": [
        {"query": "How often does the ferry ring?", "answer": "Twice.", "relevant_text_span": [["0", "0"]]},
        {"query": "How long does the lantern burn?", "answer": "Ninety.", "relevant_text_span": [["1", "1"]]},
    ],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "meetings"
    folder.mkdir(parents=True)
    (folder / "val.jsonl").write_text(json.dumps(MEETING) + "\n", "utf-8")
    return folder.parent


@pytest.mark.requirement("LAB-3")
def test_a_set_that_is_not_there_is_named_after_the_table_and_fails_the_command(cli: Cli, data: Path) -> None:
    said = cli("lab", "run", "--all", "--data", str(data), code=2)
    assert "| QMSum | 2 | **1.000** (1.000 / 1.000) |" in said.out
    assert "Not measured: LoCoMo, whose locomo*.json is not there." in said.out
    assert "the table is not whole: there was no locomo (locomo*.json), no longmemeval" in said.err
    assert "(name the folder that holds the folders of the sets)" in said.err


def test_the_sets_that_are_named_are_enough(cli: Cli, data: Path, tmp_path: Path) -> None:
    words = ("lab", "run", "--all", "--data", str(data), "--sets", "qmsum", "--keep", str(tmp_path / "kept"))
    first, again = cli(*words, "--json"), cli(*words, "--json")
    assert json.loads(first.out) == json.loads(again.out)
    assert "importing 2 records" in first.err
    assert "importing" not in again.err
    assert "qmsum: measured before" in again.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sample", "0"), '--sample expects 4 (every fourth question) or 2/4 (the second of four); got "0"'),
        (("--limit", "-1"), "--limit expects a whole number of at least 0; got -1"),
        (("--set", "recall.luck=1"), "recall.luck"),
        (("--sets", "qmsum,moon"), "moon"),
        (("--sets", "eips"), "holds no eips (edges.tsv) (name the folder that holds the folders of the sets)"),
        (("--keep", "/proc/nowhere"), "--keep /proc/nowhere cannot be written"),
        (("--details",), "--all measures every set in one way"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_next_step(
    cli: Cli, data: Path, words: tuple[str, ...], said: str
) -> None:
    refused = cli("lab", "run", "--all", "--data", str(data), *words, code=2)
    assert said in refused.err
    assert refused.err.rstrip().endswith(")"), "a next step stands in brackets"
    assert refused.out == ""
