"""A month of a small team's work: what the demo makes is what agents would have made, and worth looking at."""

import json
from pathlib import Path

import apsw
import pytest

from kits.cli import Cli
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings
from pellucid.surfaces.cli.month import NAMESPACE, run_month


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        where = tmp_path_factory.mktemp("month") / "home"
        made = run_month(Settings(home=where), lambda _said: None)
        assert made.sessions >= 40
        assert made.recalls >= 100
    return where


def _memories(cli: Cli, home: Path) -> list[str]:
    told = json.loads(cli("list", "--home", str(home), "--namespace", NAMESPACE, "--limit", "200", "--json").out)
    return [each["memory"]["content"] for each in told["memories"]]


def test_every_kind_of_citation_is_there_and_agents_differ(home: Path) -> None:
    history = apsw.Connection(str(home / "history.db"), flags=apsw.SQLITE_OPEN_READONLY)
    kinds = dict(history.execute("SELECT kind, count(*) FROM citations GROUP BY kind"))
    assert {"cited", "saved_rework", "used", "flagged_stale", "dismissed"} <= kinds.keys()
    assert history.execute("SELECT count(DISTINCT agent) FROM citations").get == 3
    days = history.execute("SELECT count(DISTINCT date(at / 1000, 'unixepoch')) FROM receipts").get
    assert days >= 15


def test_what_an_agent_says_again_is_no_memory(cli: Cli, home: Path) -> None:
    kept = _memories(cli, home)
    assert not [each for each in kept if each.startswith("As we know")]
    assert len(kept) == len(set(kept)) <= 40


def test_what_was_said_otherwise_later_does_not_stand_beside_it_unmarked(cli: Cli, home: Path) -> None:
    told = json.loads(cli("list", "--home", str(home), "--namespace", NAMESPACE, "--limit", "200", "--json").out)
    held = [each["memory"] for each in told["memories"]]
    for old, new in (("on Tuesdays at ten", "on Thursdays at ten"), ("Mara owns", "Jonas owns"), ("90 sec", "120 sec")):
        older = [each for each in held if old in each["content"] and new not in each["content"]]
        newer = next(each for each in held if new in each["content"])
        assert all(newer["id"] in each.get("disputedWith", []) for each in older)


def test_a_home_that_holds_the_month_is_left_as_it_is(cli: Cli, home: Path) -> None:
    said = cli("demo", "--month", "--home", str(home), code=4).err
    assert "holds memories under local/tidepool already" in said
    assert "--home" in said
