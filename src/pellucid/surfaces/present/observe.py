"""What became of observed turns in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.commands import respelled
from pellucid.surfaces.present.imports import decided, in_words
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from pellucid.operations.session.flushing import Backlog
    from pellucid.operations.session.observing import ObserveOutput, SpoolOutput


def observed(outcome: ObserveOutput) -> str:
    """What was taken, what was flushed and why, and what waits."""
    where = ", ".join(outcome.spooled_to) or outcome.namespace
    lines = [f"read {outcome.turns_read} turns; spooled {outcome.turns_spooled} new ones to {where}"]
    for title, counts in (("left out", outcome.dropped), ("redacted", outcome.redactions)):
        if counts:
            lines.append(f"{title}: {in_words(counts)}")
    if outcome.malformed:
        among = "; ".join(map(visible, outcome.problems[:3]))
        lines.append(f"{outcome.malformed} lines could not be read, among them {among}")
    for each in outcome.flushes:
        told = f"{counted(each.turns, 'turn')} became {counted(each.memories, 'memory', 'memories')}"
        lines.append(f"flushed {visible(each.session_id)} on {each.signal}: {told}")
        lines += [f"  {line}" for line in decided(each.verdicts, each.unkept)]
    if outcome.topic_shift == "words":
        lines.append(f"topics were followed by words alone: {visible(outcome.encoder_problem or 'no encoder')}")
    elif outcome.encoder_problem:
        lines.append(f"kept, but without vectors: {visible(respelled(outcome.encoder_problem))}")
    if outcome.extractor_problem:
        lines.append(f"not flushed: {visible(outcome.extractor_problem)}")
    return "\n".join([*lines, *map(_backlog, outcome.backlog)])


def waiting(outcome: SpoolOutput) -> str:
    """One line a session that has turns waiting."""
    if not outcome.backlog:
        return f"nothing waits in {'any project' if outcome.everywhere else outcome.namespace}"
    return "\n".join(map(_backlog, outcome.backlog))


def _backlog(each: Backlog) -> str:
    since = f"{counted(each.turns, 'turn')} since {isoformat(each.oldest)}"
    line = f"waiting in {each.namespace}: {visible(each.session_id)}, {since}"
    if not each.attempts:
        return line
    after = f"; next attempt after {isoformat(each.next_attempt)}" if each.next_attempt else ""
    return f"{line}; {counted(each.attempts, 'attempt')} failed: {visible(each.problem or 'unknown')}{after}"
