"""Repositories that mean harm in, their plain history or a plain refusal out, and nothing of theirs run.

Each attack is shown to work on plain git first; so a test that finds no canary has looked for one that could sing.
"""

import os
import pty
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from kits.git import FEB, JAN, Git, header, states, told
from pellucid.errors import InputError
from pellucid.git import program
from pellucid.git.history import header_history
from pellucid.git.program import open_repository

HISTORY = [("2024-01-01", "Draft"), ("2024-02-01", "Final")]
TEXT = "line\n" * 30
HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc")


@dataclass(frozen=True)
class Trap:
    """A hostile checkout, the program that it wants to be run, and the file that tells that it was."""

    git: Git
    program: Path
    canary: Path

    def config(self, **values: str) -> None:
        """Set configuration; `__` stands for a dot."""
        for key, value in values.items():
            self.git.run("config", key.replace("__", "."), value)

    def plain(self, *words: str) -> None:
        """What somebody does with plain git, on a terminal; it may fail."""
        master, slave = pty.openpty()
        environment = {"PATH": os.defpath, "HOME": str(self.git.top.parent), "TERM": "dumb", "PAGER": "cat"}
        with subprocess.Popen(
            ["git", *words],
            cwd=self.git.top,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=subprocess.DEVNULL,
        ):
            os.close(slave)
            with open(master, "rb", buffering=0) as said, suppress(OSError):  # how a terminal says that all have left
                while said.read(1 << 16):
                    pass

    def lose(self, commit: str) -> None:
        """Take the blob of `a.md` of a commit away, so that it has to be fetched."""
        name = self.git.run("rev-parse", f"{commit}:a.md")
        (self.git.top / ".git" / "objects" / name[:2] / name[2:]).unlink()

    def promise(self, **remote: str) -> None:
        """Name a remote that promises what is missing, and miss something."""
        self.lose("HEAD~1")
        self.config(core__repositoryformatversion="1", extensions__partialClone="evil", remote__evil__promisor="true")
        self.config(**{f"remote__evil__{key}": value for key, value in remote.items()})


@pytest.fixture
def trap(git: Git, tmp_path: Path) -> Trap:
    canary, program = tmp_path / "canary", tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho sung >> {canary}\n")
    program.chmod(0o755)
    git.commit(JAN, {"a.md": f"Draft\n{TEXT}", ".gitattributes": "*.md diff=trap filter=trap\n"})
    git.commit(FEB, {"a.md": f"Final\n{TEXT}"})
    return Trap(git, program, canary)


def ext(trap: Trap) -> None:
    trap.promise(url=f"ext::{trap.program}")
    trap.config(protocol__ext__allow="always")


def local(trap: Trap) -> None:
    trap.promise(url=f"file://{trap.git.top.parent}", uploadpack=str(trap.program))
    trap.config(protocol__file__allow="always")


def ssh(trap: Trap) -> None:
    trap.promise(url="ssh://nowhere.invalid/x")
    trap.config(core__sshCommand=str(trap.program), protocol__ssh__allow="always")


def include(trap: Trap) -> None:
    other = trap.git.top / "innocent.cfg"
    other.write_text(f"[core]\n\tfsmonitor = {trap.program}\n")
    trap.config(include__path=str(other))


def worktree_config(trap: Trap) -> None:
    trap.config(core__repositoryformatversion="1", extensions__worktreeConfig="true")
    (trap.git.top / ".git" / "config.worktree").write_text(f"[core]\n\tfsmonitor = {trap.program}\n")


def hooks(trap: Trap) -> None:
    folder = trap.git.top / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    for hook in HOOKS:
        (folder / hook).write_text(trap.program.read_text())
        (folder / hook).chmod(0o755)


def hooks_path(trap: Trap) -> None:
    folder = trap.git.top / "innocent"
    folder.mkdir()
    for hook in HOOKS:
        (folder / hook).symlink_to(trap.program)
    trap.config(core__hooksPath=str(folder))


def external_diff(trap: Trap) -> None:
    trap.config(diff__external=str(trap.program))


def diff_driver(trap: Trap) -> None:
    trap.config(diff__trap__command=str(trap.program))


