"""Documents with a past in a repository, or in rows of a file, in; the states of their headers at each time out."""

import json
import os
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from kits.documents import SPEC, Docs, Git
from kits.live_sessions import HERE
from pellucid.documents.history import Histories
from pellucid.errors import InputError, NotFoundError
from pellucid.memory.ledger_rows import lifecycle_rows, recurrences
from pellucid.model.document import HeaderVersion
from pellucid.operations.document.cleaning import clean_older_header
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.document.rows import history_file, load_history
from pellucid.operations.memory.trusting import PromoteInput, trust_explain
from pellucid.operations.memory.undoing import UndoInput, undo

JAN, FEB, MAR = (f"2024-0{month}-01T00:00:00Z" for month in range(1, 4))
FINAL = SPEC.replace("Draft", "Final")


def statuses(versions: tuple[HeaderVersion, ...]) -> list[tuple[str, str]]:
    return [(f"{each.valid_from:%Y-%m}", each.values.get("status", "-")) for each in versions]


def row(doc: int | str, date: str, new: object, old: object = None, field: str = "status") -> dict[str, object]:
    return {"doc": doc, "date": date, "commit": "c" * 40, "field": field, "old": old, "new": new}


def test_commits_become_versions_and_the_text_stands_since_the_last_one(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC})
    final = git.commit(FEB, {"a.md": FINAL})
    out = docs.committed(git, MAR, {"a.md": FINAL.replace("two nights", "three nights")})
    assert (out.new, out.header_versions) == (1, 2)
    document, sections = docs.known("a.md")
    assert statuses(document.versions) == [("2024-01", "Draft"), ("2024-02", "Final")]
    assert document.versions[0].valid_until == document.versions[1].valid_from
    assert document.versions[1].commit == final
    assert {f"{each.valid_from:%Y-%m}" for each in sections} == {"2024-03"}
    states = docs.app.graph.states(HERE, "spec-54")
    assert [state.props["status"] for state in states] == ["Draft", "Final"]


def test_reading_a_history_again_changes_nothing(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC})
    docs.committed(git, FEB, {"a.md": FINAL})
    before = docs.known("a.md")
    again = docs.index(history=True)
    assert (again.changed, again.unchanged, again.operations) == (0, 1, ())
    assert docs.index().unchanged == 1
    assert docs.known("a.md") == before


def test_a_document_that_was_indexed_gains_its_past_and_keeps_its_ids(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC})
    git.commit(FEB, {"a.md": FINAL})
    docs.index()
    document, sections = docs.known("a.md")
    out = docs.index(history=True)
    assert (out.changed, out.header_versions, out.sections_opened) == (1, 1, 0)
    now, after = docs.known("a.md")
    assert statuses(now.versions) == [("2024-01", "Draft"), ("2024-02", "Final")]
    assert now.versions[1].id == document.versions[0].id
    assert [each.id for each in after] == [each.id for each in sections]
    assert {f"{each.valid_from:%Y-%m}" for each in after} == {"2024-02"}


def test_dates_that_a_history_moves_are_an_event_of_their_own_and_nobodys_words_said_again(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC})
    git.commit(FEB, {"a.md": FINAL})
    docs.index()
    out = docs.index(history=True)
    section = docs.known("a.md")[1][0].id
    rows = [each for each in lifecycle_rows(docs.app.ledger, HERE) if each.memory_id == section]
    assert [(each.event_type, each.reason_code) for each in rows] == [("redated", "history")]
    assert recurrences(rows) == {}
    assert trust_explain(docs.app, PromoteInput(namespace=HERE, memory_id=section)).events == ()
    with pytest.raises(NotFoundError):
        undo(docs.app, UndoInput(namespace=HERE, target=out.operations[0]))


def test_what_nobody_committed_yet_is_one_more_version(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC})
    docs.write("a.md", FINAL)
    docs.index(history=True)
    document, sections = docs.known("a.md")
    assert [status for _, status in statuses(document.versions)] == ["Draft", "Final"]
    assert document.versions[1].valid_from.timestamp() == os.stat(docs.folder / "a.md").st_mtime
    assert {each.valid_from for each in sections} == {document.versions[1].valid_from}


def test_versions_that_were_seen_between_commits_stay_until_a_commit_tells_otherwise(docs: Docs) -> None:
    git = Git(docs.folder)
    docs.committed(git, JAN, {"a.md": SPEC})
    docs.edited("a.md", "status: Draft", "status: Review")
    docs.edited("a.md", "status: Review", "status: Final")
    before = docs.known("a.md")[0].versions
    docs.index(history=True)
    assert docs.known("a.md")[0].versions == before
    assert [status for _, status in statuses(before)] == ["Draft", "Review", "Final"]


