"""Lifecycle answers in, text for a person out: tiers, lifecycle passes, consolidations, and the report of a week."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.errors import bare_step, step
from pellucid.surfaces.columns import count_of, table
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pellucid.memory.compounding import Report, ReportEntry, ReportSection
    from pellucid.operations.memory.lifecycle.aging import LifecycleOutput
    from pellucid.operations.memory.lifecycle.consolidating import Consolidated, ConsolidateOutput
    from pellucid.operations.memory.lifecycle.tiers import Tiered, TierExplanation, TierListOutput, Weighed

_EXCERPT_CHARS = 90
_KINDS = ("merge", "update", "invalidate", "split", "add")
"""The kinds of change that a consolidation makes, in the order in which they are counted."""


def tier_list_text(outcome: TierListOutput) -> str:
    """Render a table of memories with their tiers (`hot` or `cold`), then how many are listed, hot, cold, and never
    folded (not yet given a tier by a lifecycle pass).
    """
    lines = table(("ID", "TIER", "VALUE", "CATEGORY", "MEMORY"), [_tier_cells(each) for each in outcome.memories])
    counts = f"{outcome.hot} hot, {outcome.cold} cold"
    if outcome.never_folded:
        counts += f"; {outcome.never_folded} were never folded (run {step('lifecycle.run')})"
    return "\n".join([*lines, f"{len(outcome.memories)} of {outcome.total} memories; {counts}"])


def tier_text(outcome: TierExplanation) -> str:
    """Render a memory's tier as of the last lifecycle pass that folded it (worked out its tier), the tier it would get
    now and why, what would change that, the thresholds, its use, and tier value, heat and decay as sums; then whether
    it is stale.
    """
    when = f"as of the fold of {isoformat(outcome.folded_at)}" if outcome.folded_at else "never folded, so it is hot"
    lines = [f"{outcome.memory_id}  {outcome.category}  {_excerpt(outcome.content)}", f"tier: {outcome.tier} ({when})"]
    if not outcome.aging:
        lines.append(f"it ages no more: it is {outcome.status}, or its time is over; no pass folds it")
    elif outcome.tier_now != outcome.tier:
        lines.append(f"a pass now ({step('lifecycle.run')}) would make it {outcome.tier_now}")
    lines += [
        f"why {outcome.tier_now}: {outcome.reason}",
        *(f"would change it: {each}" for each in outcome.would_change),
        _threshold_line(outcome),
        _use_line(outcome),
        *_sum_lines(("tier value", outcome.tier_value), ("heat", outcome.heat), ("decay", outcome.decay)),
    ]
    return "\n".join([*lines, *(["stale: somebody should look at it"] if outcome.stale else [])])


def pass_text(outcome: LifecycleOutput) -> str:
    """Render what a lifecycle pass changed, or would change: memories folded (their heat and tier worked out), counts
    by tier, tier changes, and the memories it proposes to archive. Lists that the outcome cut end with how many more
    there are.
    """
    wrote = "would write" if outcome.dry_run else "wrote"
    lines = [
        f"folded {outcome.memories} memories of {outcome.namespace}; {wrote} {outcome.folds} folds that moved",
        f"{outcome.hot} hot ({outcome.protected} protected), {outcome.cold} cold, {outcome.stale} stale",
        *(f"  {c.memory_id}  {c.before} → {c.after} at {c.tier_value:.4f}" for c in outcome.changes),
    ]
    lines += _more_line(outcome.demoted + outcome.promoted, len(outcome.changes), "tier changes")
    if outcome.proposals:
        archive = step("memory.archive", memory_id="ID")
        lines.append(f"{outcome.proposals} could be archived ({archive}); nothing was done to them:")
        lines += [f"  {each.memory_id}  {each.reason}" for each in outcome.proposed]
        lines += _more_line(outcome.proposals, len(outcome.proposed), "of these")
    return "\n".join(lines)


def report_text(report: Report) -> str:
    """Render the report on a period: new memories, what extraction kept, then a section each for memories said again,
    used, served, changed, gone cold, hot again, gone stale, and never used; empty sections are left out.
    """
    new = ", ".join(f"{category} {count}" for category, count in report.created.items())
    lines = [
        f"{report.namespace}, {isoformat(report.since)[:16]} to {isoformat(report.until)[:16]} UTC",
        f"new: {sum(report.created.values())}" + (f" ({new})" if new else ""),
    ]
    trace = report.compression
    if trace.turns:
        ratio = f", {trace.turns_per_memory:g} turns each" if trace.turns_per_memory else ""
        lines.append(
            f"from {trace.turns} turns of {trace.sessions} sessions came {trace.observations} observations,"
            f" {trace.accepted} of them kept{ratio}"
        )
    lines += [
        *_section_lines("said again", report.recurred, lambda each: f"in {count_of(each.sessions, 'other session')}"),
        *_section_lines("used", report.used, lambda each: count_of(each.times, "time")),
        *_section_lines("served", report.served, _served_text),
        *_section_lines("changed", report.changed, lambda each: str(each.event)),
        *_section_lines("went cold", report.went_cold, lambda each: _used_text(each.times)),
        *_section_lines("became hot again", report.warmed, lambda each: _used_text(each.times)),
        *_section_lines("went stale", report.went_stale, lambda each: _used_text(each.times)),
        *_section_lines("never served or used", report.unused, lambda each: _dated("kept since", each.at)),
    ]
    return "\n".join(lines)


def _threshold_line(outcome: TierExplanation) -> str:
    """Render the thresholds at which a memory changes its tier or becomes stale."""
    return (
        f"thresholds: cold at or below {outcome.demote_at:g} after {outcome.demote_after_days:g} days;"
        f" hot again at or above {outcome.promote_at:g}; stale at decay {outcome.stale_at:g}"
    )


def _use_line(outcome: TierExplanation) -> str:
    """Render how often a memory was used, said again and served, and when last."""
    used = f"used {count_of(outcome.used, 'time')}{_dated(', last on', outcome.last_used)}"
    again = f"said again in {count_of(outcome.recurred, 'other session')}{_dated(', last on', outcome.last_recurred)}"
    served = f"served {count_of(outcome.served, 'time')}{_dated(', last on', outcome.last_served)}"
    return f"{used}; {again}; {served}, which makes it no hotter"


def _section_lines(title: str, section: ReportSection, detail: Callable[[ReportEntry], str]) -> list[str]:
    """Render a section of the report: its title and total; then for each of its memories the end of its id, the text
    that `detail` makes of its entry, and an excerpt; then how many more there are. Empty if the section's total is 0.
    """
    if not section.total:
        return []
    lines = [f"{title}: {section.total}"]
    for each in section.entries:
        excerpt = _excerpt(each.content) if each.content is not None else "(no longer there)"
        lines.append(f"  {each.memory_id[-10:]}  {detail(each)}  {excerpt}")
    return [*lines, *_more_line(section.total, len(section.entries), "")]


def _used_text(times: int) -> str:
    """Render how often a memory was ever used, as `used 3 times ever` or `never used`."""
    return f"used {count_of(times, 'time')} ever" if times else "never used"


def _served_text(entry: ReportEntry) -> str:
    """Render how often a memory was served in the period, and how often it was ever used."""
    return f"{count_of(entry.times, 'time')} in {count_of(entry.sessions, 'session')}, {_used_text(entry.used)}"


def _more_line(total: int, shown: int, noun: str) -> list[str]:
    """Return a line that `total - shown` more of a `noun`, such as `tier changes`, are not shown; empty if all are."""
    return [f"  … and {total - shown} more {noun}".rstrip()] if total > shown else []


def _sum_lines(*named: tuple[str, Weighed]) -> list[str]:
    """Return a line for each pair of a name and a value, with the value as the sum of its contributions:
    `heat 0.5000 = use +0.3000 …`.
    """
    return [
        f"{name} {weighed.value:.4f} = " + " ".join(f"{c.name} {c.value:+.4f}" for c in weighed.contributions)
        for name, weighed in named
    ]


def _tier_cells(memory: Tiered) -> tuple[str, ...]:
    """Return a memory's row in the table of tiers: the end of its id, tier, tier value (`never folded` if it has none),
    category, content. After the category is in brackets what keeps it from going cold, as `(protected)` if that is its
    category.
    """
    value = "never folded" if memory.tier_value is None else f"{memory.tier_value:.4f}"
    protection = (
        f" ({'protected' if memory.protected == memory.category else memory.protected})" if memory.protected else ""
    )
    return memory.memory_id[-10:], memory.tier, value, f"{memory.category}{protection}", memory.content


def _dated(words: str, at: datetime | None) -> str:
    """Return `words` followed by the day of the instant `at`, as `, last on 2026-04-20`; "" if the instant is None."""
    return f"{words} {isoformat(at)[:10]}" if at else ""


def _excerpt(content: str) -> str:
    """Return a memory's content on one line, cut to 90 characters."""
    text = visible(" ".join(content.split()))
    return text if len(text) <= _EXCERPT_CHARS else text[: _EXCERPT_CHARS - 1] + "…"


