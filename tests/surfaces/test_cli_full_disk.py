"""Commands on a disk without room in; what they say, and how they end, out."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.cli import Cli

WORD = "zanzibarquokka"


@pytest.fixture
def home(cli: Cli, tmp_path: Path) -> Iterator[Path]:
    """A home that is a file system of 24 MiB, with three hundred sessions in it."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    command = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no right to mount a small file system here")
    said = [f"berth {number} of the harbour holds {number * 7} containers" for number in range(300)]
    texts = (f"the {WORD} gateway", *said)
    turns = [{"role": "user", "content": text, "session": f"s{number}"} for number, text in enumerate(texts)]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
    cli("import", str(tmp_path / "s.jsonl"), "--mode", "verbatim")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def leave(home: Path, free: int) -> None:
    with (home / "ballast").open("ab") as file:
        file.write(bytes(max(0, shutil.disk_usage(home).free - free)))


@pytest.mark.requirement("FORGET-5")
def test_forget_says_what_is_not_gone_yet_and_a_later_command_finishes_it(cli: Cli, home: Path) -> None:
    memory = cli("list", "--contains", WORD, "--json").json["memories"][0]["memory"]["id"]
    leave(home, 700 << 10)
    said = cli("forget", memory, "--yes", "--json", code=5)
    assert said.json["done"]
    assert "index.db" in [each["place"] for each in said.json["remains"]]
    assert "not erased to the last byte" in said.err
    assert "0 of 0" in cli("list", "--contains", WORD).out
    assert "berth" in cli("recall", "which berth holds 14 containers?").out
    found = [each for each in cli("doctor", "--json", code=7).json["findings"] if each["check"] == "forget"]
    assert "bytes, and" in found[0]["problem"]
    cli("remember", "the ferry leaves at nine")
    (home / "ballast").unlink()
    cli("lifecycle", "run")
    assert not (home / "erasing").exists()
    assert not [path for path in home.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes()]


@pytest.mark.requirement("FORGET-5")
def test_an_answer_says_that_its_receipt_was_not_kept(cli: Cli, home: Path) -> None:
    leave(home, 0)
    said = cli("recall", "which berth holds 14 containers?").out
    assert "berth 2 of the harbour holds 14 containers" in said
    assert "the receipt was not kept" in said
    assert "why: pellucid xray" not in said
    assert "berth" in cli("list").out
    assert "disk" in cli("doctor", code=7).out
    assert (
        "nothing was changed"
        in cli("forget", cli("list", "--json").json["memories"][0]["memory"]["id"], "--yes", code=5).err
    )
