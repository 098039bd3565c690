"""A home that lost its key or rows of its ledger in; told, and with nothing forgotten taken in again, out."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.cli import Cli

WORD = "zanzibarquokka"
SAID = (f"The {WORD} gateway listens on port 7443.", "We decided to cut releases every Tuesday.")
Hurt = Callable[[Path], None]


@pytest.fixture
def forgetful(cli: Cli, home: Path, tmp_path: Path) -> Path:
    """A home in which one of two things said was forgotten; what comes after, and a copy of the vault's own folder."""
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    cli("forget", memory_of(cli, WORD), "--yes")
    cli("remember", "Backups are kept for 30 days")
    own = home / "vault" / ".pellucid"
    shutil.copytree(own, tmp_path / "backup")
    return own


def transcript(folder: Path, session: str = "s1") -> Path:
    lines = [
        {"role": "user", "content": text, "session": session, "ts": f"2026-04-20T10:0{number}:00Z"}
        for number, text in enumerate(SAID)
    ]
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def memory_of(cli: Cli, word: str) -> str:
    listed = cli("list", "--contains", word, "--status", "any", "--json").json["memories"]
    return next(each["memory"]["id"] for each in listed if word in each["memory"]["content"])


def ledger(home: Path) -> Path:
    (path,) = (home / "vault" / ".pellucid" / "ledger").glob("*.jsonl")
    return path


def lines_with(home: Path, kind: str) -> tuple[list[bytes], int]:
    lines = ledger(home).read_bytes().splitlines(keepends=True)
    return lines, next(at for at, line in enumerate(lines) if b'"kind":"%b"' % kind.encode() in line)


def lose_key(home: Path) -> None:
    (home / "vault" / ".pellucid" / "key").unlink()


def change_key(home: Path) -> None:
    (home / "vault" / ".pellucid" / "key").write_bytes(b"k" * 32)


def damage_key(home: Path) -> None:
    (home / "vault" / ".pellucid" / "key").write_bytes(b"")


def lose_ledger(home: Path) -> None:
    shutil.rmtree(home / "vault" / ".pellucid" / "ledger")


def lose_own_folder(home: Path) -> None:
    shutil.rmtree(home / "vault" / ".pellucid")


def lose_month(home: Path) -> None:
    ledger(home).unlink()


def cut_end(home: Path) -> None:
    lines, at = lines_with(home, "tombstone")
    ledger(home).write_bytes(b"".join(lines[:at]))


def cut_within_a_line(home: Path) -> None:
    lines, at = lines_with(home, "tombstone")
    ledger(home).write_bytes(b"".join(lines[:at]) + lines[at][:40])


def lose_line(home: Path) -> None:
    lines, at = lines_with(home, "tombstone")
    ledger(home).write_bytes(b"".join((*lines[:at], *lines[at + 1 :])))


def garble_line(home: Path) -> None:
    lines, at = lines_with(home, "tombstone")
    ledger(home).write_bytes(b"".join((*lines[:at], b"?" * 30 + lines[at][30:], *lines[at + 1 :])))


def flip_a_digit_of_a_tombstone(home: Path) -> None:
    lines, at = lines_with(home, "tombstone")
    start = lines[at].index(b'"keys":["') + 9
    digit = b"0" if lines[at][start : start + 1] != b"0" else b"1"
    changed = lines[at][:start] + digit + lines[at][start + 1 :]
    ledger(home).write_bytes(b"".join((*lines[:at], changed, *lines[at + 1 :])))


