"""An unfinished erasure in, no byte of the forgotten memories out; or the places where bytes are left.

While an erasure is under way, the file `erasing` exists, and each command that opens the home continues the erasure.
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
"""The marker file: it exists while an erasure is under way."""


class Remainder(Wire):
    """One place that still contains bytes of forgotten memories, and why; the next call erases them."""

    place: str
    why: str


def mark_erasure_begun(app: App) -> None:
    """Create the marker file, so that the erasure will be finished even after a crash; StoreError if that fails."""
    with os_errors_explained(_marker_path(app)):
        _marker_path(app).touch(mode=0o600)


def mark_erasure_finished(app: App) -> None:
    """Remove the marker file, if it exists: nothing is left to erase."""
    _marker_path(app).unlink(missing_ok=True)


def scrub(
    app: App, namespace: str, op_id: str, paths: Sequence[str], count: int, places: dict[str, int]
) -> tuple[dict[str, int], tuple[Remainder, ...]]:
    """Overwrite, in the journal, index, history and spool, the bytes of what operation `op_id` forgot, and write a
    ledger row of the erasure once nothing is left. What this process caches of texts and encodings is dropped, too.

    `paths` are the files that the operation wrote or removed, `count` the number of memories that it forgot, `places`
    the counts of what was erased so far, by kind (`files`, `queries`, …). Return them with those of the vault and the
    journal added (`displaced`, `leftovers`, `conflicts`, `names`), and what could not be scrubbed: `journal.db`,
    `index.db` and so on, or `ledger` if the row could not be written (empty: all is done). StoreErrors become such
    remainders.
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
    """Finish interrupted erasures until one leaves a remainder, and return the number that were finished; 0 without the
    marker file. The caller must hold the exclusive write lock. StoreError if history or spool cannot be scrubbed at the
    end; the marker file then stays, as it does after a remainder."""
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
        if remains:  # the other erasures would fail in the same place
            return done
    app.history.scrub()  # some erasures of history belong to no operation
    app.spool.scrub()
    mark_erasure_finished(app)
    return len(open_ones)


def has_unfinished_erasure(app: App) -> bool:
    """Whether an erasure was interrupted and has not been finished."""
    return _marker_path(app).exists()


def bytes_needed_to_finish(app: App) -> int:
    """Return the bytes of free disk space that an interrupted erasure needs at most to be finished: what writing the
    largest database anew takes, whether there is such an erasure or not."""
    return max(room_needed(app.settings.home / name) for name in DATABASES)


def finish_erasures_if_possible(app: App) -> None:
    """Call `finish_erasures` if an erasure was interrupted, unless another process holds the write lock. A `StoreError`
    is ignored, so that the home can still be read."""
    if _marker_path(app).exists():
        with contextlib.suppress(StoreError), app.unit_of_work.exclusive(0.0) as alone:
            if alone:
                finish_erasures(app)


def _marker_path(app: App) -> Path:
    """Return the path of the marker file, which exists while an erasure is not finished."""
    return app.settings.home / _MARK
