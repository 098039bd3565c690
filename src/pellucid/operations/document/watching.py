"""Folders of documents and a way to wait in, a report of each change out: indexes again whenever files settle."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pellucid.app import App
from pellucid.documents.files import find_documents
from pellucid.errors import StoreBusyError
from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput, index_docs, search_for

Stamps = dict[Path, tuple[int, int]]
"""Maps files to their modification time in nanoseconds and their size in bytes."""
Wait = Callable[[float], bool]
"""Waits this many seconds, and returns True to end the watch, as `threading.Event.wait` does."""

POLL_S = 1.0


def watch_docs(
    app: App, request: IndexDocsInput, report: Callable[[IndexDocsOutput], None], wait: Wait, poll_s: float = POLL_S
) -> int:
    """Index documents now, and again whenever files changed and then stayed the same for one poll; return how often
    they were indexed.

    `wait(poll_s)` is called after each poll, and ends the watch if it returns True. `report` is called with the first
    outcome, and then with each that has changes or problems. If another process is writing for too long, indexing is
    tried again at the next poll; other errors, as of `index_docs`, end the watch.
    """
    runs = 0
    indexed: Stamps | None = None
    before: Stamps | None = None
    while True:
        found = find_documents(request.paths, search_for(app.settings, request.glob))
        stamps = {file: (each.mtime_ns, each.size) for file, each in found.files.items()}
        if indexed is None or (stamps != indexed and stamps == before):
            outcome: IndexDocsOutput | None = None
            with suppress(StoreBusyError):
                outcome = index_docs(app, request)
            if outcome:
                indexed, runs = stamps, runs + 1
                if runs == 1 or outcome.new or outcome.changed or outcome.removed or outcome.problems:
                    report(outcome)
        before = stamps
        if wait(poll_s):
            return runs
