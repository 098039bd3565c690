"""Answers about a home, its memories, projects, tokens and statistics in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.errors import field_name, step
from pellucid.store.ledger_gaps import gaps_text
from pellucid.surfaces.columns import largest_first, table
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:  # `pellucid --help` must not wait for what only the answers' types need
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from pellucid.model.memory import Memory
    from pellucid.operations.admin.configuration import SettingsOutput
    from pellucid.operations.admin.health import DoctorOutput, HomeOutput, RebuildOutput
    from pellucid.operations.admin.models import ModelsOutput
    from pellucid.operations.admin.status import PipelineStatus
    from pellucid.operations.admin.tokens import NewToken, TokensOutput, TokenView
    from pellucid.operations.browsing import ListOutput, Shown
    from pellucid.operations.memory.remembering import RememberOutput
    from pellucid.operations.recall.auditing import AuditOutput
    from pellucid.operations.session.projects import ProjectRow, ProjectsOutput
    from pellucid.operations.settling import AcceptOutput
    from pellucid.operations.telemetry.stats import StatsOutput


def home_text(report: HomeOutput) -> str:
    """Render a new home: its folders, the number of its files, and whether the embedding model is there."""
    model = (
        "ready"
        if report.model_ready
        else f"not fetched yet (it is on first use, or with {step('home.models', action='pull')})"
    )
    return f"home   {visible(report.home)}\nvault  {visible(report.vault)} ({report.files} files)\nmodel  {model}"


def remembered_text(outcome: RememberOutput) -> str:
    """Render what became of a statement: whether it is new, known already or known and updated; its memory's id and
    path, the memories that it replaces or is in dispute with, redactions, and why it has no vector, if it has none.
    """
    known = "known already, and updated" if outcome.updated else "known already"
    state = "remembered" if outcome.created else known
    lines = [f"{state}: {outcome.memory.id}", f"  {visible(outcome.path)}"]
    lines += [f"  replaces {each}" for each in outcome.replaced]
    lines += [f"  in dispute with {each}: both stay, and a recall says so" for each in outcome.memory.disputed_with]
    if outcome.redactions:
        lines.append(f"  redacted: {largest_first(outcome.redactions)}")
    if outcome.encoder_problem:
        lines.append(f"  without a vector: {visible(outcome.encoder_problem)}")
    return "\n".join(lines)


def memory_list_text(outcome: ListOutput) -> str:
    """Render a table of memories, then a line with how many of how many these are and the past instants asked about, if
    any; then how many passages (what was said, word for word) stand behind them, if any.
    """
    rows = [_memory_cells(each.memory) for each in outcome.memories]
    lines = table(("ID", "DATE", "CATEGORY", "IMPORTANCE", "MEMORY"), rows)
    past = f" as of {isoformat(outcome.as_of)}" if outcome.as_of else ""
    known = f" as known at {isoformat(outcome.as_known_at)}" if outcome.as_known_at else ""
    lines.append(f"{len(outcome.memories)} of {outcome.total} memories{past}{known}")
    if outcome.passages:
        category = field_name("category")
        lines.append(f"{outcome.passages:,} passages of what was said stand behind them: {category} moment")
    return "\n".join(lines)


def memory_text(outcome: Shown) -> str:
    """Render a memory's path, its fields that are not empty, the operation that wrote it, and its citations, then its
    content in full, with tabs as spaces.
    """
    wire = outcome.memory.to_wire()
    content = str(wire.pop("content", "")).replace("\r\n", "\n").expandtabs(4)
    fields = [f"{key}: {visible(str(value))}" for key, value in wire.items() if value not in ([], {}, "")]
    written = f"operation: {outcome.op_id}" if outcome.op_id else "operation: none (the file was there before)"
    citations = (f"citation: {citation_line(each)}" for each in outcome.citations)
    return "\n".join([f"path: {visible(outcome.path)}", *fields, written, *citations, "", content])


def audit_text(outcome: AuditOutput) -> str:
    """Render a memory that a recall returned, with its path, and the operation that wrote it, or that no operation is
    known.
    """
    lines = [
        f"recall: {outcome.recall_id} (result {outcome.place})",
        f"memory: {outcome.memory_id}",
        f"path: {visible(outcome.path or '(no longer there)')}",
    ]
    if outcome.operation is None:
        return "\n".join([*lines, "operation: none is known; the file was taken over as it stood"])
    return "\n".join([*lines, *(f"operation {key}: {visible(str(value))}" for key, value in outcome.operation.items())])


def doctor_text(report: DoctorOutput) -> str:
    """Render the health of a home: its folder; counts, sizes and times of retention, unless nothing could be counted;
    notes; then `healthy`, or the number of problems and each problem with its next step.
    """
    counts = [
        f"vault     {report.files} files, {report.memories} memories, {report.without_vector} without a vector",
        f"receipts  {report.receipts} ({report.receipt_bytes:,} bytes)",
        f"model     {report.model or '(none used yet)'}",
    ]
    lines = [
        f"home      {visible(report.home)}",
        *((*counts, *_pipeline_lines(report.pulse)) if report.pulse else ()),  # without it, nothing could be counted
        *(f"note      {visible(note)}" for note in report.notes),
        "healthy" if report.healthy else f"{counted(len(report.findings), 'problem', 'problems')}:",
    ]
    problems = ((each.check, f"{each.subject}: {each.problem} → {each.next_step}") for each in report.findings)
    return "\n".join([*lines, *(f"PROBLEM   {check}: {visible(text)}" for check, text in problems)])


def accepted_loss_text(outcome: AcceptOutput) -> str:
    """Render the lost data that was given up for good (the key, rows or lines of the ledger), and how many tombstones
    (records of what was forgotten) were saved; or that nothing is lost.
    """
    if outcome.op_id is None:
        return "nothing is lost: there is nothing to accept"
    parts = [f"the key ({outcome.key})"] if outcome.key else []
    parts += [f"rows {gaps_text(outcome.missing)} of the ledger"] if outcome.missing else []
    parts += [f"{len(outcome.set_aside)} damaged lines or changed files of it"] if outcome.set_aside else []
    saved = f"; {outcome.saved} tombstones of the index are in the ledger again" if outcome.saved else ""
    return f"given up: {', '.join(parts)}{saved}"


def _pipeline_lines(pulse: PipelineStatus) -> Iterator[str]:
    """Yield lines about observed statements, the segments (stretches of a session) that were cut from turns, waiting
    turns by session, disk use in MiB, and for how long data is kept. The line of segments is left out if there are
    none; it has the speed only if that is not 0, and tokens and cost only if tokens were used.
    """
    seen = pulse.observations
    yield f"observed  {seen.line()}"
    if seen.segments:
        speed = f", {seen.turns_a_second:,.0f} turns/s" if seen.turns_a_second else ""
        spent = f", {seen.tokens:,} tokens, cost {seen.cost}" if seen.tokens else ""
        yield f"segments  {seen.segments} of {seen.turns} turns ({largest_first(seen.by_signal)}){speed}{spent}"
    for each in pulse.backlog:
        yield f"spool     {each.turns} turns of {visible(each.session_id)} since {isoformat(each.oldest)}"
    yield "disk      " + ", ".join(f"{place} {size / 2**20:,.1f} MiB" for place, size in pulse.disk.items())
    yield "retention " + "; ".join(f"{kind} {period}" for kind, period in pulse.retention.items())


def settings_text(outcome: SettingsOutput) -> str:
    """Render a table of settings: name, source and value; a sentence if there are none."""
    rows = [(each.name, each.source, each.value) for each in outcome.settings]
    return "\n".join(table(("SETTING", "FROM", "VALUE"), rows)) or "every setting is as it comes"


def rebuild_text(outcome: RebuildOutput) -> str:
    """Render how many memories the rebuilt index has, what could not be indexed, why vectors are missing, and the path
    to which a damaged index was moved; each of the last three only if there is one.
    """
    lines = [f"indexed {outcome.memories} memories", *(f"left out: {visible(why)}" for why in outcome.unreadable)]
    lines += [f"without vectors: {visible(outcome.encoder_problem)}"] if outcome.encoder_problem else []
    lines += [f"the damaged index is now {visible(outcome.set_aside)}"] if outcome.set_aside else []
    return "\n".join(lines)


def models_text(outcome: ModelsOutput) -> str:
    """Render whether the cached model is complete, its folder, the state of each of its files, and the names of the
    graphs that were built of it.
    """
    lines = [f"{outcome.model}: {'ready' if outcome.ready else 'incomplete'}", f"  {visible(outcome.folder)}"]
    lines += [f"  {name}: {state}" for name, state in outcome.files.items()]
    return "\n".join([*lines, *(f"  built: {graph}" for graph in outcome.graphs)])


def _memory_cells(memory: Memory) -> tuple[str, ...]:
    """Return a memory's row in a table: the end of its id, day, category, importance and content. In brackets before
    the content are `in quarantine`, if it is, and its status unless that is `active`, as `[in quarantine, archived]`.
    """
    states = ["in quarantine"] if memory.trust_zone == "quarantine" else []
    states += [memory.status] if memory.status != "active" else []
    state = f"[{', '.join(states)}] " if states else ""
    date = isoformat(memory.created)[:10]
    return memory.id[-10:], date, memory.category, memory.importance_level, f"{state}{memory.content}"


def projects_text(outcome: ProjectsOutput) -> str:
    """Render the projects, a few lines for each; one sentence if there are none."""
    no_projects = f"no projects yet: {step('session.import')} files sessions under the project of their folder"
    return "\n".join(map(project_text, outcome.projects)) or no_projects


def project_text(project: ProjectRow) -> str:
    """Render a project's namespace with counts and the day of its last session, then its folders, the main one first:
    that is marked if it is gone, others (worktrees, former folders) as `(too)`.
    """
    counts = [counted(project.memories, "memory", "memories"), counted(project.sessions, "session", "sessions")]
    counts += [counted(project.passages, "passage", "passages")] if project.passages else []
    last = f", the last on {project.last_session[:10]}" if project.last_session else ""
    lines = [f"{project.namespace}  {', '.join(counts)}{last}"]
    for number, root in enumerate(project.roots):
        remark = " (too)" if number else " (not there any more)" if project.gone else ""
        lines.append(f"  {visible(root)}{remark}")
    if not project.roots:
        lines.append("  (in no project)")
    if project.earlier_elsewhere:
        lines.append("  earlier sessions of it are in local/default, which a recall in it asks, too")
    return "\n".join(lines)


def new_token_text(outcome: NewToken) -> str:
    """Render a new token, alone on its line, and its rights."""
    return f"{outcome.token}\nfor {outcome.name}: {', '.join(outcome.grants)}. It is shown this once."


def tokens_text(outcome: TokensOutput) -> str:
    """Render a table of the tokens, without their secrets; one sentence if there are none."""
    rows = [(each.name, _day(each.created), _day(each.last_used), ", ".join(each.grants)) for each in outcome.tokens]
    lines = table(("NAME", "MADE", "LAST USED", "MAY"), rows)
    return "\n".join(lines) or f"no token was made: {step('token.create')}"


def ended_token_text(outcome: TokenView) -> str:
    """Render the confirmation that a token was revoked."""
    return f"the token of {outcome.name} has ended"


def _day(at: datetime | None) -> str:
    """Render an instant to the minute, as `2026-04-20 17:30`; `never` for None."""
    return f"{at:%Y-%m-%d %H:%M}" if at else "never"


def stats_text(outcome: StatsOutput) -> str:
    """Render a panel (one table of the statistics): its question, its rows with a row of totals, and notes; for
    `never-cited` also how to archive a memory. Without rows, that there is nothing to count.
    """
    if not outcome.rows:
        return "\n".join((outcome.question, "nothing to count yet", *outcome.notes))
    units = [each.unit for each in outcome.columns]
    headings = [
        "".join(f" {letter}" if letter.isupper() else letter for letter in each.name).upper()
        for each in outcome.columns
    ]
    rows = [_stats_cells(each, units) for each in outcome.rows]
    totals = ["all", *_stats_cells(outcome.totals, units)[1:]]
    lines = [outcome.question, *table(headings, [*rows, totals]), *outcome.notes]
    if outcome.panel == "never-cited":
        lines.append(
            f"{step('memory.archive', memory_id='ID')} puts one away, {step('change.undo', target='ID')} brings it back"
        )
    return "\n".join(lines)


def _stats_cells(row: Sequence[str | int | float | None], units: Sequence[str]) -> list[str]:
    """Return a row's values as text; `units` are those of the columns."""
    return [_stats_cell(value, unit) for value, unit in zip(row, units, strict=True)]


def _stats_cell(value: str | float | None, unit: str) -> str:
    """Return a value as text: a `share` as `12.3%`, another float as `+0.12`, a whole number as `1,234`, a text as it
    is. `unit` is that of its column. None is `(none said)` in a column of names, else `–`.
    """
    if value is None:
        return "(none said)" if unit == "name" else "–"
    if unit == "share":
        return f"{value:.1%}"
    return f"{value:+.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
