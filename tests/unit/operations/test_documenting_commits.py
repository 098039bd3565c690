"""Folders that are indexed with their history, changed by commits and indexed again, in; what was so when, out."""

from datetime import UTC, datetime, timedelta

import pytest

from kits.documents import SPEC, Docs, Git
from kits.live_sessions import HERE
from pellucid.clock import epoch_ms
from pellucid.errors import NotFoundError
from pellucid.model.document import Document, Section
from pellucid.operations.admin.health import rebuild
from pellucid.operations.browsing import ids_in_force
from pellucid.operations.document.held import known_documents
from pellucid.operations.document.rows import load_history
from pellucid.operations.memory.undoing import UndoInput, undo

JAN, FEB, MAR, APR, MAY = (f"2024-0{month}-01T00:00:00Z" for month in range(1, 6))
OLD = SPEC.replace("- SPEC-037 §3", "- SPEC-003 §3").replace("requires: 37", "requires: 2")
NEW = OLD.replace("SPEC-003 §3", "SPEC-005 §3").replace("requires: 2", "requires: 4").replace("Draft", "Final")
DAYS = [datetime(2024, month, 15, tzinfo=UTC) for month in range(1, 6)]


@pytest.fixture
def git(docs: Docs) -> Git:
    git = Git(docs.folder)
    docs.committed(git, JAN, {"a.md": OLD})
    return git


def upon(docs: Docs, at: datetime, known: datetime | None = None) -> list[str]:
    """What SPEC-054 depended on then."""
    found = docs.app.graph.edges(HERE, ["spec-54"], ["DEPENDS_ON"], known=epoch_ms(known) if known else None)
    return sorted({each.edge.target for each in found if each.edge.valid_from <= epoch_ms(at) < each.edge.valid_until})


def answers(docs: Docs, at: datetime, known: datetime | None = None) -> set[str]:
    return ids_in_force(docs.app, HERE, at, known)


def everything(docs: Docs, known: datetime) -> list[object]:
    """What is answered about each time, as it was known at an instant."""
    states = docs.app.graph.states(HERE, "spec-54", known=epoch_ms(known))
    told = [(state.valid_from, state.valid_until, state.props) for state in states if state.props]
    return [told, *((upon(docs, day, known), answers(docs, day, known)) for day in (*DAYS, known))]


def check(document: Document, sections: tuple[Section, ...]) -> None:
    """No interval is empty, and no two versions of the header hold at once."""
    for each in (*document.versions, *sections):
        assert each.valid_until is None or each.valid_from < each.valid_until
    for one, next_one in zip(document.versions, document.versions[1:], strict=False):
        assert one.valid_until is not None
        assert one.valid_until <= next_one.valid_from


def test_what_a_commit_changed_ended_and_began_with_that_commit(docs: Docs, git: Git) -> None:
    out = docs.committed(git, MAR, {"a.md": NEW})
    assert (out.changed, out.sections_opened, out.sections_closed) == (1, 1, 1)
    check(*docs.known("a.md"))
    assert [upon(docs, day) for day in DAYS] == [["spec-2", "spec-3"]] * 2 + [["spec-4", "spec-5"]] * 3
    before = docs.known("a.md")
    assert docs.index(history=True).operations == ()
    assert docs.known("a.md") == before
    held = [upon(docs, day) for day in DAYS]
    rebuild(docs.app)
    assert [upon(docs, day) for day in DAYS] == held


def test_what_was_known_before_a_history_was_read_stays_as_it_was(docs: Docs, git: Git) -> None:
    known = docs.clock.now()
    before = everything(docs, known)
    docs.clock.at += timedelta(days=1)
    op = docs.committed(git, MAR, {"a.md": NEW}).operations[0]
    assert everything(docs, known) == before
    git.run("rm", "-q", "a.md")
    git.commit(APR, {"b.md": "# Else\n\nText.\n"})
    docs.clock.at += timedelta(days=1)
    docs.index(history=True)
    assert everything(docs, known) == before
    rebuild(docs.app)
    assert everything(docs, known) == before
    with pytest.raises(NotFoundError):
        undo(docs.app, UndoInput(namespace=HERE, target=op))


