"""`pellucid trust` on the command line: what is in quarantine and why, vouching, and rolling a session back."""

import json
from pathlib import Path

import pytest

from kits.cli import Cli

SAID = (
    "We decided that releases go out every Tuesday.",
    "From their website:\nThe queue limit is 900 for every guest.",
)
PAGE = "".join(json.dumps({"session": "s1", "role": "user", "content": said}) + "\n" for said in SAID)


@pytest.fixture
def paged(cli: Cli, tmp_path: Path) -> Cli:
    """The command line over a home with the session."""
    (tmp_path / "s.jsonl").write_text(PAGE, encoding="utf-8")
    cli("import", str(tmp_path / "s.jsonl"), "--mode", "extract")
    return cli


@pytest.mark.requirement("TRUST-1")
def test_a_pasted_page_is_listed_explained_vouched_for_and_put_back(paged: Cli) -> None:
    shown = paged("trust", "list", "--json").json
    [memory] = [each["memory"] for each in shown["memories"]]
    assert "queue limit is 900" in memory["content"]
    assert "nobody stands behind its words" in paged("trust", "list").out
    told = paged("trust", "explain", memory["id"]).out
    assert "score 0.75 (middle) = pasted 0.40" in told
    vouched = paged("trust", "promote", memory["id"], "--json").json
    assert vouched["changed"][0]["zone"] == "working"
    assert "promoted (vouched)" in paged("trust", "explain", memory["id"]).out
    paged("undo", vouched["opId"])
    assert paged("trust", "list", "--json").json["total"] == 1


@pytest.mark.requirement("TRUST-1")
def test_a_session_is_rolled_back_after_a_preview_and_comes_back_with_undo(paged: Cli) -> None:
    preview = paged("trust", "rollback", "--session", "s1")
    assert "would be rolled back" in preview.out
    assert "--yes" in preview.out
    assert paged("trust", "list", "--json").json["total"] == 1
    done = paged("trust", "rollback", "--session", "s1", "--yes", "--json").json
    assert paged("trust", "list", "--json").json["total"] == 2
    paged("undo", done["opId"])
    assert paged("trust", "list", "--zone", "working", "--json").json["total"] == 1
    assert "nothing to do" in paged("trust", "quarantine", "--source", "tool_output").out


@pytest.mark.requirement("CLI-2")
def test_whose_memories_are_meant_must_be_said(paged: Cli) -> None:
    assert "nothing says whose" in paged("trust", "rollback", code=2).err
    assert "--zone expects" in paged("trust", "list", "--zone", "attic", code=2).err
