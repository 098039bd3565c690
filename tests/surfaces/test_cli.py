"""Command lines in; what a person or a script gets back out: text, one JSON document, an exit code, a message."""

import ast
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kits.cli import Cli
from kits.vault import SESSIONS, bare_receipt
from pellucid.model.snapshot import RecallXraySnapshot

CRANE, FERRY = "the harbour crane lifts forty tonnes", "the ferry leaves at nine"
MEMORIES = str(SESSIONS.parent / "memories")
NOBODY, NOTHING = "mem_" + "0" * 32, "rec_" + "0" * 32
UUID = "[0-9a-f]{32}"


def transcript(path: Path, *texts: str, session: str = "s1", **given: str) -> Path:
    """A transcript of one user turn a text."""
    lines = [json.dumps({"role": "user", "content": text, "session": session, **given}) for text in texts]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_init_makes_a_home_that_is_its_owners_alone_and_may_be_repeated(cli: Cli, home: Path) -> None:
    assert cli("init", "--json").json["files"] == 0
    assert str(home) in cli("init").out
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.requirement("STORE-5")
def test_whatever_the_umask_nobody_else_may_read_a_byte(cli: Cli, home: Path) -> None:
    before = os.umask(0)
    try:
        cli("remember", CRANE)
        cli("import", str(SESSIONS / "onboarding-chat.json"), "--mode", "verbatim")
        cli("xray", "crane", "--out", str(home.parent / "xray.txt"))
    finally:
        os.umask(before)
    open_to_others = {
        str(path.relative_to(home.parent)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in (home, *home.rglob("*"), home.parent / "xray.txt")
        if path.stat().st_mode & 0o077
    }
    assert not open_to_others


@pytest.mark.requirement("CLI-1")
def test_remember_keeps_one_memory_and_the_same_words_once(cli: Cli, home: Path) -> None:
    first = cli("remember", *CRANE.split(), "--tag", "port", "--category", "decision", "--json").json
    assert first["created"] is True
    assert first["memory"]["content"] == CRANE
    assert first["memory"]["tags"] == ["port"]
    assert first["memory"]["assertedBy"] == "user"
    assert (home / "vault" / first["path"]).read_text("utf-8").endswith(f"\n{CRANE}\n")
    again = cli("remember", CRANE.upper(), "--json").json
    assert (again["created"], again["memory"]["id"]) == (False, first["memory"]["id"])
    assert "known already" in cli("remember", CRANE).out


@pytest.mark.requirement("CLI-1")
def test_list_and_show_find_what_was_kept(cli: Cli) -> None:
    kept = cli("remember", CRANE, "--entity", "crane", "--session", "s", "--json").json
    cli("remember", FERRY, "--category", "rule")
    listed = cli("list", "--json").json
    assert listed["total"] == 2
    assert [each["memory"]["content"] for each in listed["memories"]] == [FERRY, CRANE]
    for flags in (["--contains", "CRANE"], ["--entity", "crane"], ["--session", "s"], ["--category", "fact"]):
        assert [e["memory"]["content"] for e in cli("list", *flags, "--json").json["memories"]] == [CRANE]
    assert cli("list", "--until", "2020-01-01", "--json").json["total"] == 0
    assert cli("list", "--since", "2020-01-01", "--status", "any", "--json").json["total"] == 2
    assert cli("list", "--limit", "1").out.endswith("1 of 2 memories\n")
    memory = kept["memory"]
    for name in (memory["id"], memory["id"][-10:], kept["path"]):
        assert cli("show", name, "--json").json["memory"] == memory
    assert CRANE in cli("show", memory["id"]).out


@pytest.mark.requirement("CLI-1")
def test_recall_prints_the_context_and_names_its_explanation(cli: Cli) -> None:
    cli("remember", CRANE)
    cli("remember", FERRY)
    said = cli("recall", "how", "much", "does", "the", "crane", "lift?")
    assert said.out.startswith("<pellucid-recall id=")
    assert f"\n[1] {CRANE}\n" in said.out
    recall_id = re.search(rf"why: pellucid xray --id (rec_{UUID})\n$", said.out)
    assert recall_id
    explained = cli("xray", "--id", recall_id[1]).out
    assert recall_id[1] in explained
    answer = cli("recall", "crane", "--json", "--top-k", "1").json
    assert set(answer) >= {"recallId", "query", "namespace", "context", "memories", "legs", "degraded"}
    assert [each["memory"]["content"] for each in answer["memories"]] == [CRANE]
    followed = cli("audit", answer["memories"][0]["auditEntryId"], "--json").json
    assert (followed["recallId"], followed["operation"]["kind"]) == (answer["recallId"], "remember")
    assert "operation kind: remember" in cli("audit", answer["memories"][0]["auditEntryId"]).out


@pytest.mark.requirement("REC-7")
@pytest.mark.parametrize("budget", [1, 150, 240, 10_000])
def test_the_context_is_never_longer_than_the_budget(cli: Cli, budget: int) -> None:
    cli("remember", CRANE)
    cli("remember", FERRY)
    answer = cli("recall", "crane ferry", "--budget", str(budget), "--json").json
    assert len(answer["context"]) <= budget
    assert len(answer["memories"]) + len(answer["omitted"]) == 2


@pytest.mark.requirement("XRAY-1")
def test_an_xray_read_again_is_the_same_bytes_in_every_format(cli: Cli) -> None:
    cli("remember", CRANE)
    snapshot = cli("xray", "crane", "--json").json
    assert snapshot["snapshotFound"] is True
    checked = RecallXraySnapshot.model_validate(snapshot["snapshot"])
    assert checked.results[0].admitted_by
    for form in ("json", "text", "markdown", "html", "MARKDOWN"):
        first = cli("xray", "--id", checked.snapshot_id, "--format", form).out
        assert cli("xray", "--id", checked.snapshot_id, "--format", form).out == first
        assert checked.snapshot_id in first


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["recall", "crane", "--budget", "abc"], 2, "--budget expects a positive integer"),
        (["recall", "crane", "--budget", "0"], 2, "--budget expects a positive integer"),
        (["recall", "crane", "--budget", "-5"], 2, "--budget expects a positive integer"),
        (["xray", "crane", "--format", "xml"], 2, "--format expects one of json, text, markdown, html"),
        (["recall"], 2, "must be non-empty"),
        (["recall", "  "], 2, "must be non-empty"),
        (["xray"], 2, "must be non-empty"),
        (["recall", "x" * 20_001], 2, "20001 characters"),
        (["recall", "crane", "--top-k", "0"], 2, "--top-k"),
        (["recall", "crane", "--without", "magic"], 2, "--without expects"),
        (["recall", "crane", "--namespace", "Bad Name"], 2, "--namespace expects tenant/project"),
        (["list", "--namespace", "nowhere"], 2, "--namespace expects tenant/project"),
        (["list", "--category", "rumour"], 2, "--category expects"),
        (["list", "--limit", "0"], 2, "--limit"),
        (["list", "--status", "lost"], 2, "--status expects"),
        (["remember", "x", "--category", "rumour"], 2, "--category expects"),
        (["remember", "x", "--category", "moment"], 2, "moment"),
        (["remember", "x", "--confidence", "7"], 2, "--confidence"),
        (["remember", "x", "--importance", "nan"], 2, "--importance"),
        (["remember", "   "], 2, "nothing to remember"),
        (["import", "no/such/file.jsonl"], 2, "no/such/file.jsonl"),
        (["import", ".", "--mode", "magic"], 2, "--mode expects"),
        (["import", ".", "--format", "morse"], 2, "--format expects"),
        (["models", "burn"], 2, "--action expects"),
        (["lab", "run", "trivia", "--data", "."], 2, "--dataset expects"),
        (["lab", "run", "locomo", "--data", "."], 2, "--data"),
        (["lab", "run", "--data", "."], 2, "or --all"),
        (["lab", "run", "locomo", "--sets", "qmsum", "--data", "."], 2, "or --all"),
        (["lab", "run", "locomo", "--all", "--data", "."], 2, "--all measures"),
        (["lab", "run", "--all", "--sets", "trivia", "--data", "."], 2, "--sets expects"),
        (["lab", "run", "--all", "--data", "."], 2, "holds no locomo"),
        (["lab", "run", "locomo", "--data", ".", "--set", "luck"], 2, "name=value"),
        (["lab", "run", "locomo", "--data", ".", "--set", "recall.luck=1"], 2, "recall.luck"),
        (["xray", "crane", "--out", "/no/such/folder/x"], 2, "--out"),
        (["recall", "crane", "--top-k", "many"], 2, "--top-k"),
        (["no-such-command"], 2, "no-such-command"),
        (["adopt", "none.md"], 2, "none.md does not exist"),
        (["adopt", MEMORIES, "--format", "diary"], 2, "--format expects one of claude-md"),
        (["adopt", MEMORIES, "--preview", "--yes"], 2, "exclude each other"),
        (["adopt", MEMORIES, "--samples", "-1"], 2, "--samples expects"),
        (["adopt", __file__], 2, "holds no memories in a form we know"),
        (["tier", "list", "--tier", "warm"], 2, "--tier"),
        (["tier", "list", "--limit", "0"], 2, "--limit"),
        (["tier", "explain", "mem_nothing"], 3, "no memory mem_nothing"),
        (["lifecycle", "report", "--since", "2999-01-01"], 2, "--since lies in the future"),
        (["lifecycle", "run", "--namespace", "Nobody"], 2, "--namespace expects tenant/project"),
        (["replay", NOTHING], 3, "no recall"),
        (["diff", NOTHING, NOTHING], 3, "no recall"),
        (["ablate", "nonsense"], 3, "no recall"),
        (["ablate", NOTHING, "--without", "sonar"], 2, "--without expects some of vector"),
        (["snapshots", "pin", NOTHING], 3, "no recall"),
        (["snapshots", "list", "--since", "yesterday"], 2, "--since expects"),
        (["snapshots", "export", "--since", "7"], 2, "--since expects"),
        (["snapshots", "list", "--limit", "0"], 2, "--limit"),
        (["snapshots", "export", "--out", "/no/such/folder/x"], 2, "--out"),
        (["explain", "--format", "pdf"], 2, "--format expects one of json, text, markdown, html"),
        (["explain", "--out", "~nobody-of-that-name/x"], 2, "--out"),
        (["why", NOBODY, "--query", "crane"], 3, f"no memory {NOBODY}"),
        (["why", NOBODY], 3, f"no memory {NOBODY}"),
        (["why", NOBODY, "--query", "crane", "--recall", "rec_1"], 2, "not both"),
        (["why", NOBODY, "--recall", "rec_1"], 3, "no recall rec_1"),
        (["why", NOBODY, "--recall", "rec_1", "--top-k", "3"], 2, "nothing may differ"),
        (["why", NOBODY, "--query", " "], 2, "must be non-empty"),
        (["why", NOBODY, "--query", "crane", "--budget", "no"], 2, "--budget expects"),
        (["why", "vessel", "--query", "x", "--namespace", "other/place"], 3, "nothing in other/place is like"),
        (["why", "zzz", "--query", "crane"], 3, 'is like "zzz"'),
        (["why", "a recipe for apple pie", "--query", "crane"], 3, "is like"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_exit_code(cli: Cli, arguments: list[str], code: int, said: str) -> None:
    cli("remember", CRANE)
    answer = cli(*arguments, code=code)
    assert said in answer.err
    assert answer.out == ""
    assert "Traceback" not in answer.err


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    "arguments",
    [
        ["show", NOBODY],
        ["show", "no/such.md"],
        ["audit", "aud_" + "0" * 34],
        ["audit", "rubbish"],
        ["xray", "--id", NOTHING],
        ["xray", "--id", "rubbish"],
    ],
)
def test_an_unknown_name_is_exit_code_3(cli: Cli, arguments: list[str]) -> None:
    cli("remember", CRANE)
    answer = cli(*arguments, code=3)
    assert arguments[-1] in answer.err
    assert "local/default" in answer.err
    assert re.search(r"\(.+\)\n$", answer.err), "a next step stands at the end"


