"""A lifecycle answer in, text for a person out: tiers, their reasons, a pass, and the report of a week."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.surfaces.columns import table
from pellucid.surfaces.commands import quoted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pellucid.memory.compounding import Report, ReportEntry, ReportSection
    from pellucid.operations.memory.lifecycle.aging import LifecycleOutput
    from pellucid.operations.memory.lifecycle.tiers import Tiered, TierExplanation, TierListOutput, Weighed

_CLIP = 90


def tier_list(outcome: TierListOutput) -> str:
    """Headings, one line a memory, then how many there are."""
    lines = table(("ID", "TIER", "VALUE", "CATEGORY", "MEMORY"), [_tiered_cells(each) for each in outcome.memories])
    counts = f"{outcome.hot} hot, {outcome.cold} cold"
    if outcome.never_folded:
        counts += f"; {outcome.never_folded} were never folded (run {quoted('lifecycle run')})"
    return "\n".join([*lines, f"{len(outcome.memories)} of {outcome.total} memories; {counts}"])


def explained(outcome: TierExplanation) -> str:
    """The tier, why, what would change it, and the sums behind it."""
    when = f"as of the fold of {isoformat(outcome.folded_at)}" if outcome.folded_at else "never folded, so it is hot"
    lines = [f"{outcome.memory_id}  {outcome.category}  {_short(outcome.content)}", f"tier: {outcome.tier} ({when})"]
    if not outcome.aging:
        lines.append(f"it ages no more: it is {outcome.status}, or its time is over; no pass folds it")
    elif outcome.tier_now != outcome.tier:
        lines.append(f"a pass now ({quoted('lifecycle run')}) would make it {outcome.tier_now}")
    lines += [
        f"why {outcome.tier_now}: {outcome.reason}",
        *(f"would change it: {each}" for each in outcome.would_change),
        _threshold_line(outcome),
        _use_line(outcome),
        *_sum_lines(("tier value", outcome.tier_value), ("heat", outcome.heat), ("decay", outcome.decay)),
    ]
    return "\n".join([*lines, *(["stale: somebody should look at it"] if outcome.stale else [])])


def passed(outcome: LifecycleOutput) -> str:
    """What a pass did, or would do."""
    wrote = "would write" if outcome.dry_run else "wrote"
    lines = [
        f"folded {outcome.memories} memories of {outcome.namespace}; {wrote} {outcome.folds} folds that moved",
        f"{outcome.hot} hot ({outcome.protected} protected), {outcome.cold} cold, {outcome.stale} stale",
        *(f"  {c.memory_id}  {c.before} → {c.after} at {c.tier_value:.4f}" for c in outcome.changes),
    ]
    lines += _more(outcome.demoted + outcome.promoted, len(outcome.changes), "tier changes")
    if outcome.proposals:
        lines.append(f"{outcome.proposals} could be archived ({quoted('archive ID')}); nothing was done to them:")
        lines += [f"  {each.memory_id}  {each.reason}" for each in outcome.proposed]
        lines += _more(outcome.proposals, len(outcome.proposed), "of these")
    return "\n".join(lines)


def reported(report: Report) -> str:
    """The report of a period, a part at a time; an empty part is left out."""
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
        *_section_lines("said again", report.recurred, lambda each: f"in {_count(each.sessions, 'other session')}"),
        *_section_lines("used", report.used, lambda each: _count(each.times, "time")),
        *_section_lines("served", report.served, lambda each: f"{_often(each)}, {_used(each.used)}"),
        *_section_lines("changed", report.changed, lambda each: str(each.event)),
        *_section_lines("went cold", report.went_cold, _ever),
        *_section_lines("became hot again", report.warmed, _ever),
        *_section_lines("went stale", report.went_stale, _ever),
        *_section_lines("never served or used", report.unused, _since),
    ]
    return "\n".join(lines)


def _threshold_line(outcome: TierExplanation) -> str:
    return (
        f"thresholds: cold at or below {outcome.demote_at:g} after {outcome.demote_after_days:g} days;"
        f" hot again at or above {outcome.promote_at:g}; stale at decay {outcome.stale_at:g}"
    )


def _use_line(outcome: TierExplanation) -> str:
    used = f"used {_count(outcome.used, 'time')}"
    again = f"said again in {_count(outcome.recurred, 'other session')}"
    served = f"served {_count(outcome.served, 'time')}{_last(outcome.last_served)}, which makes it no hotter"
    return f"{used}{_last(outcome.last_used)}; {again}{_last(outcome.last_recurred)}; {served}"


def _section_lines(title: str, section: ReportSection, detail: Callable[[ReportEntry], str]) -> list[str]:
    if not section.total:
        return []
    lines = [f"{title}: {section.total}"]
    for each in section.entries:
        words = _short(each.content) if each.content is not None else "(no longer there)"
        lines.append(f"  {each.memory_id[-10:]}  {detail(each)}  {words}")
    return [*lines, *_more(section.total, len(section.entries), "")]


def _ever(each: ReportEntry) -> str:
    return _used(each.times)


def _since(each: ReportEntry) -> str:
    return f"kept since {isoformat(each.at)[:10]}" if each.at else ""


def _used(times: int) -> str:
    return f"used {_count(times, 'time')} ever" if times else "never used"


def _often(each: ReportEntry) -> str:
    return f"{_count(each.times, 'time')} in {_count(each.sessions, 'session')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _more(total: int, shown: int, what: str) -> list[str]:
    return [f"  … and {total - shown} more {what}".rstrip()] if total > shown else []


def _sum_lines(*named: tuple[str, Weighed]) -> list[str]:
    return [
        f"{name} {worth.value:.4f} = " + " ".join(f"{c.name} {c.value:+.4f}" for c in worth.contributions)
        for name, worth in named
    ]


def _tiered_cells(each: Tiered) -> tuple[str, ...]:
    value = "never folded" if each.tier_value is None else f"{each.tier_value:.4f}"
    kept = f" ({'protected' if each.protected == each.category else each.protected})" if each.protected else ""
    return each.memory_id[-10:], each.tier, value, f"{each.category}{kept}", each.content


def _last(at: datetime | None) -> str:
    return f", last on {isoformat(at)[:10]}" if at else ""


def _short(content: str) -> str:
    text = visible(" ".join(content.split()))
    return text if len(text) <= _CLIP else text[: _CLIP - 1] + "…"
