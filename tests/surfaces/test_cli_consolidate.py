"""`lifecycle consolidate` command lines in; text, JSON and exit codes out."""

import json
from pathlib import Path

import pytest

from kits.cli import Cli
from pellucid.operations.memory.lifecycle.consolidating import LOCK
from pellucid.store.local.lock import exclusive

pytestmark = pytest.mark.requirement("LIFE-3")
THE, BARE = "The ferry ramp opens with the morning tide", "Ferry ramp opens with the morning tide"


def test_a_dry_run_a_pass_and_its_undo_by_command(cli: Cli) -> None:
    cli("remember", THE)
    cli("remember", BARE)
    dry = cli("lifecycle", "consolidate", "--dry-run").out
    assert "would be done: 1 merge" in dry
    assert "undo" not in dry
    done = cli("lifecycle", "consolidate").out
    assert "done: 1 merge" in done
    assert THE in done
    named = [line for line in done.splitlines() if "mem_" in line]
    assert len(named) == 3
    assert any(f"“{BARE}”" in told for told in named)
    undo = next(line for line in done.splitlines() if line.startswith("undo with: pellucid "))
    cli(*undo.removeprefix("undo with: pellucid ").split())
    again = cli("lifecycle", "consolidate").out
    assert "done: nothing" in again
    assert "left: 1 (it was undone before)" in again


def test_json_holds_decisions_ids_and_counts(cli: Cli) -> None:
    ids = [cli("remember", text, "--json").json["memory"]["id"] for text in (THE, BARE)]
    said = cli("lifecycle", "consolidate", "--limit", "5", "--json").json
    assert said["decisions"][0]["of"] == ids
    assert (said["counts"], said["complete"], len(said["opIds"])) == ({"merge": 1}, True, 2)


def test_a_second_pass_beside_a_running_one_is_told_so(cli: Cli, tmp_path: Path) -> None:
    cli("remember", THE)
    with exclusive(tmp_path / "home" / LOCK, 0.0):
        said = cli("lifecycle", "consolidate", "--json", code=5)
    assert json.loads(said.err)["code"] == "store_busy"


def test_a_limit_of_nothing_and_a_model_that_is_not_set_up_are_refused(cli: Cli) -> None:
    cli("lifecycle", "consolidate", "--limit", "0", code=2)
    assert "llm.baseUrl" in cli("lifecycle", "consolidate", "--model", code=2).err
