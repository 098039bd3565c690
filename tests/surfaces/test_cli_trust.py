"""`pellucid trust` on the command line: what is in quarantine and why, vouching, and rolling a session back."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pellucid.errors import InputError
from pellucid.surfaces.cli.root import app

SAID = (
    "We decided that releases go out every Tuesday.",
    "From their website:\nThe queue limit is 900 for every guest.",
)
PAGE = "".join(json.dumps({"session": "s1", "role": "user", "content": said}) + "\n" for said in SAID)


class Cli:
    """The command over one home."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: str) -> Result:
        return CliRunner().invoke(app, [*words, "--home", str(self.home)], catch_exceptions=False)

    def json(self, *words: str) -> Any:
        done = self(*words, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)


@pytest.fixture
def cli(tmp_path: Path, model_cache: Path) -> Cli:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "models").symlink_to(model_cache.parent)
    (tmp_path / "s.jsonl").write_text(PAGE, encoding="utf-8")
    cli = Cli(home)
    assert cli("import", str(tmp_path / "s.jsonl"), "--mode", "extract").exit_code == 0
    return cli


@pytest.mark.requirement("TRUST-1")
def test_a_pasted_page_is_listed_explained_vouched_for_and_put_back(cli: Cli) -> None:
    shown = cli.json("trust", "list")
    [memory] = [each["memory"] for each in shown["memories"]]
    assert "queue limit is 900" in memory["content"]
    assert "nobody stands behind its words" in cli("trust", "list").stdout
    told = cli("trust", "explain", memory["id"]).stdout
    assert "score 0.75 (middle) = pasted 0.40" in told
    vouched = cli.json("trust", "promote", memory["id"])
    assert vouched["changed"][0]["zone"] == "working"
    assert "promoted (vouched)" in cli("trust", "explain", memory["id"]).stdout
    assert cli("undo", vouched["opId"]).exit_code == 0
    assert cli.json("trust", "list")["total"] == 1


@pytest.mark.requirement("TRUST-1")
def test_a_session_is_rolled_back_after_a_preview_and_comes_back_with_undo(cli: Cli) -> None:
    preview = cli("trust", "rollback", "--session", "s1")
    assert "would be rolled back" in preview.stdout
    assert "--yes" in preview.stdout
    assert cli.json("trust", "list")["total"] == 1
    done = cli.json("trust", "rollback", "--session", "s1", "--yes")
    assert cli.json("trust", "list")["total"] == 2
    assert cli("undo", done["opId"]).exit_code == 0
    assert cli.json("trust", "list", "--zone", "working")["total"] == 1
    assert "nothing to do" in cli("trust", "quarantine", "--source", "tool_output").stdout


@pytest.mark.requirement("CLI-2")
def test_whose_memories_are_meant_must_be_said(cli: Cli) -> None:
    with pytest.raises(InputError, match="nothing says whose"):
        cli("trust", "rollback")
    with pytest.raises(InputError, match="--zone expects"):
        cli("trust", "list", "--zone", "attic")