def test_files_without_a_commit_are_taken_as_they_are(docs: Docs, tmp_path: Path) -> None:
    Git(docs.folder).commit(JAN, {"a.md": SPEC})
    docs.write("b.md", "# B\n\nText.\n")
    (tmp_path / "elsewhere").mkdir()
    outside = tmp_path / "elsewhere" / "c.md"
    outside.write_text("# C\n\nText.\n")
    out = docs.index(".", "../elsewhere", history=True)
    assert out.new == 3
    assert any("no git checkout" in note for note in out.notes)


def test_a_file_that_cannot_be_read_does_not_cost_the_others_their_history(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC, "b.md": "# B\n\nText.\n", "c.md": SPEC.replace("054", "055")})
    git.commit(FEB, {"c.md": FINAL.replace("054", "055")})
    (docs.folder / "b.md").write_bytes(b"\xff")
    names = {docs.folder / name: name for name in ("a.md", "b.md", "c.md")}
    with Histories.of(names, partial(clean_older_header, settings=docs.app.settings)) as told:
        assert told.history_of_file(docs.folder / "c.md", FINAL.encode()) is not None
    out = docs.index(history=True)
    assert (out.new, out.refused) == (2, 1)
    assert len(docs.known("c.md")[0].versions) == 2


def test_a_history_where_there_is_no_repository_is_refused(docs: Docs) -> None:
    docs.write("a.md", SPEC)
    with pytest.raises(InputError, match="in a git checkout") as error:
        docs.index(history=True)
    assert error.value.code == "no_history"
    assert docs.app.graph.documents(HERE) == []


def test_a_secret_of_an_old_header_is_not_stored(docs: Docs, home: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC.replace("status: Draft", f"status: Draft\ntoken: {key}")})
    docs.committed(git, FEB, {"a.md": SPEC})
    assert len(docs.known("a.md")[0].versions) == 2
    assert not [each for each in home.rglob("*") if each.is_file() and key.encode() in each.read_bytes()]


def test_rows_tell_what_was_said_before_and_the_document_what_is_said_since_the_last(docs: Docs) -> None:
    docs.indexed("a.md", FINAL)
    rows = [
        row(54, "2019-05-01T02:00:00+02:00", "Review", "Draft"),
        row(54, "2019-03-01T00:00:00+00:00", "Draft"),
        row(54, "2019-05-01T00:00:00+00:00", "37", field="requires"),
        row(54, "2020-01-01T00:00:00-05:00", "Final", "Review"),
    ]
    out = load_history(docs.app, HERE, rows)
    assert (out.rows, out.documents, out.header_versions, out.unknown_rows) == (4, 1, 2, 0)
    versions = docs.known("a.md")[0].versions
    assert [(each.valid_from, each.values.get("status"), each.values.get("requires")) for each in versions] == [
        (datetime(2019, 3, 1, tzinfo=UTC), "Draft", None),
        (datetime(2019, 5, 1, tzinfo=UTC), "Review", "37"),
        (datetime(2020, 1, 1, 5, tzinfo=UTC), "Final", "37"),
    ]
    assert versions[-1].valid_until is None
    assert "spec-id" not in versions[0].values
    assert "spec-id" in versions[-1].values


def test_rows_read_twice_change_nothing_and_later_edits_stay(docs: Docs) -> None:
    docs.indexed("a.md", FINAL)
    rows = [row("SPEC-54", "2019-03-01T00:00:00Z", "Draft"), row("a.md", "2020-01-01T00:00:00Z", "Final", "Draft")]
    load_history(docs.app, HERE, rows)
    docs.edited("a.md", "status: Final", "status: Withdrawn")
    before = docs.known("a.md")[0].versions
    assert [status for _, status in statuses(before)] == ["Draft", "Final", "Withdrawn"]
    again = load_history(docs.app, HERE, rows)
    assert (again.documents, again.unchanged, again.operations) == (0, 1, ())
    assert docs.known("a.md")[0].versions == before


def test_a_number_in_a_row_finds_its_document_whatever_zeros_stand_before_it_in_the_series(docs: Docs) -> None:
    docs.indexed("a.md", FINAL.replace("spec_id: SPEC-054", "id: DOC-SPEC-007"))
    assert docs.known("a.md")[0].entity == "DOC-SPEC-007"
    out = load_history(docs.app, HERE, [row(7, JAN, "Draft")])
    assert (out.documents, out.unknown_rows) == (1, 0)


