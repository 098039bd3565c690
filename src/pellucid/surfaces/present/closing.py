"""What became of memories that were served in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from pellucid.operations.memory.citing import CiteOutput
    from pellucid.operations.session.closing import ClosingOutput


def cited(outcome: CiteOutput) -> str:
    """What was kept, or that it was kept before."""
    before = "" if outcome.is_new else " (it was in this session before)"
    return f"{outcome.kind}: {outcome.memory_id}{before}\n  of {outcome.recall_id}"


def closed(outcome: ClosingOutput) -> str:
    """What was kept of a session, what its recalls served, what became of it, and what nobody cited."""
    name = f"session {visible(outcome.session_id)}" if outcome.session_id else "no session, today"
    turns, kept = sum(each.turns for each in outcome.flushes), sum(each.memories for each in outcome.flushes)
    lines = [f"{name}: {counted(turns, 'turn')} became {counted(kept, 'memory', 'memories')}"]
    if outcome.problem:
        lines.append(f"not flushed: {visible(outcome.problem)}")
    said = ", ".join(f"{count} {kind}" for kind, count in outcome.counts.items()) or "nothing was cited"
    served = counted(outcome.served, "memory", "memories")
    lines.append(f"{counted(outcome.recalls, 'recall')} served {served}: {said}")
    for each in outcome.citations:
        lines.append(f"  {each.kind}: {each.memory_id}")
        lines += [f"    {visible(each.notes)}"] if each.notes else []
    lines += [f"  not cited: {each}" for each in outcome.uncited]
    return "\n".join(lines)
