"""A rescored pool in, what is shown of each candidate out: its terms, places, verdict and sentence."""

from collections.abc import Mapping
from math import fsum, isnan
from types import MappingProxyType

import numpy as np
from pydantic.alias_generators import to_snake

from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import (
    LegContribution,
    RejectedCandidate,
    RerankDetail,
    ScoreDecomposition,
    ServedBy,
    XrayResult,
)
from pellucid.recall.context.abstain import nearness
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.score.equation import Ints, rank
from pellucid.recall.score.ladder import ASKED_EDGES, FILTERS, REPEATS, RUNGS
from pellucid.recall.state import Abstention, Pool, State
from pellucid.store.history.history_port import audit_id
from pellucid.store.index_port import Served
from pellucid.xray.align import Aligner
from pellucid.xray.provenance import STALE_AFTER_DAYS, provenance, staleness
from pellucid.xray.why.finding import ABSTENTION
from pellucid.xray.why.whereabouts import cut_in_words, rung_of
from pellucid.xray.words.sentence import sentence

_OTHERWISE = {"reinforcement": "reinforcement_boost"}
"""Terms that a score calls otherwise."""
REJECTED_SHOWN = 20
_Walked = tuple[tuple[str, ...] | None, tuple[float, ...] | None, tuple[str, ...] | None]
GONE = "what is gone"
"""What a thing on a way is called that nothing speaks of any more."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def term_key(name: str) -> str:
    """What a score calls a term of the sum."""
    return LEGS[name].key if name in LEGS else _OTHERWISE.get(name, to_snake(name))


class Shown:
    """What is shown of each candidate of one recall."""

    def __init__(
        self,
        state: State,
        pool: Pool,
        order: Ints,
        stale_after: float = STALE_AFTER_DAYS,
        names: Mapping[str, str] = NO_NAMES,
    ) -> None:
        self._state = state
        self._names = names
        self._stale_after = stale_after
        self._pool = pool
        self._order = order
        self._words = state.plan.telling or state.plan.searched
        self._position = {unpack_id(raw): position for position, raw in enumerate(pool.ids)}
        self._rerank_places = rank(pool.rerank_score, ~np.isnan(pool.rerank_score), pool.created)

    def result(self, memory_id: str, place: int, served: Served | None, aligner: Aligner | None = None) -> XrayResult:
        """The memory at `place` of the ranking with all that put it there; `served` is its file, None where it is gone.

        `aligner` matches its words with the query's; without one there are no alignments.
        """
        position = self._position[memory_id]
        contributions, reranked = self._contributions(position), self._rerank_detail(position)
        served_by = self._served_by(position)
        request = self._state.request
        scores = self._scores(position)
        softly = rung_of(self._pool.soft, position)
        walked = self._graph_path(memory_id)
        older = self._newer_than(position)
        return XrayResult(
            memory_id=memory_id,
            path=served.path if served else "",
            served_by=served_by,
            score_decomposition=scores,
            graph_path=walked[0],
            graph_edge_confidences=walked[1],
            graph_edges=walked[2],
            audit_entry_id=audit_id(request.recall_id, place),
            admitted_by=tuple(rung.name for rung in self._state.rungs if rung.name != softly),
            rejected_by=softly,
            provenance=provenance(served.memory, request, served_by) if served else None,
            staleness=staleness(served.memory, request.instant, self._stale_after, request.as_known_at)
            if served
            else None,
            contributions=contributions,
            rerank=reranked,
            why=sentence(contributions, reranked, scores, len(self._words), self._numbered(older)),
            newer_than=older or None,
            told=cut_in_words(self._state, memory_id),
            alignment=aligner.align(served.memory.content) if aligner and served else (),
        )

    def rejected(self, most: int = REJECTED_SHOWN) -> tuple[RejectedCandidate, ...]:
        """The best of those turned away, so many at most.

        First what a filter stopped, by open place, then what was cut, by score. Of a recall that gave no answer, the
        nearest come before both.
        """
        pool, doubt = self._pool, self._state.abstention
        short = doubt.nearest if doubt and doubt.abstained else ()
        near = [self._near_miss(at, doubt) for at in short if not pool.rejected[at]] if doubt else []
        filtered = np.flatnonzero((pool.rejected > 0) & (pool.rejected <= len(FILTERS))).tolist()
        stopped = sorted(filtered, key=lambda p: (min((r[p] or 999 for r in pool.open_ranks.values()), default=999), p))
        cut = [p for p in self._order.tolist() if pool.rejected[p]]
        named = (stopped[: most // 2] + cut)[: max(0, most - len(near))]
        return (*near, *map(self._rejected_candidate, named))

    def _near_miss(self, position: int, doubt: Abstention) -> RejectedCandidate:
        """A candidate nearest to a question that nothing answers: how near, of what an answer takes, and by what."""
        near, line, scores = nearness(self._state, position), 1 - doubt.threshold, self._scores(position)
        contributions = self._contributions(position)
        older = self._numbered(self._newer_than(position))
        found = sentence(contributions, self._rerank_detail(position), scores, len(self._words), older)
        return RejectedCandidate(
            memory_id=unpack_id(self._pool.ids[position]),
            rejected_by=ABSTENTION,
            reason=f"near by {near:.2f} by itself, where an answer takes {line:.2f}; {found[0].lower()}{found[1:-1]}",
            final=scores.final,
            contributions=contributions,
        )

    def _rejected_candidate(self, position: int) -> RejectedCandidate:
        """A candidate that a filter or a cut stopped, with the reason in words and by how little."""
        rung = RUNGS[int(self._pool.rejected[position]) - 1]
        reasons = {each.name: each.reason for each in FILTERS} | {
            "top-k": "beyond topK",
            REPEATS: self._reason_for_repeat(position),
            ASKED_EDGES: "no edge asked for leads to it",
            "budget-fit": "over the budget",
        }
        return RejectedCandidate(
            memory_id=unpack_id(self._pool.ids[position]),
            rejected_by=rung,
            reason=reasons[rung],
            margin=self._margin_at(rung, position),
            final=float(self._pool.final[position]),
            contributions=self._contributions(position),
        )

    def _reason_for_repeat(self, position: int) -> str:
        """Which better memory says what it does: by that one's number if it is a result, else by its id."""
        better = self._state.repeats.get(position)
        if better is None:
            return "another stands for it"
        said_by = unpack_id(self._pool.ids[better])
        number = self._numbered(said_by)
        return f"what is not shown stands for it: {said_by}" if number == said_by else f"{number} stands for it"

    def _newer_than(self, position: int) -> str:
        """The id of the older memory whose place it took; empty where it took none's."""
        older = self._pool.newer_than.get(position)
        return "" if older is None else unpack_id(self._pool.ids[older])

    def _numbered(self, memory_id: str) -> str:
        """The number of a result, else the id."""
        there = self._state.context.included
        return f"[{there.index(memory_id) + 1}]" if memory_id in there else memory_id

    def _margin_at(self, rung: str, position: int) -> float | None:
        """How much a candidate missed a rung by, in that rung's unit; None where the rung asks yes or no."""
        measured = {each.name: each.margin for each in FILTERS}.get(rung)
        if measured:
            return float(measured(self._state, self._pool)[position])
        if rung == "top-k":
            return float(self._pool.final[self._state.kept[-1]] - self._pool.final[position])
        return None

    def _scores(self, position: int) -> ScoreDecomposition:
        """Its terms, those at work only, and their sum; the legs of sub-questions are added up as `subQueries`."""
        ranks = self._pool.ranks
        values = {name: float(term[position]) for name, term in self._pool.terms.items()}
        at_work = {name: value for name, value in values.items() if (ranks[name][position] if name in ranks else value)}
        shares = {term_key(name): value for name, value in at_work.items()}
        further = [shares.pop(name) for name in tuple(shares) if "@" in name]
        present = shares | ({"sub_queries": fsum(further)} if further else {})
        penalty = float(self._pool.penalty[position])
        return ScoreDecomposition(**present, mmr_penalty=penalty or None, final=float(self._pool.final[position]))

    def _contributions(self, position: int) -> tuple[LegContribution, ...]:
        """What each leg that found it gave: place, raw score and term; from the open arm the term is 0."""
        pool, out = self._pool, list[LegContribution]()
        for leg, ranks in pool.ranks.items():
            place = int(ranks[position]) or int(pool.open_ranks[leg][position])
            if place:
                term = float(pool.terms[leg][position]) if ranks[position] else 0.0
                matches = self._matched_words(position) if leg == "lexical" else ()
                out.append(
                    LegContribution(
                        leg=leg,
                        rank=place,
                        raw_score=float(pool.scores[leg][position]),
                        score_type=LEGS[base_of(leg)].score_type,
                        matches=matches,
                        term=term,
                    )
                )
        return tuple(out)

    def _graph_path(self, memory_id: str) -> _Walked:
        """How the graph leg came to a memory: nodes, confidences, and edges in words; None each if it did not."""
        path = self._state.paths.get(memory_id)
        if path is None:
            return None, None, None
        names = tuple(self._names.get(node, GONE) for node in path.nodes)
        steps = zip(names[:-1], names[1:], path.types, path.forward, strict=True)
        edges = (f"{here} {kind} {there}" if out else f"{there} {kind} {here}" for here, there, kind, out in steps)
        return names, path.confidences, tuple(edges)

    def _matched_words(self, position: int) -> tuple[int, ...]:
        """Which of the query's words a candidate holds, by their numbers in the plan."""
        bits = int(self._pool.matched[position])
        return tuple(i for i in self._words if bits >> i & 1)

    def _rerank_detail(self, position: int) -> RerankDetail | None:
        """Its place and score by the reranker; None where that did not score it."""
        score = float(self._pool.rerank_score[position])
        if isnan(score):
            return None
        term = float(self._pool.terms["rerank"][position]) if "rerank" in self._pool.terms else 0.0
        place = int(self._rerank_places[position])
        return RerankDetail(backend=self._state.rerank_backend, rank=place, raw_score=score, term=term)

    def _served_by(self, position: int) -> ServedBy:
        """What it is served by: a direct answer, the one leg that found it, `hybrid` if several, `episode` if none."""
        if "direct" in self._pool.terms and self._pool.terms["direct"][position]:
            return "direct-answer"
        legs = {base_of(leg) for leg, ranks in self._pool.ranks.items() if ranks[position]}
        if not legs:
            return "episode"
        return LEGS[legs.pop()].served_by if len(legs) == 1 else "hybrid"
