"""What is kept of recalls in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.xray.visible import visible

if TYPE_CHECKING:
    from pellucid.operations.snapshots import ListedRecall, SnapshotsOutput

_QUERY_CHARS = 80


def listed(outcome: SnapshotsOutput) -> str:
    """One line a recall: when, its id, how many it served, what is kept of it, and the question."""
    lines = [_line(each) for each in outcome.recalls]
    count = len(outcome.recalls)
    end = f"{count} {'recall' if count == 1 else 'recalls'}{', and older ones' if outcome.more else ''}"
    return "\n".join([*lines, end])


def pinned(recall: ListedRecall) -> str:
    """Whether a recall stays in full, and what is left of it."""
    if not recall.pinned:
        return f"let go: {recall.recall_id} is kept as long as history.receiptDays and history.receipts say"
    if not recall.in_full:
        return f"pinned: {recall.recall_id}, but only its results were left to keep"
    return f"pinned: {recall.recall_id} stays in full"


def _line(recall: ListedRecall) -> str:
    kept = "pinned" if recall.pinned and recall.in_full else "in full" if recall.in_full else "results"
    session = f"  [{visible(recall.session_id)}]" if recall.session_id else ""
    at = isoformat(recall.at)[:19].replace("T", " ")
    return f"{at}  {recall.recall_id}  {recall.served:>2} served  {kept:<7}{session}  {_question(recall)}"


def _question(recall: ListedRecall) -> str:
    if recall.query is None:
        return "(no words kept)"
    text = visible(" ".join(recall.query.split()))
    return text if len(text) <= _QUERY_CHARS else text[: _QUERY_CHARS - 1] + "…"
