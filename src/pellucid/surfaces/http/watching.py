"""A home that is served in, edits of its vault and of the documents it holds taken over as they are made out.

What is watched is what the home knows: its vault, and the folders of documents that were indexed into it. Nothing that
stands in such a folder has a say in that.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from watchfiles import watch

from pellucid.errors import PellucidError
from pellucid.operations.document.held import known_documents
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.upkeep import Done
from pellucid.surfaces.host import Host

_SETTLES_MS = 300
_LOOKS_AGAIN_MS = 60_000
_WAIT_S = 5.0


class Watching:
    """A thread that looks; use it as a context manager."""

    def __init__(self, host: Host, done: Callable[[Done], None]) -> None:
        self._host, self._told, self._stop = host, done, Event()
        self._thread = Thread(target=self._watch, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        """Watch what there is to watch; once a minute, and after each change, see what that is by now."""
        vault = self._host.app.settings.home / "vault"
        while not self._stop.is_set():
            documents = self._documents()
            folders = sorted({vault, *(each.parent for files in documents.values() for each in files)})
            for changes in watch(
                *(each for each in folders if each.is_dir()),
                watch_filter=None,
                debounce=_SETTLES_MS,
                stop_event=self._stop,
                rust_timeout=_LOOKS_AGAIN_MS,
                yield_on_timeout=True,
                ignore_permission_denied=True,
            ):
                changed = {Path(path) for _, path in changes}
                for each in self._taken(vault, documents, changed):
                    self._told(each)
                break

    def _documents(self) -> dict[str, set[Path]]:
        app = self._host.app
        return {each: set(known_documents(app, each)) for each in app.lookup.namespaces()}

    def _taken(self, vault: Path, documents: dict[str, set[Path]], changed: set[Path]) -> Iterator[Done]:
        app = self._host.app
        try:
            if any(each.is_relative_to(vault) and ".pellucid" not in each.parts for each in changed):
                drift, folded = app.unit_of_work.adopt(wait_s=_WAIT_S)
                yield Done("edits", len(drift.paths), len(folded.unreadable))
            for namespace, files in documents.items():
                if found := sorted(files & changed):
                    call = self._host.call(namespace)
                    outcome = index_docs(call.app, IndexDocsInput(namespace=namespace, paths=tuple(found)))
                    yield Done("documents", outcome.new + outcome.changed + outcome.removed)
        except PellucidError as error:  # it is tried again when something changes, and by the upkeep
            yield Done("edits", problem=error)
