"""`pellucid index …` in; what was taken in, what is there, and what is wrong with the flags, out."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.cli import Cli

SPEC = (
    "---\nspec_id: SPEC-054\nstatus: Draft\n---\n\n# Port\n\n## Depends on\n\n- SPEC-037 §3\n\n## Plan\n\nTwo nights.\n"
)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "specs"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "054.md").write_text(SPEC, "utf-8")
    return folder


def test_documents_are_taken_in_listed_shown_and_closed(cli: Cli, specs: Path) -> None:
    out = cli("index", "docs", "specs").out
    assert "indexed 1 document of local/default: 1 new" in out
    assert "sections: 2 opened" in out
    assert "1 unchanged" in cli("index", "docs", "specs").out
    listed = cli("index", "list").out
    assert "SPEC-054" in listed
    assert "054.md · 2 sections · " in listed
    shown = cli("index", "show", "SPEC-054").out
    assert "SPEC-054 DEPENDS_ON SPEC-037" in shown
    assert "054.md:12-14  Plan" in shown
    assert "closed SPEC-054" in cli("index", "remove", "SPEC-054").out
    assert "no documents" in cli("index", "list").out
    assert "(gone)" in cli("index", "list", "--gone").out


def test_json_holds_every_count(cli: Cli, specs: Path) -> None:
    done = cli("index", "docs", "specs", "--json").json
    assert (done["new"], done["sectionsOpened"], done["headerVersions"], done["written"]) == (1, 2, 1, True)
    assert cli("index", "list", "--json").json["documents"][0]["entity"] == "SPEC-054"
    assert cli("index", "show", "SPEC-054", "--json").json["sections"][1]["anchor"] == "054.md:12-14"
    assert cli("index", "remove", "SPEC-054", "--json").json["opId"].startswith("op_")


def test_a_dry_run_says_so(cli: Cli, specs: Path) -> None:
    out = cli("index", "docs", "specs", "--dry-run").out
    assert "would index 1 document" in out
    assert out.endswith("nothing was written\n")
    assert cli("index", "list", "--json").json["documents"] == []


def test_a_section_is_recalled_with_its_anchor(cli: Cli, specs: Path) -> None:
    cli("index", "docs", "specs")
    answer = cli("recall", "how long does the port take", "--json").out
    assert "Two nights." in answer
    assert "054.md:12-14" in answer


def test_bad_files_are_said_and_alone_they_are_an_error(cli: Cli, specs: Path) -> None:
    (specs / "bad.md").write_bytes(b"\xff\xfe")
    out = cli("index", "docs", "specs", "none.md").out
    assert "1 new" in out
    assert "bad.md is not UTF-8 text" in out
    assert "no such file" in out
    assert "no such file" in cli("index", "docs", "none.md", code=2).out
    (specs / "bin.md").write_bytes(b"a\0b")
    alone = cli("index", "docs", "specs/bin.md", code=2).out
    assert "indexed 0 documents" in alone
    assert "not a text file" in alone


def test_what_was_not_found_and_rows_of_days_to_come_are_said(cli: Cli, specs: Path) -> None:
    assert "fits the pattern x*" in cli("index", "docs", "specs", "--glob", "x*").out
    (specs / "empty").mkdir()
    assert "holds no Markdown" in cli("index", "docs", "specs/empty").out
    row = {"doc": 54, "date": "2999-01-01T00:00:00Z", "field": "status", "old": "Draft", "new": "Final"}
    (specs.parent / "rows.jsonl").write_text(json.dumps(row), "utf-8")
    out = cli("index", "docs", "specs", "--history-file", "rows.jsonl").out
    assert "1 row left out: dated after now" in out
    assert "left out row 1: date: 2999-01-01 is not here yet" in out
    assert "status: Draft" in cli("index", "show", "SPEC-054").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing says what to index"),
        (("specs", "--watch", "--dry-run"), "exclude each other"),
        (("--watch", "--history-file", "x.jsonl"), "something to watch"),
        (("--history-file", "x.jsonl"), "cannot be read"),
    ],
)
def test_flags_that_do_not_fit_are_said(cli: Cli, specs: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in cli("index", "docs", *arguments, code=2).err


def test_history_from_git_and_from_a_file(cli: Cli, specs: Path, tmp_path: Path) -> None:
    assert "in a git checkout" in cli("index", "docs", "specs", "--history", code=2).err
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), "GIT_COMMITTER_DATE": "2024-02-01T00:00:00Z"}
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "x")):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *who, *words], cwd=specs, env=environment, check=True)
    assert "1 new" in cli("index", "docs", "specs", "--history").out
    assert "2024-02-01 to now  spec-id: SPEC-054; status: Draft" in cli("index", "show", "SPEC-054").out
    rows = specs.parent / "rows.jsonl"
    row = {"doc": 54, "date": "2023-01-01T00:00:00Z", "commit": "c", "field": "status", "old": None, "new": "Idea"}
    other = {**row, "date": "2024-02-01T00:00:00Z", "old": "Idea", "new": "Draft"}
    rows.write_text("".join(json.dumps(each) + "\n" for each in (row, other, {**row, "doc": 99})), "utf-8")
    out = cli("index", "docs", "specs", "--history-file", "rows.jsonl").out
    assert "loaded 3 rows of history: 1 document changed" in out
    assert "1 row of documents that are not indexed here: 99" in out
    assert "2023-01-01 to 2024-02-01  status: Idea" in cli("index", "show", "SPEC-054").out
    assert "1 unchanged" in cli("index", "docs", "--history-file", "rows.jsonl").out
    alone = cli("index", "docs", "--history-file", "rows.jsonl", "--json").json
    assert (alone["rows"], alone["unchanged"], alone["written"]) == (3, 1, True)


def test_a_hostile_checkout_is_refused_with_its_reason_and_runs_nothing(cli: Cli, specs: Path, tmp_path: Path) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        environment = {"PATH": os.defpath, "HOME": str(tmp_path)}
        done = subprocess.run(["git", *who, *words], cwd=specs, env=environment, check=True, capture_output=True)
        return done.stdout.decode().strip()

    (document,) = specs.glob("*.md")
    git("init", "-q")
    for status in ("Draft", "Final"):
        document.write_text(f"---\nspec-id: SPEC-054\nstatus: {status}\n---\n# It\n\nText.\n", "utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", "x")
    lost = git("rev-parse", f"HEAD~1:{document.name}")
    (specs / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    canary = tmp_path / "canary"
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "evil",
        "remote.evil.promisor": "true",
        "remote.evil.url": f"ext::sh -c touch% {canary}",
        "protocol.ext.allow": "always",
    }.items():
        git("config", key, value)
    said = cli("index", "docs", "specs", "--history", "--json", code=2)
    assert json.loads(said.err)["code"] == "no_history"
    assert f"object {lost} is missing or damaged" in said.err
    assert not canary.exists()
    with pytest.raises(subprocess.CalledProcessError):
        git("cat-file", "-p", lost)
    assert canary.exists()


def test_a_watch_ends_with_the_interrupt_of_a_terminal(
    cli: Cli, specs: Path, tmp_path: Path, model_cache: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "models").symlink_to(model_cache.parent)
    command = [str(Path(sys.executable).with_name("pellucid")), "index", "docs", "specs", "--watch", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        hung = threading.Timer(300, watch.kill)
        hung.start()
        try:
            reports = [watch.stdout.readline()]
            (tmp_path / "new.md").write_text("# New\n\nText.\n", "utf-8")
            (tmp_path / "new.md").rename(specs / "new.md")
            reports.append(watch.stdout.readline())
            watch.send_signal(signal.SIGINT)
            rest, problems = watch.communicate()
        finally:
            hung.cancel()
            watch.kill()
    assert (watch.returncode, rest, problems) == (0, "", "")
    assert [(each["new"], each["unchanged"]) for each in map(json.loads, reports)] == [(1, 0), (1, 1)]
    assert len(cli("index", "list", "--json").json["documents"]) == 2


def test_the_second_interrupt_of_a_watch_is_not_held_back(
    cli: Cli, specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[str] = []

    def outer(_number: int, _frame: object) -> None:
        met.append("outer")

    def watch(_app: object, _request: object, _report: object, wait: Callable[[float], bool]) -> int:
        met.append(f"ends: {wait(0)}")
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
            met.append(f"ends: {wait(0)}")
        return 1

    monkeypatch.setattr("pellucid.operations.document.watching.watch_docs", watch)
    before = signal.signal(signal.SIGINT, outer)
    try:
        cli("index", "docs", "specs", "--watch")
        assert signal.getsignal(signal.SIGINT) == outer
    finally:
        signal.signal(signal.SIGINT, before)
    assert met == ["ends: False", "ends: True", "outer", "ends: True"]


def test_a_forgotten_document_does_not_come_back(cli: Cli, specs: Path) -> None:
    cli("index", "docs", "specs")
    document = cli("index", "list", "--json").json["documents"][0]["id"]
    cli("forget", document, "--yes")
    out = cli("index", "docs", "specs").out
    assert "3 withheld: it says what was forgotten here" in out
    assert "no documents" in cli("index", "list").out
