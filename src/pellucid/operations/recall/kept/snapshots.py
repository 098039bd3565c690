"""Filters or an id in, recorded recalls out: listed, explained, exported as JSON lines, kept for good."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.clock import EPOCH, in_utc, ms_if_any
from pellucid.errors import InputError, NotFoundError, step
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.model.wire import Instant, Wire
from pellucid.operations.operation import Flag, Limit, Operation, RecallId, Session, Surfaces, Text, in_home
from pellucid.operations.paging import After, SortKey, decode_cursor, encode_cursor
from pellucid.operations.recall.recall_names import resolve_recall_id
from pellucid.operations.recall.recalling import xray_by_id
from pellucid.recall.query.classes import QueryClass
from pellucid.recall.receipt.words import query_of
from pellucid.store.history.history_port import audit_id
from pellucid.store.history.receipts_port import RecallFilter, RecallRow
from pellucid.store.history.telemetry_port import Outcome, Surface
from pellucid.xray.render.as_json import render_json

_PAGE = 100
_AGO = re.compile(r"([0-9]{1,9})\s*(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_since(text: str, now: datetime, name: str = "since") -> datetime:
    """Parse an instant (ISO; no zone means UTC, a bare date its midnight) or an age before `now` (`30m`, `12h`, `7d`,
    `2w`) into UTC; it may lie in the future. InputError for any other text, with `name` as the field's name."""
    text = text.strip()
    try:
        if ago := _AGO.fullmatch(text):
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise InputError(
            f'{name} expects a date, a time or how long ago; got "{text}"',
            code="invalid_since",
            next_step="write it as 2026-04-20, 2026-04-20T17:30 or 7d",
        ) from error


Since = Annotated[Instant | None, Flag("From when on: 2026-04-20, 2026-04-20T17:30, or 7d ago.", reads=parse_since)]


class SnapshotsInput(Wire):
    """Filters of the recalls to list; a recall must pass every filter."""

    namespace: str
    since: Since = None
    limit: Limit = Field(default=20, ge=1, le=10_000)
    after: After = None
    recall_id: Annotated[str | None, Flag("This recall alone (rec_…).", "--id")] = None
    """With a recall id, the other filters are ignored."""
    by_agent: Annotated[str | None, Flag("Only what this agent asked.")] = None
    query_class: Annotated[QueryClass | None, Flag("Only questions of this class.", "--class")] = None
    outcome: Annotated[Outcome | None, Flag("Only recalls that came to this: answered, empty, gated or abstained.")] = (
        None
    )
    degraded: Annotated[bool, Flag("Only recalls of which a part failed.")] = False
    contains: Annotated[str, Flag("Only questions that hold these words.")] = ""
    session_id: Session = None


class ListedRecall(Wire):
    """One recall, and what is still stored of it."""

    recall_id: str
    at: Instant
    session_id: str | None = None
    served: int
    """The number of memories in its context."""
    in_full: bool
    """Whether it can be explained; else only its results are stored, with the operations that wrote them."""
    pinned: bool
    query: str | None = None
    """Its question; None if the question was withheld or erased, or went with the receipt."""
    agent: str | None = None
    surface: Surface | None = None
    """The surface that it came through: `cli`, `http`, `mcp`, `hook`, `python` or `page`."""
    query_class: str | None = None
    outcome: Outcome | None = None
    """Its outcome; None of older recalls, for which none was stored."""
    degraded: bool | None = None
    """Whether a leg was down or a stage failed, so that better answers were possible."""


class SnapshotsOutput(Wire):
    """A page of the recalls that pass the filters, newest first; `more` says that there are older ones."""

    recalls: tuple[ListedRecall, ...]
    more: bool = False
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


class ExportInput(Wire):
    """The recalls to export: of a namespace since an instant, of one session or of all."""

    namespace: str
    since: Since = None
    session_id: Session = None


class ExplainInput(Wire):
    """The session whose last recall to explain; None for the namespace's last recall."""

    namespace: str
    session_id: Session = None


class PinSnapshotInput(Wire):
    """A recall, and whether to keep it in full."""

    namespace: str
    recall_id: RecallId
    pinned: Annotated[bool, Flag("Let it go again.", "--off", opposite=True)] = True


def list_snapshots(app: App, request: SnapshotsInput) -> SnapshotsOutput:
    """List the recalls that pass the filters, newest first, a page of `limit`; with a recall id, that recall alone,
    nothing if it does not exist. NotFoundError for a `last` or `last~N` that reaches before the first recall,
    InputError for a cursor of another list."""
    if request.recall_id:
        row = app.receipts.find(resolve_recall_id(app, request.namespace, request.recall_id), request.namespace)
        return SnapshotsOutput(recalls=(recall_view(row),) if row else ())
    rows = app.receipts.recalls(
        request.namespace,
        since=ms_if_any(request.since) or 0,
        session_id=_stored_session_id(request.session_id),
        only=RecallFilter(
            request.by_agent or None,
            request.query_class,
            request.outcome,
            request.degraded,
            request.contains.strip(),
        ),
        after=recall_row_at(decode_cursor(app, request)),
        limit=request.limit + 1,
    )
    shown, more = rows[: request.limit], len(rows) > request.limit
    following = encode_cursor(app, request, (shown[-1].at, shown[-1].recall_id)) if more else None
    return SnapshotsOutput(recalls=tuple(map(recall_view, shown)), more=more, next=following)


