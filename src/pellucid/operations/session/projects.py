"""A folder in, its project out; and all projects with counts: where sessions are filed and commands ask."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pellucid.app import App
from pellucid.errors import ConflictError, InputError, NotFoundError, field_name, step
from pellucid.git.checkout import checkout_of
from pellucid.model.project import DEFAULT, Project, ProjectRegistry, contains_folder, depth, folder_path
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Operation, Surfaces, Text, in_home

_REDACTED = "[redacted:"


class ProjectRow(Wire):
    """A project with counts of its contents, or a namespace without a project, which has no roots."""

    namespace: str
    roots: tuple[str, ...] = ()
    """The root first, then worktrees of the same repository, and former roots."""
    gone: bool = False
    """Whether the root is not a folder on this machine (any more)."""
    memories: int
    passages: int
    sessions: int
    last_session: str | None = None
    earlier_elsewhere: bool = False
    """Whether `local/default` has sessions of the project, from before it was registered."""


class ProjectsOutput(Wire):
    """Every project, the project with the newest session first; then the other namespaces that are not empty."""

    projects: tuple[ProjectRow, ...]


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """The place of a folder: a root, its worktree if that is not the root, and the project if it is registered."""

    root: str
    worktree: str | None = None
    project: Project | None = None


class MoveInput(Wire):
    """A project, and its new folder."""

    namespace: Annotated[str, Argument("The project's namespace, as `projects list` says it.")]
    folder: Annotated[Path, Argument("Where its repository stands now.")]


def place_of(folder: str, registry: ProjectRegistry) -> FolderPlace | None:
    """Return the root that a folder belongs to, and the registered project there, if any. None for a text that is not a
    path, a path with a secret, and if the root is that of a disk, or is or contains the user's home.

    The root is the nearer of two: the checkout that contains the folder on this disk, and the registered root that
    contains it; if there are none, the folder itself. Nothing in the folder is run or trusted, see `git.checkout`.
    """
    found = _nearest_place(folder, registry)
    return None if found and any(map(_is_secret, (found.root, found.worktree or ""))) else found


def place_of_file(folder: Path, registry: ProjectRegistry) -> FolderPlace | None:
    """Return the place of a transcript that names no folder, by the `folder` that its file is in: the checkout around
    it, or the folder whose `.specstory/history` it is in. None if it is in neither, or if that cannot be a project's.

    If folders of the path are hidden (begin with a dot), only what is above the innermost of them is looked at, since
    programs keep their own files in hidden folders.
    """
    parts = folder.parts
    hidden = max((at for at, part in enumerate(parts) if part.startswith(".")), default=len(parts))
    around = Path(*parts[:hidden])
    is_export = parts[hidden : hidden + 2] == (".specstory", "history")
    return place_of(str(around), registry) if is_export or checkout_of(around) else None


def _nearest_place(folder: str, registry: ProjectRegistry) -> FolderPlace | None:
    """Return the place of a folder as `place_of` does, but also if its path contains a secret."""
    path = folder_path(folder)
    if path is None:
        return None
    real = os.path.realpath(path) if folder.startswith("/") else str(path)
    nearest = registry.nearest(real)
    checkout = checkout_of(Path(real)) if folder.startswith("/") else None
    if checkout and not _is_wide(top := str(checkout.top)) and (not nearest or depth(top) >= depth(nearest[1])):
        root = top if _is_wide(str(checkout.main)) else str(checkout.main)
        found = FolderPlace(root, top if top != root else None, registry.of_root(root))
    elif nearest:
        found = FolderPlace(nearest[0].root, None, nearest[0])
    else:
        found = FolderPlace(real)
    return None if _is_wide(found.root) else found


def _is_wide(root: str) -> bool:
    """Whether a folder is the root of a disk, or is or contains the user's home, so that it cannot be one project."""
    return depth(root) < 2 or contains_folder(root, os.path.realpath(os.path.expanduser("~")))


def _is_secret(root: str) -> bool:
    """Whether the path of a root contains a secret, redacted or not."""
    from pellucid.capture.secrets.redact import redact  # imported late, since its patterns take long to compile

    return _REDACTED in root or redact(root).text != root


