"""Repositories with their turns and traps in, the headers of their files over time out."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kits.git import APR, FEB, JAN, MAR, Git, header, states, told
from pellucid.documents.formats.suffixes import FORMATS
from pellucid.errors import InputError
from pellucid.git.history import departures, has_commits, header_history
from pellucid.git.program import open_repository


def test_a_document_of_every_suffix_has_its_history(git: Git) -> None:
    names = [f"a{suffix}" for suffix in FORMATS]
    git.commit(JAN, dict.fromkeys(names, "Draft"))
    assert told(git, *names).keys() == set(names)


def test_a_suffix_in_capitals_has_its_history(git: Git) -> None:
    git.commit(JAN, {"A.MD": "Draft", "sub/b.Rst": "Draft"})
    git.commit(FEB, {"A.MD": "Final"})
    found = told(git, "A.MD", "sub/b.Rst")
    assert states(found["A.MD"]) == [("2024-01-01", "Draft"), ("2024-02-01", "Final")]
    assert states(found["sub/b.Rst"]) == [("2024-01-01", "Draft")]


@pytest.mark.requirement("TIME-4")
def test_each_header_counts_from_the_committer_date_of_its_commit(git: Git) -> None:
    first = git.commit(JAN, {"a.md": "Draft\ntext"})
    git.commit(FEB, {"a.md": "Draft\nother text"})
    last = git.commit(MAR, {"a.md": "Final\nother text", "b.md": "Draft"})
    found = told(git, "a.md", "b.md", "c.md")
    assert states(found["a.md"]) == [("2024-01-01", "Draft"), ("2024-03-01", "Final")]
    assert [each.commit for each in found["a.md"].versions] == [first, last]
    assert found["a.md"].touched == datetime(2024, 3, 1, tzinfo=UTC)
    assert states(found["b.md"]) == [("2024-03-01", "Draft")]
    assert set(found) == {"a.md", "b.md"}
    assert found["a.md"].blob == git.run("rev-parse", "HEAD:a.md")


def test_a_commit_that_left_the_header_alone_still_touched_the_file(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft\ntext"})
    git.commit(FEB, {"a.md": "Draft\nother text"})
    (history,) = told(git, "a.md").values()
    assert (states(history), f"{history.touched:%m}") == ([("2024-01-01", "Draft")], "02")


def test_renames_are_followed_from_the_files_there_are_now(git: Git) -> None:
    git.commit(JAN, {"old/a.md": "Draft\n" + "text\n" * 20})
    git.commit(FEB, {"old/a.md": "Review\n" + "text\n" * 20})
    git.commit(MAR, {"old/a.md": None, "new/b.md": "Review\n" + "text\n" * 20})
    git.commit(APR, {"new/b.md": "Final\n" + "text\n" * 20})
    (history,) = told(git, "new/b.md").values()
    assert states(history) == [("2024-01-01", "Draft"), ("2024-02-01", "Review"), ("2024-04-01", "Final")]


def test_a_rename_is_followed_across_the_repository_and_from_a_suffix_that_is_no_documents(git: Git) -> None:
    git.commit(JAN, {"a.txt": "Draft\n" + "text\n" * 20, "code/main.py": "pass\n"})
    git.commit(FEB, {"a.txt": "Review\n" + "text\n" * 20})
    git.commit(MAR, {"a.txt": None, "docs/a.rst": "Review\n" + "text\n" * 20})
    (history,) = told(git, "docs/a.rst").values()
    assert states(history) == [("2024-01-01", "Draft"), ("2024-02-01", "Review")]


def test_two_files_that_change_places_keep_their_own_pasts(git: Git) -> None:
    one, two = "one\n" * 20, "two\n" * 20
    git.commit(JAN, {"a.md": "A1\n" + one, "b.md": "B1\n" + two})
    git.commit(FEB, {"a.md": None, "b.md": None, "c.md": "A1\n" + one, "d.md": "B1\n" + two})
    git.commit(MAR, {"c.md": None, "d.md": None, "b.md": "A1\n" + one, "a.md": "B1\n" + two})
    found = told(git, "a.md", "b.md")
    assert states(found["a.md"]) == [("2024-01-01", "B1")]
    assert states(found["b.md"]) == [("2024-01-01", "A1")]


def test_a_file_that_was_deleted_and_restored_was_gone_in_between(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.commit(FEB, {"a.md": None})
    git.commit(MAR, {"a.md": "Draft"})
    (history,) = told(git, "a.md").values()
    assert states(history) == [("2024-01-01", "Draft"), ("2024-02-01", None), ("2024-03-01", "Draft")]


def test_a_file_that_was_deleted_and_came_back_as_a_link_has_its_history_once_it_is_a_file_again(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.commit(FEB, {"a.md": None})
    (git.top / "a.md").symlink_to("elsewhere")
    git.commit(MAR, {})
    (git.top / "a.md").unlink()
    (git.top / "a.md").write_text("Final", "utf-8")
    (history,) = told(git, "a.md").values()
    assert states(history) == [("2024-01-01", "Draft"), ("2024-02-01", None)]


def test_a_path_that_another_document_left_brings_none_of_that_ones_past(git: Git) -> None:
    text = "text\n" * 20
    git.commit(JAN, {"a.md": "Draft\n" + text})
    git.commit(FEB, {"a.md": None, "b.md": "Draft\n" + text})
    git.commit(MAR, {"a.md": "New here"})
    found = told(git, "a.md", "b.md")
    assert states(found["a.md"]) == [("2024-03-01", "New here")]
    assert states(found["b.md"]) == [("2024-01-01", "Draft")]


def test_what_a_merge_brought_counts_from_the_merge(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft\n" + "text\n" * 9})
    git.run("checkout", "-q", "-b", "side")
    git.commit(FEB, {"a.md": "Final\n" + "text\n" * 9})
    git.run("checkout", "-q", "main")
    git.commit(MAR, {"b.md": "Other"})
    git.run("merge", "-q", "--no-ff", "-m", "m", "side", at=APR)
    (history,) = told(git, "a.md").values()
    assert states(history) == [("2024-01-01", "Draft"), ("2024-04-01", "Final")]


def test_clocks_that_went_back_do_not_turn_the_order_and_one_second_holds_one_state(git: Git) -> None:
    git.commit(MAR, {"a.md": "One"})
    git.commit(FEB, {"a.md": "Two"})
    git.commit(APR, {"a.md": "Three"})
    git.commit(APR, {"a.md": "Four"})
    (history,) = told(git, "a.md").values()
    assert [each.values for each in history.versions] == [{"status": name} for name in ("One", "Two", "Four")]
    instants = [each.at for each in history.versions]
    assert instants == sorted(set(instants))


def test_versions_that_cannot_be_read_are_passed_over(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.commit(FEB, {"a.md": "rubbish"})
    git.commit(MAR, {"a.md": "Final"})
    (history,) = told(git, "a.md").values()
    assert states(history) == [("2024-01-01", "Draft"), ("2024-03-01", "Final")]


@pytest.mark.parametrize("name", ["a\nb.md", ":(top)x.md", "-rf.md", "\x01abc 12.md", "ü ß.md", "a\tb.md", '"q".md'])
def test_names_are_only_names(git: Git, name: str) -> None:
    git.commit(JAN, {name: "Draft", "z.md": "Other"})
    git.commit(FEB, {name: "Final"})
    assert states(told(git, name)[name]) == [("2024-01-01", "Draft"), ("2024-02-01", "Final")]


def test_a_folder_outside_of_a_checkout_a_checkout_without_commits_and_a_damaged_one_are_said(
    git: Git, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no git checkout"):
        open_repository(tmp_path)
    with pytest.raises(InputError, match="git log failed"):
        told(git, "a.md")
    (git.top / ".git" / "HEAD").write_text("rubbish")
    with pytest.raises(InputError, match="no git repository, or a damaged one"):
        told(git, "a.md")


def test_a_missing_git_program_is_said(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="no `git` program"):
        open_repository(git.top)


def test_an_environment_that_names_another_repository_is_not_asked(
    git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    (tmp_path / "other").mkdir()
    other = Git(tmp_path / "other")
    other.commit(FEB, {"a.md": "Final"})
    monkeypatch.setenv("GIT_DIR", str(other.top / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.top / ".git" / "objects"))
    assert states(told(git, "a.md")["a.md"]) == [("2024-01-01", "Draft")]


def test_a_shallow_clone_says_so(git: Git, tmp_path: Path) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.commit(FEB, {"a.md": "Final"})
    git.run("clone", "-q", "--depth", "1", f"file://{git.top}", str(tmp_path / "copy"))
    repository = open_repository(tmp_path / "copy")
    assert repository.shallow
    (history,) = header_history(repository, ["a.md"], header)
    assert states(history) == [("2024-02-01", "Final")]


def test_a_worktree_has_the_history_of_its_own_branch(git: Git, tmp_path: Path) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.run("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    git.commit(FEB, {"a.md": "Final"})
    (history,) = header_history(open_repository(tmp_path / "tree"), ["a.md"], header)
    assert states(history) == [("2024-01-01", "Draft")]


def test_a_reader_that_stops_early_leaves_no_process_behind(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft", "b.md": "Draft"})
    histories = header_history(open_repository(git.top), ["a.md", "b.md"], header)
    next(histories)
    histories.close()  # pyright: ignore[reportAttributeAccessIssue] - warnings are errors: a process left would be one


def test_a_long_file_is_read_up_to_its_last_whole_line(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft\n" + "ä" * 200_000})
    git.commit(FEB, {"a.md": "Final\n" + "line\n" * 40_000})
    assert states(told(git, "a.md")["a.md"]) == [("2024-01-01", "Draft"), ("2024-02-01", "Final")]


def test_equal_headers_of_two_things_are_two_versions(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft\nis SPEC-1"})
    git.commit(FEB, {"a.md": "Draft\nis SPEC-2"})
    assert [each.entity for each in told(git, "a.md")["a.md"].versions] == ["SPEC-1", "SPEC-2"]


def test_a_branch_that_holds_no_commit_is_told_from_one_that_does_and_from_none(git: Git) -> None:
    repository = open_repository(git.top)
    assert not has_commits(repository)
    first = git.commit(JAN, {"a.md": "Draft"})
    assert has_commits(repository)
    git.run("update-ref", "refs/heads/near/by", first)
    git.run("symbolic-ref", "HEAD", "refs/heads/near")
    assert not has_commits(repository), "only a branch below that name has one"
    git.run("checkout", "-q", "--detach", first)
    assert has_commits(repository)
    git.run("checkout", "-q", "--orphan", "other")
    assert not has_commits(repository)


def test_a_link_is_no_version_of_a_file_that_has_gone(git: Git) -> None:
    (git.top / "a.md").symlink_to("elsewhere")
    git.run("add", "-A", at=JAN)
    git.run("commit", "-q", "-m", "a link", at=JAN)
    (git.top / "a.md").unlink()
    git.commit(FEB, {"a.md": "Draft"})
    git.run("rm", "-q", "a.md", at=MAR)
    git.run("commit", "-qm", "gone", at=MAR)
    (departure,) = departures(open_repository(git.top), ["a.md"]).values()
    assert [bool(each.blob) for each in departure.texts] == [True, False]