def text_conversion(trap: Trap) -> None:
    trap.config(diff__trap__textconv=str(trap.program))
    (trap.git.top / ".git" / "info" / "attributes").write_text("* diff=trap\n")


def smudge(trap: Trap) -> None:
    trap.config(filter__trap__smudge=str(trap.program), filter__trap__required="true")


def clean(trap: Trap) -> None:
    trap.config(filter__trap__clean=str(trap.program), filter__trap__required="true")
    (trap.git.top / "a.md").write_text("Touched\n")


def process(trap: Trap) -> None:
    trap.config(filter__trap__process=str(trap.program))
    (trap.git.top / "a.md").write_text("Touched\n")


def pager(trap: Trap) -> None:
    trap.config(core__pager=str(trap.program))


def log_pager(trap: Trap) -> None:
    trap.config(pager__log=str(trap.program))


def fsmonitor(trap: Trap) -> None:
    trap.config(core__fsmonitor=str(trap.program))


def signature(trap: Trap) -> None:
    said = trap.git.run("cat-file", "commit", "HEAD").replace(
        "\ncommitter", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\ncommitter", 1
    )
    head, _, rest = said.partition("\ngpgsig")
    signed, _, tail = rest.partition("\ncommitter")
    line, _, message = tail.partition("\n")
    raw = trap.git.top.parent / "commit"
    raw.write_text(f"{head}\ncommitter{line}\ngpgsig{signed}\n{message}\n")
    trap.git.run("update-ref", "HEAD", trap.git.run("hash-object", "-t", "commit", "-w", str(raw)))
    trap.config(gpg__program=str(trap.program), log__showSignature="true")


def credentials(trap: Trap) -> None:
    trap.config(credential__helper=f"!{trap.program}")


