"""An erasure that was begun in, no byte of what went out; or what is left of it, and how many bytes that takes.

While an erasure is under way, the file `erasing` exists: each command that opens the home goes on with it.
"""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from pellucid.app import App
from pellucid.errors import StoreError
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import ErasureRow, LifecycleRow
from pellucid.model.wire import Wire
from pellucid.store.local.database import DATABASES, os_errors_explained
from pellucid.store.local.erasing import room_needed
from pellucid.text_cache import drop_cached_texts

_MARK = "erasing"
"""The file that says an erasure is under way."""


class Remainder(Wire):
    """One place that still holds bytes of what was forgotten, and why; the next call erases them."""

    place: str
    why: str


def mark_erasure_begun(app: App) -> None:
    """Create the marker file: from here on the erasure will be finished, even after a crash."""
    with os_errors_explained(_marker_path(app)):
        _marker_path(app).touch(mode=0o600)


def mark_erasure_finished(app: App) -> None:
    """Remove the marker file: nothing is left to erase."""
    _marker_path(app).unlink(missing_ok=True)


def scrub(
    app: App, namespace: str, op_id: str, paths: Sequence[str], count: int, places: dict[str, int]
) -> tuple[dict[str, int], tuple[Remainder, ...]]:
    """Overwrite what operation `op_id` forgot in the journal, index, history and spool, and record the erasure once
    nothing is left. `paths` are the files it wrote or removed, `count` how many memories it forgot.

    Return `places` plus the number of items erased by place, and the places that could not be scrubbed (none: all is
    done).
    """
    taken, remains = dict(places), list[Remainder]()
    app.indexer.drop_encoded_ahead()
    drop_cached_texts()
    steps: tuple[tuple[str, Callable[[], dict[str, int] | None]], ...] = (
        ("journal.db", lambda: app.eraser.scrub(paths)),
        ("index.db", app.scrubber.scrub),
        ("history.db", app.history.scrub),
        ("spool.db", app.spool.scrub),
    )
    for place, erase in steps:
        try:
            taken |= erase() or {}
        except StoreError as error:
            remains.append(Remainder(place=place, why=str(error)))
    if not remains:
        row = ErasureRow(at=app.clock.now(), namespace=namespace, erasure_of=op_id, memories=count, places=taken)
        try:
            app.unit_of_work.commit("ledger", (), [row.to_wire()])
        except StoreError as error:
            remains.append(Remainder(place="ledger", why=f"the receipt of the erasure could not be kept: {error}"))
    return taken, tuple(remains)


def finish_erasures(app: App) -> int:
    """Finish interrupted erasures as far as possible now; return how many were finished, 0 if none was interrupted.
    Called at every opening of a home."""
    if not _marker_path(app).exists():
        return 0
    finished = {row.erasure_of for row in rows_of_type(app.ledger, ErasureRow)}
    open_ones = [
        each for each in app.records.operations() if each.kind in {"forget", "purge"} and each.op_id not in finished
    ]
    for done, operation in enumerate(open_ones):
        rows = (row for row in rows_of_type(app.ledger, LifecycleRow) if row.correlation_id == operation.op_id)
        namespace = next((row.namespace for row in rows), app.settings.namespace)
        _, remains = scrub(app, namespace, operation.op_id, [path for path, _ in operation.paths], 0, {})
        if remains:  # the others would meet the same
            return done
    app.history.scrub()  # what is erased of it may stand in no operation
    app.spool.scrub()
    mark_erasure_finished(app)
    return len(open_ones)


def has_unfinished_erasure(app: App) -> bool:
    """Whether an erasure was interrupted and has not been finished."""
    return _marker_path(app).exists()


def bytes_needed_to_finish(app: App) -> int:
    """Return how much disk space an interrupted erasure needs to be finished: a little more than the largest database
    has."""
    return max(room_needed(app.settings.home / name) for name in DATABASES)


def finish_erasures_if_possible(app: App) -> None:
    """Call `finish_erasures`, unless another process holds the lock; a failure is passed over: it must not keep anybody
    from reading."""
    if _marker_path(app).exists():
        with contextlib.suppress(StoreError), app.unit_of_work.exclusive(0.0) as alone:
            if alone:
                finish_erasures(app)


def _marker_path(app: App) -> Path:
    """Return the path of the file whose presence says that an erasure is not finished."""
    return app.settings.home / _MARK
