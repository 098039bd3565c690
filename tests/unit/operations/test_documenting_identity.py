"""Files that change what they define, or whose names hold secrets, in; pasts that stay whose they were, out."""

from datetime import timedelta
from pathlib import Path

import pytest

from kits.documents import SPEC, Docs, Git, without_encoder
from kits.live_sessions import HERE
from kits.vault import TickingClock
from pellucid.clock import epoch_ms
from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput
from pellucid.operations.document.listing import (
    DocumentInput,
    DocumentsInput,
    RemoveInput,
    list_documents,
    remove_documents,
    show_document,
)
from pellucid.operations.document.rows import load_history
from pellucid.operations.document.watching import watch_docs

ONE = "---\nid: SPEC-61\nrequires: SPEC-62\n---\n\n# Cooling plan\n\nThe pumps run at night.\n"
PLAIN = ONE.replace("id: SPEC-61\n", "")
JAN, FEB, MAR = (f"2024-0{month}-01T00:00:00Z" for month in range(1, 4))
KEY = "ghp_" + "a1B2" * 9
OTHER = "ghp_" + "c3D4" * 9
AWS = "AKIA" + "QWERTYUIOP234567"


def defined(docs: Docs) -> dict[str, bool]:
    """What documents define, and whether each still stands."""
    return {each.document.entity: each.document.removed_at is None for each in docs.app.graph.documents(HERE)}


def bytes_below(folder: Path) -> bytes:
    return b"".join(str(each).encode() + each.read_bytes() for each in folder.rglob("*") if each.is_file())


def targets(docs: Docs, source: str, at: int) -> list[str]:
    edges = (each.edge for each in docs.app.graph.edges(HERE))
    return [each.target for each in edges if each.source == source and each.valid_from <= at < each.valid_until]


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [(ONE, PLAIN, "SPEC-61", "one.md"), (PLAIN, ONE, "one.md", "SPEC-61")],
    ids=["loses its id", "gains an id"],
)
def test_a_file_that_loses_or_gains_an_id_leaves_the_past_to_what_it_was(
    docs: Docs, before: str, after: str, old: str, new: str
) -> None:
    docs.indexed("one.md", before)
    then = docs.clock.at
    docs.clock.at += timedelta(hours=2)
    out = docs.indexed("one.md", after)
    assert (out.new, out.removed, out.changed) == (1, 1, 0)
    assert defined(docs) == {old: False, new: True}
    key = {"SPEC-61": "spec-61", "one.md": "one.md"}
    (state,) = docs.app.graph.states(HERE, key[old])
    assert state.valid_from <= epoch_ms(then) < state.valid_until
    assert targets(docs, key[old], epoch_ms(then)) == ["spec-62"]
    assert targets(docs, key[new], epoch_ms(then)) == []
    assert targets(docs, key[new], epoch_ms(docs.clock.at)) == ["spec-62"]
    owners = {each.memory.entity_ref for each in docs.app.index.memories(HERE) if each.memory.invalid_at}
    assert owners == {old}


def test_what_a_file_defines_anew_does_not_begin_before_what_it_was_ended(docs: Docs) -> None:
    docs.indexed("one.md", ONE)
    docs.clock.at += timedelta(hours=2)
    docs.write("one.md", PLAIN, at=docs.clock.at - timedelta(hours=9))
    docs.index()
    there = docs.known("one.md")[0]
    (gone,) = [each.document for each in docs.app.graph.documents(HERE) if each.document.removed_at]
    assert there.versions[0].valid_from == gone.removed_at


def test_a_file_that_is_back_as_something_else_leaves_the_end_of_what_it_was(docs: Docs) -> None:
    file = docs.write("one.md", ONE)
    docs.index()
    file.unlink()
    docs.index()
    ended = docs.known("one.md")[0].removed_at
    docs.clock.at += timedelta(hours=2)
    assert (out := docs.indexed("one.md", PLAIN)).removed == 0
    assert out.new == 1
    (gone,) = [each.document for each in docs.app.graph.documents(HERE) if each.document.removed_at]
    assert gone.removed_at == ended


