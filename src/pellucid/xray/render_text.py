"""A snapshot in, lines for a terminal out: nothing in a value can break a line or reach the terminal as a command."""

from collections.abc import Iterable

from pellucid.model.snapshot import FilterTrace, LegHealth, RecallXraySnapshot, RejectedCandidate, TierExplain
from pellucid.xray.render_fields import (
    NO_SNAPSHOT,
    NO_TIER,
    Field,
    decimals,
    header_fields,
    millis,
    result_fields,
    tier_fields,
)
from pellucid.xray.visible import visible

_TITLE = "=== Recall X-ray ==="


def render_text(snapshot: RecallXraySnapshot | None) -> str:
    """The snapshot as text, without a final newline. Sections of ours that hold nothing are left out."""
    if snapshot is None:
        return f"{_TITLE}\n{NO_SNAPSHOT}"
    sections = (
        _header(snapshot),
        _section("legs", [_leg(leg) for leg in snapshot.legs]),
        _section("filters", [_filter(rung) for rung in snapshot.filters] or ["(no filter traces recorded)"]),
        _section("results", _results(snapshot) or ["(no results admitted)"]),
        _section("rejected", _rejected(snapshot)),
        _section("stages", _stages(snapshot)),
        _section("tier explain", _tier(snapshot.tier_explain) if snapshot.tier_explain else [f"({NO_TIER})"]),
    )
    return "\n\n".join("\n".join(section) for section in sections if section)


def _section(name: str, lines: list[str]) -> list[str]:
    return [f"--- {name} ---", *lines] if lines else []


def _header(snapshot: RecallXraySnapshot) -> list[str]:
    return [_TITLE, f"query: {visible(snapshot.query)}", *_lines(header_fields(snapshot))]


def _leg(leg: LegHealth) -> str:
    return f"- {visible(leg.name)}: {leg.health}, {leg.admitted} admitted, {leg.open} open{_because(leg.reason)}"


def _filter(rung: FilterTrace) -> str:
    softly = f" [{rung.soft_admitted} softly]" if rung.soft_admitted else ""
    return f"- {visible(rung.name)}: {rung.admitted}/{rung.considered} admitted{softly}{_because(rung.reason)}"


def _results(snapshot: RecallXraySnapshot) -> list[str]:
    lines: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        lines.append(f"[{place}] {visible(result.memory_id)} — served-by={result.served_by}")
        lines += _lines(result_fields(result, snapshot.query_terms), indent="    ")
    return lines


def _rejected(snapshot: RecallXraySnapshot) -> list[str]:
    more = snapshot.rejected_total - len(snapshot.rejected)
    return [_stopped(each) for each in snapshot.rejected] + ([f"({more} more not shown)"] if more > 0 else [])


def _stopped(candidate: RejectedCandidate) -> str:
    margin = "" if candidate.margin is None else f" margin={decimals(candidate.margin)}"
    stopped = f"{visible(candidate.rejected_by)}{_because(candidate.reason)}"
    return f"- {visible(candidate.memory_id)}: {stopped}{margin} final={decimals(candidate.final)}"


def _stages(snapshot: RecallXraySnapshot) -> list[str]:
    """One line: every stage with its time, then what is to be said of some of them."""
    times = ", ".join(f"{visible(stage.name)} {millis(stage.ms)} ms" for stage in snapshot.stages)
    notes = [f"{visible(stage.name)}: {visible(stage.note)}" for stage in snapshot.stages if stage.note]
    return ["; ".join([times, *notes])] if times else []


def _tier(tier: TierExplain) -> list[str]:
    anchors = [f"  - {visible(anchor)}" for anchor in tier.source_anchors]
    return [*_lines(tier_fields(tier)), *(["source-anchors:", *anchors] if anchors else [])]


def _lines(fields: Iterable[Field], indent: str = "") -> list[str]:
    return [f"{indent}{field.label}: {visible(''.join(span.text for span in field.spans))}" for field in fields]


def _because(reason: str | None) -> str:
    return f" ({visible(reason)})" if reason else ""
