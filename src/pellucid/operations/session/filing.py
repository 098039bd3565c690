"""The turns of sessions in, the namespace of each session out: that of its project, and the same ever after."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import get_args

from pellucid.app import App
from pellucid.capture.identity import turn_fingerprint
from pellucid.capture.segment import OPEN_SESSIONS
from pellucid.model.project import DEFAULT, MOST_PROJECTS, ProjectRegistry
from pellucid.model.turn import Turn
from pellucid.operations.session.intake import Mode, purpose_of
from pellucid.operations.session.projects import FolderPlace, place_of, place_of_file

PATIENCE = 20
"""The maximum number of turns of a session that wait for a turn with a folder: a title or a queued message can come
first."""


class SessionFiling:
    """Chooses the namespace of each session: the one with earlier turns of it, else that of its first folder's project,
    or of its file's.

    Its methods raise StoreError if the registry of projects cannot be read or written.
    """

    def __init__(self, app: App, default_namespace: str, file_folders: Mapping[str, Path] | None = None) -> None:
        """Load the registry of projects. A session none of whose first turns names a folder goes to the project around
        its file, if there is one, else to `default_namespace`. `file_folders` maps ids of sessions to the folders of
        their files; it can be filled while turns are read."""
        self._app = app
        self._default_namespace = default_namespace
        self._file_folders: Mapping[str, Path] = (
            {} if file_folders is None else file_folders
        )  # filled while turns are read
        self._known = app.projects.known()
        self._sessions: dict[str, str] = {}
        self._folders: dict[str, FolderPlace | None] = {}
        self._kept_sessions = cache(app.lookup.sessions)  # by namespace

    def with_known_namespace(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Yield the same turns, but each only after its session's namespace was chosen; until then, the first turns of
        a session are held back. It is chosen when a turn of the session names a folder, 20 (`PATIENCE`) of its turns
        wait, more than 64 sessions wait (for the one that waits longest), or there are no more turns. The turns of a
        session stay in order."""
        waiting: dict[str, list[Turn]] = {}
        for turn in turns:
            if turn.session_id in self._sessions:
                yield turn
                continue
            first_turns = waiting.setdefault(turn.session_id, [])
            first_turns.append(turn)
            if turn.folder or len(first_turns) >= PATIENCE:
                self.choose_namespace(waiting.pop(turn.session_id))
                yield from first_turns
            elif len(waiting) > OPEN_SESSIONS:
                first_turns = waiting.pop(next(iter(waiting)))
                self.choose_namespace(first_turns)
                yield from first_turns
        for first_turns in waiting.values():
            self.choose_namespace(first_turns)
            yield from first_turns

    def namespace_of(self, session_id: str) -> str:
        """Return the namespace that `choose_namespace` chose for a session; KeyError for any other session."""
        return self._sessions[session_id]

    def namespace_in(self, folder: str) -> str:
        """Return the namespace of a session that begins in a folder, and register the folder's project if it is new. If
        the folder cannot be a project's, or there are too many projects for a new one, that is the default namespace.
        """
        place = self._find_place(folder)
        return self._register_project(place) if place else self._default_namespace

    def root_of(self, namespace: str) -> str | None:
        """Return the root folder of the project with this namespace; None if there is no such project."""
        return next((each.root for each in self._known.projects if each.namespace == namespace), None)

    @property
    def namespaces(self) -> frozenset[str]:
        """Return the namespaces in which sessions can be filed: those of all projects, `local/default`, and the default
        of this filing."""
        return frozenset({self._default_namespace, DEFAULT, *(each.namespace for each in self._known.projects)})

    def choose_namespace(self, turns: Sequence[Turn]) -> str:
        """Return the namespace of the session that begins with these turns, at least one, all of that session. If it
        has no namespace yet, choose one for good: for a sub-agent's session `a/b` that of `a`, if this filing chose
        one, else that of `_decide_namespace`, whose project is registered if it is new."""
        session = turns[0].session_id
        if session not in self._sessions:
            self._sessions[session] = self._sessions.get(session.partition("/")[0]) or self._decide_namespace(turns)
        return self._sessions[session]

    def _decide_namespace(self, turns: Sequence[Turn]) -> str:
        """Return the namespace in which turns of the session were taken before, else that of the project of its first
        folder or, without one, of its file, which is registered if it is new, else the default. Registers, too, that a
        project has earlier sessions in `local/default`."""
        folder = next((turn.folder for turn in turns if turn.folder), None)
        place = self._find_place(folder) if folder else self._find_place_of_file(turns[0].session_id)
        is_named = folder is not None or place is None  # else it has its file's name, which a stranger's can have, too
        earlier_namespace = self._earlier_namespace(turns, is_named=is_named)
        if earlier_namespace == DEFAULT and place and place.root not in self._known.earlier:
            self._change(partial(ProjectRegistry.with_earlier, root=place.root))
        return earlier_namespace or (self._register_project(place) if place else self._default_namespace)

    def _find_place(self, folder: str) -> FolderPlace | None:
        """Return the root and project of a folder (looked up only once, until the registry changes); None if the folder
        cannot be a project's."""
        if folder not in self._folders:
            self._folders[folder] = place_of(folder, self._known)
        return self._folders[folder]

    def _find_place_of_file(self, session_id: str) -> FolderPlace | None:
        """Return the root and project around a session's file; None if it is in none, or if the file is not known."""
        folder = self._file_folders.get(session_id)
        return place_of_file(folder, self._known) if folder else None

    def _register_project(self, place: FolderPlace) -> str:
        """Register the project of a place if the project or its worktree is new, and return its namespace. A new
        project beyond 1,000 (`MOST_PROJECTS`) is not registered, and gets the default namespace."""
        project = place.project
        if project and (place.worktree is None or place.worktree in project.worktrees):
            return project.namespace
        if project is None and len(self._known.projects) >= MOST_PROJECTS:
            return self._default_namespace
        held = self._app.lookup.held
        with_root = partial(ProjectRegistry.with_root, root=place.root, worktree=place.worktree)
        self._change(partial(with_root, is_taken=lambda namespace: held(namespace).anything))
        registered = self._known.of_root(place.root)
        return registered.namespace if registered else self._default_namespace

    def _earlier_namespace(self, turns: Sequence[Turn], *, is_named: bool) -> str | None:
        """Return the namespace in which turns of the session were ever spooled, else in which one of its first 20
        (`PATIENCE`) turns was taken in any mode, else which has episodes of the session; None if there is none. Of
        several, `local/default` comes last. Without `is_named` the session's id is only its file's name, which other
        sessions can share: then only the first message is looked for, and episodes do not count."""
        candidates = sorted(self.namespaces, key=lambda each: (each == DEFAULT, each))
        spooled = self._app.spool.namespaces(turns[0].session_id)
        if waiting_in := next((each for each in candidates if each in spooled), None):
            return waiting_in
        messages = [turn for turn in turns if turn.kind == "message"]
        keys = {
            turn_fingerprint(turn, self._app.key, purpose_of(namespace, mode)): namespace
            for turn in (turns[:PATIENCE] if is_named else messages[:1])
            for namespace in candidates
            for mode in get_args(Mode)
        }
        seen = {keys[key] for key in self._app.records.already_seen(keys)}
        if taken_in := next((each for each in candidates if each in seen), None):
            return taken_in
        named = candidates if is_named else ()
        return next((each for each in named if turns[0].session_id in self._kept_sessions(each)), None)

    def _change(self, change: "partial[ProjectRegistry]") -> None:
        """Store the registry of projects that `change` returns for the present one, load it anew, and forget the
        folders that were looked up."""
        self._known = self._app.projects.change(change)
        self._folders.clear()
