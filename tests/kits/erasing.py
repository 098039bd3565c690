"""A home with a text that is to be forgotten in every place a store leaves one, and the search for what is left."""

from pathlib import Path

from kits.records import NOTE, OLD, OURS, THEIRS, note, operation, removal, save, write
from pellucid.store.local.vault.records import LocalRecords

TEXT, SLUG, TAG = b"c4nary-text-qx", b"c4nary-slug-qx", b"c4nary-tag-qx"
SECRET = f"facts/2026-04/{SLUG.decode()}-1a2b3c4d.md"
EDITED = f"facts/2026-04/{SLUG.decode()}-5e6f7a8b.md"
BIG = 9_000
"""Bytes of a text that does not fit into one page of a database."""


def secret(version: str) -> bytes:
    return b"---\nid: mem_9\nstatus: active\ntags: [%b]\n---\n\n%b %b\n" % (TAG, TEXT * (BIG // 14), version.encode())


def found(home: Path) -> set[str]:
    """Where a canary stands: `name` for the name of any file, else the kind of the file that holds it."""
    out: set[str] = set()
    for path in home.rglob("*"):
        if any(canary in str(path.relative_to(home)).encode() for canary in (TEXT, SLUG, TAG)):
            out.add("name")
        if path.is_file() and any(canary in path.read_bytes() for canary in (TEXT, SLUG, TAG)):
            out.add(kind(path))
    return out


def kind(path: Path) -> str:
    if path.parent.name == "displaced":
        return "displaced"
    named = {"journal.db": "journal", "journal.db-wal": "log"}
    beside = next((what for mark, what in ((".conflict-", "conflict"), (".swap", "swap")) if mark in path.name), "file")
    return named.get(path.name, beside)


def home_with_secrets(home: Path) -> LocalRecords:
    """One path written and edited by us, one met by an edit of the user; and a note with the same kinds of past."""
    records = LocalRecords(home)
    records.commit(operation(write(SECRET, secret("1")), write(EDITED, secret("2")), write(NOTE, OLD)))
    records.drain()
    records.commit(operation(write(SECRET, secret("3"), secret("1")), write(EDITED, secret("4"), secret("2"))))
    save(note(home, EDITED), secret("by hand"))
    records.drain()
    records.commit(operation(write(NOTE, OURS, OLD)))
    save(note(home), THEIRS)
    records.drain()
    records.commit(operation(write("skills/other.md", OLD)))
    records.drain()
    records.commit(operation(write("skills/other.md", OURS, OLD)))
    return records


def removals(home: Path) -> tuple[object, ...]:
    return removal(SECRET, secret("3")), removal(EDITED, note(home, EDITED).read_bytes())


def others(home: Path) -> dict[str, bytes]:
    """Every file of the vault that has nothing to do with the secret, but those of the store's own folder."""
    files = (path for path in (home / "vault").rglob("*") if path.is_file() and ".pellucid" not in path.parts)
    kept = {str(path.relative_to(home)): path.read_bytes() for path in files}
    return {name: data for name, data in kept.items() if SLUG.decode() not in name}
