"""A plan in, nominated candidates out: every leg's ranked list, its health, and the pool of them all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pellucid.errors import StoreError, recorded_step
from pellucid.model.snapshot import LegHealth
from pellucid.recall.legs.graph import graph
from pellucid.recall.legs.leg import NO_HITS, AskedLeg, GraphHits, Leg, LegAnswer, empty_report, report
from pellucid.recall.legs.pool import gather
from pellucid.recall.legs.procedural import procedural
from pellucid.recall.legs.review import review
from pellucid.recall.query.edges import asked_edges
from pellucid.recall.state import Plan, State, World
from pellucid.store.index_port import LegHits


def legs(state: State, world: World) -> State:
    """Ask every leg; return the state with their reports, the pool of candidates and the graph leg's ways, and with a
    plan that says whether the edges it asks for lead anywhere.

    Searching legs are also asked for each sub-question; `recent` only if they find nothing or one is down and found
    nothing. If the message needs no memory, no leg is asked, and each is reported `off`.
    """
    if state.plan.depth == "no_recall":
        off = (empty_report(each.name, "off", "the message needs no memory") for each in asked_legs(state))
        return replace(state, legs=tuple(off))
    # again, if a pass before this one took back edges that led nowhere
    state = replace(state, plan=replace(state.plan, asked=asked_edges(state.plan.text)))
    found = {each.name: _ask_leg(state, each, world) for each in asked_legs(state)}
    if FALLBACK.name not in state.request.without and needs_fallback([found[name][0] for name in searching()]):
        found[FALLBACK.name] = _ask_leg(state, AskedLeg(FALLBACK.name, FALLBACK, state.plan), world)
    hits = {name: hits for name, (_, hits) in found.items()}
    state = _with_walk(state, hits.values())
    pool = gather(world.reader, hits, state.admission, state.plan)
    # a leg reports under its own name; asked for a sub-question it is `vector@2`
    reports = tuple(report.model_copy(update={"name": name}) for name, (report, _) in found.items())
    return replace(state, legs=reports, pool=pool)


def _with_walk(state: State, found: Iterable[LegHits]) -> State:
    """Return the state with the graph leg's ways to its memories, and what it found about the edges asked for in the
    plan.

    If they lead nowhere, `plan.asked` becomes None, so that all goes on as if none had been asked for. `plan.answers`
    becomes the number of hits on them or, if none is asked for, of documents that alone are asked for by name;
    `plan.unknown` and, if there are answers, `beside` and `only_edges` become those of the leg's hits in `found`. A
    further pass over the legs asks for the edges again (`legs`).
    """
    walk = next((hits for hits in found if isinstance(hits, GraphHits)), None)
    answers = walk.answers if walk else 0
    asked = state.plan.asked if answers else None
    plan = replace(state.plan, asked=asked, answers=answers, unknown=walk.unknown if walk else ())
    if walk and answers:
        plan = replace(plan, beside=walk.beside, only_edges=walk.only_edges)
    return replace(state, plan=plan, ways=walk.ways if walk else {})


def asked_legs(state: State) -> Iterator[AskedLeg]:
    """Yield every leg for the query, then the searching legs for each sub-question; all but the fallback `recent`."""
    yield from (AskedLeg(leg.name, leg, state.plan) for leg in LEGS.values() if leg is not FALLBACK)
    for number, plan in enumerate(state.sub_plans, start=2):
        yield from (AskedLeg(f"{leg.name}@{number}", leg, plan) for leg in LEGS.values() if leg.searches)


def _ask_leg(state: State, asked_leg: AskedLeg, world: World) -> LegAnswer:
    """Return a leg's report and hits.

    It is reported `off` if it is left out or has no weight, and `degraded`, with the reason, if the store fails; then
    it has no hits.
    """
    leg = asked_leg.leg
    if leg.name in state.request.without or not leg.weight_by(state.request.settings):
        return empty_report(leg.name, "off"), NO_HITS
    try:
        return leg.ask(state, asked_leg.plan, world)
    except StoreError as error:
        return empty_report(leg.name, "degraded", error.message), NO_HITS


def needs_fallback(searches: Sequence[LegHealth]) -> bool:
    """Whether `recent` must be asked: a searching leg is down and found nothing, or no searching leg found anything.

    `searches` are the reports of the searching legs.
    """
    down = any(report.health == "degraded" and report.admitted == 0 for report in searches)
    return down or all(report.admitted == 0 for report in searches)


def _vector(state: State, plan: Plan, world: World) -> LegAnswer:
    """Return the nearest memories by cosine, best first, at most `pool` admitted ones and `open_pool` others.

    The report is `empty` if there are no memories, and `degraded`, with the reason, if the query or more than half of
    the memories have no vector.
    """
    settings, corpus = state.request.settings, state.corpus
    if corpus.rows == 0:
        return empty_report("vector", "empty"), NO_HITS
    if plan.vector is None:
        return empty_report("vector", "degraded", plan.encoder_problem), NO_HITS
    if corpus.vectors == 0:
        without = f"no memory here has a vector: run {recorded_step('home.rebuild')}"
        return empty_report("vector", "degraded", without), NO_HITS
    hits = world.reader.vector(plan.vector, state.admission, settings.pool, settings.open_pool)
    missing = corpus.rows - corpus.vectors
    note = f"{missing} of {corpus.rows} memories have no vector: run {recorded_step('home.rebuild')}" if missing else ""
    return report("vector", hits, note if missing > corpus.vectors else "", note), hits


def _lexical(state: State, plan: Plan, world: World) -> LegAnswer:
    """Return the best memories by BM25 for the stems searched for (`plan.searched`), at most `pool` admitted ones and
    `open_pool` others. The note of the report counts the common words left out, apart from people's names."""
    settings, stems = state.request.settings, [plan.stems[i] for i in plan.searched]
    hits = world.reader.lexical(stems, state.admission, settings.pool, settings.open_pool)
    frequencies = (frequency for at, frequency in enumerate(plan.frequencies) if at not in plan.people)
    skipped = sum(1 for frequency in frequencies if frequency) - len(stems)
    return report("lexical", hits, note=f"{skipped} common word{'s' * (skipped > 1)} left out" if skipped else ""), hits


