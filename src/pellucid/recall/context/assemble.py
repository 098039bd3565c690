"""A ranking in, a context inside the budget out: episode groups, nothing split, every cut with its reason.

First the memories (`ContextBuilder.fill`), then what headings say beside the day, then episodes without a memory there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pellucid.model.memory import unpack_id
from pellucid.recall.as_of_view import as_stood
from pellucid.recall.context.abstain import judge, nearness, unsure
from pellucid.recall.context.builder import ContextBuilder, ContextLine
from pellucid.recall.context.disputes import opponents, quotes, with_dispute_numbers
from pellucid.recall.context.episodes import further_episodes, group_scores, heading_details, readable_episodes
from pellucid.recall.context.excerpt import Cutter, mark_continuations, with_excerpt
from pellucid.recall.context.leads import edge_answer_excerpts
from pellucid.recall.context.model.passes import clean_up, leave_out
from pellucid.recall.context.records import NamedEpisode, PassReport
from pellucid.recall.context.sparing import fill_without_repeats, line_covering, uninformative_turns
from pellucid.recall.context.text import NO_NEED, NOTHING, NOTICE, harmless, nearest_line, wrap
from pellucid.recall.legs.graph_paths import paths_of
from pellucid.recall.query.edges import reason_with_names
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import ASKED_EDGES, REPEATS, RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.score.repeats import AlreadyTold
from pellucid.recall.state import Abstention, Context, Omission, Rung, State, World
from pellucid.store.index_port import Served

NO_EDGE = "no edge leads to it, and nothing else is asked for"
NOTHING_ASKED = "it tells nothing of what is asked"


@dataclass(frozen=True, slots=True)
class Assembly:
    """A context with the record of how it came about: the rungs in the order they acted, and what passes did."""

    context: Context
    rungs: tuple[Rung, ...] = ()
    episodes: tuple[NamedEpisode, ...] = ()
    passes: tuple[PassReport, ...] = ()


def assemble(state: State, world: World) -> State:
    """Cut the ranking to `topK`, read those memories, and make a context of them, or say that nothing answers."""
    kept, served, said = without_repeats(state, world)
    state = replace(state, kept=kept, rungs=(*state.rungs, *_rungs_of_ranking(state, len(kept), len(said))))
    abstention = judge(state)
    if abstention is None or abstention.abstained:
        made = _context_without_memories(state, abstention, len(served))
    else:
        made = compose_context(replace(state, abstention=abstention), world, served)
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
        context=replace(made.context, episodes=made.episodes, passes=made.passes),
        abstention=abstention,
        repeats=said,
        rungs=(*state.rungs, *made.rungs),
        pool=replace(state.pool, rejected=rejected),
        ways={},
        paths=paths_of(state.ways, [each.memory.id for each in served], world.reader.graph),
    )


def rewrite_context(state: State, world: World, served: Sequence[Served]) -> Context:
    """The context of a recorded recall, written again from its state and its `served` memories as they are today."""
    doubt = state.abstention
    if doubt is None or doubt.abstained:
        return _context_without_memories(state, doubt, len(served)).context
    uninformative = {each.memory_id for each in state.context.omitted if each.rung == TELLS_NOTHING}
    return compose_context(state, world, served, uninformative).context


def without_repeats(state: State, world: World) -> tuple[Ints, list[Served], dict[int, int]]:
    """The best `topK` memories that do not repeat a better one: their pool positions, and they themselves.

    Also the position of each left out above the last of them, with that of the one it repeats.
    """
    most, order = state.request.settings.top_k_facts, state.order
    said = dict[int, int]()
    told = AlreadyTold({state.plan.stems[i] for i in state.plan.telling}, partial(_stems, world))
    kept = dict[int, Served]()
    firm = _irreplaceable(state)
    for start in range(0, len(order), most):
        batch = order[start : start + most]
        for at, each in zip(batch.tolist(), world.reader.memories(state.pool.rows[batch]), strict=True):
            kept[at] = each
            for other, by in told.take(each.memory, at, firm=firm(at)).items():
                del kept[other]
                said = {worse: by if better == other else better for worse, better in said.items()} | {other: by}
            if len(kept) == most:
                return np.array([*kept], dtype=np.int64), [*kept.values()], said
    return np.array([*kept], dtype=np.int64), [*kept.values()], said


def _irreplaceable(state: State) -> Callable[[int], bool]:
    """A predicate of pool positions: whether nothing may stand for it, as it is pinned or a direct answer."""
    firm = state.pool.pinned | (state.pool.terms.get("direct", np.zeros(len(state.pool))) > 0)
    return lambda at: bool(firm[at])


def _stems(world: World, text: str) -> set[str]:
    """The stems of a text."""
    return {each.stem for each in world.reader.survey(text, names=False).terms}


def _rungs_of_ranking(state: State, kept: int, repeating: int) -> tuple[Rung, ...]:
    """The rungs `repeats` and `top-k`, with how many passed each."""
    ranked, left = len(state.order), len(state.order) - repeating
    return (
        Rung(REPEATS, ranked, left, reason="repeats another" if repeating else ""),
        Rung("top-k", left, kept, reason="beyond topK" if kept < left else ""),
    )


def _context_without_memories(state: State, abstention: Abstention | None, ranked: int) -> Assembly:
    """A context that says that nothing is recalled, with as many of the nearest misses as the budget holds."""
    rungs = (Rung("abstention", ranked, 0, reason="too much doubt"),) if ranked else ()
    rungs = (*rungs, Rung("budget-fit", 0, 0))
    nearest = [
        (unpack_id(state.pool.ids[at]), nearness(state, at)) for at in (abstention.nearest if abstention else ())
    ]
    return Assembly(_context_of_words(state, NOTHING if abstention else NO_NEED, nearest), rungs)


def _context_of_words(state: State, words: str, nearest: Sequence[tuple[str, float]] = ()) -> Context:
    """A context of `words` alone, with as many of the `nearest` misses as fit; empty if the words do not fit."""
    for count in range(len(nearest), -1, -1):
        text = wrap(state.request.recall_id, words + nearest_line(nearest[:count]))
        if len(text) <= state.request.settings.char_budget:
            return Context(text, len(text))
    return Context()


def compose_context(
    state: State, world: World, served: Sequence[Served], uninformative: AbstractSet[str] | None = None
) -> Assembly:
    """The context made of these memories, the first of the ranking in its order, and how it came about.

    `uninformative` are the ids of turns recorded as saying nothing of the question; None: they are looked for.
    """
    leading, passes = edge_answer_excerpts(state, world, served), list[PassReport]()
    against = opponents((each.memory for each in served), state.request, world)
    lines = [
        ContextLine.of(
            as_stood(each.memory, state.request), place, state.request.instant, quotes(against.get(each.memory.id, ()))
        )
        for place, each in enumerate(served)
    ]
    lines = [with_excerpt(line, leading[line.memory.id]) if line.memory.id in leading else line for line in lines]
    lines, beside, rungs = _drop_unasked_sections(state, lines)
    lines, idle = _drop_uninformative_turns(state, world, lines, uninformative, rungs)
    if "select" in state.request.settings.context_passes:
        left, report = leave_out(world.chat, "select", state.plan.text, lines)
        rungs.append(_rung("context-selection", lines, left, "a pass left it out"))
        passes.append(report)
        lines = left
    builder, omitted = _fill_budget(state, world, lines, leading.keys(), rungs)
    omitted = (*beside, *idle, *omitted)
    if omitted and not builder.lines:
        return Assembly(Context(omitted=omitted), tuple(rungs), passes=tuple(passes))
    builder = _apply_model_passes(state, world, builder, rungs, passes)
    if against:
        builder = _builder_of(state, with_dispute_numbers(builder.lines, against, state.request))
    marked = _builder_of(state, mark_continuations(builder.lines, state, world))
    builder = marked if marked.length <= state.request.settings.char_budget else builder
    context, episodes = _render_context(state, world, builder, omitted)
    return Assembly(context, tuple(rungs), episodes, tuple(passes))


def _fill_budget(
    state: State, world: World, lines: list[ContextLine], leading: AbstractSet[str], rungs: list[Rung]
) -> tuple[ContextBuilder, tuple[Omission, ...]]:
    """The context with as many of these lines as fit, none said by another, and what was left out of it.

    Lines of memories in `leading` are cut already. Adds the rungs that acted to `rungs`.
    """
    budget, firm = state.request.settings.char_budget, _irreplaceable(state)
    cutter = Cutter(state, world, state.plan.telling)

    def shorten(line: ContextLine, room: int) -> ContextLine | None:
        return None if line.memory.id in leading else cutter.shorten(line, room)

    def fill(lines: Sequence[ContextLine]) -> ContextBuilder:
        builder = _empty_builder(state, lines)
        builder.fill(lines, budget, shorten)
        return builder

    builder, left, doubles = fill_without_repeats(
        fill, lines, lambda line: bool(line.mark) or firm(int(state.kept[line.place]))
    )
    if doubles:
        rungs.append(_rung(SAID_ALREADY, lines, left, "another says it whole"))
    rungs.append(_rung("budget-fit", left, builder.lines, "over the budget"))
    return builder, (*_omissions_of_repeats(doubles, builder), *builder.omitted(left, budget))


def _apply_model_passes(
    state: State, world: World, builder: ContextBuilder, rungs: list[Rung], passes: list[PassReport]
) -> ContextBuilder:
    """The context after the model passes that are switched on; adds their rungs and reports to the lists."""
    settings, fitting = state.request.settings, builder.ranked
    if "facts" in settings.context_passes:
        left, report = leave_out(world.chat, "facts", state.plan.text, fitting)
        rungs.append(_rung("fact-selection", fitting, left, "a pass left it out"))
        passes.append(report)
        builder, fitting = _builder_of(state, left), left
    if "cleanup" in settings.context_passes:
        reworded, report = clean_up(world.chat, state.plan.text, fitting)
        fuller = _builder_of(state, reworded)
        if fuller.length > settings.char_budget:
            report = PassReport("cleanup", "rejected: it is longer than the budget")
        else:
            builder = fuller
        passes.append(report)
    return builder


def _drop_unasked_sections(
    state: State, lines: list[ContextLine]
) -> tuple[list[ContextLine], tuple[Omission, ...], list[Rung]]:
    """Leave out sections that no edge leads to, if only edges are asked for: the lines kept, omissions, the rung."""
    if not state.plan.only_edges:
        return lines, (), []
    left = [line for line in lines if line.memory.category != "section" or line.memory.id in state.ways]
    beside = (Omission(line.memory.id, NO_EDGE, ASKED_EDGES) for line in lines if line not in left)
    return left, tuple(beside), [_rung(ASKED_EDGES, lines, left, NO_EDGE)]


def _drop_uninformative_turns(
    state: State, world: World, lines: list[ContextLine], known: AbstractSet[str] | None, rungs: list[Rung]
) -> tuple[list[ContextLine], tuple[Omission, ...]]:
    """The lines without turns that say nothing of the question (ids in `known`, if given), and these as omissions."""
    idle = uninformative_turns(state, world, lines) if known is None else [e for e in lines if e.memory.id in known]
    if not idle:
        return lines, ()
    left = [line for line in lines if line not in idle]
    rungs.append(_rung(TELLS_NOTHING, lines, left, NOTHING_ASKED))
    return left, tuple(Omission(line.memory.id, NOTHING_ASKED, TELLS_NOTHING) for line in idle)


def _omissions_of_repeats(doubles: Mapping[str, str], builder: ContextBuilder) -> Iterator[Omission]:
    """Why each line is left out that another covers, with the number of that one."""
    number = {memory_id: place for place, memory_id in enumerate(builder.included, start=1)}
    for memory_id in doubles:
        yield Omission(memory_id, f"it is said in full by [{number[line_covering(doubles, memory_id)]}]", SAID_ALREADY)


def _rung(name: str, before: Sequence[ContextLine], after: Sequence[ContextLine], reason: str) -> Rung:
    """A rung by how many lines came and stayed; the reason is only given if some did not stay."""
    return Rung(name, len(before), len(after), reason=reason if len(after) < len(before) else "")


def _empty_builder(state: State, lines: Sequence[ContextLine]) -> ContextBuilder:
    """A builder with its notice alone, which also says how unsure the recall is and what it does not know."""
    doubt = unsure(state.abstention.score) if state.abstention else ""
    lacking = (reason_with_names(leg.reason or "", state.plan.unknown) for leg in state.legs)
    warnings = (f"{each[0].upper()}{harmless(each[1:])}." for each in (doubt, *lacking) if each)
    notice = "\n".join((NOTICE, *warnings))
    return ContextBuilder(state.request.recall_id, state.request.settings.citations, len(lines), notice)


def _builder_of(state: State, lines: Sequence[ContextLine]) -> ContextBuilder:
    """A builder with all these lines, whatever the budget."""
    builder = _empty_builder(state, lines)
    for line in lines:
        builder.put(line)
    return builder


def _render_context(
    state: State, world: World, builder: ContextBuilder, omitted: tuple[Omission, ...]
) -> tuple[Context, tuple[NamedEpisode, ...]]:
    """The context with its text, its headings as full as the budget allows, and the episodes named besides."""
    if not builder.lines:
        return replace(_context_of_words(state, NOTHING), omitted=omitted), ()
    episodes = readable_episodes(state, world, (line.memory.episode_id for line in builder.lines))
    further = further_episodes(state, world, builder.lines)
    heads = heading_details(state, builder.groups, episodes)
    there = builder.describe(heads, [line for _, line in further], state.request.settings.char_budget)
    text = builder.render(group_scores(state, builder.lines))
    cuts = tuple(line.cut for line in builder.ranked if line.cut)
    return Context(text, len(text), builder.included, omitted, cuts=cuts), tuple(further[number][0] for number in there)