@pytest.mark.requirement("STORE-7")
def test_another_namespace_knows_nothing_of_it(cli: Cli) -> None:
    kept = cli("remember", CRANE, "--json").json
    answer = cli("recall", "crane", "--json").json
    other = ("--namespace", "other/place")
    cli("show", kept["memory"]["id"], *other, code=3)
    cli("xray", "--id", answer["recallId"], *other, code=3)
    cli("audit", answer["memories"][0]["auditEntryId"], *other, code=3)
    assert cli("list", *other, "--json").json["total"] == 0
    assert cli("recall", "crane", *other, "--json").json["memories"] == []
    assert cli("remember", CRANE, *other, "--json").json["created"] is True


@pytest.mark.requirement("CAP-4")
@pytest.mark.parametrize("mode", ["extract", "verbatim"])
def test_a_second_import_takes_nothing_and_a_grown_transcript_its_new_turns(
    cli: Cli, tmp_path: Path, mode: str
) -> None:
    lines = (SESSIONS / "caching-layer.jsonl").read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "session.jsonl"
    path.write_text("".join(lines[:60]), "utf-8")
    first = cli("import", str(path), "--mode", mode, "--json").json
    assert first["turnsTaken"] == first["turnsRead"] > 0
    again = cli("import", str(path), "--mode", mode, "--json").json
    assert (again["turnsTaken"], again["memories"]) == (0, 0)
    assert again["dropped"]["already-imported"] == again["turnsRead"] == first["turnsRead"]
    path.write_text("".join(lines), "utf-8")
    grown = cli("import", str(path), "--mode", mode, "--json").json
    assert grown["turnsTaken"] == grown["turnsRead"] - first["turnsRead"] > 0
    moved = path.rename(tmp_path / "moved.jsonl")
    assert cli("import", str(moved), "--mode", mode, "--json").json["turnsTaken"] == 0


