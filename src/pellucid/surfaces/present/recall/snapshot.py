"""Earlier recalls in, text for a person out: their list, contexts, events, timings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.columns import count_of, table
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from datetime import datetime

    from pellucid.operations.recall.kept.event import EventOutput
    from pellucid.operations.recall.kept.given_context import ContextOutput
    from pellucid.operations.recall.kept.serving import ServingOutput
    from pellucid.operations.recall.kept.snapshots import ListedRecall, SnapshotsOutput
    from pellucid.operations.recall.kept.timings import TimingsOutput


def recalls_text(outcome: SnapshotsOutput) -> str:
    """Render a table of recalls (time, id, memories, what is stored, outcome, question), then how many are listed."""
    rows = [_recall_cells(each) for each in outcome.recalls]
    lines = table(("AT", "RECALL", "SERVED", "KEPT", "CAME TO", "QUESTION"), rows)
    more = ", and older ones" if outcome.more else ""
    return "\n".join([*lines, f"{count_of(len(outcome.recalls), 'recall')}{more}"])


def pin_text(recall: ListedRecall) -> str:
    """Render whether a recall is pinned (kept for good) or was let go, whether it is still stored in full, and its
    question.
    """
    if not recall.pinned:
        state = f"let go: {recall.recall_id} is kept as long as history.receiptDays and history.receipts say"
    elif not recall.in_full:
        state = f"pinned: {recall.recall_id}, but only its results were left to keep"
    else:
        state = f"pinned: {recall.recall_id} stays in full"
    return f"{state}\n  {_question_of(recall)}"


def context_text(outcome: ContextOutput) -> str:
    """Render a recall's context, then whether it is the one that was returned, or how it differs, and its length."""
    used, chars = outcome.budget.used, outcome.budget.chars
    verdict = "as it was given" if outcome.exact else f"not as it was given: {'; '.join(outcome.differs)}"
    return "\n".join((*outcome.context.splitlines(), f"{verdict} ({used} / {chars} chars)"))


def event_text(outcome: EventOutput) -> str:
    """Render a recall's id, time, outcome, question and sender, its error and next step if it failed, and its memories
    with their citations, then the citations of the recall as a whole.
    """
    row, failure = outcome.recall, outcome.failure
    who = (f"by {row.surface}" if row.surface else "", f"agent {visible(row.agent)}" if row.agent else "")
    took = f"{outcome.millis:.0f} ms" if outcome.millis is not None else ""
    at, recall_id, _, kept, result, _ = _recall_cells(row)
    lines = [f"{recall_id}  {at}  {result}", f"  {_question_of(row)}"]
    lines += [f"  {', '.join(filter(None, (*who, took)))}; kept: {kept}"]
    if failure:
        lines += [f"  went wrong: {failure.text} ({failure.code}{failure.place and f', {failure.place}'})"]
        lines += [f"  next: {failure.next_step}"]
    for each in outcome.memories:
        citations = [f"      {citation_line(citation)}" for citation in each.citations]
        lines += [f"  [{each.place}] {each.memory_id}", *citations]
    return "\n".join([*lines, *(f"  as a whole: {citation_line(citation)}" for citation in outcome.citations)])


def timings_text(outcome: TimingsOutput) -> str:
    """Render a table of the median and 95th percentile, in milliseconds, of each stage's time in recalls, and of the
    whole; then over how many recalls.
    """
    all_stages = (*outcome.stages, *((outcome.total,) if outcome.total else ()))
    rows = [(each.name, str(each.recalls), f"{each.p50:.1f}", f"{each.p95:.1f}") for each in all_stages]
    lines = table(("STAGE", "RECALLS", "P50", "P95"), rows)
    return "\n".join([*lines, f"milliseconds, over {counted(outcome.recalls, 'recall')}"])


def serving_text(outcome: ServingOutput) -> str:
    """Render how many recalls returned a memory and what came of it (citations by kind), then those recalls, each with
    its time, id, the memory's rank, the question and the citations.
    """
    cited = ", ".join(f"{count} {kind}" for kind, count in outcome.came_of_it.items()) or "nothing was cited of it"
    lines = [f"{outcome.memory_id}  in {counted(outcome.total, 'recall')}: {cited}"]
    for each in outcome.recalls:
        recall = each.recall
        lines.append(f"  {_second(recall.at)}  {recall.recall_id}  place {each.place} of {recall.served}")
        lines += [f"    {_question_of(recall)}", *(f"    {citation_line(citation)}" for citation in each.citations)]
    return "\n".join(lines)


def _recall_cells(recall: ListedRecall) -> tuple[str, ...]:
    """Return a recall's row in the table of recalls: time, id, memories served, what is stored (`pinned`, `in full`,
    `results`, or `its event` if it failed), outcome, and its session and question.
    """
    remainder = "its event" if recall.outcome == "failed" else "results"
    kept = "pinned" if recall.pinned and recall.in_full else "in full" if recall.in_full else remainder
    result = f"{recall.outcome or ''}{', degraded' if recall.degraded else ''}"
    session = f"[{recall.session_id}] " if recall.session_id else ""
    return _second(recall.at), recall.recall_id, str(recall.served), kept, result, session + _question_of(recall)


def _second(at: datetime) -> str:
    """Render the day and time of an instant to the second, as `2026-04-20 17:30:00`."""
    return isoformat(at)[:19].replace("T", " ")


def _question_of(recall: ListedRecall) -> str:
    """Return a recall's question on one line, or a remark that it was not kept."""
    return "(no words kept)" if recall.query is None else " ".join(recall.query.split())
