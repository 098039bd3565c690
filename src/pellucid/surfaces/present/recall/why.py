"""The reasons why a memory was recalled or not in, text for a person out: the memory, the sentences, the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.xray.render.terms import score_line
from pellucid.xray.why.sentence import tried_in_words
from pellucid.xray.words.numbers import ordinal
from pellucid.xray.words.rungs import rejection_in_words
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pellucid.operations.recall.why import WhyOutput
    from pellucid.xray.why.finding import WhyChange, WhyFinding, WhyLeg, WhyMargin


def why_text(outcome: WhyOutput) -> str:
    """Render why a memory was recalled or not: a sentence, its ranks in the legs (search paths), its score, and what
    would change it.
    """
    return "\n".join(_lines(outcome))


def _lines(outcome: WhyOutput) -> Iterator[str]:
    """Yield the lines of `why_text`: the memory, the sentence, and the numbers. If no memory was explained, since the
    description fits several or none, the sentence and the memories that it fits.
    """
    if outcome.finding is not None:
        yield f"memory: {outcome.memory_id}  {visible(outcome.path or '')}"
        yield f"  {visible(outcome.excerpt or '')}"
    yield visible(outcome.sentence)
    for memory_id, words in outcome.words.items():
        yield f"  {memory_id}: {visible(words)}"
    for each in outcome.candidates:
        yield f"  {each.memory_id}  {each.status:<10}  {visible(each.excerpt)}"
        yield from (f"    {visible(each.why)}",) if each.why else ()
    if outcome.total > len(outcome.candidates) > 0:
        yield f"  and {outcome.total - len(outcome.candidates)} more"
    if outcome.finding is None:
        return
    yield ""
    yield f"question: {visible(outcome.query) or '(its words were not kept)'}"
    if outcome.recall_id:
        yield f"recall: {outcome.recall_id}"
    yield from _finding_lines(outcome.finding)


def _finding_lines(finding: WhyFinding) -> Iterator[str]:
    """Yield the numbers behind why a memory was recalled (a hit) or not (a miss): verdict, rank, margin, budget, legs
    (search paths), score; for a miss, the change that admits it, and what was tried; then how many recalls were run for
    that.
    """
    if finding.verdict == "hit":
        yield f"verdict: hit, place {finding.context_place} in the context"
    else:
        yield f"verdict: miss, lost at {finding.stage}" + (f" ({visible(finding.reason)})" if finding.reason else "")
    if finding.place:
        passed = f"{finding.ranked} that passed the filters, repeats included"
        yield f"ranked: {ordinal(finding.place)} of {passed}; top-k {finding.top_k}"
    if finding.margin:
        yield f"margin: {_margin_text(finding.margin)}"
    yield f"budget: {finding.used} / {finding.budget} chars"
    legs = [each for each in finding.legs if each.health != "off" or each.rank]
    yield from ("legs:", *(f"  {_leg_line(each)}" for each in legs)) if legs else ()
    if finding.scores:
        yield f"score: {score_line(finding.scores, zeros=False)}"
    if finding.soft:
        yield f"let pass, but flagged: {rejection_in_words(finding.soft, None)} ({finding.soft})"
    if finding.verdict == "miss":
        yield f"change: {_change_line(finding.change)}"
        yield from (f"  tried: {visible(tried_in_words(each))}, {visible(each.result)}" for each in finding.tried)
    yield f"recalls run: {finding.recalls}"


def _margin_text(margin: WhyMargin) -> str:
    """Render by how much a memory missed, as `0.0120 score missing`, or had to spare, as `3 places to spare`."""
    amount, direction = (margin.missing, "missing") if margin.missing is not None else (margin.spare or 0.0, "to spare")
    number = f"{amount:.0f}" if margin.unit in ("places", "characters") else f"{amount:.4f}"
    return f"{number} {margin.unit} {direction}"


def _leg_line(leg: WhyLeg) -> str:
    """Render the memory's rank and score in a leg (search path), the score of the last memory that the leg nominated,
    and whether it nominated this one, or why not; without a rank, why it has none.
    """
    if leg.rank is None:
        result = f"no place: {leg.unranked}"
    else:
        last = f", the last nominated has {leg.last_score:.4f}" if leg.last_score is not None else ""
        score = f"{leg.score_type} {leg.raw_score:.4f}" if leg.raw_score is not None else leg.score_type
        barred = "it may not answer" if leg.rank <= leg.pool else f"the first {leg.pool} are"
        kept = "nominated" if leg.nominated else f"not nominated ({barred})"
        result = f"{ordinal(leg.rank)} ({score}{last}), {kept}"
    health = "" if leg.health == "ok" else f" [{leg.health}]"
    return visible(f"{leg.leg}{health}: {result}")


def _change_line(change: WhyChange | None) -> str:
    """Render the change of a setting, a flag or the memory's state that would admit the memory, and how to make it;
    `none` if there is none.
    """
    if change is None:
        return "none"
    if not change.verified:
        return f"{change.apply} (not verified: it cannot be tried without making it)"
    remark = ", the smallest that does" if change.smallest else ""
    way = change.apply
    outcome = f"admits it at place {change.place} (verified{remark})"
    name = change.kind if change.kind in ("top-k", "budget") else change.setting
    return visible(f"{way}: {outcome}" if name == "state" else f"{name} {change.was} -> {change.to}: {outcome}; {way}")
