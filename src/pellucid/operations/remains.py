"""An erasure that was begun in, no byte of what went out; or what is left of it, and how much room that takes.

Between `begin` and `end` the file `erasing` stands in the home: whatever stopped an erasure, each command that opens
the home goes on with it, and none is stopped by it.
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

_MARK = "erasing"
"""The file that says an erasure is under way."""


class Remainder(Wire):
    """One place that still holds bytes of what was forgotten, and why; the next call erases them."""

    place: str
    why: str


def begin(app: App) -> None:
    """Say that an erasure is under way: from here on it is finished, whatever happens.

    Raises:
        StoreError: that could not be written down.
    """
    with os_errors_explained(_mark(app)):
        _mark(app).touch(mode=0o600)


def end(app: App) -> None:
    """Say that nothing is left to erase."""
    _mark(app).unlink(missing_ok=True)


def scrub(
    app: App, namespace: str, op_id: str, paths: Sequence[str], count: int, places: dict[str, int]
) -> tuple[dict[str, int], tuple[Remainder, ...]]:
    """Leave no remainder; what is on record as erased is. Else say what is left, and where."""
    taken, remains = dict(places), list[Remainder]()
    app.indexer.let_go()
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


def finish(app: App) -> int:
    """Finish the erasures that were interrupted, as far as that can be done now; how many. Asked at every opening."""
    if not _mark(app).exists():
        return 0
    finished = {row.erasure_of for row in rows_of_type(app.ledger, ErasureRow)}
    open_ones = [
        each for each in app.records.operations() if each.kind in {"forget", "purge"} and each.op_id not in finished
    ]
    done = 0
    for operation in open_ones:
        namespace = next((row.namespace for row in _of_operation(app, operation.op_id)), app.settings.namespace)
        _, remains = scrub(app, namespace, operation.op_id, [path for path, _ in operation.paths], 0, {})
        if remains:  # the others would meet the same
            return done
        done += 1
    app.history.scrub()  # what is erased of it may stand in no operation
    app.spool.scrub()
    end(app)
    return done


def _of_operation(app: App, op_id: str) -> list[LifecycleRow]:
    return [row for row in rows_of_type(app.ledger, LifecycleRow) if row.correlation_id == op_id]


def is_unfinished(app: App) -> bool:
    """Whether an erasure was interrupted, and no command has finished it yet."""
    return _mark(app).exists()


def room_to_finish(app: App) -> int:
    """The bytes that must be free for an interrupted erasure to be finished."""
    return max(room_needed(app.settings.home / name) for name in DATABASES)


def finish_quietly(app: App) -> None:
    """`finish`, unless another process is at it, or the disk cannot take it: then a later command does it.

    An erasure that cannot be finished must keep nobody from reading and writing; `doctor` names it.
    """
    if _mark(app).exists():
        with contextlib.suppress(StoreError), app.unit_of_work.exclusive(0.0) as alone:
            if alone:
                finish(app)


def _mark(app: App) -> Path:
    return app.settings.home / _MARK
