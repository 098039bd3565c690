"""Replays, comparisons and ablations of recalls in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.xray.render.terms import term_name
from pellucid.xray.words.sentence import term_key
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pellucid.operations.recall.explaining import AblateOutput, LiveOutput, ReplayOutput
    from pellucid.operations.recall.leg_lift import LegLift, LiftOutput
    from pellucid.recall.effect import Effect
    from pellucid.xray.diff import Delta, RecallDiff, Shift

_NAMED = 5
"""The most memories that are named for a reason."""
_EXCERPT_CHARS = 100
"""Characters of a memory's excerpt."""


def replay_text(outcome: ReplayOutput) -> str:
    """Render whether the ranking of a recall, computed again from its receipt, equals the one served, and that ranking;
    then, if the question was asked again today, how the answer differs.
    """
    verdict = "identical to what was served" if outcome.identical else "NOT what was served: the receipt was changed"
    lines = [f"{outcome.recall_id}: {verdict}; {len(outcome.results)} of {outcome.ranked} ranked"]
    lines += [
        f"{each.place:>4}  {_words_and_id(each.memory_id, outcome.words)}  {each.final:.4f}" for each in outcome.results
    ]
    return "\n".join([*lines, *(_live_lines(outcome.live, outcome.words) if outcome.live else ())])


def _words_and_id(memory_id: str, words: Mapping[str, str]) -> str:
    """Render the memory's text in `words`, cut to 100 characters, and the end of its id. The whole id if it has no
    text.
    """
    text = words.get(memory_id)
    if not text:
        return memory_id
    short = text if len(text) <= _EXCERPT_CHARS else f"{text[: _EXCERPT_CHARS - 1]}…"
    return f"{visible(short)}  {memory_id[-10:]}"


def _live_lines(live: LiveOutput, words: Mapping[str, str]) -> Iterator[str]:
    """Yield whether the question asked again today gives the same, or cannot be asked; the reasons, each with the
    memories it concerns, five at most and how many more; and the differences in what was served. `words` maps memory
    ids to texts.
    """
    verdicts = {True: "asked again: identical", False: "asked again: not the same", None: "cannot be asked again"}
    yield verdicts[live.identical]
    for reason in live.reasons:
        yield f"  {reason}"
        yield from (f"    {_words_and_id(each, words)}" for each in reason.memory_ids[:_NAMED])
        if len(reason.memory_ids) > _NAMED:
            yield f"    and {len(reason.memory_ids) - _NAMED} more"
    if live.difference is not None and not live.identical:
        yield from (f"  {line}" for line in _served_lines(live.difference, words))


def diff_text(diff: RecallDiff) -> str:
    """Render how recall b differs from recall a: in the memories served, then, each under a title if anything differs,
    in answer, request, settings, weights, legs (search paths), corpus and plan.
    """
    lines = [
        f"a: {diff.a}",
        f"b: {diff.b}",
        f"query: {diff.query}",
        *_served_lines(diff, diff.words),
    ]
    for title in ("answer", "request", "settings", "weights", "legs", "corpus", "plan"):
        deltas: tuple[Delta, ...] = getattr(diff, title)
        lines += [f"{title}:", *map(delta_line, deltas)] if deltas else []
    return "\n".join(lines)