def _passage(state: State, plan: Plan, world: World) -> LegAnswer:
    """Return the best memories by BM25 over each memory's text together with the turns beside it, at most `pool`
    admitted ones and `open_pool` others."""
    settings, stems = state.request.settings, [plan.stems[i] for i in plan.searched]
    hits = world.reader.lexical(stems, state.admission, settings.pool, settings.open_pool, passages=True)
    return report("passage", hits), hits


def _recent(state: State, plan: Plan, world: World) -> LegAnswer:  # noqa: ARG001 - every leg has one shape
    """Return the newest memories that are allowed to answer, `pool` (a setting) at most, whatever the query says."""
    hits = world.reader.recent(state.admission, state.request.settings.pool)
    return report("recent", hits), hits


FALLBACK = Leg("recent", "days", _recent, "by age, as a fallback", served_by="recent-scan")
_ROWS = (
    Leg("vector", "cosine", _vector, "by meaning", searches=True),
    Leg("lexical", "bm25", _lexical, "by words", term="bm25", searches=True),
    Leg("passage", "bm25", _passage, "by the words around it", searches=True),
    Leg(
        "graph",
        "activation",
        graph,
        "along the graph",
        served_by="graph",
        by_context=True,
        lends=False,
    ),
    Leg(
        "procedural",
        "fit",
        procedural,
        "among procedures and rules",
        served_by="procedural",
        lends=False,
    ),
    Leg(
        "review",
        "mentions",
        review,
        "by the files under review",
        served_by="review-context",
        by_context=True,
        lends=False,
    ),
    FALLBACK,
)
LEGS: Mapping[str, Leg] = {leg.name: leg for leg in _ROWS}
"""Every nominating leg by its name, in the order they are asked; a new leg is a file and a row here."""


def searching() -> frozenset[str]:
    """Return the names of the legs that search for the query's words or meaning."""
    return frozenset(leg.name for leg in LEGS.values() if leg.searches)


def base_of(name: str) -> str:
    """Return the name of a leg or stage without its iteration: `vector` for `vector@2`."""
    return name.partition("@")[0]