KEYS = [lose_key, change_key, damage_key]
LEDGERS = [
    lose_ledger,
    lose_month,
    cut_end,
    cut_within_a_line,
    lose_line,
    garble_line,
    flip_a_digit_of_a_tombstone,
]
NEEDED: dict[Hurt, str] = {
    flip_a_digit_of_a_tombstone: "journal.db",
    lose_ledger: "index.db journal.db",
    lose_month: "index.db journal.db",
    cut_end: "index.db journal.db",
    cut_within_a_line: "index.db journal.db",
}
"""Where a loss shows by nothing else: what the file held, and how far the ledger went."""
CASES = [
    (hurt, gone)
    for hurt in (*KEYS, *LEDGERS, lose_own_folder)
    for gone in ("", "index.db", "journal.db", "index.db journal.db")
    if not (hurt in NEEDED and set(NEEDED[hurt].split()) <= set(gone.split()))
]


def findings(cli: Cli) -> list[dict[str, str]]:
    return cli("doctor", "--json", code=7).json["findings"]


@pytest.mark.requirement("FORGET-4")
@pytest.mark.parametrize(("hurt", "gone"), CASES)
def test_what_is_lost_is_found_and_nothing_forgotten_is_taken_in_until_it_is_put_back(
    cli: Cli, home: Path, tmp_path: Path, forgetful: Path, hurt: Hurt, gone: str
) -> None:
    hurt(home)
    for path in (path for name in gone.split() for path in home.glob(f"{name}*")):
        path.unlink()
    refused = cli("import", str(transcript(tmp_path)), "--mode", "verbatim", code=7).err
    assert "vault/.pellucid/" in refused
    assert "doctor --accept-loss" in refused
    cli("import", str(transcript(tmp_path, "another")), code=7)
    found = findings(cli)
    kinds = {"key"} if hurt in KEYS else {"ledger"} if hurt in LEDGERS else {"key", "ledger"} if gone == "" else {"key"}
    assert kinds <= {each["check"] for each in found}
    assert all("backup" in each["nextStep"] for each in found if each["check"] in kinds)
    cli("rebuild")
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out
    assert "every Tuesday" in cli("recall", "when are releases cut").out
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim", code=7)

    shutil.rmtree(forgetful, ignore_errors=True)
    shutil.copytree(tmp_path / "backup", forgetful)
    cli("rebuild")
    cli("doctor")
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    cli("import", str(transcript(tmp_path, "another")))
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out


@pytest.mark.requirement("FORGET-4")
@pytest.mark.parametrize("hurt", LEDGERS)
def test_a_loss_that_is_accepted_costs_no_tombstone_that_the_index_still_holds(
    cli: Cli, home: Path, tmp_path: Path, forgetful: Path, hurt: Hurt
) -> None:
    hurt(home)
    said = cli("doctor", "--accept-loss").err
    assert "given up" in said
    assert "tombstones of the index" in said
    for path in home.glob("index.db*"):
        path.unlink()
    cli("rebuild")
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out
    cli("doctor")
    assert "nothing is lost" in cli("doctor", "--accept-loss").err


@pytest.mark.parametrize("hurt", [*KEYS, lose_own_folder])
def test_a_key_that_is_given_up_is_the_key_from_then_on(
    cli: Cli, home: Path, tmp_path: Path, forgetful: Path, hurt: Hurt
) -> None:
    hurt(home)
    cli("remember", "The crane lifts forty tonnes")
    cli("doctor", "--accept-loss")
    cli("doctor")
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    cli("forget", memory_of(cli, WORD), "--yes")
    key = (forgetful / "key").read_bytes()
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out
    assert (forgetful / "key").read_bytes() == key
    assert len(key) == 32
    assert [path.name for path in forgetful.glob("key*")] == ["key"]


def test_a_vault_that_came_without_its_own_folder_says_so_and_is_read(cli: Cli, home: Path, forgetful: Path) -> None:
    lose_own_folder(home)
    for path in home.glob("*.db*"):
        path.unlink()
    assert "every Tuesday" in cli("recall", "when are releases cut").out
    assert [each["check"] for each in findings(cli)] == ["key"]
    assert not (forgetful / "key").exists()


def test_a_home_that_is_new_or_was_written_by_hand_starts_without_a_word(cli: Cli, home: Path, tmp_path: Path) -> None:
    (home / "vault").mkdir(parents=True, mode=0o700)
    (home / "vault" / "note.md").write_text("The ferry leaves at nine.\n", "utf-8")
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    cli("doctor")


