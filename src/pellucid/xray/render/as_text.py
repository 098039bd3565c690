"""A snapshot in, lines for a terminal out: nothing in a value can break a line or reach the terminal as a command."""

from collections.abc import Iterable

from pellucid.model.snapshot import LegHealth, RecallXraySnapshot, RejectedCandidate, TierExplain
from pellucid.xray.render import fields, terms
from pellucid.xray.render.spans import memory_heading
from pellucid.xray.render.tables import first_ids, rejection_spans, tellable_rejected, withheld_by_reason, withheld_line
from pellucid.xray.words.failures import note_in_words
from pellucid.xray.words.rungs import (
    barred_in_words,
    is_at_work,
    is_direct_answer_in_question,
    is_idle,
    more_in_words,
    neighbours_in_words,
    passed_in_words,
)
from pellucid.xray.words.visible import visible

_TITLE = "=== Recall X-ray ==="


def render_text(snapshot: RecallXraySnapshot | None, *, verbose: bool = False) -> str:
    """Render the snapshot as text, without a final newline; empty sections are left out or say so in one line. A notice
    for None.

    Without `verbose` it is shorter: left out are, among others, legs that had no reason to be asked, terms that are 0,
    of each result its legs, the reranker and what is alike for all, the trace id, the time of each stage, and a direct
    answer that was not in question. Rungs that rejected no memory share a line, and so do, by reason, rejected
    candidates whose words must not be shown."""
    if snapshot is None:
        return f"{_TITLE}\n{fields.NO_SNAPSHOT}"
    sections = (
        [_TITLE, f"query: {visible(snapshot.query)}", *_lines(fields.header_fields(snapshot, verbose=verbose))],
        _section("legs", _legs(snapshot, verbose=verbose)),
        _section("filters and cuts", _filters(snapshot, verbose=verbose) or ["(no filter traces recorded)"]),
        _section("results", _results(snapshot, verbose=verbose) or ["(no results admitted)"]),
        _section("rejected", _rejected(snapshot, verbose=verbose)),
        _section("stages", _stages(snapshot, verbose=verbose)),
        _section("direct answer", _direct_answer(snapshot.tier_explain, verbose=verbose)),
    )
    return "\n\n".join("\n".join(section) for section in sections if section)


def _section(name: str, lines: list[str]) -> list[str]:
    """Return a heading and its lines; nothing if there are no lines."""
    return [f"--- {name} ---", *lines] if lines else []


def _legs(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return a line for each leg (without `verbose`, those that had a reason to be asked), and one for the candidates
    that none of them found, if there are any.
    """
    beside = neighbours_in_words(snapshot.neighbours)
    lines = [_leg(leg) for leg in snapshot.legs if verbose or is_at_work(leg)]
    return [*lines, *([f"- neighbours: {beside}"] if beside else [])]


def _leg(leg: LegHealth) -> str:
    """Return a leg's line: health and why, how many it found, how many inadmissible memories, and why they are so. Zero
    counts and empty reasons are left out.
    """
    found = f", {leg.admitted} found" if leg.admitted else ""
    reason = f" ({visible(leg.reason)})" if leg.reason else ""
    why = barred_in_words(leg)
    inadmissible = (
        f"{leg.open}{' more' * bool(leg.admitted)} are not allowed to answer{f': {visible(why)}' if why else ''}"
    )
    return f"- {visible(leg.name)}: {leg.health}{found}{reason}{f'; {inadmissible}' if leg.open else ''}"


def _filters(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return a line for each rung; without `verbose`, those that rejected no memory share one line."""
    shown = [rung for rung in snapshot.filters if verbose or not is_idle(rung)]
    idle = [rung.name for rung in snapshot.filters if rung not in shown]
    idle_line = [f"- no memory was turned away by {visible(', '.join(idle))}"] if idle else []
    return [*(f"- {visible(rung.name)}: {visible(passed_in_words(rung))}" for rung in shown), *idle_line]


def _results(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return each result with its fields below it, then the meanings of numbers and terms; empty without results."""
    lines: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        lines.append(f"[{place}] {visible(memory_heading(result.memory_id, snapshot.words).text)}")
        lines += _lines(fields.result_fields(result, snapshot, verbose=verbose), indent="    ")
    meanings = [f"{terms.term_name(name)}: {words}" for name, words in terms.legend_of(snapshot)]
    lines += [f"({note})" for note in fields.notes_on(snapshot)]
    legend = ["terms of the scores, whose sum is final:", *(f"  {meaning}" for meaning in meanings)] if meanings else []
    return [*lines, *legend]


def _rejected(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return two lines for each rejected candidate, and at the end how many more there were. Without `verbose`,
    candidates whose words must not be shown share one line for each reason.
    """
    withheld = {} if verbose else withheld_by_reason(snapshot)
    more = more_in_words(snapshot)
    shown = [line for each in tellable_rejected(snapshot, withheld) for line in _rejected_lines(each, snapshot)]
    ids = [f"- {withheld_line(candidates, snapshot)}: {first_ids(candidates)}" for candidates in withheld.values()]
    return [*shown, *map(visible, ids), *([f"({visible(more)})"] if more else [])]


def _rejected_lines(candidate: RejectedCandidate, snapshot: RecallXraySnapshot) -> list[str]:
    """Return a rejected candidate's two lines: its words, else its id.

    Then the rung, the reason with the margin, the final score, and the id if the first line is its words.
    """
    reason = "".join(span.text for span in rejection_spans(candidate, snapshot))
    # `repeats [2]` names its rung already
    why = reason if reason.startswith(f"{candidate.rejected_by} ") else f"{candidate.rejected_by}: {reason}"
    id_suffix = f"; {visible(candidate.memory_id)}" if snapshot.words.get(candidate.memory_id) else ""
    return [
        f"- {visible(memory_heading(candidate.memory_id, snapshot.words).text)}",
        f"    {visible(why)}; final={terms.decimals(candidate.final)}{id_suffix}",
    ]


def _stages(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return one line: the time of the whole recall, with `verbose` of each stage instead, then the stages' notes.
    Empty if there are no stages.
    """
    if not snapshot.stages:
        return []
    times = [f"{visible(stage.name)} {fields.millis(stage.ms)} ms" for stage in snapshot.stages]
    total = f"{fields.millis(sum(stage.ms for stage in snapshot.stages))} ms in all"
    notes = [f"{visible(stage.name)}: {visible(note_in_words(stage.note))}" for stage in snapshot.stages if stage.note]
    return ["; ".join([", ".join(times) if verbose else total, *notes])]


def _direct_answer(tier: TierExplain | None, *, verbose: bool) -> list[str]:
    """Return the lines on a direct answer: the verdict, and where its source is; for None, a line that says that this
    was not asked. Without `verbose`, no lines unless a direct answer was in question.
    """
    if not verbose and not is_direct_answer_in_question(tier):
        return []
    if tier is None:
        return [f"({fields.NO_TIER})"]
    anchors = [f"  - {visible(anchor)}" for anchor in tier.source_anchors]
    return [*_lines(fields.tier_fields(tier, verbose=verbose)), *(["source-anchors:", *anchors] if anchors else [])]


def _lines(fields_shown: Iterable[fields.LabelledLine], indent: str = "") -> list[str]:
    """Return each field as a line `label: value` after `indent`."""
    return [f"{indent}{field.label}: {visible(''.join(span.text for span in field.spans))}" for field in fields_shown]
