"""What a session was, and what became of memories that were served in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.xray.words.headline import headline
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pellucid.operations.browsing import MemoryCitation
    from pellucid.operations.memory.citing import CiteOutput
    from pellucid.operations.recall.results import FeedbackOutput, ResultOutput
    from pellucid.operations.session.closing import ClosingOutput
    from pellucid.operations.session.looking.showing import LeftOut, SessionOutput
    from pellucid.store.history.citations_port import Evidence

_SIGNS: Mapping[Evidence, str] = {
    "opened": "opened",
    "copied": "copied",
    "updated": "changed",
    "rewrote": "replaced",
    "quoted": "quoted",
    "id": "named by its id",
    "file": "its file was worked on",
}


def file(outcome: ResultOutput) -> str:
    """The path of a memory's file, alone: what a shell passes on."""
    return visible(outcome.file)


def content(outcome: ResultOutput) -> str:
    """The words of a memory, alone."""
    return outcome.content


def cited(outcome: CiteOutput) -> str:
    """What was kept, or that it was kept before."""
    before = "" if outcome.is_new else " (it was in this session before)"
    return f"{outcome.kind}: {outcome.memory_id}{before}\n  of {outcome.recall_id}"


def rated(outcome: FeedbackOutput) -> str:
    """The verdict, or that it was given before."""
    return f"{outcome.verdict}: {outcome.recall_id}{'' if outcome.is_new else ' (that was said before)'}"


def closed(outcome: ClosingOutput) -> str:
    """What was kept of a session, what its recalls served, what became of it, and what nobody cited."""
    name = f"session {visible(outcome.session_id)}" if outcome.session_id else "no session, today"
    turns, kept = sum(each.turns for each in outcome.flushes), sum(each.memories for each in outcome.flushes)
    lines = [f"{name}: {counted(turns, 'turn')} became {counted(kept, 'memory', 'memories')}"]
    if outcome.problem:
        lines.append(f"not flushed: {visible(outcome.problem)}")
    said = ", ".join(f"{count} {kind}" for kind, count in outcome.counts.items())
    seen = ", ".join(f"{count} {kind}" for kind, count in outcome.automatic.items())
    parts = [*([said] if said else []), *([f"{seen} as was seen"] if seen else [])] or ["nothing was cited"]
    served = counted(outcome.served, "memory", "memories")
    lines.append(f"{counted(outcome.recalls, 'recall')} served {served}: {'; '.join(parts)}")
    for each in outcome.citations:
        lines.append(f"  {each.kind}: {each.memory_id} ({_by_whom(each)})")
        lines += [f"    {_noted(each)}"] if each.notes else []
    lines += [f"  not cited: {each}" for each in outcome.uncited]
    return "\n".join(lines)


def session(outcome: SessionOutput) -> str:
    """What it was, what was left out and why, and what became of what its recalls gave."""
    told = outcome.session
    kept = (told.memories, told.passages) if told else (0, 0)
    came = f"{counted(kept[0], 'memory', 'memories')} and {counted(kept[1], 'passage')} that may answer today"
    lines = [f"session {visible(outcome.session_id)}: {counted(outcome.turns, 'turn')} became {came}"]
    parts = [("asked", (told.asked,)), ("done", told.done), ("decided", told.decided)] if told else []
    parts += [("open", told.left_open), ("the agent asked last", (told.unanswered,))] if told else []
    lines += [f"{name}: {each.text} [{each.memory_id[-10:]}]" for name, said in parts for each in said if each]
    lines.append(f"left out: {counted(len(outcome.left_out), 'statement')}, {outcome.considered} were judged")
    lines += [f"  {_left(each)}" for each in outcome.left_out]
    lines += [f"  {count} claims of a model, not borne out: {why}" for why, count in outcome.unborne.items()]
    lines += [f"{each.memory_id} was {citation_line(each)}" for each in outcome.citations]
    return "\n".join(lines)


def _left(each: LeftOut) -> str:
    words = f'"{headline(each.said)}"' if each.said else "words that are not kept"
    where = ", ".join(visible(place.rpartition(":")[2]) for place in each.evidence)
    same = f", as {each.memory_id} says it" if each.memory_id else ""
    return f"{words}: {each.reason}{same} ({each.code}; turn {where})"


def citation_line(cited: MemoryCitation) -> str:
    """What became of a memory once: when, in which session, how that is known, and in which words."""
    day = f"{cited.at:%Y-%m-%d}"
    where = "" if cited.occasion == day else f" in session {visible(cited.occasion)}"
    words = f": {_noted(cited)}" if cited.notes else ""
    return f"{cited.kind}{where} on {day} ({_by_whom(cited)}){words}"


def _by_whom(cited: MemoryCitation) -> str:
    """Who said it, or by which sign it was seen, and of which agent."""
    agent = visible(cited.agent or "")
    if cited.evidence is None:
        return f"said by {agent}" if agent else "said"
    return f"seen: {_SIGNS[cited.evidence]}{f', by {agent}' if agent else ''}"


def _noted(cited: MemoryCitation) -> str:
    return f"“{visible(cited.notes)}”" if cited.evidence == "quoted" else visible(cited.notes)
