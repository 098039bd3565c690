"""A home that is served in; edits of its vault and of its indexed documents taken over as they are made.

The vault and the folders of indexed documents are watched; no file in such a folder can change which.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Self

from watchfiles import watch

from pellucid.errors import PellucidError
from pellucid.operations.document.held import known_documents
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.upkeep import JobOutcome
from pellucid.surfaces.host import Host

_SETTLES_MS = 300
_WAKES_MS = 1_000
_CHECK_ALL_EVERY_S = 60.0
_LOCK_WAIT_S = 5.0

State = tuple[int, int] | None
"""A file's modification time and size, by which a change is noticed; None if there is no such file."""


class Watching:
    """A thread that indexes edits as they are made, for the length of a `with` block; `on_done` gets each outcome."""

    def __init__(self, host: Host, on_done: Callable[[JobOutcome], None]) -> None:
        self._host, self._on_done, self._stop = host, on_done, Event()
        self._vault = host.app.settings.home / "vault"
        self._documents: dict[str, dict[Path, State]] = {}
        self._thread = Thread(target=self._watch, name="watch", daemon=True)

    def __enter__(self) -> Self:
        """Note the present state of all documents, start the thread, and return this object."""
        self._documents = self._document_states()  # before anybody is served: what is written from now on is a change
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the thread and wait for its end."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        """Watch the vault and the documents' folders until the thread is stopped."""
        while not self._stop.is_set():
            self._watch_folders(self._folders())

    def _watch_folders(self, folders: list[Path]) -> None:
        """Watch these folders and index each change, until the set of folders changes, or the thread is stopped. Every
        folder is checked at first, for changes made before the watch began, and again once a minute.
        """
        next_check = 0.0
        for changes in watch(
            *(each for each in folders if each.is_dir()),
            watch_filter=None,
            debounce=_SETTLES_MS,
            stop_event=self._stop,
            rust_timeout=_WAKES_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if not changes and monotonic() < next_check:
                continue
            next_check = monotonic() + _CHECK_ALL_EVERY_S
            for each in self._take_over({Path(path) for _, path in changes} or set(folders)):
                self._on_done(each)
            if self._folders() != folders:
                break

    def _folders(self) -> list[Path]:
        """Return the vault and the folders in which the indexed documents are (not their subfolders), sorted."""
        documents = {each.parent for files in self._documents.values() for each in files}
        return sorted({self._vault, *documents})

    def _document_states(self) -> dict[str, dict[Path, State]]:
        """Map each namespace to its indexed documents' paths with their present states."""
        app = self._host.app
        return {each: {path: _state(path) for path in known_documents(app, each)} for each in app.lookup.namespaces()}

    def _take_over(self, changed_paths: set[Path]) -> Iterator[JobOutcome]:
        """Index edits of the vault, if changed paths are in it outside `.pellucid`, and every document whose state
        (time and size) changed since the last time.

        Yield an outcome for the vault, and one for each namespace with changed documents; then note the new states in
        self. A `PellucidError` becomes an outcome and ends the pass without noting states, so that the documents are
        tried again. A document whose folder is gone is left alone: its drive can be unmounted.
        """
        app, vault = self._host.app, self._vault
        try:
            now = self._document_states()
            # below the vault: the home, too, can be called `.pellucid`
            inside = [each.relative_to(vault) for each in changed_paths if each.is_relative_to(vault)]
            if any(".pellucid" not in each.parts for each in inside):
                drift, folded = app.unit_of_work.take_over_edits(wait_s=_LOCK_WAIT_S)
                yield JobOutcome("edits", len(drift.paths), len(folded.unreadable))
            for namespace, documents in now.items():
                before = self._documents.get(namespace, {})
                changed_documents = sorted(path for path, state in documents.items() if before.get(path) != state)
                if changed_documents := [
                    each for each in changed_documents if each.parent.is_dir()
                ]:  # else the drive was unmounted
                    call = self._host.call(namespace)
                    outcome = index_docs(call.app, IndexDocsInput(namespace=namespace, paths=tuple(changed_documents)))
                    yield JobOutcome("documents", outcome.new + outcome.changed + outcome.removed)
            self._documents = now
        except PellucidError as error:  # it is tried again with the next change, and by the upkeep
            yield JobOutcome("edits", problem=error)


def _state(path: Path) -> State:
    """Return the modification time (ns) and size of a file; None if it cannot be read, as when it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
