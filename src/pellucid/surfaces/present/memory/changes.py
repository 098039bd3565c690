"""Changes of memories, their trust, and their histories in, text for a person out."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.errors import bare_step, field_name, step
from pellucid.operations.graph.states import EntityHistoryOutput
from pellucid.surfaces.columns import past_instants, table
from pellucid.surfaces.present.closing import citation_line
from pellucid.surfaces.present.graph import states_text
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from datetime import datetime

    from pellucid.model.ledger import LifecycleRow, VerdictRow
    from pellucid.operations.browsing import Listed
    from pellucid.operations.data.erasing import EraseOutput
    from pellucid.operations.memory.changing import ChangedOutput
    from pellucid.operations.memory.forgetting import ForgetOutput
    from pellucid.operations.memory.reverifying import ReverifyOutput
    from pellucid.operations.memory.reviewing import ReviewOutput
    from pellucid.operations.memory.storytelling import EpisodesOutput, EpisodeView, HistoryOutput
    from pellucid.operations.memory.trusting import TrustChangeOutput, TrustListOutput, TrustOutput
    from pellucid.operations.memory.undoing import UndoOutput

_SHOWN = 20
"""The most undone changes that are listed one by one."""
UPDATED = "updated"


def change_text(outcome: ChangedOutput, done: str) -> str:
    """Render the memory that was changed, with its path, and how to undo the change; or that there was nothing to do.
    `done` is the kind of change, such as `archived`; the memories that it replaced are named only for `updated`.
    """
    if not outcome.changed:
        return f"nothing to do: {outcome.memory.id} is so already\n  {visible(outcome.path)}"
    lines = [f"{done}: {outcome.memory.id}", f"  {visible(outcome.path)}"]
    lines += [f"  replaces {each}" for each in outcome.replaced if done == UPDATED]
    return "\n".join([*lines, f"  back: {bare_step('change.undo', target=outcome.op_id)}"])


update_text = partial(change_text, done=UPDATED)
archive_text = partial(change_text, done="archived")
retract_text = partial(change_text, done="retracted")
dispute_text = partial(change_text, done="disputed")


def pin_text(outcome: ChangedOutput) -> str:
    """Render a memory that was pinned or unpinned, and how to undo that."""
    return change_text(outcome, "pinned" if outcome.memory.pinned else "unpinned")


def undo_text(outcome: UndoOutput) -> str:
    """Render the changes that were undone, the first 20 one by one, others counted by kind, and how to undo the
    undoing.
    """
    lines = [f"undone: {each}" for each in outcome.undone[:_SHOWN]]
    if more := Counter(each.partition(" of ")[0] for each in outcome.undone[_SHOWN:]):
        lines.append(f"and {', '.join(f'{event} of {count:,} more' for event, count in more.items())}")
    return "\n".join([*lines, f"  back: {bare_step('change.undo', target=outcome.op_id)}"])


def forget_text(outcome: ForgetOutput, again: str) -> str:
    """Render what was erased from which places, or in a preview would be; the memories that are in force again, as only
    an erased one had retired them; and what stays or is not gone yet. One sentence if nothing fits what was asked.
    `again` is the command that erases it, shown after a preview.
    """
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
        lines.append(f"other versions stay ({', '.join(outcome.versions)}): {field_name('chain')} takes them, too")
    lines += [f"not gone yet, {each.place}: {visible(each.why)}" for each in outcome.remains]
    if outcome.remains:
        lines.append(f"nothing finds it any more; each call tries again, and {step('home.doctor')} says what is left")
    if outcome.done:
        receipt = f"receipt: {outcome.op_id}, {outcome.tombstones} tombstones; " if outcome.op_id else ""
        lines.append(f"{receipt}this cannot be undone")
    else:
        lines.append(f"nothing was changed; to go on: {again}")
    return "\n".join(lines)


def erasure_text(outcome: EraseOutput, again: str) -> str:
    """Render what was erased, or in a preview would be (see `forget_text`), and which memories stay since others
    confirm them; one sentence if there was nothing to erase. `again` is the command that erases it.
    """
    if not outcome.memories and not any(outcome.places.values()):
        return "nothing is kept of it: nothing was erased"
    text = forget_text(outcome, again)
    if outcome.shared:
        text += f"\n{len(outcome.shared)} stay, which others bear out, too: {', '.join(outcome.shared)}"
    return text


def history_of_name_text(outcome: HistoryOutput | EntityHistoryOutput) -> str:
    """Render the history of an entity, or of a memory."""
    return states_text(outcome) if isinstance(outcome, EntityHistoryOutput) else history_text(outcome)


def history_text(outcome: HistoryOutput) -> str:
    """Render a memory's versions, each with its events, verdicts and citations, then the episodes (stretches of
    sessions) that they come from. If past instants were asked about, a first line says which version was valid then, or
    that none was. Of a forgotten memory, only when it was forgotten, and its events."""
    if outcome.forgotten_at:
        lines = [f"{outcome.memory_id} was forgotten on {isoformat(outcome.forgotten_at)}; what it said is gone"]
        return "\n".join([*lines, *(_event_line(row) for row in outcome.events)])
    lines: list[str] = [_held_version_line(outcome)] if outcome.as_of or outcome.as_known_at else []
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


def _held_version_line(outcome: HistoryOutput) -> str:
    """Render the version that was valid at the past instants asked about, when it was valid, and whether a recall could
    return it then (if not, why); or that none was.
    """
    held, instants = outcome.held, past_instants(outcome.as_of, outcome.as_known_at)
    if held is None:
        return f"{instants}: no version held"
    span = f"[{isoformat(held.valid_from)} – {isoformat(held.valid_until) if held.valid_until else 'open'}]"
    why = f" ({held.set_aside})" if held.set_aside else ""
    force = "in force" if held.in_force else f"not in force{why}"
    return f"{instants}: {held.memory_id} {span}, {force}"


def reverify_text(outcome: ReverifyOutput) -> str:
    """Render the memories that somebody verified, with their paths, and how to undo that, if anything was changed; ""
    if there are none.
    """
    lines = [f"verified: {each.memory.id}\n  {visible(each.path)}" for each in outcome.memories]
    return "\n".join(
        [*lines, *([f"  back: {bare_step('change.undo', target=outcome.op_id)}"] if outcome.op_id else [])]
    )


def _version_lines(listed: Listed) -> list[str]:
    """Return the lines of one version of a memory: its id, state and interval of validity; its content on one line; its
    evidence, and a line for each quote of it.
    """
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
    """Render an event in a memory's life: when, what, why, through which memories, and the id of the operation; the
    last three only if they are known.
    """
    why = f" ({visible(row.reason_code)})" if row.reason_code else ""
    causes = f", by {', '.join(row.related_memory_ids)}" if row.related_memory_ids else ""
    return f"  {isoformat(row.timestamp)}  {row.event_type}{why}{causes}  {row.correlation_id or ''}".rstrip()


def _verdict_line(row: VerdictRow) -> str:
    """Render the judge's verdict on an observation (a statement taken from a session): when and in which session it was
    observed, the verdict, why, and the observation's id.
    """
    place = f"observed in {visible(row.session_id)}"
    return f"  {isoformat(row.observed_at)}  {place}: {row.verdict}, {visible(row.reason)}  {row.observation_id}"


def episodes_text(outcome: EpisodesOutput) -> str:
    """Render a table of episodes (stretches of sessions), each with its id, start, the number of its memories (if it
    has none, of its turns that are kept) and its topic; then how many of how many they are.
    """
    rows = [
        (view.episode.id, _minute(view.episode.started), str(len(view.members) or view.turns_kept), view.episode.topic)
        for view in outcome.episodes
    ]
    lines = table(("EPISODE", "STARTED", "HOLDS", "TOPIC"), rows)
    return "\n".join([*lines, f"{len(outcome.episodes)} of {outcome.total} episodes"])


def episode_text(view: EpisodeView) -> str:
    """Render an episode: its topic, session and times, the artifacts it names, its memories, and how many turns are
    kept word for word in its file.
    """
    episode = view.episode
    signal = f", cut at {episode.signal}" if episode.signal else ""
    lines = [
        f"{visible(episode.topic)}",
        f"  {episode.id}  session {visible(episode.session_id)}, turns {episode.turns}{signal}",
        f"  {_minute(episode.started)} – {_minute(episode.ended)}",
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


def _minute(at: datetime | None) -> str:
    """Render the day and minute of an instant as `2026-04-20 17:30`; `(undated)` for None."""
    return isoformat(at)[:16].replace("T", " ") if at else "(undated)"


def trust_list_text(outcome: TrustListOutput) -> str:
    """Render the memories of a trust zone, such as `quarantine`, each with its id, source, content and the reason why
    it is there, if known; then how many of how many they are.
    """
    lines: list[str] = []
    for each, reason in zip(outcome.memories, outcome.reasons, strict=True):
        memory = each.memory
        lines.append(f"{memory.id}  {memory.source_class or 'manual'}  {visible(' '.join(memory.content.split()))}")
        lines += [f"  {visible(reason)}"] if reason else []
    return "\n".join([*lines, f"{len(outcome.memories)} of {outcome.total} in {outcome.zone}"])


def review_text(outcome: ReviewOutput) -> str:
    """Render the memories to review with their reasons, then counts by kind of reason, and how many more are stale but
    left out, since no recall returned them lately.
    """
    lines: list[str] = []
    for each in outcome.items:
        lines.append(f"{each.memory.id}  {visible(' '.join(each.memory.content.split()))}")
        lines += [f"  {reason.kind}: {visible(reason.text)}" for reason in each.reasons]
    counts = ", ".join(f"{count} {kind}" for kind, count in outcome.counts.items() if count)
    lines.append(f"{len(outcome.items)} of {outcome.total} to look at{f': {counts}' if counts else ''}")
    resting = step("memory.review", resting=True)
    rest = f"{outcome.resting} more are stale, but no recall gave them of late: {resting} shows them"
    return "\n".join([*lines, rest] if outcome.resting else lines)


def trust_text(outcome: TrustOutput) -> str:
    """Render a memory's trust zone and status, its content, its trust score as a sum, the doubt about it, if any, and
    the changes of its trust.
    """
    memory = outcome.memory
    shares = " + ".join(f"{share.name} {share.value:.2f}" for share in outcome.contributions)
    lines = [
        f"{memory.id}  {memory.trust_zone}, {memory.status}",
        f"  {visible(' '.join(memory.content.split()))}",
        f"  score {outcome.score:.2f} ({outcome.band}) = {shares}",
    ]
    lines += [f"  doubt: {visible(outcome.doubt)}"] if outcome.doubt else []
    for row in outcome.events:
        causes = f", by {', '.join(row.related_memory_ids)}" if row.related_memory_ids else ""
        lines.append(f"  {isoformat(row.timestamp)}  {row.event_type} ({visible(row.reason_code)}){causes}")
    return "\n".join(lines)


def trust_change_text(outcome: TrustChangeOutput, go_on: str = "") -> str:
    """Render the memories whose trust was changed, and how to undo it; one sentence if none was. In a preview, those
    that would be changed, and `go_on`, the command that changes them.
    """
    if not outcome.changed:
        return "nothing to do: no memory that fits would change"
    lines = [
        f"{'' if outcome.done else 'would be '}{each.what}: {each.memory_id}  {each.zone}, {each.status}"
        f"\n  {visible(each.excerpt)}"
        for each in outcome.changed
    ]
    end = (
        f"  back: {bare_step('change.undo', target=outcome.op_id)}"
        if outcome.done
        else f"nothing was changed; to go on: {go_on}"
    )
    return "\n".join([*lines, end])
