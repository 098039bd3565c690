"""Sessions and citations in, text for a person out."""

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


def file_text(outcome: ResultOutput) -> str:
    """The path of a memory's file and nothing else, for use in a shell."""
    return visible(outcome.file)


def content_text(outcome: ResultOutput) -> str:
    """The content of a memory and nothing else."""
    return outcome.content


def citation_text(outcome: CiteOutput) -> str:
    """A citation's kind, memory and recall, with a remark if it was recorded in this session before."""
    before = "" if outcome.is_new else " (it was in this session before)"
    return f"{outcome.kind}: {outcome.memory_id}{before}\n  of {outcome.recall_id}"


def feedback_text(outcome: FeedbackOutput) -> str:
    """The feedback on a recall, `good` or `bad`, with a remark if some was given before, which then stays."""
    return f"{outcome.verdict}: {outcome.recall_id}{'' if outcome.is_new else ' (that was said before)'}"


def closing_text(outcome: ClosingOutput) -> str:
    """A checkpoint or the end of a session: turns flushed, memories served, their citations, and memories not cited."""
    name = f"session {visible(outcome.session_id)}" if outcome.session_id else "no session, today"
    turns, kept = sum(each.turns for each in outcome.flushes), sum(each.memories for each in outcome.flushes)
    lines = [f"{name}: {counted(turns, 'turn')} became {counted(kept, 'memory', 'memories')}"]
    if outcome.problem:
        lines.append(f"not flushed: {visible(outcome.problem)}")
    given = ", ".join(f"{count} {kind}" for kind, count in outcome.counts.items())
    detected = ", ".join(f"{count} {kind}" for kind, count in outcome.automatic.items())
    parts = [*([given] if given else []), *([f"{detected} as was seen"] if detected else [])] or ["nothing was cited"]
    served = counted(outcome.served, "memory", "memories")
    lines.append(f"{counted(outcome.recalls, 'recall')} served {served}: {'; '.join(parts)}")
    for each in outcome.citations:
        lines.append(f"  {each.kind}: {each.memory_id} ({_source(each)})")
        lines += [f"    {_notes(each)}"] if each.notes else []
    lines += [f"  not cited: {each}" for each in outcome.uncited]
    return "\n".join(lines)


def session_text(outcome: SessionOutput) -> str:
    """A session: what was asked, done and decided, the statements that were left out, and citations of its recalls."""
    brief = outcome.session
    kept = (brief.memories, brief.passages) if brief else (0, 0)
    result = f"{counted(kept[0], 'memory', 'memories')} and {counted(kept[1], 'passage')} that may answer today"
    lines = [f"session {visible(outcome.session_id)}: {counted(outcome.turns, 'turn')} became {result}"]
    parts = [("asked", (brief.asked,)), ("done", brief.done), ("decided", brief.decided)] if brief else []
    parts += [("open", brief.left_open), ("the agent asked last", (brief.unanswered,))] if brief else []
    lines += [f"{name}: {each.text} [{each.memory_id[-10:]}]" for name, items in parts for each in items if each]
    lines.append(f"left out: {counted(len(outcome.left_out), 'statement')}, {outcome.considered} were judged")
    lines += [f"  {_left_out_line(each)}" for each in outcome.left_out]
    lines += [f"  {count} claims of a model, not borne out: {why}" for why, count in outcome.unborne.items()]
    lines += [f"{each.memory_id} was {citation_line(each)}" for each in outcome.citations]
    return "\n".join(lines)


def _left_out_line(each: LeftOut) -> str:
    """A statement that did not become a memory, with the reason, the memory that says the same, and its turns."""
    words = f'"{headline(each.said)}"' if each.said else "words that are not kept"
    where = ", ".join(visible(place.rpartition(":")[2]) for place in each.evidence)
    same = f", as {each.memory_id} says it" if each.memory_id else ""
    return f"{words}: {each.reason}{same} ({each.code}; turn {where})"


def citation_line(cited: MemoryCitation) -> str:
    """A citation of a memory on one line: its kind, the session unless it was none, its day, source and notes."""
    day = f"{cited.at:%Y-%m-%d}"
    where = "" if cited.occasion == day else f" in session {visible(cited.occasion)}"
    notes = f": {_notes(cited)}" if cited.notes else ""
    return f"{cited.kind}{where} on {day} ({_source(cited)}){notes}"


def _source(cited: MemoryCitation) -> str:
    """Which agent said that a memory is cited, such as `said by claude-code`, or by which sign that was seen, such as
    `seen: quoted`.
    """
    agent = visible(cited.agent or "")
    if cited.evidence is None:
        return f"said by {agent}" if agent else "said"
    return f"seen: {_SIGNS[cited.evidence]}{f', by {agent}' if agent else ''}"


def _notes(cited: MemoryCitation) -> str:
    """The notes of a citation, in quotation marks if they are the agent's own words; "" if it has none."""
    return f"“{visible(cited.notes)}”" if cited.evidence == "quoted" else visible(cited.notes)
