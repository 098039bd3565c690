"""Short names for what the tests of the record do again and again."""

import itertools
from pathlib import Path

from pellucid.store.local.failpoint import Step
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.records import DrainReport, FileRemoval, FileWrite, JournalOperation, content_digest

AT = "2026-04-20T17:30:00.000Z"
NOTE = "facts/2026-04/note.md"
OLD = b"---\nid: mem_1\nstatus: active\n---\n\nold\n"
OURS = b"---\nid: mem_1\nstatus: active\n---\n\nours\n"
OURS_REVIEWED = b"---\nid: mem_1\nstatus: pending_review\n---\n\nours\n"
THEIRS = b"---\nid: mem_1\nstatus: active\n---\n\ntheirs\n"
_numbers = itertools.count(1)


class Crash(BaseException):
    """Stands for a process that dies: passes every `except` but that of a test."""


def write(path: str, data: bytes, base: bytes | None = None) -> FileWrite:
    return FileWrite(path, data, None if base is None else content_digest(base))


def removal(path: str, base: bytes) -> FileRemoval:
    return FileRemoval(path, content_digest(base))


def operation(
    *changes: FileWrite | FileRemoval, ledger: tuple[dict[str, object], ...] = (), at: str = AT
) -> JournalOperation:
    writes = tuple(each for each in changes if isinstance(each, FileWrite))
    removals = tuple(each for each in changes if isinstance(each, FileRemoval))
    return JournalOperation(f"op_{next(_numbers)}", "update", at, writes, ledger, removals=removals)


def note(home: Path, path: str = NOTE) -> Path:
    return home / "vault" / path


def save(path: Path, data: bytes) -> None:
    """Save as most editors do: a new file takes the place of the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}~")
    new.write_bytes(data)
    new.replace(path)


def with_old_note(home: Path) -> LocalRecords:
    """A store whose vault holds `OLD` at `NOTE`."""
    records = LocalRecords(home)
    records.commit(operation(write(NOTE, OLD)))
    records.drain()
    return records


def crash_at(home: Path, step: Step) -> None:
    """Drain as a process that dies at this step."""

    def failpoint(now: Step) -> None:
        if now == step:
            raise Crash

    records = LocalRecords(home, failpoint=failpoint)
    try:
        records.drain()
    except Crash:
        return
    raise AssertionError(f"the drain never came to {step}")


def drain(home: Path) -> DrainReport:
    """Drain as the next process does, and let go of replaced files at once."""
    records = LocalRecords(home, displaced_for_s=0)
    report = records.drain()
    records.close()
    return report


def conflict_texts(home: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in (home / "vault").rglob("*.conflict-*.md"))


def leftovers(home: Path) -> list[str]:
    """Names of our own that no drain may leave behind."""
    return [path.name for path in (home / "vault").rglob(".pellucid-*")] + [
        path.name for path in (home / "vault/.pellucid/displaced").glob("*")
    ]
