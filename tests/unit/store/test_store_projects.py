"""The registry of projects: private, durable, whole, and never taken for empty when it cannot be read."""

import stat
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from pellucid.errors import StoreError
from pellucid.model.project import ProjectRegistry
from pellucid.store.local.vault.project_file import ProjectFile


def never(_: str) -> bool:
    return False


def know(vault: Path, root: str, worktree: str | None = None) -> None:
    ProjectFile(vault).change(partial(ProjectRegistry.with_root, root=root, worktree=worktree, is_taken=never))


def test_what_was_put_in_is_there_after_a_reopening_readable_by_its_owner_alone(tmp_path: Path) -> None:
    assert ProjectFile(tmp_path / "vault").known() == ProjectRegistry()
    know(tmp_path / "vault", "/home/ada/api")
    file = tmp_path / "vault" / ".pellucid" / "projects.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = ProjectFile(tmp_path / "vault").known().of_root("/home/ada/api")
    assert found
    assert found.namespace == "local/api"
    assert [each.name for each in file.parent.iterdir() if each.name.startswith("projects")] == ["projects.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"projects": [{"namespace": "local/default"}]}', '{"other": 1}'])
def test_a_damaged_registry_is_no_empty_one(tmp_path: Path, text: str) -> None:
    know(tmp_path, "/home/ada/api")
    file = tmp_path / ".pellucid" / "projects.json"
    file.write_text(text)
    with pytest.raises(StoreError, match="damaged"):
        ProjectFile(tmp_path).known()
    with pytest.raises(StoreError, match="damaged"):
        know(tmp_path, "/home/ada/other")
    assert file.read_text() == text


def test_two_entries_may_not_share_a_namespace_or_a_root(tmp_path: Path) -> None:
    know(tmp_path, "/home/ada/api")
    file = tmp_path / ".pellucid" / "projects.json"
    twice = '{"projects": [{"namespace": "local/a", "root": "/x"}, {"namespace": "%s", "root": "%s"}]}'
    for namespace, root in (("local/a", "/y"), ("local/b", "/x"), ("local/default", "/y"), ("local/persona", "/y")):
        file.write_text(twice % (namespace, root))
        with pytest.raises(StoreError, match="damaged"):
            ProjectFile(tmp_path).known()


def test_a_root_that_becomes_another_roots_worktree_keeps_its_project_and_the_registry_can_be_read(
    tmp_path: Path,
) -> None:
    know(tmp_path, "/a")
    know(tmp_path, "/b")
    before = ProjectFile(tmp_path).known()
    know(tmp_path, "/a", "/b")
    assert ProjectFile(tmp_path).known() == before
    know(tmp_path, "/c", "/b")
    assert [(each.root, each.worktrees) for each in ProjectFile(tmp_path).known().projects] == [
        ("/a", ()),
        ("/b", ()),
        ("/c", ()),
    ]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    know(tmp_path / "a", "/home/ada/api")
    know(tmp_path / "b", "/home/ada/other")
    file = tmp_path / "a" / ".pellucid" / "projects.json"
    file.unlink()
    file.symlink_to(tmp_path / "b" / ".pellucid" / "projects.json")
    with pytest.raises(StoreError, match="no plain file"):
        ProjectFile(tmp_path / "a").known()


def test_processes_that_register_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    roots = [f"/home/ada/{number}/api" for number in range(8)]
    with get_context("spawn").Pool(2) as pool:
        pool.map(partial(know, tmp_path), roots)
    known = ProjectFile(tmp_path).known()
    assert {each.root for each in known.projects} == set(roots)
    assert len({each.namespace for each in known.projects}) == len(roots)
