"""The verdict on a waiting write, and the text of a conflict file."""

import pytest

from pellucid.store.local.vault.conflict import Pending, pending_review, verdict


@pytest.mark.parametrize(
    ("base", "found", "expected"),
    [
        (None, None, "create"),
        (None, "new", "filed"),
        (None, "step", "replace"),
        (None, "user", "conflict"),
        ("base", None, "deleted"),
        ("base", "new", "filed"),
        ("base", "base", "replace"),
        ("base", "step", "replace"),
        ("base", "user", "conflict"),
    ],
)
def test_the_recovery_table(base: str | None, found: str | None, expected: str) -> None:
    assert verdict(Pending("a.md", "new", base, frozenset({"step", "new", base}), 1), found) == expected


@pytest.mark.parametrize(
    ("base", "found", "expected"),
    [
        ("base", None, "filed"),
        (None, None, "filed"),
        ("base", "base", "remove"),
        ("base", "step", "remove"),
        (None, "step", "remove"),
        ("base", "user", "conflict"),
    ],
)
def test_the_recovery_table_of_a_removal(base: str | None, found: str | None, expected: str) -> None:
    assert verdict(Pending("a.md", None, base, frozenset({"step", None, base}), 1), found) == expected


@pytest.mark.parametrize(("found", "expected"), [(None, "create"), ("base", "replace"), ("user", "conflict")])
def test_the_recovery_table_of_a_write_after_a_removal(found: str | None, expected: str) -> None:
    assert verdict(Pending("a.md", "new", "base", frozenset({"base", None, "new"}), 1), found) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"---\nid: 1\nstatus: active\ntags: []\n---\nx", b"---\nid: 1\nstatus: pending_review\ntags: []\n---\nx"),
        (b"---\nid: 1\n---\nstatus: active\n", b"---\nid: 1\nstatus: pending_review\n---\nstatus: active\n"),
        (b"---\nid: 1\n  status: x\n---\n", b"---\nid: 1\n  status: x\nstatus: pending_review\n---\n"),
        (b"---\r\nstatus: active # why\r\n---\r\nx", b"---\r\nstatus: pending_review\r\n---\r\nx"),
        (b"---\r\nid: 1\r\n---\r\n", b"---\r\nid: 1\r\nstatus: pending_review\r\n---\r\n"),
        (b"\xef\xbb\xbf---\nid: 1\n---\n", b"\xef\xbb\xbf---\nid: 1\nstatus: pending_review\n---\n"),
        (b"---\n---\nx", b"---\nstatus: pending_review\n---\nx"),
        (b"---\nid: 1\n---", b"---\nid: 1\nstatus: pending_review\n---"),
        (b"no frontmatter", b"---\nstatus: pending_review\n---\n\nno frontmatter"),
        (b"---\nnever closed", b"---\nstatus: pending_review\n---\n\n---\nnever closed"),
        (b"", b"---\nstatus: pending_review\n---\n\n"),
    ],
)
def test_only_the_status_line_of_a_conflict_file_changes(before: bytes, after: bytes) -> None:
    assert pending_review(before) == after
