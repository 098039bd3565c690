"""What is kept of recalls in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.columns import table

if TYPE_CHECKING:
    from pellucid.operations.recall.snapshots import ListedRecall, SnapshotsOutput


def listed(outcome: SnapshotsOutput) -> str:
    """Headings, and one line a recall: when, its id, how many it served, what is kept of it, and the question."""
    lines = table(("AT", "RECALL", "SERVED", "KEPT", "QUESTION"), [_row(each) for each in outcome.recalls])
    count = len(outcome.recalls)
    end = f"{count} {'recall' if count == 1 else 'recalls'}{', and older ones' if outcome.more else ''}"
    return "\n".join([*lines, end])


def pinned(recall: ListedRecall) -> str:
    """Whether a recall stays in full, and what is left of it."""
    if not recall.pinned:
        said = f"let go: {recall.recall_id} is kept as long as history.receiptDays and history.receipts say"
    elif not recall.in_full:
        said = f"pinned: {recall.recall_id}, but only its results were left to keep"
    else:
        said = f"pinned: {recall.recall_id} stays in full"
    return f"{said}\n  {_asked(recall)}"


def _row(recall: ListedRecall) -> tuple[str, ...]:
    kept = "pinned" if recall.pinned and recall.in_full else "in full" if recall.in_full else "results"
    session = f"[{recall.session_id}] " if recall.session_id else ""
    at = isoformat(recall.at)[:19].replace("T", " ")
    return at, recall.recall_id, str(recall.served), kept, session + _asked(recall)


def _asked(recall: ListedRecall) -> str:
    return "(no words kept)" if recall.query is None else " ".join(recall.query.split())
