"""An operation's output in, text for a person out: a value stays on its line, whatever it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.store.ledger_gaps import gaps_text
from pellucid.surfaces.columns import table
from pellucid.surfaces.commands import flag, quoted, respelled
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:  # `pellucid --help` must not wait for what only the answers' types need
    from collections.abc import Iterable, Mapping

    from pellucid.model.memory import Memory
    from pellucid.operations.admin.configuration import SettingsOutput
    from pellucid.operations.admin.health import DoctorOutput, HomeOutput, RebuildOutput
    from pellucid.operations.admin.models import ModelsOutput
    from pellucid.operations.admin.status import PipelineStatus
    from pellucid.operations.browsing import ListOutput, Shown
    from pellucid.operations.memory.remembering import RememberOutput
    from pellucid.operations.recall.auditing import AuditOutput
    from pellucid.operations.settling import AcceptOutput


def home(report: HomeOutput) -> str:
    """A home at a glance."""
    model = "ready" if report.model_ready else f"not fetched yet (it is on first use, or with {quoted('models pull')})"
    return f"home   {visible(report.home)}\nvault  {visible(report.vault)} ({report.files} files)\nmodel  {model}"


def remembered(outcome: RememberOutput) -> str:
    """What was kept, or was kept already, and whether it gained something."""
    known = "known already, and updated" if outcome.updated else "known already"
    said = "remembered" if outcome.created else known
    lines = [f"{said}: {outcome.memory.id}", f"  {visible(outcome.path)}"]
    lines += [f"  replaces {each}" for each in outcome.replaced]
    lines += [f"  in dispute with {each}: both stay, and a recall says so" for each in outcome.memory.disputed_with]
    if outcome.redactions:
        lines.append(f"  redacted: {_counts(outcome.redactions)}")
    if outcome.encoder_problem:
        lines.append(f"  without a vector: {visible(respelled(outcome.encoder_problem))}")
    return "\n".join(lines)


def listed(outcome: ListOutput) -> str:
    """Headings, one line a memory, then how many there are."""
    rows = [_row(each.memory) for each in outcome.memories]
    lines = table(("ID", "DATE", "CATEGORY", "IMPORTANCE", "MEMORY"), rows)
    past = f" as of {isoformat(outcome.as_of)}" if outcome.as_of else ""
    known = f" as known at {isoformat(outcome.as_known_at)}" if outcome.as_known_at else ""
    said = f"{outcome.passages:,} passages of what was said stand behind them: {flag('--category')} moment"
    counted = f"{len(outcome.memories)} of {outcome.total} memories{past}{known}"
    return "\n".join([*lines, counted, *([said] if outcome.passages else [])])


def shown(outcome: Shown) -> str:
    """A memory's fields, what became of it, then its content with its own lines."""
    wire = outcome.memory.to_wire()
    content = str(wire.pop("content", "")).replace("\r\n", "\n").expandtabs(4)
    fields = [f"{key}: {visible(str(value))}" for key, value in wire.items() if value not in ([], {}, "")]
    written = f"operation: {outcome.op_id}" if outcome.op_id else "operation: none (the file was there before)"
    became = (f"citation: {citation_line(each)}" for each in outcome.citations)
    return "\n".join([f"path: {visible(outcome.path)}", *fields, written, *became, "", content])


def audited(outcome: AuditOutput) -> str:
    """A served result and the operation behind it."""
    lines = [
        f"recall: {outcome.recall_id} (result {outcome.place})",
        f"memory: {outcome.memory_id}",
        f"path: {visible(outcome.path or '(no longer there)')}",
    ]
    if outcome.operation is None:
        return "\n".join([*lines, "operation: none is known; the file was taken over as it stood"])
    return "\n".join([*lines, *(f"operation {key}: {visible(str(value))}" for key, value in outcome.operation.items())])