def consolidation_text(outcome: ConsolidateOutput) -> str:
    """Render a consolidation (a pass over clusters of like memories): counts, each change, why clusters were skipped,
    and how to go on or undo it; in a dry run, what would be done. The last operation of a complete pass only notes its
    end: no undo is shown for it.
    """
    counts = outcome.counts
    verb = "would be done" if outcome.dry_run else "done"
    changes = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts.get(kind)) or "nothing"
    scope = f"{outcome.memories} memories of {outcome.namespace}, {outcome.new} new"
    lines = [
        f"{scope}; {outcome.clusters} clusters looked at; {verb}: {changes}",
        *map(_decision_lines, outcome.decisions),
    ]
    more = sum(counts.get(kind, 0) for kind in _KINDS) - len(outcome.decisions)
    lines += [f"  … and {more} more"] if more else []
    lines += [f"left: {counts[each]} ({each.removeprefix('skip: ')})" for each in counts if each.startswith("skip: ")]
    if outcome.problem:
        lines.append(f"the model is asked no more: {outcome.problem}")
    if not outcome.complete:
        lines.append(f"the pass has not ended; {step('lifecycle.consolidate')} goes on")
    undoable = outcome.op_ids[:-1] if outcome.complete else outcome.op_ids  # the last notes that the pass is complete
    return "\n".join([*lines, *(f"undo with: {bare_step('change.undo', target=each)}" for each in undoable)])


def _decision_lines(change: Consolidated) -> str:
    """Render a change by a consolidation: its kind, reason and new content on one line, then a line for the id of each
    memory that it changed and, with an arrow, of each that it made.
    """
    excerpt = _excerpt(change.content or "")
    ids = [f"    {memory_id}" for memory_id in change.of] + [f"    → {memory_id}" for memory_id in change.made]
    return "\n".join([f"  {change.kind}: {change.reason}{f'  {excerpt}' if excerpt else ''}", *ids])
