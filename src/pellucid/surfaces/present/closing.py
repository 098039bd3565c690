"""Sessions and citations in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.errors import step
from pellucid.xray.words.headline import headline
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pellucid.operations.browsing import MemoryCitation
    from pellucid.operations.memory.citing import CiteOutput
    from pellucid.operations.recall.results import FeedbackOutput, ResultOutput
    from pellucid.operations.session.closing import ClosingOutput
    from pellucid.operations.session.looking.briefing import BriefOutput
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


def path_text(outcome: ResultOutput) -> str:
    """Return the path of a memory's file and nothing else, so that a shell can use it."""
    return visible(outcome.file)


def content_text(outcome: ResultOutput) -> str:
    """Return the content of a memory and nothing else."""
    return outcome.content


def citation_text(outcome: CiteOutput) -> str:
    """Render a citation's kind, memory and recall, with a remark if the session had already recorded it, so that
    nothing new was stored.
    """
    remark = "" if outcome.is_new else " (it was in this session before)"
    return f"{outcome.kind}: {outcome.memory_id}{remark}\n  of {outcome.recall_id}"


def feedback_text(outcome: FeedbackOutput) -> str:
    """Render the feedback on a recall, `good` or `bad`, with a remark if its session had already given this verdict, so
    that nothing was stored.
    """
    return f"{outcome.verdict}: {outcome.recall_id}{'' if outcome.is_new else ' (that was said before)'}"


def closing_text(outcome: ClosingOutput) -> str:
    """Render the close of a session: how many turns were flushed (made into memories), or why not; how many recalls
    served how many memories; the citations, counted by kind and then one by one; and the ids of memories that were
    served but not cited.
    """
    name = f"session {visible(outcome.session_id)}" if outcome.session_id else "no session, today"
    turns, kept = sum(each.turns for each in outcome.flushes), sum(each.memories for each in outcome.flushes)
    lines = [f"{name}: {counted(turns, 'turn')} became {counted(kept, 'memory', 'memories')}"]
    if outcome.problem:
        lines.append(f"not flushed: {visible(outcome.problem)}")
    cited = ", ".join(f"{count} {kind}" for kind, count in outcome.counts.items())
    detected = ", ".join(f"{count} {kind}" for kind, count in outcome.automatic.items())
    parts = [*([cited] if cited else []), *([f"{detected} as was seen"] if detected else [])] or ["nothing was cited"]
    served = counted(outcome.served, "memory", "memories")
    lines.append(f"{counted(outcome.recalls, 'recall')} served {served}: {'; '.join(parts)}")
    for each in outcome.citations:
        lines.append(f"  {each.kind}: {each.memory_id} ({_source(each)})")
        lines += [f"    {_notes(each)}"] if each.notes else []
    lines += [f"  not cited: {each}" for each in outcome.uncited]
    return "\n".join(lines)


def session_text(outcome: SessionOutput) -> str:
    """Render a session: how many turns became how many memories; what was asked, done, decided and left open; the
    statements and the claims of a model that were left out; and the citations of its recalls.
    """
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


def brief_text(outcome: BriefOutput) -> str:
    """Render the brief of the last sessions, or that no session was kept."""
    nothing = f"no session was kept in {outcome.namespace}: {step('session.import')} brings some in"
    return outcome.text.rstrip() or nothing


def _left_out_line(statement: LeftOut) -> str:
    """Render a statement that did not become a memory: its words, if they are kept, the reason, the memory that says
    the same, if there is one, the reason's code, and the statement's turns.
    """
    words = f'"{headline(statement.said)}"' if statement.said else "words that are not kept"
    where = ", ".join(visible(place.rpartition(":")[2]) for place in statement.evidence)
    same = f", as {statement.memory_id} says it" if statement.memory_id else ""
    return f"{words}: {statement.reason}{same} ({statement.code}; turn {where})"


def citation_line(citation: MemoryCitation) -> str:
    """Render a citation of a memory on one line: kind, session unless it had none, day, source and notes."""
    day = f"{citation.at:%Y-%m-%d}"
    where = "" if citation.occasion == day else f" in session {visible(citation.occasion)}"
    notes = f": {_notes(citation)}" if citation.notes else ""
    return f"{citation.kind}{where} on {day} ({_source(citation)}){notes}"


def _source(citation: MemoryCitation) -> str:
    """Return which agent cited the memory, such as `said by claude-code`, or by which sign it was seen that the agent
    used it, such as `seen: quoted, by codex`. Only `said` if the agent is not known.
    """
    agent = visible(citation.agent or "")
    if citation.evidence is None:
        return f"said by {agent}" if agent else "said"
    return f"seen: {_SIGNS[citation.evidence]}{f', by {agent}' if agent else ''}"


def _notes(citation: MemoryCitation) -> str:
    """Return the notes of a citation; in quotation marks if they are the words by which a quotation was observed
    (`evidence` is `quoted`). "" if it has none.
    """
    return f"“{visible(citation.notes)}”" if citation.evidence == "quoted" else visible(citation.notes)
