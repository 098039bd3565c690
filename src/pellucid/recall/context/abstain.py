"""A ranking in, how much it should be doubted, and what cannot be known, out.

doubt = 1 − (2·near + 3·met + held) / 6

`near` is the mean of the highest cosines between the query and the candidates that passed every filter, `met` the mean
of the highest scores by late interaction among them. The mean is of one candidate in a handful of memories, of three in
hundreds, since the nearest of many is near by chance. `held` is the share of the query's content words that the first
three candidates contain together; a word weighs log(1 + N/(1 + df)) squared, so that a rare word missing from all of
them is cause for doubt. Without an encoder, `held` alone counts; with another reranker, whose scores have a scale of
their own, `met` is left out. All of these are columns of the pool, so that a receipt gives the same doubt.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum, log, log10

import numpy as np
from numpy.typing import NDArray

from pellucid.clock import epoch_ms, ms_if_any
from pellucid.model.memory import Memory, recorded_at
from pellucid.recall.legs.nominate import base_of, searching
from pellucid.recall.legs.procedural import CATEGORIES
from pellucid.recall.query.edges import ABSENT, NOT_YET
from pellucid.recall.query.entities import names_in
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import FILTERS
from pellucid.recall.score.rerank import LATE_INTERACTION
from pellucid.recall.state import Abstention, Plan, Pool, Request, State, World
from pellucid.store.index_port import Admission, Filters, within_scopes

TOGETHER = 3
"""How many of the first candidates have their words taken together: an answer can be spread over two or three."""
FAR = "found nothing near enough"
"""The reason for an empty recall if some memory could have answered."""
NEAREST = 3
"""How many of the nearest misses are named."""
UNSURE_FROM, UNKNOWN_FROM = 0.5, 0.6
"""Doubt from which an answer is marked as not sure, and doubt from which it is likelier that no memory answers."""
COMMON_NAME = 0.25
"""The share of memories above which a name that they contain says little about which of them is meant."""
ANSWERED = 0.4
"""The most doubt if a leg that the query asks for (edges, files, procedures) answers: words tell little then."""
WEIGHTS: Mapping[str, int] = {"near": 2, "met": 3, "held": 1}
"""The weights of the three signs that an answer is here."""
_BITS = 64
"""Of how many of the query's stems `Pool.matched` says whether a memory contains them."""
_FLOORS = tuple(number for number, each in enumerate(FILTERS, start=1) if each.margin is not None)
"""Numbers of the filters that measure nearness: what they reject is a near miss; what others reject cannot answer."""


def judge(state: State) -> Abstention | None:
    """Return how much this recall doubts its ranking (0 to 1), and whether it abstains: if the doubt is at least
    `abstainAt` and there is no `reason_to_show`. None if the message needs no memory.

    The doubt is at least `UNKNOWN_FROM` if `says_unknown`, else at most `ANSWERED` if the best was found by what is
    asked for beside words. An empty ranking has doubt 1 and always abstains; any other never does at a threshold of 1.
    If it abstains, `nearest` has the three least doubted of the first `topKFacts` candidates; of an empty ranking, of
    those that the filters of nearness rejected (`_FLOORS`), if there are any.
    """
    if state.plan.depth == "no_recall":
        return None
    threshold, pool, order = state.request.settings.abstain_at, state.pool, state.order
    if len(order) == 0:
        near_misses = np.flatnonzero(np.isin(pool.rejected, _FLOORS))
        return Abstention(1.0, threshold, abstained=True, nearest=_nearest_three(state, near_misses))
    score = doubt(_without_foreign_scores(state), order, state.plan, state.corpus.rows)
    if says_unknown(state):
        score = max(score, UNKNOWN_FROM)
    elif _is_answered_otherwise(state):
        score = min(score, ANSWERED)
    abstained = threshold < 1 and score >= threshold and not reason_to_show(state)
    nearest = _nearest_three(state, order[: state.request.settings.top_k_facts]) if abstained else ()
    return Abstention(score, threshold, abstained=abstained, nearest=nearest)


