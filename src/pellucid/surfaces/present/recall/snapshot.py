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
    """A table of recalls: time, id, number of memories, what is kept of it, outcome and question; then how many are
    listed.
    """
    rows = [_recall_cells(each) for each in outcome.recalls]
    lines = table(("AT", "RECALL", "SERVED", "KEPT", "CAME TO", "QUESTION"), rows)
    more = ", and older ones" if outcome.more else ""
    return "\n".join([*lines, f"{count_of(len(outcome.recalls), 'recall')}{more}"])


def pin_text(recall: ListedRecall) -> str:
    """Whether a recall is pinned now, whether it is still there in full, and its question."""
    if not recall.pinned:
        state = f"let go: {recall.recall_id} is kept as long as history.receiptDays and history.receipts say"
    elif not recall.in_full:
        state = f"pinned: {recall.recall_id}, but only its results were left to keep"
    else:
        state = f"pinned: {recall.recall_id} stays in full"
    return f"{state}\n  {_question_of(recall)}"


def context_text(outcome: ContextOutput) -> str:
    """A recall's context, then whether it is exactly the one that was returned, or how it differs, and its length."""
    used, chars = outcome.budget.used, outcome.budget.chars
    verdict = "as it was given" if outcome.exact else f"not as it was given: {'; '.join(outcome.differs)}"
    return "\n".join((*outcome.context.splitlines(), f"{verdict} ({used} / {chars} chars)"))


def event_text(outcome: EventOutput) -> str:
    """A recall's time, sender and outcome, its error if it failed, and its memories with their citations."""
    row, failure = outcome.recall, outcome.failure
    who = (f"by {row.surface}" if row.surface else "", f"agent {visible(row.agent)}" if row.agent else "")
    took = f"{outcome.millis:.0f} ms" if outcome.millis is not None else ""
    at, recall_id, _, kept, came_to, _ = _recall_cells(row)
    lines = [f"{recall_id}  {at}  {came_to}", f"  {_question_of(row)}"]
    lines += [f"  {', '.join(filter(None, (*who, took)))}; kept: {kept}"]
    if failure:
        lines += [f"  went wrong: {failure.text} ({failure.code}{failure.place and f', {failure.place}'})"]
        lines += [f"  next: {failure.next_step}"]
    for each in outcome.memories:
        cited = [f"      {citation_line(one)}" for one in each.citations]
        lines += [f"  [{each.place}] {each.memory_id}", *cited]
    return "\n".join([*lines, *(f"  as a whole: {citation_line(one)}" for one in outcome.citations)])


def timings_text(outcome: TimingsOutput) -> str:
    """A table of the median and 95th percentile of the time that each stage of recalls took, and of the whole."""
    every = (*outcome.stages, *((outcome.total,) if outcome.total else ()))
    rows = [(each.name, str(each.recalls), f"{each.p50:.1f}", f"{each.p95:.1f}") for each in every]
    lines = table(("STAGE", "RECALLS", "P50", "P95"), rows)
    return "\n".join([*lines, f"milliseconds, over {counted(outcome.recalls, 'recall')}"])


def serving_text(outcome: ServingOutput) -> str:
    """The recalls that returned a memory, each with its rank, question and citations, after their total."""
    cited = ", ".join(f"{count} {kind}" for kind, count in outcome.came_of_it.items()) or "nothing was cited of it"
    lines = [f"{outcome.memory_id}  in {counted(outcome.total, 'recall')}: {cited}"]
    for each in outcome.recalls:
        recall = each.recall
        lines.append(f"  {_second(recall.at)}  {recall.recall_id}  place {each.place} of {recall.served}")
        lines += [f"    {_question_of(recall)}", *(f"    {citation_line(one)}" for one in each.citations)]
    return "\n".join(lines)


def _recall_cells(recall: ListedRecall) -> tuple[str, ...]:
    """A recall's row in the table of recalls: time, id, memories served, what is kept, outcome, and question."""
    less = "its event" if recall.outcome == "failed" else "results"
    kept = "pinned" if recall.pinned and recall.in_full else "in full" if recall.in_full else less
    came_to = f"{recall.outcome or ''}{', degraded' if recall.degraded else ''}"
    session = f"[{recall.session_id}] " if recall.session_id else ""
    return _second(recall.at), recall.recall_id, str(recall.served), kept, came_to, session + _question_of(recall)


def _second(at: datetime) -> str:
    """The day and time of an instant to the second, as `2026-04-20 17:30:00`."""
    return isoformat(at)[:19].replace("T", " ")


def _question_of(recall: ListedRecall) -> str:
    """A recall's question on one line, or a remark that it was not kept."""
    return "(no words kept)" if recall.query is None else " ".join(recall.query.split())