@pytest.mark.parametrize("text", [b"", b"\xef\xbb\xbf", b" \n\n"])
def test_a_file_that_became_empty_is_passed_over_and_said(docs: Docs, text: bytes) -> None:
    docs.indexed("one.md", ONE)
    before = docs.known("one.md")
    out = docs.indexed("one.md", text)
    assert (out.files, out.refused, out.operations) == (0, 1, ())
    assert "empty now" in out.problems[0].why
    assert docs.known("one.md") == before
    assert docs.indexed("one.md", ONE).unchanged == 1


def test_a_watch_that_sees_a_file_emptied_before_it_is_saved_keeps_its_sections(docs: Docs) -> None:
    docs.indexed("one.md", ONE)
    before = docs.known("one.md")
    steps = [lambda: docs.write("one.md", ""), None, lambda: docs.write("one.md", ONE), None]

    def wait(_seconds: float) -> bool:
        if steps and (step := steps.pop(0)):
            step()
        return not steps

    seen: list[IndexDocsOutput] = []
    watch_docs(docs.app, IndexDocsInput(namespace=HERE, paths=(docs.folder,)), seen.append, wait)
    assert docs.known("one.md") == before


def test_rows_of_days_to_come_are_left_out_and_said_and_nothing_is_lost(docs: Docs) -> None:
    docs.indexed("a.md", SPEC)
    row = {"doc": 54, "commit": "c", "field": "status", "old": None}
    load_history(docs.app, HERE, [{**row, "date": JAN, "new": "Idea"}, {**row, "date": FEB, "new": "Draft"}])
    before = docs.known("a.md")
    out = load_history(docs.app, HERE, [{**row, "date": "2999-01-01T00:00:00Z", "new": "Final"}])
    assert (out.rows, out.ahead, out.documents) == (1, 1, 0)
    assert [(each.path, "2999" in each.why) for each in out.problems] == [("row 1", True)]
    assert docs.known("a.md") == before
    assert len(docs.app.graph.states(HERE, "spec-54")) == len(before[0].versions)


