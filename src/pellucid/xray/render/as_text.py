"""A snapshot in, lines for a terminal out: nothing in a value can break a line or reach the terminal as a command."""

from collections.abc import Iterable

from pellucid.model.snapshot import LegHealth, RecallXraySnapshot, RejectedCandidate, TierExplain
from pellucid.xray.render import fields
from pellucid.xray.render.tables import first_ids, tellable_rejected, withheld_by_reason, withheld_line
from pellucid.xray.words.rungs import (
    barred_in_words,
    is_at_work,
    is_idle,
    more_in_words,
    passed_in_words,
    why_rejected,
)
from pellucid.xray.words.visible import visible

_TITLE = "=== Recall X-ray ==="


def render_text(snapshot: RecallXraySnapshot | None, *, verbose: bool = False) -> str:
    """The snapshot as text, without a final newline; sections that hold nothing are left out or say so in one line.

    Without `verbose`, so are legs that had no reason to be asked, rungs that rejected no memory, terms that are 0, and
    what all results have in common. A notice for None.
    """
    if snapshot is None:
        return f"{_TITLE}\n{fields.NO_SNAPSHOT}"
    sections = (
        [_TITLE, f"query: {visible(snapshot.query)}", *_lines(fields.header_fields(snapshot, verbose=verbose))],
        _section("legs", [_leg(leg) for leg in snapshot.legs if verbose or is_at_work(leg)]),
        _section("filters", _filters(snapshot, verbose=verbose) or ["(no filter traces recorded)"]),
        _section("results", _results(snapshot, verbose=verbose) or ["(no results admitted)"]),
        _section("rejected", _rejected(snapshot, verbose=verbose)),
        _section("stages", _stages(snapshot, verbose=verbose)),
        _section(
            "direct answer",
            _direct_answer(snapshot.tier_explain, verbose=verbose)
            if snapshot.tier_explain
            else [f"({fields.NO_TIER})"],
        ),
    )
    return "\n\n".join("\n".join(section) for section in sections if section)


def _section(name: str, lines: list[str]) -> list[str]:
    """A heading and its lines; nothing without lines."""
    return [f"--- {name} ---", *lines] if lines else []


def _leg(leg: LegHealth) -> str:
    """One leg in a line: its health and why, how many it found, how many more may not answer, and why they may not.

    Each only if there is any.
    """
    found = f", {leg.admitted} found" if leg.admitted else ""
    reason = f" ({visible(leg.reason)})" if leg.reason else ""
    why = barred_in_words(leg)
    may_not = f"{leg.open}{' more' * bool(leg.admitted)} may not answer{f': {visible(why)}' if why else ''}"
    return f"- {visible(leg.name)}: {leg.health}{found}{reason}{f'; {may_not}' if leg.open else ''}"


def _filters(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """A line for each rung; without `verbose` those that rejected no memory share one."""
    told = [rung for rung in snapshot.filters if verbose or not is_idle(rung)]
    quiet = [rung.name for rung in snapshot.filters if rung not in told]
    none_away = [f"- no memory was turned away by {visible(', '.join(quiet))}"] if quiet else []
    return [*(f"- {visible(rung.name)}: {visible(passed_in_words(rung))}" for rung in told), *none_away]


def _results(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Each result with its fields below it, and at the end what numbers and terms mean; empty for no results."""
    lines: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        lines.append(f"[{place}] {visible(fields.memory_heading(result.memory_id, snapshot.words).text)}")
        lines += _lines(fields.result_fields(result, snapshot, verbose=verbose), indent="    ")
    meanings = [f"{fields.term_name(name)}: {words}" for name, words in fields.legend_of(snapshot)]
    lines += [f"({fields.PLACES})"] if len(snapshot.results) > 1 else []
    return [*lines, *([f"(terms of the scores: {'; '.join(meanings)})"] if meanings else [])]


def _rejected(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Two lines for each rejected candidate, and at the end how many more there were.

    Without `verbose`, those whose words may not be told share one line for each reason.
    """
    withheld = {} if verbose else withheld_by_reason(snapshot)
    more = more_in_words(snapshot)
    stopped = [line for each in tellable_rejected(snapshot, withheld) for line in _rejected_lines(each, snapshot)]
    kept_back = [f"- {withheld_line(these, snapshot)}: {first_ids(these)}" for these in withheld.values()]
    return [*stopped, *map(visible, kept_back), *([f"({visible(more)})"] if more else [])]


def _rejected_lines(candidate: RejectedCandidate, snapshot: RecallXraySnapshot) -> list[str]:
    """A rejected candidate in two lines: its words, else its id; then the rung, reason, margin and final score."""
    short = "" if candidate.margin is None else f", short by {fields.decimals(candidate.margin)}"
    because = "".join(span.text for span in fields.with_memory_names(why_rejected(candidate), snapshot, "prose"))
    why = because if because.startswith(f"{candidate.rejected_by} ") else f"{candidate.rejected_by}: {because}"
    named = f"; {visible(candidate.memory_id)}" if snapshot.words.get(candidate.memory_id) else ""
    return [
        f"- {visible(fields.memory_heading(candidate.memory_id, snapshot.words).text)}",
        f"    {visible(why)}{short}; final={fields.decimals(candidate.final)}{named}",
    ]


def _stages(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """One line: the time of the whole recall, with `verbose` of each stage instead, then the notes.

    Empty for no stages.
    """
    if not snapshot.stages:
        return []
    times = [f"{visible(stage.name)} {fields.millis(stage.ms)} ms" for stage in snapshot.stages]
    whole = f"{fields.millis(sum(stage.ms for stage in snapshot.stages))} ms in all"
    notes = [f"{visible(stage.name)}: {visible(stage.note)}" for stage in snapshot.stages if stage.note]
    return ["; ".join([", ".join(times) if verbose else whole, *notes])]


def _direct_answer(tier: TierExplain, *, verbose: bool) -> list[str]:
    """The verdict on a direct answer, and where its source stands."""
    anchors = [f"  - {visible(anchor)}" for anchor in tier.source_anchors]
    return [*_lines(fields.tier_fields(tier, verbose=verbose)), *(["source-anchors:", *anchors] if anchors else [])]


def _lines(labelled: Iterable[fields.LabelledLine], indent: str = "") -> list[str]:
    """Each field as a line `label: value`."""
    return [f"{indent}{field.label}: {visible(''.join(span.text for span in field.spans))}" for field in labelled]
