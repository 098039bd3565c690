"""A ranking in, a context inside the budget out: episode groups, nothing split, every cut with its reason.

First the memories (`ContextBuilder.fill`), then what headings say beside the day, then episodes without a memory there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pellucid.model.memory import unpack_id
from pellucid.recall.as_of_view import as_stood
from pellucid.recall.context.abstain import judge, nearness, unsure
from pellucid.recall.context.builder import ContextBuilder, ContextLine
from pellucid.recall.context.disputes import by_number, in_words, opponents
from pellucid.recall.context.episodes import details, readable, residual, worths
from pellucid.recall.context.excerpt import Cutter, cut_to, going_on
from pellucid.recall.context.leads import leads
from pellucid.recall.context.model.passes import clean_up, leave_out
from pellucid.recall.context.records import NamedEpisode, PassReport
from pellucid.recall.context.text import NO_NEED, NOTHING, NOTICE, harmless, nearest_line, wrap
from pellucid.recall.legs.graph_paths import paths_of
from pellucid.recall.query.edges import with_names
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import ASKED_EDGES, REPEATS, RUNGS
from pellucid.recall.score.repeats import AlreadyTold
from pellucid.recall.state import Abstention, Context, Omission, Rung, State, World
from pellucid.store.index_port import Served

NO_EDGE = "no edge leads to it, and nothing else is asked for"


@dataclass(frozen=True, slots=True)
class Assembly:
    """A context with the record of how it came about: the rungs in the order they acted, and what passes did."""

    context: Context
    rungs: tuple[Rung, ...] = ()
    episodes: tuple[NamedEpisode, ...] = ()
    passes: tuple[PassReport, ...] = ()


def assemble(state: State, world: World) -> State:
    """Cut the ranking to `topK`, read those memories, and make a context of them, or say that nothing answers."""
    kept, served, said = distinct(state, world)
    state = replace(state, kept=kept, rungs=(*state.rungs, *_cut(state, len(kept), len(said))))
    abstention = judge(state)
    if abstention is None or abstention.abstained:
        made = _nothing(state, abstention, len(served))
    else:
        made = composed(replace(state, abstention=abstention), world, served)
    rejected = state.pool.rejected.copy()
    rejected[state.order] = 1 + RUNGS.index("top-k")
    rejected[list(said)] = 1 + RUNGS.index(REPEATS)
    rejected[kept] = 0
    left_out = {omission.memory_id: omission.rung for omission in made.context.omitted}
    for position, each in zip(kept.tolist(), served, strict=True):
        if rung := left_out.get(each.memory.id):
            rejected[position] = 1 + RUNGS.index(rung)
    return replace(
        state,
        served=tuple(served),
        context=_recorded(made),
        abstention=abstention,
        repeats=said,
        rungs=(*state.rungs, *made.rungs),
        pool=replace(state.pool, rejected=rejected),
        ways={},
        paths=paths_of(state.ways, [each.memory.id for each in served], world.reader.graph),
    )


def rewritten(state: State, world: World, served: Sequence[Served]) -> Context:
    """The context of a recorded recall, written again: `state` has its ranking, `served` its memories as of today."""
    doubt = state.abstention
    if doubt is None or doubt.abstained:
        return _nothing(state, doubt, len(served)).context
    return composed(state, world, served).context


def distinct(state: State, world: World) -> tuple[Ints, list[Served], dict[int, int]]:
    """The best `topK` that each say something of their own, and what above the last of them only repeats a better one.

    The first are pool positions and their memories; the others positions, each with that of the better one.
    """
    most, order = state.request.settings.top_k_facts, state.order
    said = dict[int, int]()
    told = AlreadyTold({state.plan.stems[i] for i in state.plan.telling}, partial(_stems, world))
    kept = dict[int, Served]()
    firm = state.pool.pinned | (state.pool.terms.get("direct", np.zeros(len(state.pool))) > 0)
    for start in range(0, len(order), most):
        batch = order[start : start + most]
        for at, each in zip(batch.tolist(), world.reader.memories(state.pool.rows[batch]), strict=True):
            kept[at] = each
            for other, by in told.take(each.memory, at, firm=bool(firm[at])).items():
                del kept[other]
                said = {worse: by if better == other else better for worse, better in said.items()} | {other: by}
            if len(kept) == most:
                return np.array([*kept], dtype=np.int64), [*kept.values()], said
    return np.array([*kept], dtype=np.int64), [*kept.values()], said


def _stems(world: World, text: str) -> set[str]:
    return {each.stem for each in world.reader.survey(text, names=False).terms}


def _cut(state: State, kept: int, repeating: int) -> tuple[Rung, ...]:
    """The rungs with what passed each: `repeats` stops what only repeats a better one, `top-k` what is beyond it."""
    ranked, left = len(state.order), len(state.order) - repeating
    return (
        Rung(REPEATS, ranked, left, reason="another stands for it" if repeating else ""),
        Rung("top-k", left, kept, reason="beyond topK" if kept < left else ""),
    )


def _recorded(made: Assembly) -> Context:
    """The context with what a receipt keeps of how it came about."""
    return replace(made.context, episodes=made.episodes, passes=made.passes)


def _nothing(state: State, abstention: Abstention | None, ranked: int) -> Assembly:
    """Say that nothing is recalled, with as many of the nearest misses as there is room for."""
    rungs = (Rung("abstention", ranked, 0, reason="too much doubt"),) if ranked else ()
    rungs = (*rungs, Rung("budget-fit", 0, 0))
    nearest = [
        (unpack_id(state.pool.ids[at]), nearness(state, at)) for at in (abstention.nearest if abstention else ())
    ]
    return Assembly(_context_of_words(state, NOTHING if abstention else NO_NEED, nearest), rungs)


def _context_of_words(state: State, words: str, nearest: Sequence[tuple[str, float]] = ()) -> Context:
    """A context that only says `words`, with as many of the `nearest` misses as fit; empty if the words do not fit."""
    for count in range(len(nearest), -1, -1):
        text = wrap(state.request.recall_id, words + nearest_line(nearest[:count]))
        if len(text) <= state.request.settings.char_budget:
            return Context(text, len(text))
    return Context()


def composed(state: State, world: World, served: Sequence[Served]) -> Assembly:
    """The context made of these memories, which are the first of the ranking in its order, and how it came about."""
    settings, wanted = state.request.settings, state.request.settings.context_passes
    then = state.request.instant
    leading = leads(state, world, served)
    against = opponents((each.memory for each in served), state.request, world)
    lines = [
        ContextLine.of(as_stood(each.memory, state.request), place, then, in_words(against.get(each.memory.id, ())))
        for place, each in enumerate(served)
    ]
    lines = [cut_to(line, leading[line.memory.id]) if line.memory.id in leading else line for line in lines]
    passes = list[PassReport]()
    lines, beside, rungs = _less_what_no_edge_leads_to(state, lines)
    if "select" in wanted:
        left, report = leave_out(world.chat, "select", state.plan.text, lines)
        rungs.append(_rung("context-selection", lines, left, "a pass left it out"))
        passes.append(report)
        lines = left
    cutter = Cutter(state, world, state.plan.telling)

    def shorten(line: ContextLine, room: int) -> ContextLine | None:
        return None if line.memory.id in leading else cutter.shorten(line, room)

    builder = _empty_builder(state, lines)
    omitted = (*beside, *builder.fill(lines, settings.char_budget, shorten))
    fitting = sorted(builder.lines, key=lambda line: line.place)
    rungs.append(_rung("budget-fit", lines, fitting, "over the budget"))
    if omitted and not fitting:
        return Assembly(Context(omitted=omitted), tuple(rungs), passes=tuple(passes))
    if "facts" in wanted:
        left, report = leave_out(world.chat, "facts", state.plan.text, fitting)
        rungs.append(_rung("fact-selection", fitting, left, "a pass left it out"))
        passes.append(report)
        builder, fitting = _builder_of(state, left), left
    if "cleanup" in wanted:
        reworded, report = clean_up(world.chat, state.plan.text, fitting)
        fuller = _builder_of(state, reworded)
        if fuller.length > settings.char_budget:
            report = PassReport("cleanup", "rejected: it is longer than the budget")
        else:
            builder = fuller
        passes.append(report)
    if against:
        builder = _builder_of(state, by_number(builder.lines, against, state.request))
    marked = _builder_of(state, going_on(builder.lines, state, world))
    builder = marked if marked.length <= settings.char_budget else builder
    context, episodes = _written(state, world, builder, omitted)
    return Assembly(context, tuple(rungs), episodes, tuple(passes))


def _less_what_no_edge_leads_to(
    state: State, lines: list[ContextLine]
) -> tuple[list[ContextLine], tuple[Omission, ...], list[Rung]]:
    """Leave out sections that no edge leads to, where the query asks for nothing but edges.

    Returns the lines that stay, what was left out and why, and the rung of it; everything stays for any other query.
    """
    if not state.plan.only_edges:
        return lines, (), []
    left = [line for line in lines if line.memory.category != "section" or line.memory.id in state.ways]
    beside = (Omission(line.memory.id, NO_EDGE, ASKED_EDGES) for line in lines if line not in left)
    return left, tuple(beside), [_rung(ASKED_EDGES, lines, left, NO_EDGE)]


def _rung(name: str, before: Sequence[ContextLine], after: Sequence[ContextLine], reason: str) -> Rung:
    return Rung(name, len(before), len(after), reason=reason if len(after) < len(before) else "")


def _empty_builder(state: State, lines: Sequence[ContextLine]) -> ContextBuilder:
    """A builder with nothing but its notice, which also says how unsure the recall is and what it does not know."""
    doubt = unsure(state.abstention.score) if state.abstention else ""
    lacking = (with_names(leg.reason or "", state.plan.unknown) for leg in state.legs)
    told = (f"{each[0].upper()}{harmless(each[1:])}." for each in (doubt, *lacking) if each)
    notice = "\n".join((NOTICE, *told))
    return ContextBuilder(state.request.recall_id, state.request.settings.citations, len(lines), notice)


def _builder_of(state: State, lines: Sequence[ContextLine]) -> ContextBuilder:
    """A builder into which all these lines are put, whatever the budget."""
    builder = _empty_builder(state, lines)
    for line in lines:
        builder.put(line)
    return builder


def _written(
    state: State, world: World, builder: ContextBuilder, omitted: tuple[Omission, ...]
) -> tuple[Context, tuple[NamedEpisode, ...]]:
    """The context with its text, its headings as full as there is room, and the episodes that are named besides."""
    if not builder.lines:
        return replace(_context_of_words(state, NOTHING), omitted=omitted), ()
    episodes = readable(state, world, (line.memory.episode_id for line in builder.lines))
    further = residual(state, world, builder.lines)
    heads = details(state, builder.groups, episodes)
    there = builder.describe(heads, [line for _, line in further], state.request.settings.char_budget)
    text = builder.render(worths(state, builder.lines))
    cuts = tuple(line.cut for line in builder.ranked if line.cut)
    return Context(text, len(text), builder.included, omitted, cuts=cuts), tuple(further[number][0] for number in there)
