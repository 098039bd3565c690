"""Folders and roots in, the project of a folder and possible names for its namespace out: no disk is read.

A folder of another machine, or one that is gone, is fine: folders are compared by their parts, as text. A root's name
decides only which namespace is tried first; the registry sees to it that no two roots share a namespace.
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
"""The namespace of memories that belong to no project."""
PERSONA = "local/persona"
"""The namespace of what holds in every project; recall asks it beside a project only if the user's settings say so."""
RESERVED = frozenset({DEFAULT, PERSONA})
"""Namespaces that no folder is ever given, whatever the folder's name."""
MOST_PROJECTS = 1000
"""The number of roots that are given a namespace; sessions of further roots are filed as if without a folder."""
_TENANT = "local"
_NAMELESS = "project"
_LONGEST, _LONGEST_PARENT = 44, 12
_NOT_NAMING = re.compile(r"[^a-z0-9._]+")
_ENDS = ".-_"


def folder_path(folder: str) -> PurePosixPath | PureWindowsPath | None:
    """Return a folder as a path without `..`, of POSIX if it begins with `/`, else of Windows; None if it is not
    absolute, or begins with `/` and has a null character.
    """
    if folder.startswith("/"):
        return None if "\0" in folder else PurePosixPath("/" + posixpath.normpath(folder).lstrip("/"))
    path = PureWindowsPath(ntpath.normpath(folder))
    return path if path.is_absolute() else None


def contains_folder(root: str, folder: str) -> bool:
    """Whether a folder is the root or lies below it, by text alone; False if either is not absolute.

    The case of letters makes no difference in Windows paths.
    """
    above, below = folder_path(root), folder_path(folder)
    return type(above) is type(below) and above is not None and below is not None and below.is_relative_to(above)


def _checked_root(text: str) -> str:
    """Return the text if it is an absolute folder in its plain form (without `..`); raise ValueError otherwise."""
    if str(folder_path(text)) != text:
        raise ValueError(f"{text!r} is no absolute folder in its plain form")
    return text


Root = Annotated[str, AfterValidator(_checked_root)]


class Project(Wire):
    """A root and the namespace of its memories; `worktrees` are other checkouts of the root, and its earlier places."""

    namespace: str = Field(pattern=NAMESPACE_PATTERN)
    root: Root
    worktrees: tuple[Root, ...] = ()


class ProjectRegistry(Wire):
    """All known roots. No two projects share a root or a namespace."""

    projects: tuple[Project, ...] = ()
    earlier: tuple[Root, ...] = ()
    """Roots with sessions that were filed in `local/default` before there were projects."""

    @model_validator(mode="after")
    def _check_disjoint(self) -> Self:
        """Raise ValueError if a folder or a namespace occurs twice, or a project has a reserved namespace."""
        names = [each.namespace for each in self.projects]
        tops = [top for each in self.projects for top in (each.root, *each.worktrees)]
        if len(set(names)) < len(names) or len(set(tops)) < len(tops) or RESERVED.intersection(names):
            raise ValueError("two projects share a folder or a namespace, or one has a namespace that no folder gets")
        return self

    def of_root(self, root: str) -> Project | None:
        """Return the project with exactly this root (worktrees do not count); None if there is none."""
        return next((each for each in self.projects if each.root == root), None)

    def nearest(self, folder: str) -> tuple[Project, str] | None:
        """Return the project with the deepest root or worktree that contains a folder, and that root or worktree; None
        if there is none.
        """
        found = [
            (each, top)
            for each in self.projects
            for top in (each.root, *each.worktrees)
            if contains_folder(top, folder)
        ]
        return max(found, key=lambda pair: depth(pair[1]), default=None)

    def with_root(self, root: str, worktree: str | None, is_taken: Callable[[str], bool]) -> "ProjectRegistry":
        """Return the registry with a project at `root`, of which `worktree`, if given, is a further checkout.

        Both folders are removed from the worktrees of all other projects; neither is checked. A worktree that is the
        root of another project stays that alone. A new root gets a namespace that no other project has and for which
        `is_taken` (whether a namespace contains something already) is false. Projects are sorted by namespace.
        """
        mine = self.of_root(root)
        if mine is None:
            names = {each.namespace for each in self.projects} | RESERVED
            namespace = next(each for each in _possible_namespaces(root) if each not in names and not is_taken(each))
            mine = Project(namespace=namespace, root=root)
        if worktree and worktree != root and worktree not in mine.worktrees and not self.of_root(worktree):
            mine = mine.model_copy(update={"worktrees": (*mine.worktrees, worktree)})
        others = [_without_worktrees(each, {root, worktree}) for each in self.projects if each.root != root]
        return self.model_copy(update={"projects": tuple(sorted((*others, mine), key=lambda each: each.namespace))})

    def with_moved_project(self, namespace: str, root: str) -> "ProjectRegistry":
        """Return the registry with the project of a namespace (which must have one) moved to `root`.

        The project's old root becomes one of its worktrees. A project that was at `root` is dropped, and no project
        keeps `root` as a worktree. If the old root is in `earlier`, `root` is added there. Raises ValueError if `root`
        is not an absolute folder in its plain form.
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
        """Return the registry with `root` added to `earlier`: the roots with sessions that are filed in
        `local/default`.
        """
        return self.model_copy(update={"earlier": tuple(sorted({*self.earlier, root}))})


def depth(folder: str) -> int:
    """Return the number of parts of an absolute folder's path, with `/` or the drive as one; 0 for any other text."""
    path = folder_path(folder)
    return len(path.parts) if path else 0


def _without_worktrees(project: Project, folders: set[str | None]) -> Project:
    """Return the project without those of its worktrees that are among `folders`."""
    return project.model_copy(update={"worktrees": tuple(each for each in project.worktrees if each not in folders)})


def _possible_namespaces(root: str) -> Iterator[str]:
    """Yield names for a root's namespace, best first: the folder's, then with its parent's before it, then numbered.

    There is no end to them. They are in the tenant `local`; `.git` is cut off, and a folder whose name leaves nothing
    is called `project`.
    """
    path = folder_path(root)
    name = (_slug(path.name.removesuffix(".git"), _LONGEST) if path else "") or _NAMELESS
    yield f"{_TENANT}/{name}"
    if path and (parent := _slug(path.parent.name, _LONGEST_PARENT)):
        yield f"{_TENANT}/{parent}-{name}"
    yield from (f"{_TENANT}/{name}-{number}" for number in count(2))


def _slug(name: str, max_length: int) -> str:
    """Return a folder's name in lower-case ASCII, cut to `max_length`; it can be empty.

    Accents and letters without an ASCII form are dropped. Signs other than `.` and `_` become hyphens; none of the
    three stays at either end.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_NAMING.sub("-", plain).strip(_ENDS)[:max_length].rstrip(_ENDS)