def test_a_history_is_that_of_one_id(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": SPEC.replace("054", "001").replace("requires: 37", "requires: 9")})
    git.commit(FEB, {"a.md": SPEC.replace("054", "002")})
    out = docs.committed(git, MAR, {"a.md": SPEC.replace("054", "002").replace("Draft", "Final")})
    versions = docs.known("a.md")[0].versions
    assert [(f"{each.valid_from:%m}", each.values["spec-id"]) for each in versions] == [
        ("02", "SPEC-002"),
        ("03", "SPEC-002"),
    ]
    assert any("1 committed headers of 1 files define something else" in each for each in out.notes)
    assert docs.index(history=True).unchanged == 1


def test_a_history_between_which_a_file_was_something_else_has_a_gap(docs: Docs) -> None:
    git = Git(docs.folder)
    for at, number in ((JAN, "001"), (FEB, "002"), (MAR, "001")):
        git.commit(at, {"a.md": SPEC.replace("054", number)})
    docs.index(history=True)
    first, second = docs.known("a.md")[0].versions
    assert (f"{first.valid_until:%m}", f"{second.valid_from:%m}") == ("02", "03")


def test_a_repository_without_a_commit_is_noted_and_its_files_are_indexed(docs: Docs) -> None:
    Git(docs.folder)
    docs.write("a.md", SPEC)
    out = docs.index(history=True)
    assert out.new == 1
    assert any("holds no commit yet" in each for each in out.notes)


def test_no_secret_of_a_file_name_a_folder_or_a_header_key_is_stored(docs: Docs, home: Path) -> None:
    docs.write(f"{KEY}.md", f"---\nstatus: Draft\n{KEY}: yes\n{AWS}: no\n---\n\nText.\n")
    docs.write(f"notes {AWS}/x.md", "Other text.\n")
    docs.indexed("plain.md", f"See [it]({KEY}.md).\n")
    docs.app.indexer.rebuild()
    for secret in (KEY, AWS):
        below = bytes_below(home).lower()
        assert secret.lower().encode() not in below
        assert secret.lower().replace("_", "-").encode() not in below
    listed = list_documents(docs.app, DocumentsInput(namespace=HERE)).model_dump_json()
    assert KEY not in listed
    assert "[redacted:" in listed
    keys = docs.known(f"{KEY}.md")[0].versions[0].values
    assert keys["status"] == "Draft"
    assert {"yes", "no"} <= set(keys.values())


def test_a_document_whose_name_holds_a_secret_is_followed_like_any_other(docs: Docs) -> None:
    name, other = f"{KEY}.md", f"{OTHER}.md"
    docs.write(name, "# A\n\nOne text.\n")
    assert docs.indexed(other, "# B\n\nAnother text.\n").new == 2
    assert len({each.document.path for each in docs.app.graph.documents(HERE)}) == 2
    again = docs.index()
    assert (again.unchanged, again.removed) == (2, 0)
    assert docs.index(glob="nothing*").removed == 0
    assert (out := docs.edited(name, "One text", "New text")).changed == 1
    assert (out.new, out.removed, out.renamed) == (0, 0, 0)
    assert show_document(docs.app, DocumentInput(namespace=HERE, name=str(docs.folder / name))).document.title == "A"
    (docs.folder / other).rename(docs.folder / "b.md")
    assert docs.index().renamed == 1
    (docs.folder / name).unlink()
    assert docs.index().removed == 1
    assert docs.index().removed == 0
    assert len(remove_documents(docs.app, RemoveInput(namespace=HERE, names=[str(docs.folder)])).removed) == 1


def test_a_root_whose_name_holds_a_secret_is_kept_without_it(docs: Docs, home: Path) -> None:
    docs.write(f"{KEY}/a.md", SPEC)
    docs.index(KEY)
    assert docs.index(KEY).unchanged == 1
    docs.write(f"{KEY}/b/c.md", "# C\n\nText.\n")
    docs.index(f"{KEY}/b")
    assert docs.known(f"{KEY}/b/c.md")[0].path == "b/c.md"
    assert KEY.encode() not in bytes_below(home)


def test_header_keys_that_become_equal_do_not_take_the_place_of_one_another(docs: Docs) -> None:
    docs.indexed("a.md", f"---\nstatus: Draft\n{KEY}: one\n{OTHER}: two\n---\n\n# A\n\nText.\n")
    assert {"one", "two"} <= set(docs.known("a.md")[0].versions[0].values.values())


def test_a_row_stores_no_secret_of_its_field(docs: Docs, home: Path) -> None:
    docs.indexed("a.md", SPEC)
    load_history(docs.app, HERE, [{"doc": 54, "date": JAN, "commit": KEY, "field": KEY, "new": "x"}])
    assert KEY.lower().encode().replace(b"_", b"-") not in bytes_below(home).lower().replace(b"_", b"-")


def test_files_that_were_refused_are_not_counted(docs: Docs) -> None:
    docs.write("bin.md", b"a\0b")
    docs.write("a.md", SPEC)
    assert (docs.index("bin.md").files, docs.index().files) == (0, 1)


def test_a_folder_without_documents_and_a_glob_that_fits_none_are_said(docs: Docs, tmp_path: Path) -> None:
    assert any("holds no Markdown" in each for each in docs.index().notes)
    assert docs.indexed("a.md", SPEC).notes == ()
    assert any("fits the pattern x*" in each for each in docs.index(glob="x*").notes)
    other = without_encoder(tmp_path / "other", TickingClock(), excludePaths=["a.md"])
    assert Docs(other, docs.folder, docs.clock).index().notes == ()
    other.close()