def says_unknown(state: State) -> bool:
    """Whether the reason of a leg's report says that a document named in the query is not here (`ABSENT`), or was not
    known at the time asked for (`NOT_YET`)."""
    return any(leg.reason and (leg.reason == ABSENT or leg.reason.startswith(NOT_YET)) for leg in state.legs)


def _is_answered_otherwise(state: State) -> bool:
    """Whether the best candidate was found by something that the query asks for beside words: by the graph leg, as its
    answer; by the files under review; or by the procedural leg, if the caller's filters allow only its categories. The
    ranking (`state.order`) must not be empty."""
    pool, first, wanted = state.pool, state.order[0], set(state.request.filters.categories)
    asked = ("review",) if state.request.review else ()
    asked += ("procedural",) if wanted and wanted <= {*CATEGORIES} else ()
    found_by = {name for name in asked if name in pool.ranks and pool.ranks[name][first] > 0}
    return bool(pool.answering(state.plan)[first]) or bool(found_by)


def unsure(doubt: float) -> str:
    """Return the words that warn of an answer with this doubt: `not sure that this answers it`, from 0.6 on `not sure:
    this may not be known here`; empty below 0.5."""
    if doubt < UNSURE_FROM:
        return ""
    return "not sure: this may not be known here" if doubt >= UNKNOWN_FROM else "not sure that this answers it"


def reason_to_show(state: State) -> str:
    """Return why no doubt, however great, withholds the answer, as words; empty if there is no such reason.

    The reasons, in order: a searching leg is down or left out, which might have found an answer; the corpus has fewer
    memories than `abstainFrom`, where words say little; the query asks for something other than words (a tag, a day,
    files, edges); one of the first three memories holds every name in the query, none of them common
    (`_holds_rare_names`). If the caller chose the threshold, only the first of these counts.
    """
    plan, request = state.plan, state.request
    down = {base_of(each.name) for each in state.legs if each.health in ("degraded", "off")}
    down |= request.without  # of a receipt looked at without a leg, no report says that it is off
    if searching() & down:
        return "a way of searching was off, which might have found an answer"
    if "abstain_at" in request.chosen:
        return ""
    if state.corpus.rows < request.settings.abstain_from:
        return "few memories are kept here, and of few an answer often has other words than its question"
    if plan.period is not None or plan.answers or request.review or request.filters.asking:
        return "it asks for more than words"
    return "one of the first memories holds every name in the question" if _holds_rare_names(state) else ""


def _holds_rare_names(state: State) -> bool:
    """Whether one of the first three candidates contains every word of the names in the query.

    False if the query has no name, if more than a quarter of the memories (`COMMON_NAME`) contain one of these words,
    or if one of them is not among the query's first 64 stems.
    """
    plan, pool = state.plan, state.pool
    names = {word.casefold() for name in plan.entities for word in name.split()}
    at = [i for i, word in enumerate(plan.words) if word.casefold() in names]
    if not at or max(plan.frequencies[i] for i in at) > COMMON_NAME * state.corpus.rows or max(at) >= _BITS:
        return False
    wanted = np.uint64(sum(1 << i for i in at))
    return bool((pool.matched[state.order[:TOGETHER]] & wanted == wanted).any())


