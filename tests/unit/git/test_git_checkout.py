"""A folder in, the repository it belongs to out, without a git being run; a stranger's `.git` file leads nowhere."""

import os
import subprocess
from pathlib import Path

import pytest

from pellucid.git.checkout import Checkout, checkout_of


def git(folder: Path, *words: str) -> None:
    told = ["git", "-c", "user.email=ada@example.org", "-c", "user.name=Ada", *words]
    subprocess.run(told, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A repository with a commit."""
    (tmp_path / "secret").mkdir()
    git(tmp_path / "secret", "init", "-q")
    git(tmp_path / "secret", "commit", "-q", "--allow-empty", "-m", "first")
    return tmp_path / "secret"


def test_a_folder_below_belongs_to_the_checkout_also_when_it_is_gone(secret: Path) -> None:
    assert checkout_of(secret / "src" / "gone") == Checkout(secret, secret)


def test_a_linked_worktree_belongs_to_the_main_checkout(secret: Path, tmp_path: Path) -> None:
    git(secret, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert checkout_of(tmp_path / "linked" / "src") == Checkout(tmp_path / "linked", secret)


def test_a_worktree_of_a_bare_repository_belongs_to_it(secret: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "secret", "store.git")
    git(tmp_path / "store.git", "worktree", "add", "-q", str(tmp_path / "linked"))
    assert checkout_of(tmp_path / "linked") == Checkout(tmp_path / "linked", tmp_path / "store.git")


def test_outside_of_any_checkout_there_is_none(tmp_path: Path) -> None:
    assert checkout_of(tmp_path / "nowhere") is None


def test_a_file_that_only_claims_to_be_a_worktree_is_a_root_of_its_own(secret: Path, tmp_path: Path) -> None:
    git(secret, "worktree", "add", "-q", str(tmp_path / "linked"))
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for claim in (
        f"gitdir: {secret}/.git/worktrees/linked",
        f"gitdir: {secret}/.git",
        f"gitdir: {secret}",
        "gitdir:",
        "",
        "gitdir: ../linked/.git",
        "gitdir: /dev/zero",
        "gitdir: \0",
        "gitdir: " + "x" * 100_000,
    ):
        (stranger / ".git").write_text(claim, "utf-8")
        assert checkout_of(stranger) == Checkout(stranger, stranger), claim[:80]


def test_a_git_entry_that_is_a_link_a_pipe_or_dangling_is_a_root_of_its_own(secret: Path, tmp_path: Path) -> None:
    git(secret, "worktree", "add", "-q", str(tmp_path / "linked"))
    for number, make in enumerate(
        (
            lambda at: at.symlink_to(tmp_path / "linked" / ".git"),
            lambda at: at.symlink_to(secret / ".git"),
            lambda at: at.symlink_to("/nowhere"),
            os.mkfifo,
        )
    ):
        stranger = tmp_path / f"stranger{number}"
        stranger.mkdir()
        make(stranger / ".git")
        assert checkout_of(stranger) == Checkout(stranger, stranger)


def test_a_repository_that_a_stranger_brought_along_is_the_strangers(secret: Path, tmp_path: Path) -> None:
    """It may forge both sides, but only of a repository of its own."""
    stranger = tmp_path / "stranger"
    own = stranger / "main" / ".git" / "worktrees" / "x"
    own.mkdir(parents=True)
    (stranger / "inner").mkdir()
    (stranger / "inner" / ".git").write_text("gitdir: ../main/.git/worktrees/x\n")
    (own / "gitdir").write_text(f"{stranger}/inner/.git\n")
    assert checkout_of(stranger / "inner") == Checkout(stranger / "inner", stranger / "main")
    (stranger / "main").rename(stranger / "hidden")
    (stranger / "main").symlink_to(secret)
    assert checkout_of(stranger / "inner") == Checkout(stranger / "inner", stranger / "inner")


def test_nothing_stays_open_of_a_checkout_that_was_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    before = len(os.listdir("/dev/fd"))
    for _ in range(20):
        assert checkout_of(tmp_path)
    assert len(os.listdir("/dev/fd")) == before
