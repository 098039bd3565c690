"""A recall's answer in, text for a person out: the context, how sure it is, what was cut, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.errors import bare_step, step
from pellucid.surfaces.present.graph import unknown_before
from pellucid.xray.words.rungs import results_in_words
from pellucid.xray.words.sentence import leg_in_words
from pellucid.xray.words.sureness import sureness
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pellucid.operations.recall.recalling import RecalledMemory, RecallOutput


def recall_text(outcome: RecallOutput, *, verbose: bool = False, footer: Sequence[str] = ()) -> str:
    """Render a recall's context, how sure the answer is, the nearest memories that the context does not show, problems,
    stale memories, the footer, and how to see why.

    If nothing fits the budget, a sentence says so in place of the context. `footer` are further lines. With `verbose`,
    memories that were never verified count as stale, too.
    """
    lines = [outcome.context or "Nothing fits the budget."]
    if outcome.doubt is not None:
        sure = sureness(outcome.doubt, outcome.abstain_at, abstained=outcome.abstained)
        if outcome.memories:
            lines.append(f"answer: {sure}")
        shown = results_in_words(len(outcome.memories), outcome.cut, outcome.filtered_out)
        lines.append(sure if outcome.abstained else f"shown: {shown}")
    left = [each for each in outcome.nearest if each not in outcome.context]  # it names as many as fit its budget
    nearest = ((memory_id, outcome.words.get(memory_id)) for memory_id in left)
    lines += [f"nearest: {memory_id}{f'  {visible(words)}' if words else ''}" for memory_id, words in nearest]
    lines += [f"{visible(name)}: {unknown_before(begun)}" for name, begun in outcome.known_from.items()]
    lines += _degraded_lines(outcome)
    lines += _stale_lines(outcome.memories, verbose=verbose)
    if outcome.receipt_problem:
        lines.append(f"the receipt was not kept, so this cannot be explained later: {visible(outcome.receipt_problem)}")
    lines += footer
    if not outcome.receipt_problem:
        lines.append(f"why: {bare_step('recall.xray', recall_id=outcome.recall_id)}")
    lines += [
        f"why, of {each.namespace}: " + bare_step("recall.xray", recall_id=each.recall_id, namespace=each.namespace)
        for each in outcome.also
        if not each.receipt_problem
    ]
    return "\n".join(lines)


def _degraded_lines(outcome: RecallOutput) -> Iterator[str]:
    """Yield a line for each leg (search path) that was down, for each stage that failed, and for each leg that the
    question or its caller asked for and that found nothing.
    """
    for leg in outcome.legs:
        if leg.health == "degraded":
            yield f"degraded: {leg.name}: {visible(leg.reason or '')}"
    for stage, why in outcome.failed.items():
        yield f"degraded: {visible(stage)} failed, and was left out: {visible(why)}"
    for leg in outcome.asked_in_vain:
        reason = "though the question reads as if it asked for that" if leg == "graph" else "though that was asked for"
        yield f"nothing was found {leg_in_words(leg)}, {reason}"


def _stale_lines(memories: Sequence[RecalledMemory], *, verbose: bool) -> Iterator[str]:
    """Yield a line each, if there are any, for those memories that are due for verification (`staleness.due`): the
    documents of theirs that are retired, how many were not verified for long, and how many are superseded.

    A memory counts in the first that applies of retired, superseded and not verified; one that was never verified only
    with `verbose`.
    """
    place = {each.memory.id: f"[{number}]" for number, each in enumerate(memories, 1)}
    due = [(each.memory, each.staleness) for each in memories if each.staleness and each.staleness.due]
    ended = {
        memory.entity_ref or memory.session_id: staleness.retired for memory, staleness in due if staleness.retired
    }
    if ended:
        due = [(memory, staleness) for memory, staleness in due if not staleness.retired]
        named = ", ".join(f"{document} ({how})" for document, how in ended.items())
        yield f"{len(ended)} of these documents no longer {'holds' if len(ended) == 1 else 'hold'}: {visible(named)}"
    replaced = [memory.id for memory, staleness in due if staleness.superseded]
    old = [
        (memory, staleness)
        for memory, staleness in due
        if not staleness.superseded and (verbose or staleness.last_verified_at)
    ]
    if old:
        days = min(staleness.age_days for _, staleness in old)
        more = " or more" if len(old) > 1 else ""
        again = step("memory.reverify", memory_ids=tuple(memory.id[-10:] for memory, _ in old))
        numbers = " ".join(place[memory.id] for memory, _ in old)
        yield f"{len(old)} of these {_were(old)} not verified for {days} days{more}, {numbers}: {again}"
    if replaced:
        named = ", ".join(f"{place[each]} {each}" for each in replaced)
        yield f"{len(replaced)} of these {_were(replaced)} superseded since: {named}"


def _were(items: Sequence[object]) -> str:
    """Return `was` for one item, `were` for several."""
    return "was" if len(items) == 1 else "were"