def examined(report: DoctorOutput) -> str:
    """The condition of a home, findings last, each with its next step."""
    held = [
        f"vault     {report.files} files, {report.memories} memories, {report.without_vector} without a vector",
        f"receipts  {report.receipts} ({report.receipt_bytes:,} bytes)",
        f"model     {report.model or '(none used yet)'}",
    ]
    lines = [
        f"home      {visible(report.home)}",
        *((*held, *_pipeline(report.pulse)) if report.pulse else ()),  # without one nothing of it could be counted
        *(f"note      {visible(note)}" for note in report.notes),
        "healthy" if report.healthy else f"{counted(len(report.findings), 'problem', 'problems')}:",
        *(
            f"PROBLEM   {f.check}: {visible(f'{f.subject}: {f.problem} → {respelled(f.next_step)}')}"
            for f in report.findings
        ),
    ]
    return "\n".join(lines)


def accepted(outcome: AcceptOutput) -> str:
    """What was given up for good, and what was saved."""
    if outcome.op_id is None:
        return "nothing is lost: there is nothing to accept"
    parts = [f"the key ({outcome.key})"] if outcome.key else []
    parts += [f"rows {gaps_text(outcome.missing)} of the ledger"] if outcome.missing else []
    parts += [f"{len(outcome.set_aside)} damaged lines or changed files of it"] if outcome.set_aside else []
    saved = f"; {outcome.saved} tombstones of the index are in the ledger again" if outcome.saved else ""
    return f"given up: {', '.join(parts)}{saved}"


def _pipeline(pulse: PipelineStatus) -> Iterable[str]:
    """What extraction did, how fast, what waits, how much room it takes and what is kept."""
    seen = pulse.observations
    yield f"observed  {seen.line()}"
    if seen.segments:
        speed = f", {seen.turns_a_second:,.0f} turns/s" if seen.turns_a_second else ""
        spent = f", {seen.tokens:,} tokens, cost {seen.cost}" if seen.tokens else ""
        yield f"segments  {seen.segments} of {seen.turns} turns ({_counts(seen.by_signal)}){speed}{spent}"
    for each in pulse.backlog:
        yield f"spool     {each.turns} turns of {visible(each.session_id)} since {isoformat(each.oldest)}"
    yield "disk      " + ", ".join(f"{place} {size / 2**20:,.1f} MiB" for place, size in pulse.disk.items())
    yield "retention " + "; ".join(f"{what} {how}" for what, how in pulse.retention.items())


def settings(outcome: SettingsOutput) -> str:
    """A line a setting: its name, where it was set, its value."""
    rows = [(each.name, each.source, each.value) for each in outcome.settings]
    return "\n".join(table(("SETTING", "FROM", "VALUE"), rows)) or "every setting is as it comes"


def rebuilt(outcome: RebuildOutput) -> str:
    """What a rebuild wrote."""
    lines = [f"indexed {outcome.memories} memories", *(f"left out: {visible(why)}" for why in outcome.unreadable)]
    lines += [f"without vectors: {visible(respelled(outcome.encoder_problem))}"] if outcome.encoder_problem else []
    lines += [f"the damaged index is now {visible(outcome.set_aside)}"] if outcome.set_aside else []
    return "\n".join(lines)


def models(outcome: ModelsOutput) -> str:
    """The state of the model cache."""
    lines = [f"{outcome.model}: {'ready' if outcome.ready else 'incomplete'}", f"  {visible(outcome.folder)}"]
    lines += [f"  {name}: {state}" for name, state in outcome.files.items()]
    return "\n".join([*lines, *(f"  built: {graph}" for graph in outcome.graphs)])


def _row(memory: Memory) -> tuple[str, ...]:
    date = isoformat(memory.created)[:10]
    return memory.id[-10:], date, memory.category, memory.importance_level, f"{_state_in_words(memory)}{memory.content}"


def _state_in_words(memory: Memory) -> str:
    """What keeps a memory from answering, before its words."""
    held = ("in quarantine",) if memory.trust_zone == "quarantine" else ()
    out = (memory.status,) if memory.status != "active" else ()
    return f"[{', '.join((*held, *out))}] " if held or out else ""


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in _largest(counts.items()))


def _largest(pairs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
