"""A home that is served in, edits of its vault and of the documents it holds taken over as they are made out.

What is watched is what the home knows: its vault, and the folders of documents that were indexed into it. Nothing that
stands in such a folder has a say in that.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Self

from watchfiles import watch

from pellucid.errors import PellucidError
from pellucid.operations.document.held import known_documents
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.upkeep import Done
from pellucid.surfaces.host import Host

_SETTLES_MS = 300
_WAKES_MS = 1_000
_LOOKS_AGAIN_S = 60.0
_WAIT_S = 5.0

State = tuple[int, int] | None
"""When a file was written and how long it is, by which a change of it is known; None if it is not there."""


class Watching:
    """A thread that looks; use it as a context manager."""

    def __init__(self, host: Host, done: Callable[[Done], None]) -> None:
        self._host, self._told, self._stop = host, done, Event()
        self._documents: dict[str, dict[Path, State]] = {}
        self._thread = Thread(target=self._watch, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._documents = self._known()  # before anybody is served: what is written from now on is a change
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.is_set():
            self._watch_these(self._folders())

    def _watch_these(self, folders: list[Path]) -> None:
        """Watch folders until others are to be watched; once a minute, and after each change, see which those are.

        What is written before the system watches is told by nobody: the first wake looks at everything.
        """
        looks_again = 0.0
        for changes in watch(
            *(each for each in folders if each.is_dir()),
            watch_filter=None,
            debounce=_SETTLES_MS,
            stop_event=self._stop,
            rust_timeout=_WAKES_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if not changes and monotonic() < looks_again:
                continue
            looks_again = monotonic() + _LOOKS_AGAIN_S
            for each in self._taken({Path(path) for _, path in changes} or set(folders)):
                self._told(each)
            if self._folders() != folders:
                break

    def _folders(self) -> list[Path]:
        documents = {each.parent for files in self._documents.values() for each in files}
        return sorted({self._vault, *documents})

    @property
    def _vault(self) -> Path:
        return self._host.app.settings.home / "vault"

    def _known(self) -> dict[str, dict[Path, State]]:
        """The documents of each namespace, as they are now."""
        app = self._host.app
        return {each: {path: _state(path) for path in known_documents(app, each)} for each in app.lookup.namespaces()}

    def _taken(self, changed: set[Path]) -> Iterator[Done]:
        """Take over what changed: edits of the vault, and documents; what came of each."""
        app, vault, now = self._host.app, self._vault, self._known()
        try:
            if any(each.is_relative_to(vault) and ".pellucid" not in each.parts for each in changed):
                drift, folded = app.unit_of_work.take_over_edits(wait_s=_WAIT_S)
                yield Done("edits", len(drift.paths), len(folded.unreadable))
            for namespace, documents in now.items():
                held = self._documents.get(namespace, {})
                found = sorted(path for path, state in documents.items() if held.get(path) != state)
                if found := [each for each in found if each.parent.is_dir()]:  # a drive that went took no document away
                    call = self._host.call(namespace)
                    outcome = index_docs(call.app, IndexDocsInput(namespace=namespace, paths=tuple(found)))
                    yield Done("documents", outcome.new + outcome.changed + outcome.removed)
            self._documents = now
        except PellucidError as error:  # it is tried again when something changes, and by the upkeep
            yield Done("edits", problem=error)


def _state(path: Path) -> State:
    """The time and size of a file, which tell whether it changed; None where it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