def doubt(pool: Pool, order: Ints, plan: Plan, rows: int) -> float:
    """Return how much a ranking should be doubted, to six decimals: 1 less the mean of its signs (`_signs`), weighted
    by `WEIGHTS`; 1 if it has no sign.

    `order` has the pool positions of its candidates, best first; `rows` is the number of memories in the namespace.
    """
    return doubt_by_signs(_signs(pool, order, plan, rows))


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that an answer is here: its value, 0 to 1, and the pool positions of the candidates it was read of."""

    value: float
    positions: tuple[int, ...]


def doubt_by_signs(signs: Mapping[str, Sign]) -> float:
    """Return the doubt that these signs (`_signs`) make up, to six decimals: 1 if there are none."""
    weight = sum(WEIGHTS[name] for name in signs)
    return round(1 - fsum(WEIGHTS[name] * each.value for name, each in signs.items()) / weight, 6) if weight else 1.0


def signs_of_answer(state: State) -> Mapping[str, Sign]:
    """Return the signs that an answer is here (`near`, `met`, `held`, see `_signs`), as far as they were measured; they
    make up the doubt by themselves unless `judge` raised or lowered it. Empty if nothing was judged or found.
    """
    if state.abstention is None or not len(state.order):
        return {}
    pool = _without_foreign_scores(state)
    return _signs(pool, state.order, state.plan, state.corpus.rows)


def _signs(pool: Pool, order: Ints, plan: Plan, rows: int) -> Mapping[str, Sign]:
    """Return the signs that a ranking has an answer: `held`, the weighted share of the query's content words that the
    first three candidates contain together; `near`, the mean of the highest cosines; and `met`, the mean of the highest
    reranker scores. A sign that cannot be measured is left out: `held` without content words, `near` if all cosines are
    0, `met` if no candidate has a score. `order` and `rows` are as in `doubt`."""
    first, signs = order[:TOGETHER], dict[str, Sign]()
    if plan.telling:
        signs["held"] = Sign(share_of_words_met(pool, first, plan, rows), tuple(first.tolist()))
    if (pool.cosine[order] != 0).any():
        signs["near"] = _mean_of_best(pool.cosine, order, rows)
    scored = order[~np.isnan(pool.rerank_score[order])]
    if len(scored):
        signs["met"] = _mean_of_best(pool.rerank_score, scored, rows)
    return signs


def _mean_of_best(scores: NDArray[np.float32], positions: Ints, rows: int) -> Sign:
    """Return as a sign the mean of the highest of the scores at these positions, clipped to 0 to 1, and where they are.

    It is the mean of one score among up to 30 memories (`rows`), of two among up to 315, of three among more, or of all
    scores if they are fewer.
    """
    count = int(np.clip(round(log10(1 + rows)), 1, TOGETHER))
    best = positions[np.argsort(-scores[positions], kind="stable")[:count]]
    return Sign(float(np.clip(scores[best][::-1].mean(), 0, 1)), tuple(best.tolist()))


def _without_foreign_scores(state: State) -> Pool:
    """Return the pool, with all reranker scores missing (NaN) if the reranker is not late interaction."""
    if state.rerank_backend == LATE_INTERACTION:
        return state.pool
    return replace(state.pool, rerank_score=np.full(len(state.pool), np.nan, dtype=np.float32))


def nearness(state: State, position: int) -> float:
    """Return how near the candidate at this pool position is to the query, 0 to 1: 1 less the `doubt` of a ranking that
    has this candidate alone."""
    alone = np.array([position], dtype=np.int64)
    return 1 - doubt(_without_foreign_scores(state), alone, state.plan, state.corpus.rows)


def share_of_words_met(pool: Pool, among: Ints, plan: Plan, rows: int) -> float:
    """Return the share of the query's content words that the candidates `among` contain together; a word weighs log(1 +
    N/(1 + df)) squared.

    `among` are pool positions, `rows` (N) is the number of memories in the namespace. 0 if the query has no content
    words.
    """
    bits = int(np.bitwise_or.reduce(pool.matched[among], initial=np.uint64(0)))
    weights = {i: log(1 + rows / (1 + plan.frequencies[i])) ** 2 for i in plan.telling}
    total = fsum(weights.values())
    return fsum(weight for i, weight in weights.items() if bits >> i & 1) / total if total else 0.0


def _nearest_three(state: State, among: Ints) -> tuple[int, ...]:
    """Return the positions of the three (or fewer) of `among`, pool positions, least doubted alone (`nearness`), best
    first.

    The nearness is not returned: a receipt records positions alone, and whoever shows them computes it again.
    """
    near = {position: nearness(state, position) for position in among.tolist()}
    return tuple(sorted(near, key=lambda position: (-near[position], position))[:NEAREST])


def with_unknown_history(state: State, world: World) -> State:
    """Return the state with `plan.unknown`: the documents that the query names and that begin only after its `as_of`;
    unchanged if there are none, or no `as_of`.

    The graph leg's report, unless the leg is degraded, then names the earliest day from which something is known of one
    of them. Only documents that the caller may see count. The model that reads the context learns it so; to people,
    `operations.graph.states.unknown_entities` tells it, and of more than documents.
    """
    request = state.request
    if request.as_of is None:
        return state
    begins = dict[str, str]()
    for name in dict.fromkeys((*names_in(state.plan.text), *state.plan.entities)):
        memories = _memories_of(name, state, world)
        starts = [each.valid_at or each.created for each in memories]
        if starts and min(starts) > request.as_of:
            begins[name] = min(starts).date().isoformat()
    if not begins:
        return state
    legs = tuple(
        leg.model_copy(update={"reason": f"{NOT_YET}{min(begins.values())}"})
        if leg.name == "graph" and leg.health != "degraded"
        else leg
        for leg in state.legs
    )
    return replace(state, legs=legs, plan=replace(state.plan, unknown=tuple(begins)))


def _memories_of(name: str, state: State, world: World) -> Iterator[Memory]:
    """Yield the sections of the document that has this name or alias, whenever valid, that the caller may know of:
    trusted, in no boundary scope that the caller lacks, and recorded by the request's `as_known_at` (None: no limit).
    """
    nodes = np.array(sorted({node.number for node in world.reader.graph.find([name]) if node.defined}), dtype=np.int64)
    if not len(nodes):
        return
    rows = world.reader.graph.homes(nodes).rows
    columns = world.reader.columns(rows, state.admission)
    visible = columns.trusted & within_scopes(columns.boundary, state.request.granted)
    known = state.request.as_known_at
    for each in world.reader.memories(rows[visible]):
        if known is None or recorded_at(each.memory.id, each.memory.created) <= known:
            yield each.memory


def why_nothing(state: State, world: World) -> str:
    """Return why a recall is empty, in words: nothing is remembered, nothing was known or held at the past instant, no
    memory fits a filter or the time asked for, or none is near (`FAR`)."""
    request, filters, reader = state.request, state.request.filters, world.reader
    if not reader.survey("", names=False).corpus.rows:  # as of today, where a recorded context is written again
        return "nothing is remembered here yet"
    past = request.as_of is not None or request.as_known_at is not None
    known = ms_if_any(request.as_known_at)
    at = Admission(epoch_ms(request.instant), past=past, known=known, granted=request.granted)
    if past and not len(reader.recent(at, 1).rows):
        return f"nothing here {_past_in_words(request)}"
    if filters.limiting and not len(reader.select(filters)):
        return f"no memory has {' and '.join(_filters_in_words(filters))}"
    is_dated = filters.since is not None or filters.until is not None
    if is_dated and not len(reader.recent(replace(at, since=filters.since, until=filters.until), 1).rows):
        return "nothing here is from the time asked for"
    return FAR


def _past_in_words(request: Request) -> str:
    """Return the words that follow `nothing here` in the reason for an empty answer about the past: `is known to have
    held on 2020-01-01`, or `was known on 2021-01-01` (with ` to have held on …` behind it if both instants are given).

    The first date is `as_of`, that after `was known` is `as_known_at`; without either it is `is known to have held`.
    """
    held, known = (f" on {at.date().isoformat()}" if at else "" for at in (request.as_of, request.as_known_at))
    if not known:
        return f"is known to have held{held}"
    return f"was known{known}{f' to have held{held}' if held else ''}"


def _filters_in_words(filters: Filters) -> Iterator[str]:
    """Yield the caller's filters in words, each by itself: a tag (`the tag billing`), all categories together (`the
    category rule or skill`), the agent, the session; nothing for a filter that is not set."""
    yield from (f"the tag {each}" for each in filters.tags)
    if filters.categories:
        yield f"the category {' or '.join(filters.categories)}"
    if filters.agent:
        yield f"the agent {filters.agent}"
    if filters.session_id:
        yield f"the session {filters.session_id}"
