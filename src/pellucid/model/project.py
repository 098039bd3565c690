"""Folders and roots in, which project a folder belongs to and what its namespace may be called out: no disk is read.

A folder may be of another machine, or gone: it is compared by its parts, as text. What a root is called decides
nothing but what its namespace is called first; that two roots never share one is the registry's to see to.
"""

import ntpath
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from pellucid.model.wire import Wire
from pellucid.settings.sections import NAMESPACE_PATTERN

DEFAULT = "local/default"
"""What is filed under no project."""
PERSONA = "local/persona"
"""What holds everywhere; asked beside a project only where the user's settings say so."""
RESERVED = frozenset({DEFAULT, PERSONA})
"""Namespaces that no folder is ever given, whatever it is called."""
MOST_PROJECTS = 1000
"""Roots that are given a namespace; sessions of further ones are filed as those without a folder are."""
_TENANT = "local"
_NAMELESS = "project"
_LONGEST, _LONGEST_PARENT = 44, 12
_NOT_NAMING = re.compile(r"[^a-z0-9._]+")
_ENDS = ".-_"


def folder_path(folder: str) -> PurePosixPath | PureWindowsPath | None:
    """A folder as a path without `..`, whatever machine it is of; None if it is not absolute."""
    if folder.startswith("/") and "\0" not in folder:
        return PurePosixPath("/" + posixpath.normpath(folder).lstrip("/"))
    path = PureWindowsPath(ntpath.normpath(folder))
    return path if path.is_absolute() else None


def holds(root: str, folder: str) -> bool:
    """Whether a folder is the root, or lies below it."""
    above, below = folder_path(root), folder_path(folder)
    return type(above) is type(below) and above is not None and below is not None and below.is_relative_to(above)


def _checked_root(text: str) -> str:
    """The text unchanged if it is an absolute folder without `..` and the like; ValueError for any other."""
    if str(folder_path(text)) != text:
        raise ValueError(f"{text!r} is no absolute folder in its plain form")
    return text


Root = Annotated[str, AfterValidator(_checked_root)]


class Project(Wire):
    """A root and the namespace of its memories; `worktrees` are further checkouts of it, and where it was before."""

    namespace: str = Field(pattern=NAMESPACE_PATTERN)
    root: Root
    worktrees: tuple[Root, ...] = ()


class ProjectRegistry(Wire):
    """All roots that are known. No two projects share a root or a namespace."""

    projects: tuple[Project, ...] = ()
    earlier: tuple[Root, ...] = ()
    """Roots with sessions that were filed in `local/default` before there were projects."""

    @model_validator(mode="after")
    def _check_disjoint(self) -> Self:
        """Raise ValueError where two projects share a folder or a namespace, or one has a reserved namespace."""
        names = [each.namespace for each in self.projects]
        tops = [top for each in self.projects for top in (each.root, *each.worktrees)]
        if len(set(names)) < len(names) or len(set(tops)) < len(tops) or RESERVED.intersection(names):
            raise ValueError("two projects share a folder or a namespace, or one has a namespace that no folder gets")
        return self

    def of_root(self, root: str) -> Project | None:
        """The project with exactly this root (worktrees do not count); None if there is none."""
        return next((each for each in self.projects if each.root == root), None)

    def nearest(self, folder: str) -> tuple[Project, str] | None:
        """The project whose root or worktree holds a folder, and that path: the deepest; None if no project does."""
        found = [(each, top) for each in self.projects for top in (each.root, *each.worktrees) if holds(top, folder)]
        return max(found, key=lambda pair: depth(pair[1]), default=None)

    def with_root(self, root: str, worktree: str | None, is_taken: Callable[[str], bool]) -> "ProjectRegistry":
        """The registry with a project at `root` and this further checkout of it, which no other project keeps.

        Args:
            root: where there is no project yet, one is made, under a namespace that is nobody else's.
            worktree: None, or a checkout of `root`.
            is_taken: whether a namespace holds something already.
        """
        mine = self.of_root(root)
        if mine is None:
            names = {each.namespace for each in self.projects} | RESERVED
            namespace = next(each for each in _possible_namespaces(root) if each not in names and not is_taken(each))
            mine = Project(namespace=namespace, root=root)
        if worktree and worktree != root and worktree not in mine.worktrees:
            mine = mine.model_copy(update={"worktrees": (*mine.worktrees, worktree)})
        others = [_without_worktrees(each, {root, worktree}) for each in self.projects if each.root != root]
        return self.model_copy(update={"projects": tuple(sorted((*others, mine), key=lambda each: each.namespace))})

    def with_moved_project(self, namespace: str, root: str) -> "ProjectRegistry":
        """The registry with the project of a namespace (which must have one) moved to `root`.

        A project that was there is dropped, and no other keeps `root` as a worktree.

        Its old root becomes one of its worktrees.
        """
        kept = (each for each in self.projects if each.root != root or each.namespace == namespace)
        found = [
            Project(namespace=namespace, root=root, worktrees=tuple(dict.fromkeys((*each.worktrees, each.root))))
            if each.namespace == namespace and each.root != root
            else each
            for each in (_without_worktrees(project, {root}) for project in kept)
        ]
        old = next(each.root for each in self.projects if each.namespace == namespace)
        earlier = {*self.earlier, *({root} if old in self.earlier else ())}
        return ProjectRegistry(projects=tuple(found), earlier=tuple(sorted(earlier)))

    def with_earlier(self, root: str) -> "ProjectRegistry":
        """The registry with the note that sessions of `root` are filed in `local/default`."""
        return self.model_copy(update={"earlier": tuple(sorted({*self.earlier, root}))})


def depth(folder: str) -> int:
    """The number of parts of an absolute folder's path; 0 for any other text."""
    path = folder_path(folder)
    return len(path.parts) if path else 0


def _without_worktrees(project: Project, folders: set[str | None]) -> Project:
    """A project without those of its worktrees that are among `folders`."""
    return project.model_copy(update={"worktrees": tuple(each for each in project.worktrees if each not in folders)})


def _possible_namespaces(root: str) -> Iterator[str]:
    """Names for the namespace of a root, best first: the folder's, then with its parent's before it, then numbered."""
    path = folder_path(root)
    name = (_slug(path.name.removesuffix(".git"), _LONGEST) if path else "") or _NAMELESS
    yield f"{_TENANT}/{name}"
    if path and (parent := _slug(path.parent.name, _LONGEST_PARENT)):
        yield f"{_TENANT}/{parent}-{name}"
    yield from (f"{_TENANT}/{name}-{number}" for number in count(2))


def _slug(name: str, longest: int) -> str:
    """A folder's name in lower-case ASCII, other signs as hyphens, of `longest` characters at most; may be empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_NAMING.sub("-", plain).strip(_ENDS)[:longest].rstrip(_ENDS)
