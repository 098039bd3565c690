"""Folders of documents and a way to wait in, an account of each change out: indexes again whenever files settle."""

from collections.abc import Callable
from pathlib import Path

from pellucid.app import App
from pellucid.documents.files import find_documents
from pellucid.errors import StoreBusyError
from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput, index_docs, search_for

Stamps = dict[Path, tuple[int, int]]
Wait = Callable[[float], bool]
"""Waits so many seconds; True ends the watch. `threading.Event.wait` is one."""

POLL_S = 1.0


def watch_docs(
    app: App, request: IndexDocsInput, report: Callable[[IndexDocsOutput], None], wait: Wait, poll_s: float = POLL_S
) -> int:
    """Index now, and again whenever files below the paths changed and then rested for a poll; how often it did.

    `report` is told of the first time, and then of each that did anything. Another process that is writing is waited
    for.
    """
    runs = 0
    indexed: Stamps | None = None
    before: Stamps | None = None
    while True:
        stamps = _stamps(app, request)
        if indexed is None or (stamps != indexed and stamps == before):
            outcome = _index(app, request)
            if outcome:
                indexed, runs = stamps, runs + 1
                if runs == 1 or _did(outcome):
                    report(outcome)
        before = stamps
        if wait(poll_s):
            return runs


def _index(app: App, request: IndexDocsInput) -> IndexDocsOutput | None:
    try:
        return index_docs(app, request)
    except StoreBusyError:
        return None


def _stamps(app: App, request: IndexDocsInput) -> Stamps:
    found = find_documents(request.paths, search_for(app.settings, request.glob))
    return {file: (each.mtime_ns, each.size) for file, each in found.files.items()}


def _did(outcome: IndexDocsOutput) -> bool:
    return bool(outcome.new or outcome.changed or outcome.removed or outcome.problems)
