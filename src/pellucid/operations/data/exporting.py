"""A session or an agent in, all data that a home has of it out: a line of JSON for each record."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress

from pellucid.app import App
from pellucid.errors import NotFoundError
from pellucid.operations.data.subject import SubjectInput, find_owned, subject_of
from pellucid.operations.operation import Operation, Surfaces, in_home
from pellucid.operations.recall.recalling import xray_by_id


def export_subject(app: App, request: SubjectInput) -> Iterator[str]:
    """Yield all that belongs to a session or an agent as JSON lines: memories, also those that it shares with others,
    episodes, waiting turns, and rows of the history, each receipt followed by its X-ray (the explanation of the
    recall).

    A recall of which only the results are stored has no X-ray. InputError, when the first line is taken, unless the
    request names exactly one of a session and an agent; StoreError for a receipt that cannot be read."""
    subject = subject_of(request)
    owned = find_owned(app, subject)
    for each in (*owned.memories, *owned.shared):
        yield _line("memory", {**each.memory.to_wire(), "path": each.path})
    for each in owned.episodes:
        yield _line("episode", {**each.episode.to_wire(), "path": each.path})
    for each in owned.turns:
        turn = each.turn
        fields = {"sessionId": turn.session_id, "ordinal": turn.ordinal, "role": turn.role, "content": turn.content}
        yield _line("turn", fields)
    for table, row in app.traces.rows(subject, owned.recall_ids):
        yield _line(table, row)
        if table == "receipts":
            with suppress(NotFoundError):  # only its results are stored
                yield _line("xray", xray_by_id(app, subject.namespace, str(row["recall_id"])).to_wire())


def _line(record: str, fields: Mapping[str, object]) -> str:
    """Render a record as a JSON line, without fields that are None; `record` is its kind."""
    return json.dumps({"record": record, **{name: value for name, value in fields.items() if value is not None}})


EXPORT_DATA = Operation(
    "data.export",
    "Print all that is kept of a session or an agent. A line of JSON each.\n\n"
    "Its memories and episodes, turns that wait, its recalls with their X-rays, what became of them, "
    "and what it used.\n",
    SubjectInput,
    Iterator[str],
    in_home(export_subject),
    "read",
    Surfaces("data export", http=("GET /v1/data/export",)),
    needs="admin",
)
