"""What is kept of recalls in, text for a person out."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.columns import table
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from pellucid.operations.recall.kept.event import EventOutput
    from pellucid.operations.recall.kept.given_context import ContextOutput
    from pellucid.operations.recall.kept.serving import ServedIn, ServingOutput
    from pellucid.operations.recall.kept.snapshots import ListedRecall, SnapshotsOutput
    from pellucid.operations.recall.kept.timings import StageTiming, TimingsOutput


def listed(outcome: SnapshotsOutput) -> str:
    """Headings, and one line a recall: when, its id, how many it served, what is kept of it, and the question."""
    lines = table(("AT", "RECALL", "SERVED", "KEPT", "CAME TO", "QUESTION"), [_row(each) for each in outcome.recalls])
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
    return f"{said}\n  {_question_of(recall)}"


def context(outcome: ContextOutput) -> str:
    """The context, and below it whether it is the one that was given."""
    used, chars = outcome.budget.used, outcome.budget.chars
    said = "as it was given" if outcome.exact else f"not as it was given: {'; '.join(outcome.differs)}"
    return "\n".join((*outcome.context.splitlines(), f"{said} ({used} / {chars} chars)"))


def went(outcome: EventOutput) -> str:
    """When it was asked, by whom and what it came to; what went wrong; what it gave, and what was cited of that."""
    row, went_wrong = outcome.recall, outcome.failure
    who = (f"by {row.surface}" if row.surface else "", f"agent {visible(row.agent)}" if row.agent else "")
    took = f"{outcome.millis:.0f} ms" if outcome.millis is not None else ""
    at, recall_id, _, kept, came_to, _ = _row(row)
    lines = [f"{recall_id}  {at}  {came_to}", f"  {_question_of(row)}"]
    lines += [f"  {', '.join(filter(None, (*who, took)))}; kept: {kept}"]
    if went_wrong:
        lines += [f"  went wrong: {went_wrong.text} ({went_wrong.code}{went_wrong.place and f', {went_wrong.place}'})"]
        lines += [f"  next: {went_wrong.next_step}"]
    for each in outcome.memories:
        cited = [f"      {citation_line(one)}" for one in each.citations]
        lines += [f"  [{each.place}] {each.memory_id}", *cited]
    return "\n".join([*lines, *(f"  as a whole: {citation_line(one)}" for one in outcome.citations)])


def timed(outcome: TimingsOutput) -> str:
    """A line a stage, then the whole."""
    every = (*outcome.stages, *((outcome.total,) if outcome.total else ()))
    lines = table(("STAGE", "RECALLS", "P50", "P95"), [_timing_row(each) for each in every])
    return "\n".join([*lines, f"milliseconds, over {counted(outcome.recalls, 'recall')}"])


def _timing_row(timing: StageTiming) -> tuple[str, ...]:
    return timing.name, str(timing.recalls), f"{timing.p50:.1f}", f"{timing.p95:.1f}"


def serving(outcome: ServingOutput) -> str:
    """The memory, what came of it in all, and of each recall when it was, its place there, its question and its end."""
    came = ", ".join(f"{count} {kind}" for kind, count in outcome.came_of_it.items()) or "nothing was cited of it"
    times = counted(outcome.total, "recall")
    return "\n".join([f"{outcome.memory_id}  in {times}: {came}", *chain.from_iterable(map(_served, outcome.recalls))])


def _served(each: ServedIn) -> list[str]:
    at = isoformat(each.recall.at)[:19].replace("T", " ")
    cited = [f"    {citation_line(one)}" for one in each.citations]
    return [
        f"  {at}  {each.recall.recall_id}  place {each.place} of {each.recall.served}",
        f"    {_question_of(each.recall)}",
        *cited,
    ]


def _row(recall: ListedRecall) -> tuple[str, ...]:
    less = "its event" if recall.outcome == "failed" else "results"
    kept = "pinned" if recall.pinned and recall.in_full else "in full" if recall.in_full else less
    came_to = f"{recall.outcome or ''}{', degraded' if recall.degraded else ''}"
    session = f"[{recall.session_id}] " if recall.session_id else ""
    at = isoformat(recall.at)[:19].replace("T", " ")
    return at, recall.recall_id, str(recall.served), kept, came_to, session + _question_of(recall)


def _question_of(recall: ListedRecall) -> str:
    return "(no words kept)" if recall.query is None else " ".join(recall.query.split())
