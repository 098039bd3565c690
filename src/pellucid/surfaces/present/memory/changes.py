"""What a verb, an erasure or a story gave in, text for a person out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.columns import table
from pellucid.surfaces.commands import command, flag, quoted
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from datetime import datetime

    from pellucid.model.ledger import LifecycleRow, VerdictRow
    from pellucid.operations.browsing import Listed
    from pellucid.operations.data.erasing import EraseOutput
    from pellucid.operations.memory.changing import ChangedOutput, Verb
    from pellucid.operations.memory.forgetting import ForgetOutput
    from pellucid.operations.memory.reverifying import ReverifyOutput
    from pellucid.operations.memory.storytelling import EpisodesOutput, EpisodeView, HistoryOutput
    from pellucid.operations.memory.undoing import UndoOutput

_TOLD = 20
"""Changes that are told one by one."""
UPDATED = "updated"
DONE: dict[Verb, str] = {
    "archive": "archived",
    "retract": "retracted",
    "dispute": "disputed",
    "pin": "pinned",
    "unpin": "unpinned",
}


def changed(outcome: ChangedOutput, done: str) -> str:
    """What was changed, and how to take it back."""
    if not outcome.changed:
        return f"nothing to do: {outcome.memory.id} is so already\n  {visible(outcome.path)}"
    lines = [f"{done}: {outcome.memory.id}", f"  {visible(outcome.path)}"]
    lines += [f"  replaces {each}" for each in outcome.replaced if done == UPDATED]
    return "\n".join([*lines, f"  back: {command(f'undo {outcome.op_id}')}"])


def undone(outcome: UndoOutput) -> str:
    """What was put back."""
    told = [f"undone: {each}" for each in outcome.undone[:_TOLD]]
    if more := Counter(each.partition(" of ")[0] for each in outcome.undone[_TOLD:]):
        told.append(f"and {', '.join(f'{event} of {count:,} more' for event, count in more.items())}")
    return "\n".join([*told, f"  back: {command(f'undo {outcome.op_id}')}"])


def forgotten(outcome: ForgetOutput, again: str) -> str:
    """What went, or would go, from where."""
    if not outcome.memories and not any(outcome.places.values()):
        return "nothing fits: nothing was forgotten"
    title = "forgotten" if outcome.done else "would be forgotten"
    lines = [f"{len(outcome.memories)} {title}:" if outcome.memories else "gone:" if outcome.done else "would go:"]
    lines += [
        f"  {each.id}  {each.category}, {each.why}{f': {visible(each.excerpt)}' if each.excerpt else ''}"
        for each in outcome.memories
    ]
    lines += [f"  {count:>6}  {place}" for place, count in sorted(outcome.places.items()) if count]
    restored = "in force again" if outcome.done else "would be in force again"
    lines += [
        f"{restored}, for only that had retired it: {each.id}  {visible(each.excerpt)}"
        for each in outcome.restored
        if each.status == "active"
    ]
    if outcome.versions:
        lines.append(f"other versions stay ({', '.join(outcome.versions)}): {flag('--chain')} takes them, too")
    for each in outcome.remains:
        lines.append(f"not gone yet, {each.place}: {visible(each.why)}")
    if outcome.remains:
        lines.append(f"nothing finds it any more; each call tries again, and {quoted('doctor')} says what is left")
    if outcome.done:
        receipt = f"receipt: {outcome.op_id}, {outcome.tombstones} tombstones; " if outcome.op_id else ""
        lines.append(f"{receipt}this cannot be undone")
    else:
        lines.append(f"nothing was changed; to go on: {again}")
    return "\n".join(lines)


def erased(outcome: EraseOutput, again: str) -> str:
    """What went, or would go, from where, and what stays."""
    if not outcome.memories and not any(outcome.places.values()):
        return "nothing is kept of it: nothing was erased"
    told = forgotten(outcome, again)
    if outcome.shared:
        told += f"\n{len(outcome.shared)} stay, which others bear out, too: {', '.join(outcome.shared)}"
    return told


def history(outcome: HistoryOutput) -> str:
    """A memory's versions, what happened to them and why, and where they come from."""
    if outcome.forgotten_at:
        lines = [f"{outcome.memory_id} was forgotten on {isoformat(outcome.forgotten_at)}; what it said is gone"]
        return "\n".join([*lines, *(_event_line(row) for row in outcome.events)])
    lines: list[str] = [_held_version(outcome)] if outcome.as_of or outcome.as_known_at else []
    for each in outcome.versions:
        lines += [
            *_version_lines(each),
            *(_event_line(row) for row in outcome.events if row.memory_id == each.memory.id),
        ]
        lines += [_verdict_line(row) for row in outcome.verdicts if row.resulting_primitive_id == each.memory.id]
        lines += [f"  {citation_line(row)}" for row in outcome.citations if row.memory_id == each.memory.id]
    for episode in outcome.episodes:
        lines.append(f"episode {episode.id}: {visible(episode.topic)} ({visible(episode.session_id)}:{episode.turns})")
    return "\n".join(lines)