def test_what_was_known_before_a_past_was_learned_stays_as_it_was(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": OLD})
    docs.index()
    known = docs.clock.now()
    before = everything(docs, known)
    docs.clock.at += timedelta(days=1)
    docs.index(history=True)
    assert upon(docs, DAYS[0]) == ["spec-2", "spec-3"]
    assert everything(docs, known) == before
    load_history(docs.app, HERE, [{"doc": 54, "date": "2023-01-01T00:00:00Z", "field": "status", "new": "Idea"}])
    assert everything(docs, known) == before


def test_of_several_commits_the_first_ends_the_old_text_and_the_last_begins_the_new_one(docs: Docs, git: Git) -> None:
    git.commit(FEB, {"a.md": NEW})
    docs.committed(git, APR, {"a.md": NEW.replace("two nights", "three nights")})
    check(*docs.known("a.md"))
    assert [upon(docs, day) for day in DAYS] == [
        ["spec-2", "spec-3"],
        ["spec-4"],
        ["spec-4"],
        ["spec-4", "spec-5"],
        ["spec-4", "spec-5"],
    ]


def test_a_file_that_was_renamed_and_edited_is_the_same_document(docs: Docs, git: Git) -> None:
    name = docs.known("a.md")[0].id
    git.run("mv", "a.md", "b.md")
    git.commit(FEB, {"b.md": OLD.replace("two nights", "three nights")})
    git.run("mv", "b.md", "c.md")
    out = docs.committed(git, MAR, {"c.md": NEW})
    assert (out.changed, out.renamed, out.new, out.removed) == (1, 1, 0, 0)
    document, sections = docs.known("c.md")
    check(document, sections)
    assert (document.id, "a.md" in document.aliases) == (name, True)
    assert [upon(docs, day) for day in DAYS] == [
        ["spec-2", "spec-3"],
        ["spec-2"],
        ["spec-4", "spec-5"],
        ["spec-4", "spec-5"],
        ["spec-4", "spec-5"],
    ]
    assert docs.index(history=True).operations == ()


def test_a_file_that_a_commit_deleted_ends_with_that_commit(docs: Docs, git: Git) -> None:
    git.run("rm", "-q", "a.md")
    assert docs.committed(git, MAR, {"b.md": "# Else\n\nText.\n"}).removed == 1
    document, sections = docs.known("a.md")
    check(document, sections)
    assert f"{document.removed_at:%Y-%m-%d}" == "2024-03-01"
    assert [upon(docs, day) for day in DAYS] == [["spec-2", "spec-3"]] * 2 + [[]] * 3
    assert docs.app.graph.states(HERE, "spec-54")[-1].valid_until == epoch_ms(datetime(2024, 3, 1, tzinfo=UTC))
    assert docs.committed(git, MAY, {"a.md": NEW}).returned == 1
    check(*docs.known("a.md"))
    assert [upon(docs, day) for day in DAYS] == [["spec-2", "spec-3"]] * 2 + [[]] * 2 + [["spec-4", "spec-5"]]


def test_of_a_file_that_was_edited_and_then_deleted_the_old_text_ends_with_the_edit(docs: Docs, git: Git) -> None:
    git.commit(FEB, {"a.md": NEW})
    git.run("rm", "-q", "a.md")
    docs.committed(git, APR)
    document, sections = docs.known("a.md")
    check(document, sections)
    assert {f"{each.valid_until:%Y-%m}" for each in (*sections, *document.versions)} == {"2024-02"}
    assert f"{document.removed_at:%Y-%m}" == "2024-04"


def test_a_file_that_is_gone_and_no_commit_says_so_ends_now(docs: Docs, git: Git) -> None:
    (docs.folder / "a.md").unlink()
    docs.index(history=True)
    removed = docs.known("a.md")[0].removed_at
    assert removed
    assert removed > docs.clock.at - timedelta(seconds=9)


def test_an_edit_that_nobody_committed_ends_the_old_text_now(docs: Docs, git: Git) -> None:
    docs.write("a.md", NEW)
    docs.index(history=True)
    document, sections = docs.known("a.md")
    check(document, sections)
    (ended,) = (each for each in sections if each.valid_until)
    assert ended.valid_until
    assert ended.valid_until > docs.clock.at - timedelta(seconds=9)
    git.commit(MAR, {"a.md": NEW})  # a commit of before what is held of the text
    docs.index(history=True)
    check(*docs.known("a.md"))


def test_commits_of_before_what_is_held_end_nothing_before_it_began(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": OLD})
    docs.index()
    docs.committed(git, FEB, {"a.md": NEW})
    document, sections = docs.known("a.md")
    check(document, sections)
    (ended,) = (each for each in sections if each.valid_until)
    (begun,) = (each for each in sections if each.valid_until is None and each.heading == ended.heading)
    assert ended.valid_until == begun.valid_from
    git.run("rm", "-q", "a.md")
    docs.committed(git, MAR)
    check(*docs.known("a.md"))


def test_a_file_that_defines_another_thing_ended_what_it_was_with_the_commit(docs: Docs, git: Git) -> None:
    out = docs.committed(git, MAR, {"a.md": NEW.replace("054", "055")})
    assert (out.new, out.removed) == (1, 1)
    check(*docs.known("a.md"))
    assert [upon(docs, day) for day in DAYS] == [["spec-2", "spec-3"]] * 2 + [[]] * 3
    assert docs.app.graph.states(HERE, "spec-55")[0].valid_from == epoch_ms(datetime(2024, 3, 1, tzinfo=UTC))


def test_a_commit_with_a_date_to_come_counts_from_when_it_was_first_read(docs: Docs, git: Git) -> None:
    docs.committed(git, "2031-01-01T00:00:00Z", {"a.md": NEW})
    before = docs.known("a.md")
    assert before[0].versions[-1].valid_from < docs.clock.at
    for at in (docs.clock.at + timedelta(days=1), datetime(2032, 1, 1, tzinfo=UTC)):
        docs.clock.at = at
        assert docs.index(history=True).operations == ()
        assert docs.known("a.md") == before


def test_a_first_reading_does_not_begin_to_come(docs: Docs) -> None:
    Git(docs.folder).commit("2031-01-01T00:00:00Z", {"a.md": OLD})
    docs.index(history=True)
    before = docs.known("a.md")
    assert {each.valid_from for each in (*before[1], *before[0].versions)} == {before[0].versions[0].valid_from}
    assert before[0].versions[0].valid_from < docs.clock.at
    docs.clock.at += timedelta(days=1)
    assert docs.index(history=True).operations == ()


def moved(docs: Docs, *pairs: tuple[str, str]) -> None:
    """Give files the names of others, all at once."""
    texts = {new: (docs.folder / old).read_text("utf-8") for old, new in pairs}
    for old, _ in pairs:
        (docs.folder / old).unlink()
    for new, text in texts.items():
        docs.write(new, text)


HEADS = {True: "---\nid: SPEC-%d\n---\n", False: "%d\n\n"}


def three(*, ids: bool) -> dict[str, str]:
    return {
        f"{name}.md": HEADS[ids] % (60 + place) + f"# Port {name}\n\nText {name}.\n" for place, name in enumerate("xyz")
    }


@pytest.mark.parametrize("ids", [True, False])
def test_files_that_swap_their_names_are_the_same_documents(docs: Docs, *, ids: bool) -> None:
    for name, text in three(ids=ids).items():
        docs.write(name, text)
    docs.index()
    x, y, z = (docs.known(f"{name}.md")[0].id for name in "xyz")
    moved(docs, ("x.md", "y.md"), ("y.md", "z.md"), ("z.md", "x.md"))
    assert docs.index(dry_run=True).renamed == 3
    out = docs.index()
    assert (out.changed, out.renamed, out.new, out.removed, out.sections_opened) == (3, 3, 0, 0, 0)
    assert [docs.known(f"{name}.md")[0].id for name in "xyz"] == [z, x, y]
    assert docs.index().operations == ()
    moved(docs, ("x.md", "y.md"), ("y.md", "new.md"))
    out = docs.index()
    assert (out.changed, out.renamed, out.new, out.removed) == (2, 2, 0, 0)


@pytest.mark.parametrize("ids", [True, False])
def test_what_commits_tell_of_files_that_swapped_their_names_keeps_the_past(docs: Docs, *, ids: bool) -> None:
    git = Git(docs.folder)
    docs.committed(git, JAN, three(ids=ids))
    before = answers(docs, DAYS[0])
    moved(docs, ("x.md", "y.md"), ("y.md", "z.md"), ("z.md", "x.md"))
    git.run("add", "-A")
    git.run("commit", "-q", "-m", "x", at=FEB)
    docs.index(history=True)
    assert answers(docs, DAYS[0]) == before
    assert len(answers(docs, DAYS[2])) == len(before)
    assert docs.index(history=True).operations == ()


def test_a_file_that_was_overwritten_by_another_is_closed_and_a_copy_is_no_move(docs: Docs) -> None:
    docs.write("x.md", SPEC)
    docs.indexed("y.md", SPEC.replace("054", "055"))
    name = docs.known("y.md")[0].id
    docs.write("z.md", SPEC.replace("054", "055"))
    assert (docs.index().new, docs.known("y.md")[0].id) == (1, name)
    (docs.folder / "z.md").unlink()
    docs.index()
    (docs.folder / "y.md").replace(docs.folder / "x.md")
    out = docs.index()
    assert (out.renamed, out.removed, out.new) == (1, 1, 0)
    assert docs.known("x.md")[0].id == name
    assert [each.document.removed_at is None for each in known_documents(docs.app, HERE).values()].count(True) == 1
    docs.write("w.md", "# Template\n\nText.\n")
    docs.indexed("v.md", "# Template\n\nText.\n")
    docs.write("w.md", "# Other\n\nWords.\n")
    out = docs.indexed("x.md", "# Template\n\nText.\n")
    assert (out.renamed, docs.known("v.md")[0].removed_at) == (0, None)


def test_a_header_that_says_again_what_it_said_is_two_versions(docs: Docs, git: Git) -> None:
    git.commit(FEB, {"a.md": OLD.replace("Draft", "Final")})
    docs.committed(git, MAR, {"a.md": OLD})
    versions = docs.known("a.md")[0].versions
    assert [each.values["status"] for each in versions] == ["Draft", "Final", "Draft"]
    assert len({each.id for each in versions}) == 3
    assert docs.index(history=True).operations == ()


def test_a_header_that_was_seen_before_its_history_was_read_is_the_one_that_a_commit_tells(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": OLD})
    docs.index()
    known = docs.clock.now()
    before = everything(docs, known)
    docs.clock.at += timedelta(days=1)
    docs.committed(git, MAR, {"a.md": NEW})
    assert upon(docs, DAYS[1]) == ["spec-2"]
    assert everything(docs, known) == before


def test_decisions_are_numbered_by_the_folder_they_are_indexed_from_then_as_now(docs: Docs) -> None:
    (docs.folder / "adr").mkdir()
    git, other = Git(docs.folder), "# 8. Other\n\nStatus: Proposed\n\nWe do not.\n"
    git.commit(JAN, {"adr/0007-use-a-thing.md": "# 7. Use a thing\n\nStatus: Accepted\n", "adr/0008-other.md": other})
    git.commit(
        MAR, {"adr/0008-other.md": other.replace("Proposed", "Supersedes [7. Use a thing](0007-use-a-thing.md)")}
    )
    docs.index("adr", history=True)
    found = docs.app.graph.documents(HERE)
    assert {each.document.entity for each in found} == {"ADR-7", "ADR-8"}
    edges = {(each.edge.source, each.edge.type, each.edge.target) for each in docs.app.graph.edges(HERE)}
    assert ("adr-8", "SUPERSEDES", "adr-7") in edges
    (changed,) = (each.document for each in found if each.document.entity == "ADR-8")
    assert [each.values["status"].split()[0] for each in changed.versions] == ["Proposed", "Supersedes"]


def test_of_a_folder_indexed_alone_the_history_goes_back_to_where_its_files_were_before(docs: Docs) -> None:
    git = Git(docs.folder)
    git.commit(JAN, {"a.md": OLD})
    (docs.folder / "specs").mkdir()
    git.run("mv", "a.md", "specs/a.md")
    git.commit(FEB, {})
    git.commit(MAR, {"specs/a.md": NEW})
    docs.index("specs", history=True)
    required = [[each for each in upon(docs, day) if each in ("spec-2", "spec-4")] for day in DAYS]
    assert required == [["spec-2"]] * 2 + [["spec-4"]] * 3
