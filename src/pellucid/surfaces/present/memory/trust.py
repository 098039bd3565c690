"""What a trust command gave in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.commands import command, quoted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from pellucid.operations.memory.reviewing import ReviewOutput
    from pellucid.operations.memory.trusting import TrustChangeOutput, TrustListOutput, TrustOutput


def listed(outcome: TrustListOutput) -> str:
    """One memory in two lines: its words, and why it is where it is."""
    lines: list[str] = []
    for each, reason in zip(outcome.memories, outcome.reasons, strict=True):
        memory = each.memory
        lines.append(f"{memory.id}  {memory.source_class or 'manual'}  {visible(' '.join(memory.content.split()))}")
        lines += [f"  {visible(reason)}"] if reason else []
    return "\n".join([*lines, f"{len(outcome.memories)} of {outcome.total} in {outcome.zone}"])


def to_review(outcome: ReviewOutput) -> str:
    """Of each memory its words and why to look at it, then how many there are of each kind."""
    lines: list[str] = []
    for each in outcome.items:
        lines.append(f"{each.memory.id}  {visible(' '.join(each.memory.content.split()))}")
        lines += [f"  {reason.kind}: {visible(reason.text)}" for reason in each.reasons]
    counts = ", ".join(f"{count} {kind}" for kind, count in outcome.counts.items() if count)
    lines.append(f"{len(outcome.items)} of {outcome.total} to look at{f': {counts}' if counts else ''}")
    rest = f"{outcome.resting} more are stale, but no recall gave them of late: {quoted('review --resting')} shows them"
    return "\n".join([*lines, rest] if outcome.resting else lines)


def explained(outcome: TrustOutput) -> str:
    """The zone, the score as a sum of its shares, the doubt, and the steps."""
    memory = outcome.memory
    shares = " + ".join(f"{share.name} {share.value:.2f}" for share in outcome.contributions)
    lines = [
        f"{memory.id}  {memory.trust_zone}, {memory.status}",
        f"  {visible(' '.join(memory.content.split()))}",
        f"  score {outcome.score:.2f} ({outcome.band}) = {shares}",
    ]
    lines += [f"  doubt: {visible(outcome.doubt)}"] if outcome.doubt else []
    for row in outcome.events:
        by = f", by {', '.join(row.related_memory_ids)}" if row.related_memory_ids else ""
        lines.append(f"  {isoformat(row.timestamp)}  {row.event_type} ({visible(row.reason_code)}){by}")
    return "\n".join(lines)


def changed(outcome: TrustChangeOutput, go_on: str = "") -> str:
    """What was changed, or would be, and the way back."""
    if not outcome.changed:
        return "nothing to do: no memory that fits would change"
    lines = [
        f"{'' if outcome.done else 'would be '}{each.what}: {each.memory_id}  {each.zone}, {each.status}"
        f"\n  {visible(each.excerpt)}"
        for each in outcome.changed
    ]
    end = f"  back: {command(f'undo {outcome.op_id}')}" if outcome.done else f"nothing was changed; to go on: {go_on}"
    return "\n".join([*lines, end])