def test_rows_of_documents_that_are_not_here_or_of_several_are_counted_and_said(docs: Docs) -> None:
    docs.write("a.md", SPEC)
    docs.indexed("b.md", SPEC.replace("spec_id: SPEC-054", "adr: 54"))
    bad = {"doc": 1, "date": "yesterday", "field": "status"}
    out = load_history(docs.app, HERE, [row(54, JAN, "Draft"), row(77, JAN, "Draft"), row(77, FEB, "Final"), bad])
    assert (out.documents, out.unknown_rows) == (0, 3)
    assert out.unknown == ("77", "54")
    assert [each.path for each in out.problems] == ["row 4"]


def test_a_value_that_went_away_is_absent_and_one_that_was_there_before_its_first_row_stands(docs: Docs) -> None:
    docs.indexed("a.md", SPEC)
    rows = [row(54, JAN, "Draft"), row(54, FEB, None, "12", field="requires"), row(54, MAR, "Review", "Draft")]
    load_history(docs.app, HERE, rows)
    versions = docs.known("a.md")[0].versions
    assert [each.values.get("requires") for each in versions] == ["12", None, "37"]


def test_rows_of_a_document_that_is_gone_end_with_it(docs: Docs) -> None:
    file = docs.write("a.md", SPEC)
    docs.index()
    file.unlink()
    docs.index()
    gone = docs.known("a.md")[0].removed_at
    assert gone is not None
    later = (gone + timedelta(days=9)).isoformat()
    load_history(docs.app, HERE, [row(54, JAN, "Draft"), row(54, later, "Final")])
    document = docs.known("a.md")[0]
    assert document.versions[-1].valid_until == gone
    assert all(each.valid_from < gone for each in document.versions)


def test_what_a_row_told_last_and_the_header_does_not_say_stands_until_the_header_was_seen(docs: Docs) -> None:
    file = docs.write("a.md", SPEC.replace("requires: 37\n", ""))
    docs.index()
    rows = [row(54, JAN, "34", field="requires"), row(54, FEB, "Draft")]
    load_history(docs.app, HERE, rows)
    versions = docs.known("a.md")[0].versions
    assert [each.values.get("requires") for each in versions] == ["34", "34", None]
    assert versions[-1].valid_from.timestamp() == file.stat().st_mtime
    assert load_history(docs.app, HERE, rows).unchanged == 1


def test_a_dry_run_of_rows_writes_nothing(docs: Docs) -> None:
    docs.indexed("a.md", SPEC)
    before = docs.known("a.md")
    out = load_history(docs.app, HERE, [row(54, JAN, "Draft"), row(54, FEB, "Final")], dry_run=True)
    assert (out.written, out.documents) == (False, 1)
    assert docs.known("a.md") == before


def test_a_file_of_rows_alone_indexes_nothing_and_nothing_at_all_is_refused(docs: Docs, tmp_path: Path) -> None:
    docs.indexed("a.md", SPEC)
    docs.write("b.md", FINAL)
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row(54, JAN, "Draft")) + "\n")
    dry = index_docs(docs.app, IndexDocsInput(namespace=HERE, history_file=file, dry_run=True))
    assert dry.loaded
    assert (dry.written, dry.loaded.written, dry.loaded.documents) == (False, False, 1)
    out = index_docs(docs.app, IndexDocsInput(namespace=HERE, history_file=file))
    assert out.loaded
    assert (out.written, out.files, out.removed, out.loaded.documents) == (True, 0, 0, 1)
    assert statuses(docs.known("a.md")[0].versions)[0] == ("2024-01", "Draft")
    assert [each.document.path for each in docs.app.graph.documents(HERE)] == ["a.md"]
    assert index_docs(docs.app, IndexDocsInput(namespace=HERE, history_file=file)).loaded == out.loaded.model_copy(
        update={"documents": 0, "unchanged": 1, "header_versions": 0, "operations": ()}
    )
    with pytest.raises(InputError, match="nothing says what to index"):
        index_docs(docs.app, IndexDocsInput(namespace=HERE))


def test_a_fault_in_a_file_of_rows_is_told_before_anything_is_indexed(docs: Docs, tmp_path: Path) -> None:
    docs.write("b.md", FINAL)
    file = tmp_path / "rows.jsonl"
    file.write_text("[1]\n")
    with pytest.raises(InputError, match=r"rows\.jsonl:1"):
        index_docs(docs.app, IndexDocsInput(namespace=HERE, paths=(docs.folder,), history_file=file))
    assert docs.app.graph.documents(HERE) == []


def test_a_file_of_rows_is_read_line_by_line_and_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row(1, JAN, "Draft")) + "\n\n" + json.dumps(row(2, JAN, "Draft")) + "\n")
    assert [each["doc"] for each in history_file(file)] == [1, 2]
    file.write_text("[1]\n")
    with pytest.raises(InputError, match=r"rows\.jsonl:1"):
        list(history_file(file))
    with pytest.raises(InputError, match="cannot be read"):
        list(history_file(tmp_path / "none.jsonl"))