@pytest.mark.parametrize("hurt", KEYS)
def test_without_the_key_nothing_is_forgotten_that_would_not_be_known_later(
    cli: Cli, home: Path, forgetful: Path, hurt: Hurt
) -> None:
    memory = memory_of(cli, "Tuesday")
    hurt(home)
    assert "key" in cli("forget", memory, "--yes", code=7).err
    assert memory in cli("forget", memory).out


@pytest.mark.parametrize("hurt", LEDGERS)
def test_a_hurt_ledger_keeps_nobody_from_forgetting(cli: Cli, home: Path, forgetful: Path, hurt: Hurt) -> None:
    memory = memory_of(cli, "Tuesday")
    hurt(home)
    cli("forget", memory, "--yes")
    assert "Tuesday" not in cli("list", "--status", "any").out
    assert "ledger" in {each["check"] for each in findings(cli)}


def test_documents_and_other_tools_memories_are_refused_too(
    cli: Cli, home: Path, tmp_path: Path, forgetful: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "gateway.md").write_text(f"# Gateway\n\n{SAID[0]}\n", "utf-8")
    (notes / "MEMORY.md").write_text(f"- {SAID[0]}\n", "utf-8")
    lose_key(home)
    cli("index", "docs", str(notes), code=7)
    cli("adopt", str(notes / "MEMORY.md"), "--yes", code=7)
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out


def test_turns_that_are_observed_meanwhile_wait_and_are_kept_when_it_is_settled(
    cli: Cli, home: Path, tmp_path: Path, forgetful: Path
) -> None:
    lose_key(home)
    turns, nothing = tmp_path / "live.jsonl", tmp_path / "nothing.jsonl"
    turns.write_text('{"role":"user","content":"We decided to use PostgreSQL for billing.","session":"live"}\n')
    nothing.write_text("")
    cli("observe", str(turns), "--flush", "session_end")
    assert "failed attempts" in json.dumps(findings(cli))
    assert "PostgreSQL" not in cli("list").out
    shutil.copy(tmp_path / "backup" / "key", forgetful / "key")
    cli("observe", str(nothing), "--session", "live", "--flush", "session_end")
    assert "PostgreSQL" in cli("list").out
    cli("doctor")


def test_a_damaged_line_hides_none_behind_it_and_is_named(
    cli: Cli, home: Path, tmp_path: Path, forgetful: Path
) -> None:
    lines, at = lines_with(home, "tombstone")
    ledger(home).write_bytes(b"".join((b"{broken}\n", *lines[1:])))
    for path in home.glob("index.db*"):
        path.unlink()
    found = next(each for each in findings(cli) if each["check"] == "ledger")
    assert f"{ledger(home).name}: line 1 is not a ledger row" in found["problem"]
    cli("doctor", "--accept-loss")
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    assert at > 0
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out
    assert ledger(home).with_suffix(".damaged").read_bytes() == b"{broken}\n"
    losses = [json.loads(line) for line in cli("ledger", "export", "--kind", "loss").out.splitlines()]
    assert [each["missing"] for each in losses] == [[[1, 1]]]


def test_a_journal_older_than_its_ledger_gives_no_number_twice(cli: Cli, home: Path, tmp_path: Path) -> None:
    cli("import", str(transcript(tmp_path)), "--mode", "verbatim")
    older = tmp_path / "journal.db"
    shutil.copy(home / "journal.db", older)
    cli("remember", "The crane lifts forty tonnes")
    shutil.copy(older, home / "journal.db")
    cli("forget", memory_of(cli, WORD), "--yes")
    for path in home.glob("index.db*"):
        path.unlink()
    cli("rebuild")
    cli("doctor")
    cli("import", str(transcript(tmp_path, "another")))
    assert WORD not in cli("list", "--contains", WORD, "--status", "any").out