def _served_lines(diff: RecallDiff, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the memories that entered, left, moved or got another score, each group under its title; first a sentence
    if the same memories were served with the same scores. `words` maps memory ids to texts.
    """
    if diff.same:
        yield "served: the same memories in the same order, with the same scores"
    for title in ("entered", "left", "moved", "rescored"):
        shifts: tuple[Shift, ...] = getattr(diff, title)
        yield from (f"{title}:",) if shifts else ()
        for shift in shifts:
            yield f"  {_words_and_id(shift.memory_id, words)}"
            yield f"    {shift_line(shift)}"


def shift_line(shift: Shift) -> str:
    """Render a memory's ranks and scores in both recalls, and the score term with the largest difference; `as others
    moved` if its score is the same.
    """
    places = f"{_place(shift.place_a, shift.rejected_a)} → {_place(shift.place_b, shift.rejected_b)}"
    scores = f"{_score(shift.final_a)} → {_score(shift.final_b)}"
    term = term_name(term_key(shift.moved_by)) if shift.moved_by else ""
    most = f", most by {term} ({shift.terms[shift.moved_by]:+.4f})" if shift.moved_by else ""
    others = ", as others moved" if shift.final_a == shift.final_b else ""
    return f"{places}; score {scores}{most}{others}"


def _place(place: int | None, rejected: str | None) -> str:
    """Render a memory's rank as `#3`; without one the name of the rung (filter) that rejected it, else
    `no candidate`.
    """
    return f"#{place}" if place else rejected or "no candidate"


def _score(final: float | None) -> str:
    """Render a final score to four decimals; `none` for None."""
    return "none" if final is None else f"{final:.4f}"


def delta_line(delta: Delta) -> str:
    """Render a value that differs between recalls a and b, as `  topK: 5 → 10`."""
    return f"  {delta.name}: {_value_text(delta.a)} → {_value_text(delta.b)}"


def _value_text(value: object) -> str:
    """Render any value: a list as its items, `none` for None or an empty list."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "none" if value is None else str(value)


def ablation_text(outcome: AblateOutput) -> str:
    """Render how the memories served would change without parts of the recall (legs, which are its search paths,
    stages, terms of the score), each in turn; if there is no such effect, that no leg found anything.
    """
    lines = [line for each in outcome.effects for line in _effect_lines(each, outcome.words)]
    return "\n".join([f"{outcome.recall_id}: without one part, then another", *(lines or ["no leg found anything"])])


def _effect_lines(effect: Effect, words: Mapping[str, str]) -> Iterator[str]:
    """Yield how many memories would enter, leave or move without the parts of an effect, and each of them by its text
    in `words`; or that nothing changes; or only why the receipt cannot tell (`effect.unknown`).
    """
    name = f"without {', '.join(effect.parts)}"
    if effect.unknown:
        yield f"{name}: the receipt cannot tell: {effect.unknown}"
        return
    order = _order_text(effect.tau)
    counts = f"{len(effect.entered)} enter, {len(effect.left)} leave, {len(effect.moved)} move{order}"
    yield f"{name}: {counts}" if effect.entered or effect.left or effect.moved else f"{name}: nothing changes"
    yield from (f"  + {_words_and_id(each, words)}" for each in effect.entered)
    yield from (f"  - {_words_and_id(each, words)}" for each in effect.left)
    moved = sorted(effect.moved, key=lambda move: move.after)
    yield from (f"  #{each.before} → #{each.after}  {_words_and_id(each.memory_id, words)}" for each in moved)


def _order_text(tau: float | None) -> str:
    """Render `tau`, Kendall's rank correlation of the memories that are served both ways, as words to append, such as
    `, 90% of the other pairs in the same order`: the share of pairs whose order is the same. If all are, `, the rest in
    the same order`; "" for None.
    """
    if tau is None:
        return ""
    return ", the rest in the same order" if tau == 1 else f", {(1 + tau) / 2:.0%} of the other pairs in the same order"


def lift_text(outcome: LiftOutput) -> str:
    """Render how much each search leg changed the results, over all recalls and for each class of query."""
    head = f"{outcome.recalls} recalls looked at"
    return "\n".join([head, *(_lift_line(each) for each in outcome.lifts)])


def _lift_line(lift: LegLift) -> str:
    """Render how much a leg (search path) changed the results, over all recalls or those of one class of query
    (`lift.query_class`); or that it took no part in any.
    """
    of = f" ({lift.query_class})" if lift.query_class else ""
    if not lift.took_part:
        return f"{lift.leg}{of}: took part in none of {lift.recalls}"
    parts = (
        f"took part in {lift.took_part} of {lift.recalls}, changed {lift.changed}",
        f"brought {lift.brought} and pushed out {lift.pushed_out} memories",
        f"raised {lift.raised}, lowered {lift.lowered} ({lift.mean_places:+.2f} places on average)",
        f"{lift.share:.0%} of the scores served",
    )
    return f"{lift.leg}{of}: {'; '.join(parts)}{f'; {lift.unknown} cannot tell' if lift.unknown else ''}"
