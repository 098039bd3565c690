"""A folder in, its project out; and all projects, with what each holds: where sessions are filed and commands ask."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pellucid.app import App
from pellucid.errors import ConflictError, InputError, NotFoundError, field_name
from pellucid.git.checkout import checkout_of
from pellucid.model.project import DEFAULT, Project, ProjectRegistry, contains_folder, depth, folder_path
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Operation, Surfaces

_REDACTED = "[redacted:"


class ProjectRow(Wire):
    """A project with what it holds, or a namespace that belongs to no project and has no roots."""

    namespace: str
    roots: tuple[str, ...] = ()
    """The root first, then worktrees of the same repository, and where the root was before."""
    gone: bool = False
    """Whether the root is no folder on this machine any more, or never was."""
    memories: int
    passages: int
    sessions: int
    last_session: str | None = None
    earlier_elsewhere: bool = False
    """Whether sessions of the project stand in `local/default`, from before it was one."""


class ProjectsOutput(Wire):
    """Every project, the one with the newest session first; then the other namespaces that hold something."""

    projects: tuple[ProjectRow, ...]


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """What a folder belongs to: a root, the worktree it stands in if that is another, and the project if known."""

    root: str
    worktree: str | None = None
    project: Project | None = None


def place_of(folder: str, known: ProjectRegistry) -> FolderPlace | None:
    """Return the root and project (None if it is new) that a folder belongs to; None for `/`, a folder that holds the
    user's home, no path at all, or a name that holds a secret.

    The root is the nearest of two: the folder with `.git` above it on this disk, and the known root above it; else the
    folder itself. Nothing of the folder is run or believed, see `git.checkout`.
    """
    found = _nearest_place(folder, known)
    return None if found and any(map(_is_secret, (found.root, found.worktree or ""))) else found


def _nearest_place(folder: str, known: ProjectRegistry) -> FolderPlace | None:
    """Return what `place_of` does, but also for a name that holds a secret: enough to look up a known project."""
    path = folder_path(folder)
    if path is None:
        return None
    real = os.path.realpath(path) if folder.startswith("/") else str(path)
    nearest = known.nearest(real)
    checkout = checkout_of(Path(real)) if folder.startswith("/") else None
    if checkout and not _is_wide(top := str(checkout.top)) and (not nearest or depth(top) >= depth(nearest[1])):
        root = top if _is_wide(str(checkout.main)) else str(checkout.main)
        found = FolderPlace(root, top if top != root else None, known.of_root(root))
    elif nearest:
        found = FolderPlace(nearest[0].root, None, nearest[0])
    else:
        found = FolderPlace(real)
    return None if _is_wide(found.root) else found


def _is_wide(root: str) -> bool:
    """Whether a folder is the root of a disk, or is or holds the user's home, so that it is not one project."""
    return depth(root) < 2 or contains_folder(root, os.path.realpath(os.path.expanduser("~")))


def _is_secret(root: str) -> bool:
    """Whether the path of a root holds a secret, redacted or not."""
    from pellucid.capture.secrets.redact import redact  # its patterns take longer to compile than a list takes

    return _REDACTED in root or redact(root).text != root


def app_in_project(app: App, folder: str | None = None) -> App:
    """Return the app as it asks in the project of a folder (None: the working folder); unchanged if a namespace was
    named, and in its own namespace if the folder is no known project's.

    Raises:
        StoreError: the registry of projects cannot be read.
    """
    if app.settings.namespace_is_given:
        return app
    known = app.projects.known()
    try:
        place = _nearest_place(folder or os.getcwd(), known)
    except FileNotFoundError:  # the working folder was removed
        place = None
    project = place.project if place else None
    settings = app.settings.in_project(project.namespace) if project else app.settings
    asked = [DEFAULT] if project and project.root in known.earlier else []
    also = [each for each in (*asked, *settings.projects.also_ask) if each != settings.namespace]
    return replace(app, settings=settings, project=project, also=tuple(dict.fromkeys(also)))


def list_projects(app: App) -> ProjectsOutput:
    """List all known projects with what they hold, the last used first, then the namespaces with anything in them that
    belong to no project.

    Raises:
        StoreError: the registry of projects cannot be read.
    """
    known = app.projects.known()
    rows = [_row(app, each, known) for each in known.projects]
    rows = sorted(rows, key=lambda each: each.last_session or "", reverse=True)
    named = {each.namespace for each in known.projects}
    others = [each for each in sorted({DEFAULT, *app.lookup.namespaces()} - named) if app.lookup.held(each).anything]
    return ProjectsOutput(projects=(*rows, *(_row(app, each, known) for each in others)))


def move_project(app: App, namespace: str, folder: Path) -> ProjectRow:
    """Record that a project's repository is in another folder now; sessions that name the old one still belong to it.

    Raises:
        NotFoundError: no project has this namespace.
        InputError: the folder is none that can be a project's.
        ConflictError: the folder is another project's, which holds something already.
        StoreError: the registry of projects cannot be read or written.
    """
    known = app.projects.known()
    if namespace not in {each.namespace for each in known.projects}:
        raise NotFoundError(
            f"no project has the namespace {namespace}", next_step="`pellucid projects list` names them"
        )
    place = place_of(str(folder.expanduser().absolute()), ProjectRegistry())
    if place is None or not folder.expanduser().is_dir():
        raise InputError(f"{folder} is no folder that can be a project's", next_step="name the root of a repository")
    other = known.of_root(place.root)
    if other and other.namespace != namespace and app.lookup.held(other.namespace).anything:
        raise ConflictError(
            f"{place.root} is the root of {other.namespace}, which holds sessions of its own",
            next_step=f"ask the other by {field_name('namespace')} {namespace}",
        )
    known = app.projects.change(lambda before: before.with_moved_project(namespace, place.root))
    return next(_row(app, each, known) for each in known.projects if each.namespace == namespace)


def _row(app: App, named: Project | str, known: ProjectRegistry) -> ProjectRow:
    """Return the row of a project, or of a namespace (a text) that belongs to no project: that has no roots."""
    project = named if isinstance(named, Project) else None
    namespace = named if isinstance(named, str) else named.namespace
    held = app.lookup.held(namespace)
    return ProjectRow(
        namespace=namespace,
        roots=(project.root, *project.worktrees) if project else (),
        gone=project is not None and not os.path.isdir(project.root),
        memories=held.memories,
        passages=held.passages,
        sessions=held.sessions,
        last_session=held.last_session,
        earlier_elsewhere=project is not None and project.root in known.earlier,
    )


class ProjectsInput(Wire):
    """Nothing: all of a home."""


class MoveInput(Wire):
    """Which project, and where it is now."""

    namespace: Annotated[str, Argument("The project's namespace, as `projects list` says it.")]
    folder: Annotated[Path, Argument("Where its repository stands now.")]


PROJECTS = Operation(
    "project.list",
    "List the projects, and what is filed under none.",
    ProjectsInput,
    ProjectsOutput,
    lambda call, _asked: list_projects(call.app),
    "read",
    Surfaces("projects list", http=("GET /v1/projects",)),
)
MOVE = Operation(
    "project.move",
    "Let a project answer in the folder it was moved to.",
    MoveInput,
    ProjectRow,
    lambda call, asked: move_project(call.app, asked.namespace, asked.folder),
    "change",
    Surfaces("projects move"),
)