def app_in_project(app: App, folder: str | None = None) -> App:
    """Return the app with the registered project that a folder (None: the working folder) belongs to and its namespace,
    and in `also` with further namespaces to ask: those of the settings, after `local/default` if that has earlier
    sessions of the project. Without such a project the namespace stays, and `project` is None; if the settings name a
    namespace, the app is returned unchanged.

    Raises:
        StoreError: the registry of projects cannot be read.
    """
    if app.settings.namespace_is_given:
        return app
    registry = app.projects.known()
    try:
        place = _nearest_place(folder or os.getcwd(), registry)
    except FileNotFoundError:  # the working folder was removed
        place = None
    project = place.project if place else None
    settings = app.settings.in_project(project.namespace) if project else app.settings
    earlier = [DEFAULT] if project and project.root in registry.earlier else []
    also = [each for each in (*earlier, *settings.projects.also_ask) if each != settings.namespace]
    return replace(app, settings=settings, project=project, also=tuple(dict.fromkeys(also)))


def list_projects(app: App, _request: object = None) -> ProjectsOutput:
    """List all registered projects with counts, the project with the newest session first (those without a session
    last), then the other namespaces that are not empty, in order of name. `_request` is not used.

    Raises:
        StoreError: the registry of projects cannot be read.
    """
    registry = app.projects.known()
    rows = [_row(app, each, registry) for each in registry.projects]
    rows = sorted(rows, key=lambda each: each.last_session or "", reverse=True)
    of_projects = {each.namespace for each in registry.projects}
    rest = sorted({DEFAULT, *app.lookup.namespaces()} - of_projects)
    others = [each for each in rest if app.lookup.held(each).anything]
    return ProjectsOutput(projects=(*rows, *(_row(app, each, registry) for each in others)))


def move_project(app: App, request: MoveInput) -> ProjectRow:
    """Record that a project's repository is in another folder now, and return the project's row; sessions that name the
    old folder still belong to the project. The new root is that of the repository around the folder, if it is in one;
    an empty project that had this root is dropped.

    Raises:
        NotFoundError: no project has this namespace.
        InputError: the folder cannot be a project's.
        ConflictError: the folder is another project's, which is not empty.
        StoreError: the registry of projects cannot be read or written.
    """
    registry = app.projects.known()
    if request.namespace not in {each.namespace for each in registry.projects}:
        raise NotFoundError(
            f"no project has the namespace {request.namespace}", next_step=f"{step('project.list')} names them"
        )
    place = place_of(str(request.folder.expanduser().absolute()), ProjectRegistry())
    if place is None or not request.folder.expanduser().is_dir():
        raise InputError(
            f"{request.folder} is no folder that can be a project's", next_step="name the root of a repository"
        )
    other = registry.of_root(place.root)
    if other and other.namespace != request.namespace and app.lookup.held(other.namespace).anything:
        raise ConflictError(
            f"{place.root} is the root of {other.namespace}, which holds sessions of its own",
            next_step=f"ask the other by {field_name('namespace')} {request.namespace}",
        )
    registry = app.projects.change(lambda before: before.with_moved_project(request.namespace, place.root))
    return next(_row(app, each, registry) for each in registry.projects if each.namespace == request.namespace)


def _row(app: App, subject: Project | str, registry: ProjectRegistry) -> ProjectRow:
    """Return the row of a project, or of a namespace (a text) without a project, which has no roots."""
    project = subject if isinstance(subject, Project) else None
    namespace = subject if isinstance(subject, str) else subject.namespace
    held = app.lookup.held(namespace)
    return ProjectRow(
        namespace=namespace,
        roots=(project.root, *project.worktrees) if project else (),
        gone=project is not None and not os.path.isdir(project.root),
        memories=held.memories,
        passages=held.passages,
        sessions=held.sessions,
        last_session=held.last_session,
        earlier_elsewhere=project is not None and project.root in registry.earlier,
    )


class ProjectsInput(Wire):
    """No fields: all projects of the home."""


PROJECTS = Operation(
    "project.list",
    "List the projects, and what is filed under none.",
    ProjectsInput,
    ProjectsOutput,
    in_home(list_projects),
    "read",
    Surfaces("projects list", http=("GET /v1/projects",)),
    text=Text("everyday.projects_text"),
)
MOVE = Operation(
    "project.move",
    "Let a project answer in the folder it was moved to.",
    MoveInput,
    ProjectRow,
    in_home(move_project),
    "change",
    Surfaces("projects move"),
    text=Text("everyday.project_text"),
)
