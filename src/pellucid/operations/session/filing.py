"""The turns of sessions in, the namespace of each session out: its project's, and the same one ever after."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import get_args

from pellucid.app import App
from pellucid.capture.identity import turn_key
from pellucid.capture.segment import OPEN_SESSIONS
from pellucid.model.project import DEFAULT, MOST_PROJECTS, ProjectRegistry
from pellucid.model.turn import Turn
from pellucid.operations.session.intake import Mode, purpose_of
from pellucid.operations.session.projects import FolderPlace, place_of

PATIENCE = 20
"""Turns of a session that wait for one with a folder: a title or a queued message may come first."""


class SessionFiling:
    """Chooses the namespace of each session: where turns of it were taken before, else its first folder's project.

    Its methods raise StoreError where the registry of projects cannot be read or written.
    """

    def __init__(self, app: App, here: str) -> None:
        """Load the registry of projects; sessions without a folder go to the namespace `here`."""
        self._app = app
        self._here = here
        self._known = app.projects.known()
        self._sessions: dict[str, str] = {}
        self._folders: dict[str, FolderPlace | None] = {}
        self._kept_sessions = cache(app.lookup.sessions)  # of a namespace

    def with_known_namespace(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Yield the same turns, each once its session's namespace is chosen: when a turn names a folder, `PATIENCE`
        turns wait, too many sessions do, or all turns have come. Those of one session stay in order."""
        waiting: dict[str, list[Turn]] = {}
        for turn in turns:
            if turn.session_id in self._sessions:
                yield turn
                continue
            first = waiting.setdefault(turn.session_id, [])
            first.append(turn)
            if turn.folder or len(first) >= PATIENCE:
                self.choose_namespace(waiting.pop(turn.session_id))
                yield from first
            elif len(waiting) > OPEN_SESSIONS:
                first = waiting.pop(next(iter(waiting)))
                self.choose_namespace(first)
                yield from first
        for first in waiting.values():
            self.choose_namespace(first)
            yield from first

    def namespace_of(self, session_id: str) -> str:
        """Return the namespace of a session that `choose_namespace` was called for; KeyError for any other."""
        return self._sessions[session_id]

    def namespace_in(self, folder: str) -> str:
        """Return the namespace of a session that begins in a folder, which is `here` where no project can be; registers
        the folder's project if it is new."""
        place = self._place_of(folder)
        return self._namespace_of_project(place) if place else self._here

    def root_of(self, namespace: str) -> str | None:
        """Return the root folder of the project with this namespace; None if no project has it."""
        return next((each.root for each in self._known.projects if each.namespace == namespace), None)

    @property
    def namespaces(self) -> frozenset[str]:
        """The namespaces in which sessions may be filed: of all projects, the default one, and `here`."""
        return frozenset({self._here, DEFAULT, *(each.namespace for each in self._known.projects)})

    def choose_namespace(self, turns: Sequence[Turn]) -> str:
        """Choose, register if new, and return the namespace of the session that these turns (one at least) begin; that
        of a session `a/b` is the one already chosen for `a`. A namespace stays once it is chosen."""
        session = turns[0].session_id
        if session not in self._sessions:
            self._sessions[session] = self._sessions.get(session.partition("/")[0]) or self._chosen_namespace(turns)
        return self._sessions[session]

    def _chosen_namespace(self, turns: Sequence[Turn]) -> str:
        """Return where turns of the session were taken before, else the namespace of its first folder's project, else
        `here`."""
        folder = next((turn.folder for turn in turns if turn.folder), None)
        place = self._place_of(folder) if folder else None
        stays = self._taken_before(turns)
        if stays == DEFAULT and place and place.root not in self._known.earlier:
            self._change(partial(ProjectRegistry.with_earlier, root=place.root))
        return stays or (self._namespace_of_project(place) if place else self._here)

    def _place_of(self, folder: str) -> FolderPlace | None:
        """Return the root and project of a folder, looked up once; None where no project can be there."""
        if folder not in self._folders:
            self._folders[folder] = place_of(folder, self._known)
        return self._folders[folder]

    def _namespace_of_project(self, place: FolderPlace) -> str:
        """Return the namespace of a folder's project, which is registered if it or its worktree is new.

        A new one beyond `MOST_PROJECTS` is not registered, and gets the namespace `here`.
        """
        known = place.project
        if known and (place.worktree is None or place.worktree in known.worktrees):
            return known.namespace
        if known is None and len(self._known.projects) >= MOST_PROJECTS:
            return self._here
        held = self._app.lookup.held
        with_root = partial(ProjectRegistry.with_root, root=place.root, worktree=place.worktree)
        self._change(partial(with_root, is_taken=lambda namespace: held(namespace).anything))
        found = self._known.of_root(place.root)
        return found.namespace if found else self._here

    def _taken_before(self, turns: Sequence[Turn]) -> str | None:
        """Return the namespace where the session's turns wait in the spool, else were taken in any mode, else are kept,
        the default one last; None if nowhere."""
        ours = sorted(self.namespaces, key=lambda each: (each == DEFAULT, each))
        spooled = self._app.spool.namespaces(turns[0].session_id)
        if waiting_in := next((each for each in ours if each in spooled), None):
            return waiting_in
        keys = {
            turn_key(turn, self._app.key, purpose_of(namespace, mode)): namespace
            for turn in turns[:PATIENCE]
            for namespace in ours
            for mode in get_args(Mode)
        }
        seen = {keys[key] for key in self._app.records.already_seen(keys)}
        if taken := next((each for each in ours if each in seen), None):
            return taken
        return next((each for each in ours if turns[0].session_id in self._kept_sessions(each)), None)

    def _change(self, change: "partial[ProjectRegistry]") -> None:
        """Change the registry of projects on disk, and use it as it is then."""
        self._known = self._app.projects.change(change)
        self._folders.clear()
