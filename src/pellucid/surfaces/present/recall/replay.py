"""Recalls looked at again in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.xray.render.fields import called
from pellucid.xray.shown import term_key
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pellucid.operations.recall.explaining import AblateOutput, LiveOutput, ReplayOutput
    from pellucid.operations.recall.leg_lift import LegLift, LiftOutput
    from pellucid.recall.effect import Effect
    from pellucid.xray.diff import Delta, RecallDiff, Shift

_NAMED = 5
"""Memories that a reason names at most."""
_SHORT = 100
"""Characters of a memory in a row."""


def replayed(outcome: ReplayOutput) -> str:
    """The order and the scores again, whether they are those that were served, and what asking again gives."""
    verdict = "identical to what was served" if outcome.identical else "NOT what was served: the receipt was changed"
    lines = [f"{outcome.recall_id}: {verdict}; {len(outcome.results)} of {outcome.ranked} ranked"]
    lines += [
        f"{each.place:>4}  {_words_and_id(each.memory_id, outcome.words)}  {each.final:.4f}" for each in outcome.results
    ]
    return "\n".join([*lines, *(_live_lines(outcome.live, outcome.words) if outcome.live else ())])


def _words_and_id(memory_id: str, words: Mapping[str, str]) -> str:
    """What a memory says, and the end of its id, by which it can be asked for; else its id alone."""
    said = words.get(memory_id)
    if not said:
        return memory_id
    short = said if len(said) <= _SHORT else f"{said[: _SHORT - 1]}…"
    return f"{visible(short)}  {memory_id[-10:]}"


def _live_lines(live: LiveOutput, words: Mapping[str, str]) -> Iterator[str]:
    said = {True: "asked again: identical", False: "asked again: not the same", None: "cannot be asked again"}
    yield said[live.identical]
    for reason in live.reasons:
        yield f"  {reason}"
        yield from (f"    {_words_and_id(each, words)}" for each in reason.memory_ids[:_NAMED])
        if len(reason.memory_ids) > _NAMED:
            yield f"    and {len(reason.memory_ids) - _NAMED} more"
    if live.difference is not None and not live.identical:
        yield from (f"  {line}" for line in _served_lines(live.difference, words))


def compared(found: RecallDiff) -> str:
    """What b served otherwise than a, then what else was not the same."""
    lines = [f"a: {found.a}", f"b: {found.b}", f"query: {found.query}", *_served_lines(found, found.words)]
    parts = {
        "answer": found.answer,
        "request": found.request,
        "settings": found.settings,
        "weights": found.weights,
        "legs": found.legs,
        "corpus": found.corpus,
        "plan": found.plan,
    }
    for title, deltas in parts.items():
        lines += [f"{title}:", *map(delta_line, deltas)] if deltas else []
    return "\n".join(lines)


def _served_lines(found: RecallDiff, words: Mapping[str, str]) -> Iterator[str]:
    if found.same:
        yield "served: the same memories in the same order, with the same scores"
    for title, shifts in (
        ("entered", found.entered),
        ("left", found.left),
        ("moved", found.moved),
        ("rescored", found.rescored),
    ):
        if shifts:
            yield f"{title}:"
            for shift in shifts:
                yield f"  {_words_and_id(shift.memory_id, words)}"
                yield f"    {shift_line(shift)}"


def shift_line(shift: Shift) -> str:
    """From which place and score to which, and by which term most."""
    places = f"{_place(shift.place_a, shift.rejected_a)} → {_place(shift.place_b, shift.rejected_b)}"
    finals = f"{_score(shift.final_a)} → {_score(shift.final_b)}"
    most = f", most by {_term(shift.moved_by)} ({shift.terms[shift.moved_by]:+.4f})" if shift.moved_by else ""
    others = ", as others moved" if shift.final_a == shift.final_b else ""
    return f"{places}; score {finals}{most}{others}"


def _term(name: str) -> str:
    """A term by the name that it has in every score."""
    return called(term_key(name))


def _place(place: int | None, rejected: str | None) -> str:
    return f"#{place}" if place else rejected or "no candidate"


def _score(final: float | None) -> str:
    return "none" if final is None else f"{final:.4f}"


def delta_line(delta: Delta) -> str:
    """What is not the same, as it was in a and as it is in b."""
    return f"  {delta.name}: {_value_text(delta.a)} → {_value_text(delta.b)}"


def _value_text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "none" if value is None else str(value)


def ablated(outcome: AblateOutput) -> str:
    """What leaving each part out would change among what was served."""
    lines = [line for each in outcome.effects for line in _effect_lines(each, outcome.words)]
    return "\n".join([f"{outcome.recall_id}: without one part, then another", *(lines or ["no leg found anything"])])


def _effect_lines(effect: Effect, words: Mapping[str, str]) -> Iterator[str]:
    name = f"without {', '.join(effect.parts)}"
    if effect.unknown:
        yield f"{name}: the receipt cannot tell: {effect.unknown}"
        return
    counts = (
        f"{len(effect.entered)} enter, {len(effect.left)} leave, {len(effect.moved)} move{_order_in_words(effect.tau)}"
    )
    yield f"{name}: {counts}" if effect.entered or effect.left or effect.moved else f"{name}: nothing changes"
    yield from (f"  + {_words_and_id(each, words)}" for each in effect.entered)
    yield from (f"  - {_words_and_id(each, words)}" for each in effect.left)
    moved = sorted(effect.moved, key=lambda move: move.after)
    yield from (f"  #{each.before} → #{each.after}  {_words_and_id(each.memory_id, words)}" for each in moved)


def _order_in_words(tau: float | None) -> str:
    """What Kendall's τ says, as a share: of how many pairs of those served both ways the better is the same."""
    if tau is None:
        return ""
    return ", the rest in the same order" if tau == 1 else f", {(1 + tau) / 2:.0%} of the other pairs in the same order"


def lifted(outcome: LiftOutput) -> str:
    """What each leg was worth, over all recalls and by class of query."""
    head = f"{outcome.recalls} recalls looked at"
    return "\n".join([head, *(_lift_line(each) for each in outcome.lifts)])


def _lift_line(lift: LegLift) -> str:
    of = f" ({lift.query_class})" if lift.query_class else ""
    if not lift.took_part:
        return f"{lift.leg}{of}: took part in none of {lift.recalls}"
    told = (
        f"took part in {lift.took_part} of {lift.recalls}, changed {lift.changed}",
        f"brought {lift.brought} and pushed out {lift.pushed_out} memories",
        f"raised {lift.raised}, lowered {lift.lowered} ({lift.mean_places:+.2f} places on average)",
        f"{lift.share:.0%} of the scores served",
    )
    return f"{lift.leg}{of}: {'; '.join(told)}{f'; {lift.unknown} cannot tell' if lift.unknown else ''}"