def submodule(trap: Trap) -> None:
    head = trap.git.run("rev-parse", "HEAD")
    trap.git.run("update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    trap.git.run("commit", "-q", "-m", "x", at=FEB)
    (trap.git.top / "sub").mkdir()
    trap.git.run("clone", "-q", ".", "sub")
    trap.git.run("-C", "sub", "checkout", "-q", "HEAD~2")
    trap.config(submodule__sub__update=f"!{trap.program}", submodule__sub__url="./.", submodule__sub__active="true")
    (trap.git.top / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./.\n')


def alternates(trap: Trap) -> None:
    """Its objects lie in another repository, one that would act; the refs of that are told by a command."""
    other = trap.git.top.parent / "other"
    trap.git.run("clone", "-q", "--bare", str(trap.git.top), str(other))
    objects = trap.git.top / ".git" / "objects"
    for each in objects.glob("??/*"):
        each.unlink()
    (objects / "info" / "alternates").write_text(f"{other / 'objects'}\n")
    trap.git.run("-C", str(other), "config", "core.fsmonitor", str(trap.program))
    trap.config(core__alternateRefsCommand=str(trap.program))


def link(trap: Trap) -> None:
    """The repository stands elsewhere, and only a file leads to it."""
    fsmonitor(trap)
    elsewhere = trap.git.top.parent / "elsewhere"
    (trap.git.top / ".git").rename(elsewhere)
    (trap.git.top / ".git").write_text(f"gitdir: {elsewhere}\n")


def link_that_promises(trap: Trap) -> None:
    ext(trap)
    elsewhere = trap.git.top.parent / "elsewhere"
    (trap.git.top / ".git").rename(elsewhere)
    (trap.git.top / ".git").symlink_to(elsewhere)


def linked_worktree(trap: Trap) -> None:
    """What is opened is a worktree; the configuration is that of the repository it belongs to."""
    fsmonitor(trap)
    tree = trap.git.top.parent / "tree"
    trap.git.run("worktree", "add", "-q", "-b", "side", str(tree))
    trap.git.top = tree


def strange_tree(trap: Trap) -> None:
    """`core.worktree` leads to a folder of somebody else's, with attributes of theirs."""
    tree = trap.git.top.parent / "tree"
    tree.mkdir()
    (tree / "a.md").write_text("Stolen\n")
    trap.config(core__worktree=str(tree), core__fsmonitor=str(trap.program))


QUIET: list[tuple[Callable[[Trap], None], tuple[str, ...]]] = [
    (include, ("status",)),
    (worktree_config, ("status",)),
    (hooks, ("checkout", "-q", "-b", "other")),
    (hooks_path, ("checkout", "-q", "-b", "other")),
    (external_diff, ("diff", "HEAD~1", "HEAD")),
    (diff_driver, ("diff", "HEAD~1", "HEAD")),
    (text_conversion, ("log", "-p")),
    (smudge, ("checkout", "HEAD~1", "--", "a.md")),
    (clean, ("diff",)),
    (process, ("diff",)),
    (pager, ("log",)),
    (log_pager, ("log",)),
    (fsmonitor, ("status",)),
    (signature, ("log",)),
    (credentials, ("ls-remote", "http://127.0.0.1:9/x")),
    (submodule, ("submodule", "update")),
    (alternates, ("fetch", "-q", ".")),
    (link, ("status",)),
    (linked_worktree, ("status",)),
    (strange_tree, ("status",)),
]
"""Attacks on a repository that is whole: its history is read as if they were not there."""
LACKING: list[tuple[Callable[[Trap], None], tuple[str, ...]]] = [
    (ext, ("log", "-p")),
    (local, ("log", "-p")),
    (ssh, ("log", "-p")),
    (link_that_promises, ("log", "-p")),
]
"""Attacks that need something to be missing: it stays missing."""


@pytest.fixture(params=["all defences", "the view alone"])
def defended(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as it is, and once as with a git that knows none of the variables that forbid."""
    if request.param == "the view alone":
        monkeypatch.setattr(program, "ENVIRONMENT", {"PATH": os.defpath})


def name(value: object) -> str:
    return value.__name__ if callable(value) else ""


@pytest.mark.usefixtures("defended")
@pytest.mark.parametrize(("attack", "spring"), QUIET, ids=name)
def test_nothing_that_a_repository_names_is_run(
    trap: Trap, attack: Callable[[Trap], None], spring: tuple[str, ...]
) -> None:
    attack(trap)
    trap.canary.unlink(missing_ok=True)  # some spring while they are laid
    assert states(told(trap.git, "a.md")["a.md"]) == HISTORY
    assert not trap.canary.exists()
    if attack is not credentials:  # plain git asks for them only where a server of the network does
        trap.plain(*spring)
        assert trap.canary.exists()


@pytest.mark.usefixtures("defended")
@pytest.mark.parametrize(("attack", "spring"), LACKING, ids=name)
def test_nothing_is_fetched_that_a_repository_lacks_and_that_is_said(
    trap: Trap, attack: Callable[[Trap], None], spring: tuple[str, ...]
) -> None:
    attack(trap)
    with pytest.raises(InputError, match="missing or damaged") as caught:
        told(trap.git, "a.md")
    assert caught.value.code == "no_history"
    assert "leave the git history out" in caught.value.next_step
    assert not trap.canary.exists()
    trap.plain(*spring)
    assert trap.canary.exists()


def test_a_partial_clone_is_said_to_be_one_and_nothing_is_fetched_into_it(git: Git, tmp_path: Path) -> None:
    git.commit(JAN, {"a.md": f"Draft\n{TEXT}"})
    git.commit(FEB, {"a.md": f"Final\n{TEXT}"})
    git.run("config", "uploadpack.allowFilter", "true")
    git.run("clone", "-q", "--filter=blob:none", f"file://{git.top}", str(tmp_path / "copy"))
    objects = sorted((tmp_path / "copy" / ".git" / "objects").rglob("*"))
    with pytest.raises(InputError, match="partial clone, and nothing is fetched"):
        list(header_history(open_repository(tmp_path / "copy"), ["a.md"], header))
    assert sorted((tmp_path / "copy" / ".git" / "objects").rglob("*")) == objects


@pytest.mark.parametrize("kept", ["tree", "commit"])
def test_a_history_that_misses_a_tree_or_a_commit_is_refused_and_never_told_short(git: Git, kept: str) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.commit(FEB, {"a.md": "Final"})
    name = git.run("rev-parse", "HEAD~1^{tree}" if kept == "tree" else "HEAD~1")
    (git.top / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(InputError, match="cannot be read: git log failed"):
        told(git, "a.md")


def test_a_damaged_text_is_refused_and_not_waited_for(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft\n" + "".join(f"{number}\n" for number in range(200_000))})
    name = git.run("rev-parse", "HEAD:a.md")
    file = git.top / ".git" / "objects" / name[:2] / name[2:]
    file.chmod(0o600)
    data = bytearray(file.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    file.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read"):
        told(git, "a.md")


def test_what_the_environment_tells_git_is_not_heard(
    trap: Trap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\tfsmonitor = {trap.program}\n[log]\n\tshowRoot = false\n")
    for key, value in {
        "HOME": home,
        "GIT_CONFIG_GLOBAL": home / ".gitconfig",
        "GIT_EXTERNAL_DIFF": trap.program,
        "GIT_TRACE": trap.canary,
        "GIT_TRACE2_EVENT": trap.canary,
        "GIT_EXEC_PATH": tmp_path,
        "GIT_CEILING_DIRECTORIES": tmp_path,
        "GIT_PAGER": trap.program,
        "GIT_WORK_TREE": tmp_path,
        "GIT_CONFIG_COUNT": 1,
        "GIT_CONFIG_KEY_0": "pager.log",
        "GIT_CONFIG_VALUE_0": trap.program,
    }.items():
        monkeypatch.setenv(key, str(value))
    assert states(told(trap.git, "a.md")["a.md"]) == HISTORY
    assert not trap.canary.exists()


def test_a_program_of_the_working_directory_is_not_taken_for_git(
    trap: Trap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trap.program.rename(tmp_path / "git")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::{os.defpath}")
    assert states(told(trap.git, "a.md")["a.md"]) == HISTORY
    assert not trap.canary.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give a folder away")
def test_a_checkout_of_another_user_is_read_and_runs_nothing(trap: Trap) -> None:
    """Plain git refuses it for what its configuration might run; that is not in force here."""
    fsmonitor(trap)
    for each in (trap.git.top, *trap.git.top.rglob("*")):
        os.chown(each, 65534, 65534, follow_symlinks=False)
    with pytest.raises(subprocess.CalledProcessError):
        trap.git.run("log")
    assert states(told(trap.git, "a.md")["a.md"]) == HISTORY
    assert not trap.canary.exists()


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    (git.top / ".git" / "HEAD").unlink()
    os.mkfifo(git.top / ".git" / "HEAD")
    with pytest.raises(InputError, match="no git repository"):
        told(git, "a.md")


@pytest.mark.parametrize("claim", ["a\0b", "a" * 300, "a/" * 3000, "loop/x"])
def test_a_link_to_a_folder_that_cannot_be_is_refused_and_no_crash(tmp_path: Path, claim: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / ".git").write_text(f"gitdir: {claim}\n")
    with pytest.raises(InputError, match="leads to no repository"):
        open_repository(tmp_path)
    (tmp_path / ".git").write_text("gitdir: own\n")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "own" / "commondir").write_text(f"../{claim}\n")
    with pytest.raises(InputError, match="no git repository"):
        open_repository(tmp_path)


def test_reading_a_history_changes_nothing_in_the_repository(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    before = {each: each.lstat().st_mtime_ns for each in (git.top / ".git").rglob("*")}
    told(git, "a.md")
    assert {each: each.lstat().st_mtime_ns for each in (git.top / ".git").rglob("*")} == before


def test_objects_named_by_sha256_and_packed_refs_are_read(git: Git, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    git.top = tmp_path / "other"
    git.run("init", "-q", "-b", "main", "--object-format=sha256")
    git.commit(JAN, {"a.md": f"Draft\n{TEXT}"})
    git.commit(FEB, {"a.md": f"Final\n{TEXT}"})
    git.run("pack-refs", "--all")
    git.run("gc", "-q")
    assert states(told(git, "a.md")["a.md"]) == HISTORY


def test_an_unknown_way_of_storing_is_said(git: Git) -> None:
    git.commit(JAN, {"a.md": "Draft"})
    git.run("config", "core.repositoryformatversion", "1")
    git.run("config", "extensions.refstorage", "carved-in-stone")
    with pytest.raises(InputError, match="carved-in-stone"):
        told(git, "a.md")
