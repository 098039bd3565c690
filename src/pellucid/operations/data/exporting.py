"""A session or an agent in, all that a home holds of it out: a line of JSON each."""

import json
from collections.abc import Iterator, Mapping

from pellucid.app import App
from pellucid.errors import NotFoundError
from pellucid.operations.data.subject import SubjectInput, owned, subject_of
from pellucid.operations.operation import Operation, Surfaces
from pellucid.operations.recall.recalling import xray_of


def export(app: App, request: SubjectInput) -> Iterator[str]:
    """Memories, episodes, turns that wait, and every row of history: recalls with their X-rays, citations, uses.

    Raises:
        InputError: neither a session nor an agent is named, or both are.
        StoreError: something could not be read.
    """
    subject = subject_of(request)
    held = owned(app, subject)
    for each in (*held.memories, *held.shared):
        yield _line("memory", {**each.memory.to_wire(), "path": each.path})
    for each in held.episodes:
        yield _line("episode", {**each.episode.to_wire(), "path": each.path})
    for each in held.turns:
        turn = each.turn
        told = {"sessionId": turn.session_id, "ordinal": turn.ordinal, "role": turn.role, "content": turn.content}
        yield _line("turn", told)
    for table, row in app.traces.rows(subject, held.recall_ids):
        yield _line(table, row)
        if table == "receipts":
            yield from _xray(app, subject.namespace, str(row["recall_id"]))


def _xray(app: App, namespace: str, recall_id: str) -> Iterator[str]:
    """The X-ray of a recall as a line of JSON; nothing where its receipt is no longer kept."""
    try:
        yield _line("xray", xray_of(app, namespace, recall_id).to_wire())
    except NotFoundError:  # only its results are kept
        return


def _line(record: str, fields: Mapping[str, object]) -> str:
    return json.dumps({"record": record, **{name: value for name, value in fields.items() if value is not None}})


EXPORT_DATA = Operation(
    "data.export",
    """Print all that is kept of a session or an agent. A line of JSON each.

Its memories and episodes, turns that wait, its recalls with their X-rays, what became of them, and what it used.
""",
    SubjectInput,
    Iterator[str],
    lambda call, asked: export(call.app, asked),
    "read",
    Surfaces("data export", http=("GET /v1/data/export",)),
    needs="admin",
)
