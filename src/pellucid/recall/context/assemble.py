"""A ranking in, a context inside the budget out: grouped by episode, nothing split, every cut with its reason.

The memories are put first (`ContextBuilder.fill`), then the details of headings beside the day, then episodes that have
no memory in the context.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from pellucid.model.memory import BOUNDARY_SCOPES, Memory, unpack_id
from pellucid.model.snapshot import FilterTrace, PassTrace
from pellucid.recall.as_of_view import as_stood
from pellucid.recall.context.abstain import FAR, judge, nearness, unsure, why_nothing, with_unknown_history
from pellucid.recall.context.builder import ContextBuilder, ContextLine
from pellucid.recall.context.disputes import opponents, quotes, with_dispute_numbers
from pellucid.recall.context.episodes import further_episodes, heading_details, readable_episodes
from pellucid.recall.context.excerpt import Cutter, mark_continuations, with_excerpt
from pellucid.recall.context.leads import days_of_documents, edge_answer_excerpts, lines_near_asked
from pellucid.recall.context.model.passes import clean_up, leave_out
from pellucid.recall.context.sparing import fill_without_repeats, line_covering, uninformative_lines
from pellucid.recall.context.text import NEAREST, NO_NEED, NOTHING, NOTICE, age, harmless, nearest_line, wrap
from pellucid.recall.legs.graph_paths import paths_of
from pellucid.recall.query.edges import reason_with_names
from pellucid.recall.score.ladder import ABSTENTION, ASKED_EDGES, REPEATS, RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.score.repeats import irreplaceable, without_repeats
from pellucid.recall.state import Abstention, Context, Omission, Request, State, World
from pellucid.store.index_port import Served

NO_EDGE = "the question asks for edges alone, and this section is beside what they lead to"
NOTHING_ASKED = "it tells nothing of what is asked"


@dataclass(frozen=True, slots=True)
class Assembly:
    """A context, the rungs that made it in the order they acted, and reports of model passes."""

    context: Context
    rungs: tuple[FilterTrace, ...] = ()
    passes: tuple[PassTrace, ...] = ()


def assemble(state: State, world: World) -> State:
    """Cut the ranking to `topK`, read those memories, and make a context of them, or say that no memory answers.

    Return the state with `kept`, `served`, `repeats`, `abstention`, `context` and further `rungs` (reports of filters),
    and with the `paths` of served memories in place of the `ways`. In `pool.rejected`, each ranked memory has the
    number (1 + its index in `RUNGS`) of the filter that stopped it, else 0; what only an abstention withholds has 0,
    too.
    """
    kept, served, repeats = without_repeats(state, world)
    ranked, left = len(state.order), len(state.order) - len(repeats)
    cuts = _rung(REPEATS, ranked, left, "repeats another"), _rung("top-k", left, len(kept), "beyond topK")
    state = replace(state, kept=kept, rungs=(*state.rungs, *cuts))
    state = with_unknown_history(state, world)
    abstention = judge(state)
    if abstention is None or abstention.abstained:
        assembly = _context_without_memories(state, world, abstention, len(served))
    else:
        assembly = compose_context(replace(state, abstention=abstention), world, served)
    rejected = state.pool.rejected.copy()
    rejected[state.order] = 1 + RUNGS.index("top-k")
    rejected[list(repeats)] = 1 + RUNGS.index(REPEATS)
    rejected[kept] = 0
    left_out = {omission.memory_id: omission.rung for omission in assembly.context.omitted}
    for position, each in zip(kept.tolist(), served, strict=True):
        if rung := left_out.get(each.memory.id):
            rejected[position] = 1 + RUNGS.index(rung)
    return replace(
        state,
        served=tuple(served),
        context=replace(assembly.context, passes=assembly.passes),
        abstention=abstention,
        repeats=repeats,
        rungs=(*state.rungs, *assembly.rungs),
        pool=replace(state.pool, rejected=rejected),
        ways={},
        paths=paths_of(state.ways, [each.memory.id for each in served], world.reader.graph),
    )


def rewrite_context(state: State, world: World, served: Sequence[Served]) -> Context:
    """Write the context of a recorded recall again, from its state and its `served` memories as they are today.

    Model passes that the state's settings name are run anew (DeadlineError if time runs out). Nothing is stored.
    """
    state, doubt = with_unknown_history(state, world), state.abstention
    if doubt is None or doubt.abstained:
        return _context_without_memories(state, world, doubt, len(served)).context
    uninformative = {each.memory_id for each in state.context.omitted if each.rung == TELLS_NOTHING}
    return compose_context(state, world, served, uninformative).context


def _context_without_memories(state: State, world: World, abstention: Abstention | None, ranked: int) -> Assembly:
    """Return a context that says that nothing is recalled, with as many of the nearest misses as fit the budget.

    `abstention` is None if the message needs no memory: then no miss is named. `ranked` is how many memories the
    abstention withheld; if some, their filter report precedes that of `budget-fit`.
    """
    rungs = (_rung(ABSTENTION, ranked, 0, "too much doubt"),) if ranked else ()
    rungs = (*rungs, _rung("budget-fit", 0, 0, "over the budget"))
    if abstention is None:
        return Assembly(_context_of_nothing(state, NO_NEED), rungs)
    near = {unpack_id(state.pool.ids[at]): nearness(state, at) for at in abstention.nearest}
    memories = [each.memory for each in world.reader.memories(list(near))] if near else []
    request = state.request
    nearest = [nearest_line(each, near[each.id], request.instant) for each in memories if _can_be_told(each, request)]
    why = FAR if ranked or nearest else why_nothing(state, world)
    return Assembly(_context_of_nothing(state, why, nearest), rungs)


def _can_be_told(memory: Memory, request: Request) -> bool:
    """Whether a memory is out of quarantine, and in no boundary scope that the caller lacks.

    An explanation has a stricter condition (`xray.words.headline.may_be_told`), since it is also read long after.
    """
    return memory.trust_zone != "quarantine" and {*memory.scopes} & {*BOUNDARY_SCOPES} <= {*request.scopes}


def _context_of_nothing(state: State, why: str, nearest: Sequence[str] = ()) -> Context:
    """Return a context that says why nothing is recalled, with as many of the lines `nearest` as fit the budget.

    If legs report names that are unknown, their reasons are given in place of `why`. The context is empty if not even
    the reason fits.
    """
    words = f"{NOTHING}{harmless('; '.join(_unknown_names(state)) or why)}."
    for count in range(len(nearest), -1, -1):
        text = wrap(state.request.recall_id, words + (NEAREST if count else "") + "".join(nearest[:count]))
        if len(text) <= state.request.settings.char_budget:
            return Context(text, len(text))
    return Context()


def compose_context(
    state: State, world: World, served: Sequence[Served], uninformative: AbstractSet[str] | None = None
) -> Assembly:
    """Return the context made of `served`, the best memories of the ranking in its order, and the record of its making.

    `uninformative` are the ids of turns that the receipt records as saying nothing of the question; None if they are to
    be looked for. The model passes of the settings are run (DeadlineError if time runs out). The context has no text if
    there are lines to write and none fits the budget.
    """
    excerpts, passes = edge_answer_excerpts(state, world, served), list[PassTrace]()
    days = days_of_documents([each.memory for each in served], state, world)
    against = opponents((each.memory for each in served), state.request, world)
    lines = [
        ContextLine.of(
            as_stood(each.memory, state.request),
            place,
            state.request.instant,
            quotes(against.get(each.memory.id, ())),
            days.get(each.memory.session_id or ""),
        )
        for place, each in enumerate(served)
    ]
    near = lines_near_asked(state)
    lines = [replace(line, near=True) if line.place in near else line for line in lines]
    lines = [with_excerpt(line, excerpts[line.memory.id]) if line.memory.id in excerpts else line for line in lines]
    lines, unasked, rungs = _drop_unasked_sections(state, lines)
    lines, silent = _drop_uninformative_lines(state, world, lines, uninformative, rungs)
    if "select" in state.request.settings.context_passes:
        left, report = leave_out(world.chat, "select", state.plan.text, lines)
        rungs.append(_rung("context-selection", len(lines), len(left), "a pass left it out"))
        passes.append(report)
        lines = left
    builder, covered_by, no_room = _fill_budget(state, world, lines, excerpts.keys(), rungs)
    if lines and not builder.lines:
        return Assembly(Context(omitted=(*unasked, *silent, *no_room)), tuple(rungs), passes=tuple(passes))
    builder = _apply_model_passes(state, world, builder, rungs, passes)
    if against:  # by number only now that the lines are known; the quotes that held their place are longer
        builder = _builder_with_all(state, with_dispute_numbers(builder.lines, against, state.request))
    # at the end, of what stands beside each other now; marks that do not fit are left out, as nothing is lost by that
    marked = _builder_with_all(state, mark_continuations(builder.lines, state, world))
    builder = marked if marked.length <= state.request.settings.char_budget else builder
    omitted = (*unasked, *silent, *_omissions_of_repeats(covered_by, builder), *no_room)
    return Assembly(_render_context(state, world, builder, omitted), tuple(rungs), tuple(passes))


def _fill_budget(
    state: State, world: World, lines: list[ContextLine], leading: AbstractSet[str], rungs: list[FilterTrace]
) -> tuple[ContextBuilder, Mapping[str, str], tuple[Omission, ...]]:
    """Return the context with as many of these lines as fit, none repeating another; a map from the ids of those left
    out as repeats to the ids of what covers them (see `fill_without_repeats`); and what found no room.

    Lines of memories whose ids are in `leading` are excerpts already and are not cut. Appends to `rungs` the report of
    the filter of repeats, if it left out any, and that of `budget-fit`.
    """
    budget, must_stay = state.request.settings.char_budget, irreplaceable(state)
    cutter = Cutter(state, world, state.plan.telling)

    def shorten(line: ContextLine, room: int) -> ContextLine | None:
        """Return the line cut to `room` characters; None if it cannot be, or is an excerpt already."""
        return None if line.memory.id in leading else cutter.shorten(line, room)

    def fill(lines: Sequence[ContextLine]) -> ContextBuilder:
        """Return a builder with as many of these lines as fit the budget, long ones shortened."""
        builder = _empty_builder(state, lines)
        builder.fill(lines, budget, shorten)
        return builder

    builder, left, covered_by = fill_without_repeats(
        fill, lines, lambda line: bool(line.mark or must_stay[state.kept[line.place]])
    )
    if covered_by:
        rungs.append(_rung(SAID_ALREADY, len(lines), len(left), "another says it whole"))
    rungs.append(_rung("budget-fit", len(left), len(builder.lines), "over the budget"))
    return builder, covered_by, (*builder.omitted(left, budget),)


def _apply_model_passes(
    state: State, world: World, builder: ContextBuilder, rungs: list[FilterTrace], passes: list[PassTrace]
) -> ContextBuilder:
    """Return the context after the model passes that are switched on (`facts`, `cleanup`); append the filter report of
    `facts` to `rungs`, and the reports of both to `passes`.

    A rewording that makes the context longer than the budget is not used; its report says so.
    """
    settings, fitting = state.request.settings, builder.ranked
    if "facts" in settings.context_passes:
        left, report = leave_out(world.chat, "facts", state.plan.text, fitting)
        rungs.append(_rung("fact-selection", len(fitting), len(left), "a pass left it out"))
        passes.append(report)
        builder, fitting = _builder_with_all(state, left), left
    if "cleanup" in settings.context_passes:
        reworded, report = clean_up(world.chat, state.plan.text, fitting)
        fuller = _builder_with_all(state, reworded)
        if fuller.length > settings.char_budget:
            report = PassTrace(name="cleanup", note="rejected: it is longer than the budget")
        else:
            builder = fuller
        passes.append(report)
    return builder


def _drop_unasked_sections(
    state: State, lines: list[ContextLine]
) -> tuple[list[ContextLine], tuple[Omission, ...], list[FilterTrace]]:
    """Leave out the sections that the graph leg did not reach, if the query asks for edges only (`plan.only_edges`).

    Returns the lines that stay, the omissions, and the report of this filter; if the query asks for more than edges,
    all lines, no omission and no report.
    """
    if not state.plan.only_edges:
        return lines, (), []
    left = [line for line in lines if line.memory.category != "section" or line.memory.id in state.ways]
    omissions = (Omission(line.memory.id, NO_EDGE, ASKED_EDGES) for line in lines if line not in left)
    return left, tuple(omissions), [_rung(ASKED_EDGES, len(lines), len(left), NO_EDGE)]


def _drop_uninformative_lines(
    state: State, world: World, lines: list[ContextLine], ids: AbstractSet[str] | None, rungs: list[FilterTrace]
) -> tuple[list[ContextLine], tuple[Omission, ...]]:
    """Leave out the lines that say nothing of the question: return the lines that stay, and the omissions.

    `ids` are the ids of the memories that the receipt records as such; None if they are to be looked for
    (`uninformative_lines`). Appends the report of this filter to `rungs` if a line is left out.
    """
    silent = uninformative_lines(state, world, lines) if ids is None else [e for e in lines if e.memory.id in ids]
    if not silent:
        return lines, ()
    left = [line for line in lines if line not in silent]
    rungs.append(_rung(TELLS_NOTHING, len(lines), len(left), NOTHING_ASKED))
    return left, tuple(Omission(line.memory.id, NOTHING_ASKED, TELLS_NOTHING) for line in silent)


def _omissions_of_repeats(covered_by: Mapping[str, str], builder: ContextBuilder) -> Iterator[Omission]:
    """Yield the omission of each memory in `covered_by`, which maps the ids of memories left out to those of lines that
    say the same (`line_covering`).

    Its reason has the number of the covering line in the context, or says that a model pass took that line out.
    """
    number = {memory_id: place for place, memory_id in enumerate(builder.included, start=1)}
    for memory_id in covered_by:
        covering = number.get(line_covering(covered_by, memory_id))
        by = f"[{covering}]" if covering else "another, which a pass took out"
        yield Omission(memory_id, f"it is said in full by {by}", SAID_ALREADY)


def _rung(name: str, came: int, passed: int, reason: str) -> FilterTrace:
    """Return the report of the filter `name`, which `came` memories reached and `passed` passed; it has the `reason`
    only if fewer passed than came."""
    return FilterTrace(name=name, considered=came, admitted=passed, reason=reason if passed < came else None)


def _empty_builder(state: State, lines: Sequence[ContextLine]) -> ContextBuilder:
    """Return a builder without any line, for at most as many as `lines`; its notice says how unsure the recall is and
    what it does not know.
    """
    doubt = unsure(state.abstention.score) if state.abstention else ""
    notice = "\n".join(
        (NOTICE, *(f"{each[0].upper()}{harmless(each[1:])}." for each in (doubt, *_unknown_names(state)) if each))
    )
    return ContextBuilder(state.request.recall_id, state.request.settings.citations, len(lines), notice)


def _unknown_names(state: State) -> Iterator[str]:
    """Yield the reason of each leg that reports a name in the query as unknown, or as a thing without the edges that
    are asked for, with these names spelled out in it (`reason_with_names`). Reasons of other kinds are left out."""
    said = (reason_with_names(leg.reason or "", state.plan.unknown) for leg in state.legs)
    yield from filter(None, said)


def _builder_with_all(state: State, lines: Sequence[ContextLine]) -> ContextBuilder:
    """Return a builder with all these lines, whatever the budget."""
    builder = _empty_builder(state, lines)
    for line in lines:
        builder.put(line)
    return builder


def _render_context(state: State, world: World, builder: ContextBuilder, omitted: tuple[Omission, ...]) -> Context:
    """Return the context with its text: headings get their details, and further episodes their lines, as the budget
    allows. If `builder` has no lines, the text says that nothing is recalled. `omitted` becomes that field of the
    context."""
    if not builder.lines:
        return replace(_context_of_nothing(state, FAR), omitted=omitted)
    episodes = readable_episodes(state, world, (line.memory.episode_id for line in builder.lines))
    further = further_episodes(state, world, builder.lines)
    ages = {day: age(day, state.request.instant) for _, day in builder.groups}
    details = heading_details(builder.groups, episodes)
    named = builder.describe(ages, details, [line for _, line in further], state.request.settings.char_budget)
    text = builder.render()
    cuts = tuple(line.cut for line in builder.ranked if line.cut)
    named_episodes = tuple(further[number][0] for number in named)
    return Context(
        text, len(text), builder.included, omitted, cuts, named_episodes, quotes=_quotes_of_others(state, builder)
    )


def _quotes_of_others(state: State, builder: ContextBuilder) -> tuple[tuple[str, str], ...]:
    """Return pairs of ids, a quoted memory and the one whose line quotes it, in the order of the lines' ranks, then of
    the quoted ids. Only quoted memories that are candidates of the recall count."""
    quoting = [line for line in builder.ranked if line.sources]
    candidates = {unpack_id(raw) for raw in state.pool.ids} if quoting else frozenset[str]()
    return tuple((each, line.memory.id) for line in quoting for each in sorted(line.sources & candidates))
