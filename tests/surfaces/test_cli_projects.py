"""Sessions of several repositories imported, and asked in their folders: what a user does with projects."""

import json
from pathlib import Path

import pytest

from kits.cli import Cli
from pellucid import Pellucid

TUESDAY = "We decided to deploy the shop every Tuesday, after the nightly build is green."
FRIDAY = "We decided to deploy the billing service by hand on Fridays only."
TABS = "I prefer tabs over spaces in every file that we deploy."


def session(path: Path, name: str, folder: Path | None, said: str) -> None:
    where = {"cwd": str(folder)} if folder else {}
    turn = {"type": "user", "uuid": f"u-{name}", "sessionId": name, "timestamp": "2026-05-01T10:00:00Z"}
    text = json.dumps(turn | where | {"message": {"role": "user", "content": said}}) + "\n"
    path.mkdir(exist_ok=True)
    (path / f"{name}.jsonl").write_text(text, "utf-8")


@pytest.fixture
def shop(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two repositories whose sessions were imported; the working folder is inside the first."""
    for name in ("shop", "billing"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "src").mkdir()
    session(tmp_path / "sessions", "s1", tmp_path / "shop", TUESDAY)
    session(tmp_path / "sessions", "s2", tmp_path / "billing" / "src", FRIDAY)
    told = cli("import", str(tmp_path / "sessions"), "--mode", "extract").out
    assert f"  local/shop: 1 memory from 1 session in {tmp_path / 'shop'}\n" in told
    assert f"  local/billing: 1 memory from 1 session in {tmp_path / 'billing'}\n" in told
    monkeypatch.chdir(tmp_path / "shop" / "src")
    return tmp_path / "shop"


@pytest.mark.requirement("PROJECT-2")
def test_commands_in_a_folder_ask_its_project_and_say_so(cli: Cli, shop: Path) -> None:
    done = cli("recall", "when do we deploy?")
    assert "every Tuesday" in done.out
    assert "Fridays" not in done.out
    assert done.err == f"pellucid: namespace local/shop, the project of {shop}\n"
    assert cli("recall", "when do we deploy?", "--json").json["namespace"] == "local/shop"
    assert "every Tuesday" in cli("xray", "--id", "last").out
    listed = cli("list", "--json").json["memories"]
    assert [each["memory"]["namespace"] for each in listed] == ["local/shop"]
    told = cli("brief").out
    assert "Tuesday" in told
    assert "Fridays" not in told
    cli("remember", "The shop runs on three nodes")
    assert cli("list", "--namespace", "local/shop", "--json").json["total"] == 2


@pytest.mark.requirement("PROJECT-2")
def test_a_namespace_that_somebody_named_wins_over_the_folder(
    cli: Cli, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = cli("recall", "when do we deploy?", "--namespace", "local/billing")
    assert "Fridays" in done.out
    assert done.err == ""
    (shop / "src" / "pellucid.toml").write_text('namespace = "local/billing"\n')
    assert cli("recall", "deploy", "--json").json["namespace"] == "local/billing"
    (shop / "src" / "pellucid.toml").unlink()
    (tmp_path / "home" / "pellucid.toml").write_text('namespace = "local/billing"\n')
    assert cli("recall", "deploy", "--json").json["namespace"] == "local/billing"
    monkeypatch.setenv("PELLUCID_NAMESPACE", "work/all")
    again = cli("import", str(tmp_path / "sessions"), "--mode", "extract", "--json").json
    assert (again["namespace"], again["memories"], again["filed"]) == ("work/all", 2, [])
    assert cli("recall", "deploy", "--json").json["namespace"] == "work/all"


def test_a_folder_in_no_project_asks_the_default_namespace_and_says_so(
    cli: Cli, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "The staging database is read only", "--namespace", "local/default")
    monkeypatch.chdir(tmp_path / "work")
    done = cli("recall", "staging database")
    assert "read only" in done.out
    assert "asked local/default: this folder is in no project" in done.out
    assert done.err == ""
    assert "Tuesday" not in cli("recall", "deploy").out
    for told in (done.out, cli("list").out, cli("brief").out):
        assert "asked local/default: this folder is in no project (there are local/" in told
    assert "in no project" not in cli("list", "--namespace", "local/default").out


@pytest.mark.requirement("PROJECT-3")
def test_what_holds_everywhere_is_asked_only_where_the_user_allows_it(cli: Cli, shop: Path, tmp_path: Path) -> None:
    cli("remember", TABS, "--namespace", "local/persona")
    (shop / "src" / "pellucid.toml").write_text('[projects]\nalsoAsk = ["local/persona"]\n')
    done = cli("recall", "what do we deploy, and with tabs?")
    assert "tabs" not in done.out
    assert "may not set projects.alsoAsk" in done.err
    (shop / "src" / "pellucid.toml").unlink()
    (tmp_path / "home" / "pellucid.toml").write_text('[projects]\nalsoAsk = ["local/persona"]\n')
    asked = cli("recall", "what do we deploy, and with tabs?", "--budget", "2000", "--json").json
    assert [each["namespace"] for each in asked["also"]] == ["local/persona"]
    assert "Tuesday" in asked["context"]
    assert "tabs" in asked["context"]
    assert len(asked["context"]) <= 2000
    assert "Tuesday" not in asked["also"][0]["context"]
    (own,) = asked["also"][0]["memories"]
    assert own["memory"]["content"].startswith("I prefer tabs")
    named = cli("recall", "with tabs?", "--namespace", "local/shop", "--json").json
    assert named["also"] == []
    told = cli("recall", "what do we deploy, and with tabs?").out
    recall_id = told.split("why, of local/persona: pellucid xray --id ")[1].split()[0]
    assert "tabs" in cli("xray", "--id", recall_id, "--namespace", "local/persona").out
    assert cli("xray", "--id", recall_id, code=3).err


def test_top_k_and_budget_hold_for_all_that_is_asked(cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for what in ("cache", "queue", "search", "mail", "billing", "login"):
        cli("remember", f"The {what} of the shop is deployed from a machine in Ghent")
        cli("remember", f"I like to see the {what} deployed from my own desk", "--namespace", "local/persona")
    monkeypatch.setenv("PELLUCID_PROJECTS__ALSO_ASK", '["local/persona", "local/empty", "local/shop"]')
    for top_k, own, also in ((8, 6, 2), (4, 3, 1), (1, 1, 0)):
        asked = cli("recall", "what is deployed from where?", "--top-k", str(top_k), "--json").json
        assert len(asked["memories"]) == own
        assert sum(len(each["memories"]) for each in asked["also"]) == also
    for budget in (1, 150, 400, 1000):
        asked = cli("recall", "what is deployed from where?", "--budget", str(budget), "--json").json
        assert len(asked["context"]) <= budget


@pytest.mark.requirement("PROJECT-1")
def test_projects_are_listed_with_their_folders_and_what_they_hold(cli: Cli, shop: Path, tmp_path: Path) -> None:
    session(tmp_path / "more", "s3", None, "We decided to hold the offsite in Lisbon in June.")
    cli("import", str(tmp_path / "more"), "--namespace", "local/default")
    (shop.parent / "billing").rename(shop.parent / "moved")
    rows = cli("projects", "list", "--json").json["projects"]
    assert [(each["namespace"], each["roots"], each["gone"], each["sessions"]) for each in rows] == [
        ("local/billing", [str(tmp_path / "billing")], True, 1),
        ("local/shop", [str(shop)], False, 1),
        ("local/default", [], False, 1),
    ]
    assert rows[1]["memories"] == 1
    assert rows[1]["lastSession"] == "2026-05-01T10:00:00.000Z"
    told = cli("projects", "list").out
    assert f"local/shop  1 memory, 1 session, the last on 2026-05-01\n  {shop}\n" in told
    assert f"  {tmp_path / 'billing'} (not there any more)\n" in told
    assert told.endswith("  (in no project)\n")


def test_a_project_that_was_moved_answers_in_its_new_folder(
    cli: Cli, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = shop.rename(tmp_path / "storefront")
    monkeypatch.chdir(moved / "src")
    assert cli("recall", "when do we deploy?", "--json").json["namespace"] == "local/default"
    row = cli("projects", "move", "local/shop", ".", "--json").json
    assert (row["roots"], row["gone"]) == ([str(moved), str(shop)], False)
    assert cli("recall", "when do we deploy?", "--json").json["namespace"] == "local/shop"
    session(tmp_path / "late", "s6", shop / "src", "We decided to keep the shop's cache in Redis.")
    session(tmp_path / "late", "s7", moved, "We decided that the shop ships parcels by bicycle.")
    assert [each["namespace"] for each in cli("import", str(tmp_path / "late"), "--json").json["filed"]] == [
        "local/shop"
    ]
    assert "holds sessions of its own" in cli("projects", "move", "local/shop", str(tmp_path / "billing"), code=4).err
    assert cli("projects", "move", "local/nobody", ".", code=3).err
    assert cli("projects", "move", "local/shop", "/", code=2).err
    assert cli("projects", "move", "local/shop", str(tmp_path / "nowhere"), code=2).err


def test_without_projects_the_list_says_how_to_get_some(cli: Cli) -> None:
    assert "pellucid import" in cli("projects", "list").out


def test_a_hostile_folder_name_reaches_neither_terminal_nor_namespace(cli: Cli, shop: Path, tmp_path: Path) -> None:
    session(tmp_path / "evil", "s4", Path("/srv/\x1b]0;owned\x07/../..\u202e/shop"), FRIDAY)
    told = cli("import", str(tmp_path / "evil"), "--mode", "extract").out + cli("projects", "list").out
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert cli("list", "--json").json["total"] == 1


def test_a_rebuilt_or_copied_home_knows_its_projects(cli: Cli, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / "index.db").unlink()
    cli("rebuild")
    assert cli("recall", "deploy", "--json").json["namespace"] == "local/shop"
    (tmp_path / "other").mkdir()
    (tmp_path / "home" / "vault").rename(tmp_path / "other" / "vault")
    found = cli("recall", "deploy", "--home", str(tmp_path / "other"), "--json").json
    assert found["namespace"] == "local/shop"
    assert "Tuesday" in found["context"]


def test_a_registry_that_cannot_be_read_stops_a_recall_and_is_a_finding(cli: Cli, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / "vault" / ".pellucid" / "projects.json").write_text("{}x")
    assert "projects.json is damaged" in cli("recall", "deploy", code=5).err
    assert "Tuesday" in cli("recall", "deploy", "--namespace", "local/shop").out
    assert "projects.json is damaged" in cli("doctor", code=7).out


def test_the_python_object_asks_by_folder_like_the_command_line(cli: Cli, shop: Path, tmp_path: Path) -> None:
    session(tmp_path / "more", "s5", shop, "We decided to keep the shop's cache in Redis.")
    with Pellucid() as memory:
        assert memory.namespace == "local/shop"
        assert [each.namespace for each in memory.import_transcripts([tmp_path / "more"]).filed] == ["local/shop"]
        assert "Redis" in memory.recall("where is the cache?").context
        seen = memory.observe({"role": "user", "content": FRIDAY, "session": "s6", "cwd": str(shop.parent / "billing")})
        assert seen.spooled_to == {"local/billing": 1}
        assert {each.namespace for each in memory.projects.list().projects} == {"local/shop", "local/billing"}
    with Pellucid(namespace="local/billing") as memory:
        assert "Redis" not in memory.recall("where is the cache?").context