@pytest.mark.requirement("STORE-7")
def test_a_transcript_can_be_taken_into_a_second_namespace(cli: Cli) -> None:
    path = str(SESSIONS / "onboarding-chat.json")
    first = cli("import", path, "--json").json
    assert cli("import", path, "--namespace", "other/place", "--json").json["memories"] == first["memories"] > 0


@pytest.mark.requirement("CAP-4")
def test_two_copies_of_a_long_transcript_in_one_import_are_taken_once(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    turns = [f"we talked about boat number {n}" for n in range(600)]
    for name in ("a.jsonl", "b.jsonl"):
        transcript(folder / name, *turns)
    taken = cli("import", str(folder), "--mode", "verbatim", "--json").json
    assert taken["turnsTaken"] == 600


def test_importing_the_examples_keeps_what_matters(cli: Cli) -> None:
    named = ("import", *map(str, sorted(SESSIONS.iterdir())), "--namespace", "local/default")
    outcome = cli(*named, "--json").json
    assert outcome["files"] == 4
    assert outcome["compressionRatio"] > 3
    assert sum(outcome["verdicts"].values()) >= outcome["memories"] > 20
    assert "kept 0 memories from 0 new turns" in cli(*named).out


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"{}", b"[]", b'{"what": "ever"}\n'])
def test_a_transcript_in_no_known_format_is_exit_code_2(cli: Cli, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(data)
    answer = cli("import", str(path), code=2)
    assert str(path) in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.requirement("CAP-3")
def test_our_own_output_pasted_into_a_transcript_is_not_taken_back(cli: Cli, tmp_path: Path) -> None:
    cli("remember", f"{CRANE} since the refit of pier twelve")
    context = cli("recall", "crane").out.rpartition("why: ")[0]
    as_json = cli("recall", "crane", "--json").out
    explained = cli("xray", "crane").out
    path = tmp_path / "t.jsonl"
    rows = [
        {
            "role": "user",
            "content": f"Here is what it said:\n{context}\nWe decided to sell the tug boat.",
            "session": "s",
        },
        {"role": "tool", "content": as_json, "session": "s"},
        {"role": "tool", "content": explained, "session": "s"},
        {"role": "assistant", "content": f"I recall this:\n{context}", "session": "s"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    outcome = cli("import", str(path), "--mode", "verbatim", "--json").json
    assert outcome["dropped"]["own-recall"] == 2
    taken = [e["memory"]["content"] for e in cli("list", "--category", "moment", "--json").json["memories"]]
    assert not [text for text in taken if "pier twelve" in text]
    assert any("sell the tug boat" in text for text in taken)


def test_an_edit_on_disk_wins_and_is_said(cli: Cli, home: Path) -> None:
    path = home / "vault" / cli("remember", CRANE, "--json").json["path"]
    path.write_text(path.read_text("utf-8").replace("forty", "fifty"), "utf-8")
    said = cli("recall", "how much does the crane lift?")
    assert "1 file changed outside Pellucid and taken over" in said.err
    assert "fifty" in said.out
    assert "forty" not in said.out
    assert "taken over" not in cli("recall", "crane").err


def test_doctor_tells_drift_from_damage(cli: Cli, home: Path) -> None:
    paths = [home / "vault" / cli("remember", text, "--json").json["path"] for text in (CRANE, FERRY, "tide", "quay")]
    assert cli("doctor", "--json").json["healthy"] is True
    paths[0].write_text(paths[0].read_text("utf-8").replace("forty", "fifty"), "utf-8")
    paths[1].unlink()
    paths[2].rename(paths[2].with_name("renamed.md"))
    (home / "vault" / "facts" / "new.md").write_text("a note of mine", "utf-8")
    report = cli("doctor", "--json").json
    assert report["healthy"] is True
    notes = {note.split()[1]: note for note in report["notes"]}
    assert notes["added"].startswith("2 ")
    assert "renamed.md" in notes["added"]
    assert notes["edited"].startswith("1 ")
    assert notes["deleted"].startswith("2 ")
    assert cli("doctor", "--json").json["notes"] == report["notes"], "doctor changes nothing"
    taken = cli("list", "--json")
    assert taken.json["total"] == 4
    assert "5 files changed outside Pellucid" in taken.err
    assert cli("doctor", "--json").json["notes"] == []


def test_doctor_finds_conflicts_copies_and_what_cannot_be_read(cli: Cli, home: Path) -> None:
    path = home / "vault" / cli("remember", CRANE, "--json").json["path"]
    path.with_name(f"{path.stem}.conflict-0123abcd.md").write_bytes(path.read_bytes())
    path.with_name("copy.md").write_bytes(path.read_bytes())
    path.with_name("bad.md").write_bytes(b"---\na: [\n---\n")
    report = cli("doctor", "--json", code=7).json
    assert report["healthy"] is False
    found = {finding["check"]: finding for finding in report["findings"]}
    assert set(found) == {"conflict", "id", "file"}
    assert all(finding["nextStep"] for finding in found.values())
    assert found["file"]["subject"].endswith("bad.md")
    assert "copy.md" in found["id"]["problem"]
    text = cli("doctor", code=7).out
    assert text.count("PROBLEM") == 3
    assert cli("recall", "crane").out.count(CRANE) == 1


@pytest.mark.parametrize("name", ["index.db", "history.db"])
def test_a_damaged_database_is_a_finding_and_a_rebuild_mends_the_index(cli: Cli, home: Path, name: str) -> None:
    cli("remember", CRANE)
    for path in home.glob(f"{name}-*"):
        path.unlink()
    (home / name).write_bytes(b"this is no database " * 500)
    report = cli("doctor", "--json", code=7).json
    assert [(each["check"], each["subject"]) for each in report["findings"]] == [("database", name)]
    if name == "index.db":
        cli("rebuild")
        cli("doctor")
    assert CRANE in cli("recall", "crane").out


@pytest.mark.requirement("STORE-4")
def test_rebuild_says_how_much_it_indexed_and_what_it_left_out(cli: Cli, home: Path) -> None:
    cli("remember", CRANE)
    (home / "vault" / "facts" / "bad.md").write_bytes(b"---\na: [\n---\n")
    assert cli("rebuild", "--json").json == {
        "memories": 1,
        "unreadable": cli("rebuild", "--json").json["unreadable"],
    }
    said = cli("rebuild").out
    assert said.startswith("indexed 1 memories\nleft out: facts/bad.md")
    for path in home.glob("index.db*"):
        path.unlink()
    assert CRANE in cli("recall", "crane").out


def raw_bytes(home: Path) -> dict[str, bytes]:
    """Everything the home holds, receipts unpacked."""
    import sqlite3

    found = {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    with sqlite3.connect(f"file:{home / 'history.db'}?mode=ro", uri=True) as history:
        for name, packed in history.execute("SELECT recall_id, packed FROM receipts"):
            found[name] = bare_receipt(packed)
    history.close()
    return found


def a_secret() -> str:
    """What looks like a token, put together here."""
    return "gh" + "p_" + "".join(f"{letter}{n % 10}" for n, letter in enumerate("AbCdEfGhIjKlMnOpQr"))


def holding(home: Path, text: str) -> set[str]:
    forms = (text.encode(), json.dumps(text)[1:-1].encode(), text.encode("utf-16-le"))
    return {name for name, data in raw_bytes(home).items() if any(form in data for form in forms)}


@pytest.mark.requirement("CAP-2")
def test_a_secret_that_is_remembered_or_imported_is_in_no_byte_of_the_home(
    cli: Cli, home: Path, tmp_path: Path
) -> None:
    secret = "gh" + "p_" + "".join(f"{letter}{n % 10}" for n, letter in enumerate("AbCdEfGhIjKlMnOpQr"))
    canary = "canaryinthecoalmine"
    said = cli("remember", f"the {canary} deploy token is {secret} for the crane", "--json").json
    assert said["redactions"]
    path = transcript(
        tmp_path / "t.jsonl", f"remember that the deploy token is {secret}", f"We decided on the {canary}."
    )
    for mode in ("extract", "verbatim"):
        cli("import", str(path), "--mode", mode)
    cli("recall", "which deploy token?")
    found = holding(home, canary)
    assert {"index.db", *(name for name in found if name.startswith("vault/"))} <= found, "the scan finds what is there"
    assert holding(home, secret) == set()


@pytest.mark.requirement("CAP-2")
@pytest.mark.parametrize("flag", ["--tag", "--entity", "query"])
def test_a_secret_beside_the_content_is_in_no_byte_of_the_home_either(cli: Cli, home: Path, flag: str) -> None:
    secret = a_secret()
    cli("remember", CRANE, *((flag, secret) if flag != "query" else ()))
    cli("recall", f"where is {secret} used?" if flag == "query" else "crane")
    assert holding(home, secret) == set()


@pytest.mark.parametrize("line", ["expiresAt: 2020-01-01T00:00:00.000Z", "trustZone: quarantine"])
def test_what_can_no_longer_be_recalled_may_be_remembered_again(cli: Cli, home: Path, line: str) -> None:
    path = home / "vault" / cli("remember", CRANE, "--json").json["path"]
    text = re.sub(r"trustZone: \w+\n", "", path.read_text("utf-8"))
    path.write_text(text.replace("confidence:", f"{line}\nconfidence:", 1), "utf-8")
    assert cli("recall", "crane", "--json").json["memories"] == []
    cli("remember", CRANE)
    assert [e["memory"]["content"] for e in cli("recall", "crane", "--json").json["memories"]] == [CRANE]


@pytest.mark.requirement("CLI-2")
def test_a_damaged_key_is_said_and_never_used(cli: Cli, home: Path) -> None:
    key = home / "vault" / ".pellucid" / "key"
    cli("init")
    assert len(key.read_bytes()) == 32
    key.write_bytes(b"")
    said = cli("import", str(SESSIONS / "onboarding-chat.json"), code=7).err
    assert "the vault's key is damaged" in said
    assert "backup" in said
    assert key.read_bytes() == b""


def test_a_damaged_episode_does_not_stop_the_other_commands(cli: Cli, home: Path) -> None:
    cli("import", str(SESSIONS / "onboarding-chat.json"), "--mode", "verbatim")
    cli("remember", CRANE)
    (episode,) = (home / "vault" / "episodes").rglob("*.md")
    episode.write_text(episode.read_text("utf-8").replace('"turn":1', '"turn":', 1), "utf-8")
    assert CRANE in cli("recall", "crane").out
    assert cli("doctor", "--json", code=7).json["findings"][0]["check"] == "file"


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PELLUCID_")}  # noqa: TID251
    return {**kept, "PELLUCID_HOME": str(home), "NO_COLOR": "1"}


def child(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("pellucid")), *arguments]
    return subprocess.run(command, env=environment(home), capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.requirement("CLI-1")
def test_the_installed_command_speaks_plain_text_and_exits_with_the_code_of_the_kind(tmp_path: Path) -> None:
    helped = child(tmp_path / "home", "--help")
    assert helped.returncode == 0
    assert "\x1b" not in helped.stdout
    for command in ("init", "import", "remember", "list", "show", "recall", "xray", "audit", "doctor", "rebuild"):
        assert f"  {command} " in helped.stdout
    assert not (tmp_path / "home").exists(), "help touches nothing"
    refused = child(tmp_path / "home", "recall", "crane", "--budget", "abc")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("pellucid: --budget expects")
    assert len(refused.stderr.splitlines()) == 1
    assert child(tmp_path / "home", "show", "mem_x").returncode == 3


def heavy_imports(tmp_path: Path, *arguments: str) -> set[str]:
    """The large libraries that a command has loaded when it ends."""
    program = (
        "import sys\nfrom pellucid.surfaces.cli import main\nsys.argv[0] = 'pellucid'\n"
        "try:\n    main()\nfinally:\n"
        "    heavy = {'numpy', 'onnxruntime', 'onnx', 'tokenizers', 'apsw', 'safetensors'} & set(sys.modules)\n"
        "    sys.stderr.write(f'heavy={sorted(heavy)}')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return set(ast.literal_eval(done.stderr.rpartition("heavy=")[2]))


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["recall", "--help"], ["lab", "run", "--help"]])
def test_help_does_not_wait_for_heavy_imports(tmp_path: Path, arguments: list[str]) -> None:
    assert not heavy_imports(tmp_path, *arguments)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["list"], ["show", "mem_kept"], ["episodes", "list"], ["history", "mem_kept"]])
def test_looking_around_waits_for_the_database_alone(tmp_path: Path, arguments: list[str]) -> None:
    kept = child(tmp_path, "remember", "The crane lifts forty tonnes.", "--json")
    words = [json.loads(kept.stdout)["memory"]["id"] if each == "mem_kept" else each for each in arguments]
    assert heavy_imports(tmp_path, *words) == {"apsw"}


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["projects", "list"]])
def test_a_look_at_memories_loads_the_database_alone(cli: Cli, tmp_path: Path, arguments: list[str]) -> None:
    cli("remember", CRANE)
    assert heavy_imports(tmp_path / "home", *arguments) == {"apsw"}