def _held_version(outcome: HistoryOutput) -> str:
    """Which version held at the instant asked about, and whether it could answer then."""
    held = outcome.held
    said = [f"as of {isoformat(outcome.as_of)}"] if outcome.as_of else []
    then = ", ".join([*said, *([f"as known at {isoformat(outcome.as_known_at)}"] if outcome.as_known_at else [])])
    if held is None:
        return f"{then}: no version held"
    span = f"[{isoformat(held.valid_from)} – {isoformat(held.valid_until) if held.valid_until else 'open'}]"
    why = f" ({held.set_aside})" if held.set_aside else ""
    force = "in force" if held.in_force else f"not in force{why}"
    return f"{then}: {held.memory_id} {span}, {force}"


def reverified(outcome: ReverifyOutput) -> str:
    """What was verified, and how to take it back."""
    lines = [f"verified: {each.memory.id}\n  {visible(each.path)}" for each in outcome.memories]
    return "\n".join([*lines, *([f"  back: {command(f'undo {outcome.op_id}')}"] if outcome.op_id else [])])


def _version_lines(listed: Listed) -> list[str]:
    memory = listed.memory
    since, until = memory.valid_at or memory.created, memory.invalid_at
    span = f"{isoformat(since)} – {isoformat(until) if until else 'now'}"
    evidence = ", ".join(memory.evidence) or "none: said by hand"
    return [
        f"{memory.id}  {memory.status}, {memory.asserted_by}, {memory.trust_zone}  [{span}]",
        f"  {visible(' '.join(memory.content.split()))}",
        f"  evidence: {visible(evidence)}",
        *(f"    {visible(place)} “{visible(said)}”" for place, said in memory.evidence_quotes.items()),
    ]


def _event_line(row: LifecycleRow) -> str:
    why = f" ({visible(row.reason_code)})" if row.reason_code else ""
    by = f", by {', '.join(row.related_memory_ids)}" if row.related_memory_ids else ""
    return f"  {isoformat(row.timestamp)}  {row.event_type}{why}{by}  {row.correlation_id or ''}".rstrip()


def _verdict_line(row: VerdictRow) -> str:
    seen = f"observed in {visible(row.session_id)}"
    return f"  {isoformat(row.observed_at)}  {seen}: {row.verdict}, {visible(row.reason)}  {row.observation_id}"


def episodes(outcome: EpisodesOutput) -> str:
    """Headings, and one line an episode."""
    rows = [
        (view.episode.id, _at(view.episode.started), str(len(view.members) or view.turns_kept), view.episode.topic)
        for view in outcome.episodes
    ]
    lines = table(("EPISODE", "STARTED", "HOLDS", "TOPIC"), rows)
    return "\n".join([*lines, f"{len(outcome.episodes)} of {outcome.total} episodes"])


def episode(view: EpisodeView) -> str:
    """The story of an episode: when, about what, what it made, and what was kept of it."""
    held = view.episode
    signal = f", cut at {held.signal}" if held.signal else ""
    lines = [
        f"{visible(held.topic)}",
        f"  {held.id}  session {visible(held.session_id)}, turns {held.turns}{signal}",
        f"  {_at(held.started)} – {_at(held.ended)}",
    ]
    lines += [f"  {each.role} {each.kind} {visible(each.name)}" for each in view.artifacts]
    for each in view.members:
        memory = each.memory
        lines.append(
            f"- [{memory.category}, confidence {memory.confidence:.2f}, importance {memory.importance_score:.2f}"
            f" {memory.importance_level}, {memory.status}] {visible(' '.join(memory.content.split()))}"
        )
    if view.turns_kept:
        lines.append(f"{view.turns_kept} turns are kept word for word in {visible(view.path)}")
    return "\n".join(lines)


def _at(at: datetime | None) -> str:
    return isoformat(at)[:16].replace("T", " ") if at else "(undated)"
