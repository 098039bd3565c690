"""The turns of sessions in, the namespace of each session out: its project's, and the same one ever after."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import get_args

from pellucid.app import App
from pellucid.capture.identity import turn_key
from pellucid.capture.segment import OPEN_SESSIONS
from pellucid.model.project import DEFAULT, MOST_PROJECTS, ProjectRegistry
from pellucid.model.turn import Turn
from pellucid.operations.session.intake import Mode, purpose_of
from pellucid.operations.session.projects import FolderPlace, place_of

PATIENCE = 20
"""Turns of a session that wait for one that tells its folder: a title or a queued message may come first."""


class SessionFiling:
    """Says where each session goes. A session stays where turns of it were taken; else its first folder decides."""

    def __init__(self, app: App, here: str) -> None:
        """Begin; sessions that tell no folder go to the namespace `here`.

        Raises:
            StoreError: the registry of projects cannot be read.
        """
        self._app = app
        self._here = here
        self._known = app.projects.known()
        self._sessions: dict[str, str] = {}
        self._folders: dict[str, FolderPlace | None] = {}
        self._kept: dict[str, frozenset[str]] = {}

    def placed(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """The same turns, each when it is known where its session goes; a session's own stay in order."""
        waiting: dict[str, list[Turn]] = {}
        for turn in turns:
            if turn.session_id in self._sessions:
                yield turn
                continue
            held = waiting.setdefault(turn.session_id, [])
            held.append(turn)
            if turn.folder or len(held) >= PATIENCE:
                self.place(waiting.pop(turn.session_id))
                yield from held
            elif len(waiting) > OPEN_SESSIONS:
                held = waiting.pop(next(iter(waiting)))
                self.place(held)
                yield from held
        for held in waiting.values():
            self.place(held)
            yield from held

    def namespace_of(self, session_id: str) -> str:
        """Where a session goes that was placed."""
        return self._sessions[session_id]

    def namespace_in(self, folder: str) -> str:
        """Where a session goes that begins in a folder; its project is registered if it is new.

        Raises:
            StoreError: the registry of projects cannot be written.
        """
        place = self._place_of(folder)
        return self._namespace_of_project(place) if place else self._here

    def root_of(self, namespace: str) -> str | None:
        """The root of the project with this namespace; None if it is no project's."""
        return next((each.root for each in self._known.projects if each.namespace == namespace), None)

    @property
    def namespaces(self) -> frozenset[str]:
        """Every namespace that sessions are filed in."""
        return frozenset({self._here, DEFAULT, *(each.namespace for each in self._known.projects)})

    def place(self, turns: Sequence[Turn]) -> str:
        """Where the session of these turns, some of its first, goes; its project is registered if it is new.

        Raises:
            StoreError: the registry of projects cannot be read or written.
        """
        session = turns[0].session_id
        if session not in self._sessions:
            self._sessions[session] = self._sessions.get(session.partition("/")[0]) or self._chosen_namespace(turns)
        return self._sessions[session]

    def _chosen_namespace(self, turns: Sequence[Turn]) -> str:
        """Where the session stands already, else the namespace of its folder's project, else `here`."""
        folder = next((turn.folder for turn in turns if turn.folder), None)
        place = self._place_of(folder) if folder else None
        stays = self._taken_before(turns)
        if stays == DEFAULT and place and place.root not in self._known.earlier:
            self._change(partial(ProjectRegistry.with_earlier, root=place.root))
        return stays or (self._namespace_of_project(place) if place else self._here)

    def _place_of(self, folder: str) -> FolderPlace | None:
        if folder not in self._folders:
            self._folders[folder] = place_of(folder, self._known)
        return self._folders[folder]

    def _namespace_of_project(self, place: FolderPlace) -> str:
        """The namespace of a project, registered if it is new; `here` where there are too many projects."""
        known = place.project
        if known and (place.worktree is None or place.worktree in known.worktrees):
            return known.namespace
        if known is None and len(self._known.projects) >= MOST_PROJECTS:
            return self._here
        how = partial(ProjectRegistry.with_root, root=place.root, worktree=place.worktree, is_taken=self._is_taken)
        self._change(how)
        found = self._known.of_root(place.root)
        return found.namespace if found else self._here

    def _is_taken(self, namespace: str) -> bool:
        return self._app.lookup.held(namespace).anything

    def _taken_before(self, turns: Sequence[Turn]) -> str | None:
        """Where turns of this session wait in the spool, or were taken, in whatever mode, or something stands of it.

        The last holds also where the journal was lost, and with it which turns were taken.
        """
        ours = sorted(self.namespaces, key=lambda each: (each == DEFAULT, each))
        spooled = self._app.spool.namespaces(turns[0].session_id)
        if waits := next((each for each in ours if each in spooled), None):
            return waits
        keys = {
            turn_key(turn, self._app.key, purpose_of(namespace, mode)): namespace
            for turn in turns[:PATIENCE]
            for namespace in ours
            for mode in get_args(Mode)
        }
        seen = {keys[key] for key in self._app.records.already_seen(keys)}
        if taken := next((each for each in ours if each in seen), None):
            return taken
        return next((each for each in ours if turns[0].session_id in self._kept_in(each)), None)

    def _kept_in(self, namespace: str) -> frozenset[str]:
        if namespace not in self._kept:
            self._kept[namespace] = self._app.lookup.sessions(namespace)
        return self._kept[namespace]

    def _change(self, how: "partial[ProjectRegistry]") -> None:
        self._known = self._app.projects.change(how)
        self._folders.clear()