def recall_row_at(last_key: SortKey | None) -> RecallRow | None:
    """Return a row with the time and the recall id of a page's last sort key, after which the next page begins; its
    other fields are empty. None for the first page, which has no `last_key`."""
    return RecallRow(str(last_key[1]), int(last_key[0]), None, 0, in_full=False, pinned=False) if last_key else None


def export_snapshots(app: App, request: ExportInput) -> Iterator[str]:
    """Yield the X-rays of recalls as JSON lines, newest first; the app's `report` gets the id of each recall whose
    receipt is gone, which has no line. A line stays the same, byte for byte, as long as the memories that it names are
    unchanged. StoreError for a receipt that cannot be read."""
    for row in _all_rows(app, request):
        snapshot = _snapshot_if_kept(app, request.namespace, row)
        if snapshot is not None:
            yield render_json(snapshot, one_line=True)
        else:
            app.report(row.recall_id)


def pin_snapshot(app: App, request: PinSnapshotInput) -> ListedRecall:
    """Pin a recall, so that its receipt is kept in full whatever its age, or unpin it; return the recall's new state.
    NotFoundError if there is no such recall."""
    recall_id = resolve_recall_id(app, request.namespace, request.recall_id)
    row = app.receipts.pin(recall_id, request.namespace, pinned=request.pinned)
    if row is None:
        raise NotFoundError(
            f"no recall {request.recall_id} in {request.namespace}", next_step=f"{step('recall.list')} shows ids"
        )
    return recall_view(row)


def explain_last(app: App, request: ExplainInput) -> RecallXraySnapshot:
    """Explain the last recall of a session or, without one, of the namespace; NotFoundError if there is no recall, or
    only its results are stored; StoreError if its receipt cannot be read."""
    row = app.receipts.latest(request.namespace, _stored_session_id(request.session_id))
    if row is None:
        of = f" of session {request.session_id}" if request.session_id else ""
        raise NotFoundError(
            f"nothing was recalled yet in {request.namespace}{of}",
            next_step=f"{step('recall.ask')} asks a question; {step('recall.list')} shows every recall",
        )
    if not row.in_full:
        results = (
            f"{step('recall.audit', entry=audit_id(row.recall_id, 1))} shows the first" if row.served_count else "none"
        )
        raise NotFoundError(
            f"the last recall, {row.recall_id}, is too old to be explained: only its results are kept ({results})",
            next_step=f"ask again; {step('recall.pin')} keeps a recall that matters",
        )
    return xray_by_id(app, request.namespace, row.recall_id)


def _all_rows(app: App, request: ExportInput) -> Iterator[RecallRow]:
    """Yield the history's rows of all recalls to export (those of the request's namespace, session and time), newest
    first; they are read in pages."""
    since, session, last = ms_if_any(request.since) or 0, _stored_session_id(request.session_id), None
    while rows := app.receipts.recalls(request.namespace, since=since, session_id=session, after=last, limit=_PAGE):
        yield from rows
        last = rows[-1]


def _snapshot_if_kept(app: App, namespace: str, row: RecallRow) -> RecallXraySnapshot | None:
    """Return the X-ray of a recall; None if the receipt is gone. StoreError if it cannot be read."""
    try:
        return xray_by_id(app, namespace, row.recall_id) if row.in_full else None
    except NotFoundError:
        return None


def recall_view(row: RecallRow) -> ListedRecall:
    """Convert a history row into its output form; the question is None if it was not stored."""
    return ListedRecall(
        recall_id=row.recall_id,
        at=EPOCH + timedelta(milliseconds=row.at),
        session_id=row.session_id,
        served=row.served_count,
        in_full=row.in_full,
        pinned=row.pinned,
        query=query_of(row.query) if row.query_kept else None,
        agent=row.agent,
        surface=row.surface,
        query_class=row.query_class,
        outcome=row.outcome,
        degraded=row.degraded,
    )


def _stored_session_id(session_id: str | None) -> str | None:
    """Return a session id as history stores it: redacted; None for None or ""."""
    return redact(session_id).text if session_id else None


EXPLAIN = Operation(
    "recall.explain",
    "Explain the last recall. That of a session; or of the namespace, where no session is given.",
    ExplainInput,
    RecallXraySnapshot,
    in_home(explain_last),
    "read",
    Surfaces("explain", http=("GET /v1/recall/last",)),
)
SNAPSHOTS = Operation(
    "recall.list",
    "List recalls, newest first, with their questions.\n\n"
    "Of each: how many memories it served, and what is kept of it.\n",
    SnapshotsInput,
    SnapshotsOutput,
    in_home(list_snapshots),
    "read",
    Surfaces("snapshots list", http=("GET /v1/snapshots",)),
    text=Text("recall.snapshot.recalls_text"),
)
EXPORT = Operation(
    "recall.export",
    "Print every recall kept in full as a line of JSON. Each line is an X-ray; newest first.",
    ExportInput,
    Iterator[str],
    in_home(export_snapshots),
    "read",
    Surfaces("snapshots export", http=("GET /v1/snapshots/export",)),
)
PIN_SNAPSHOT = Operation(
    "recall.pin",
    "Keep a recall in full whatever its age. It can always be explained.",
    PinSnapshotInput,
    ListedRecall,
    in_home(pin_snapshot),
    "change",
    Surfaces("snapshots pin", http=("POST /v1/snapshots/{recall_id}/pin",)),
    text=Text("recall.snapshot.pin_text"),
)
