"""A snapshot in, lines for a terminal out: nothing in a value can break a line or reach the terminal as a command."""

from collections.abc import Iterable

from pellucid.model.snapshot import LegHealth, RecallXraySnapshot, RejectedCandidate, TierExplain
from pellucid.xray.render.fields import (
    NO_SNAPSHOT,
    NO_TIER,
    PLACES,
    LabelledLine,
    called,
    decimals,
    headed,
    header_fields,
    legend_of,
    millis,
    result_fields,
    spoken,
    tier_fields,
)
from pellucid.xray.render.tables import first_ids, kept_apart, listed_rejected, untold
from pellucid.xray.words.rungs import at_work, idle, passed, why_rejected
from pellucid.xray.words.visible import visible

_TITLE = "=== Recall X-ray ==="


def render_text(snapshot: RecallXraySnapshot | None, *, verbose: bool = False) -> str:
    """The snapshot as text, without a final newline. Sections of ours that hold nothing are left out.

    Not `verbose`, so are legs that had no reason to be asked, rungs that turned nobody away, terms that are 0, and
    what each result has in common with the others.
    """
    if snapshot is None:
        return f"{_TITLE}\n{NO_SNAPSHOT}"
    sections = (
        _header(snapshot, verbose=verbose),
        _section("legs", [_leg(leg) for leg in snapshot.legs if verbose or at_work(leg)]),
        _section("filters", _filters(snapshot, verbose=verbose) or ["(no filter traces recorded)"]),
        _section("results", _results(snapshot, verbose=verbose) or ["(no results admitted)"]),
        _section("rejected", _rejected(snapshot, verbose=verbose)),
        _section("stages", _stages(snapshot, verbose=verbose)),
        _section(
            "direct answer",
            _tier(snapshot.tier_explain, verbose=verbose) if snapshot.tier_explain else [f"({NO_TIER})"],
        ),
    )
    return "\n\n".join("\n".join(section) for section in sections if section)


def _section(name: str, lines: list[str]) -> list[str]:
    return [f"--- {name} ---", *lines] if lines else []


def _header(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    return [_TITLE, f"query: {visible(snapshot.query)}", *_lines(header_fields(snapshot, verbose=verbose))]


def _leg(leg: LegHealth) -> str:
    found = f", {leg.admitted} found" if leg.admitted else ""
    barred = f", {leg.open}{' more' * bool(leg.admitted)} that may not answer" if leg.open else ""
    return f"- {visible(leg.name)}: {leg.health}{found}{barred}{_because(leg.reason)}"


def _filters(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """A line for each filter; without `verbose` those that turned nobody away share one."""
    told = [rung for rung in snapshot.filters if verbose or not idle(rung)]
    quiet = [rung.name for rung in snapshot.filters if rung not in told]
    nobody = [f"- nobody was turned away by {visible(', '.join(quiet))}"] if quiet else []
    return [*(f"- {visible(rung.name)}: {visible(passed(rung))}" for rung in told), *nobody]


def _results(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Each result with its fields below it, and at the end what the terms mean."""
    lines: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        lines.append(f"[{place}] {visible(headed(result.memory_id, snapshot.words).text)}")
        lines += _lines(result_fields(result, snapshot, verbose=verbose), indent="    ")
    meanings = [f"{called(name)}: {words}" for name, words in legend_of(snapshot)]
    lines += [f"({PLACES})"] if len(snapshot.results) > 1 else []
    return [*lines, *([f"(terms of the scores: {'; '.join(meanings)})"] if meanings else [])]


def _rejected(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Two lines for each rejected candidate; those whose words are not told share one for each reason."""
    apart = {} if verbose else untold(snapshot)
    more = snapshot.rejected_total - len(snapshot.rejected)
    stopped = [line for each in listed_rejected(snapshot, apart) for line in _stopped(each, snapshot)]
    kept_back = [f"- {kept_apart(why, these)}: {first_ids(these)}" for why, these in apart.items()]
    return [*stopped, *map(visible, kept_back), *([f"({more} more not shown)"] if more > 0 else [])]


def _stopped(candidate: RejectedCandidate, snapshot: RecallXraySnapshot) -> list[str]:
    """A rejected candidate in two lines: its words, then what stopped it, by how little, and its final score."""
    short = "" if candidate.margin is None else f", short by {decimals(candidate.margin)}"
    because = "".join(span.text for span in spoken(why_rejected(candidate), snapshot, "prose"))
    why = f"{candidate.rejected_by}: {because}{short}"
    named = f"; {visible(candidate.memory_id)}" if snapshot.words.get(candidate.memory_id) else ""
    return [
        f"- {visible(headed(candidate.memory_id, snapshot.words).text)}",
        f"    {visible(why)}; final={decimals(candidate.final)}{named}",
    ]


def _stages(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """One line: how long it took, stage by stage if everything is asked for, then what is to be said of some."""
    if not snapshot.stages:
        return []
    times = [f"{visible(stage.name)} {millis(stage.ms)} ms" for stage in snapshot.stages]
    whole = f"{millis(sum(stage.ms for stage in snapshot.stages))} ms in all"
    notes = [f"{visible(stage.name)}: {visible(stage.note)}" for stage in snapshot.stages if stage.note]
    return ["; ".join([", ".join(times) if verbose else whole, *notes])]


def _tier(tier: TierExplain, *, verbose: bool) -> list[str]:
    anchors = [f"  - {visible(anchor)}" for anchor in tier.source_anchors]
    return [*_lines(tier_fields(tier, verbose=verbose)), *(["source-anchors:", *anchors] if anchors else [])]


def _lines(fields: Iterable[LabelledLine], indent: str = "") -> list[str]:
    return [f"{indent}{field.label}: {visible(''.join(span.text for span in field.spans))}" for field in fields]


def _because(reason: str | None) -> str:
    return f" ({visible(reason)})" if reason else ""
