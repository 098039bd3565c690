"""A rescored pool in, what is shown of each candidate out: its terms, ranks, verdict and sentence."""

from collections.abc import Callable, Mapping
from math import fsum, isnan
from types import MappingProxyType

import numpy as np

from pellucid.model import snapshot
from pellucid.model.entity import node_key
from pellucid.model.memory import unpack_id
from pellucid.recall.context.abstain import nearness
from pellucid.recall.legs.nominate import LEGS, base_of
from pellucid.recall.score.equation import Ints, rank, shares_lent
from pellucid.recall.score.fuse import fused
from pellucid.recall.score.ladder import ABSTENTION, ASKED_EDGES, FILTERS, REPEATS, RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.state import Abstention, GraphPath, Pool, State
from pellucid.store.history.history_port import audit_id
from pellucid.store.index_port import Served
from pellucid.xray.align import Aligner
from pellucid.xray.provenance import STALE_AFTER_DAYS, provenance, staleness
from pellucid.xray.whereabouts import cut_in_words, ids_quoting, missing_room, reason_in_full, repeat_reason, rung_of
from pellucid.xray.words.sentence import FOLLOWS, LEFT_OUT, NEWER, SUCCEEDS, sentence, term_key
from pellucid.xray.words.sureness import sureness_of_one

REJECTED_SHOWN = 20
_DAY = 86_400_000
_GraphPath = tuple[tuple[str, ...] | None, tuple[float, ...] | None, tuple[str, ...] | None]
AS_ASKED, COUNTS_AS_WELL = (
    "as the question asks",
    "which counts as well, being direct, where dependencies are asked for",
)
AS_NAMED = "what the question names"
GONE = "what is gone"
"""The name shown for a node on a graph path that no longer has a name."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})
NO_MEMORIES: Mapping[str, Served] = MappingProxyType({})


class CandidateView:
    """Builds what a snapshot shows of the candidates of one recall."""

    def __init__(
        self,
        state: State,
        pool: Pool,
        order: Ints,
        memories: Mapping[str, Served] = NO_MEMORIES,
        stale_after: float = STALE_AFTER_DAYS,
        names: Mapping[str, str] = NO_NAMES,
    ) -> None:
        """Take the rescored candidates: `order` has positions in `pool`, best first. `memories` maps ids to files, if
        they are known, `names` ids of graph nodes to names; `stale_after` is the age in days from which a memory is
        due for verification. The pool of `state` may be one as recorded, without terms.
        """
        self._state = state
        self._memories = memories
        self._names = names
        self._stale_after = stale_after
        self._pool = pool
        self._order = order
        self._words = state.plan.telling or state.plan.searched
        self._key_words = {i: state.plan.words[i] if i < len(state.plan.words) else "" for i in self._words}
        self._position = {unpack_id(raw): position for position, raw in enumerate(pool.ids)}
        self._rerank_ranks = rank(pool.rerank_score, ~np.isnan(pool.rerank_score), pool.created)

    def result(self, memory_id: str, place: int, aligner: Aligner | None = None) -> snapshot.XrayResult:
        """Return the explanation of a candidate as a result; `place` (from 1) is its place in the answer.

        `aligner` matches the memory's words with the query's; without one there are no alignments. If the memory's file
        is not known, path, provenance, staleness and alignments are empty or None. A memory that is no candidate raises
        KeyError; EncoderError is raised if the aligner's model could not be loaded."""
        position, served = self._position[memory_id], self._memories.get(memory_id)
        contributions, reranked = self._contributions(position), self._rerank_detail(position)
        served_by = self._served_by(position)
        request = self._state.request
        scores = self._scores(position)
        flagged_by = rung_of(self._pool.soft, position)
        graph_path = self._graph_path(memory_id)
        older = self._pool.newer_than.get(position)
        return snapshot.XrayResult(
            memory_id=memory_id,
            path=served.path if served else "",
            served_by=served_by,
            score_decomposition=scores,
            graph_path=graph_path[0],
            graph_edge_confidences=graph_path[1],
            graph_edges=graph_path[2],
            audit_entry_id=audit_id(request.recall_id, place),
            admitted_by=tuple(rung.name for rung in self._state.rungs if rung.name != flagged_by),
            rejected_by=flagged_by,
            provenance=provenance(served.memory, request, served_by) if served else None,
            staleness=staleness(served.memory, request.instant, self._stale_after, request.as_known_at)
            if served
            else None,
            contributions=contributions,
            rerank=reranked,
            why=sentence(
                contributions,
                reranked,
                scores,
                self._key_words,
                self._moved_in_words(position),
                self._edges_clause(position),
                self._lender_in_words(position),
            ),
            newer_than=None if older is None else unpack_id(self._pool.ids[older]),
            told=cut_in_words(self._state, memory_id),
            quotes=tuple(quoted for quoted, by in self._state.context.quotes if by == memory_id),
            alignment=aligner.align(served.memory.content) if aligner and served else (),
        )

    def rejected(self, max_count: int = REJECTED_SHOWN) -> tuple[snapshot.RejectedCandidate, ...]:
        """Return the best rejected candidates, at most `max_count`; a repeat of a memory that was itself left out is
        not listed.

        Of a recall that abstained, first its nearest ones that no rung rejected: all of them, even if `max_count` is
        less. Then those cut after the filters, such as by topK or the budget, in the order of the ranking. Last, at
        most half of `max_count` of those that a filter stopped, sorted by score: the ones chosen are those that a leg's
        open search (among memories that may not answer) ranked best, then others.
        """
        pool, doubt = self._pool, self._state.abstention
        nearest = doubt.nearest if doubt and doubt.abstained else ()
        near_misses = [self._near_miss(at, doubt) for at in nearest if not pool.rejected[at]] if doubt else []
        filtered = np.flatnonzero((pool.rejected > 0) & (pool.rejected <= len(FILTERS))).tolist()
        # 999: after every rank, for a candidate that no open arm found
        stopped = sorted(filtered, key=lambda p: (min((r[p] or 999 for r in pool.open_ranks.values()), default=999), p))
        cut = [p for p in self._order.tolist() if pool.rejected[p] and not self._repeats_what_is_left_out(p)]
        room = max(0, max_count - len(near_misses))
        turned_away = sorted(stopped[: min(max_count // 2, room)], key=lambda p: -pool.final[p])
        others = cut[: room - len(turned_away)] + turned_away
        return (*near_misses, *map(self._rejected_candidate, others))

    def _near_miss(self, position: int, doubt: Abstention) -> snapshot.RejectedCandidate:
        """Return a candidate of a recall that abstained; its reason says whether it alone would be sure enough by the
        threshold of `doubt`."""
        return snapshot.RejectedCandidate(
            memory_id=unpack_id(self._pool.ids[position]),
            rejected_by=ABSTENTION,
            reason=sureness_of_one(1 - nearness(self._state, position), doubt.threshold),
            final=float(self._pool.final[position]),
            contributions=self._contributions(position),
        )

    def _rejected_candidate(self, position: int) -> snapshot.RejectedCandidate:
        """Return a candidate that a rung rejected, with the rung, its reason in words, by how much it failed
        (`_margin`) and the least that passes (`_floor`), as far as the rung measures these.
        """
        rung = RUNGS[int(self._pool.rejected[position]) - 1]
        memory_id = unpack_id(self._pool.ids[position])
        served = self._memories.get(memory_id)
        omitted = reason_in_full(self._state, self._pool, position, served and served.memory) or ""
        reasons = {each.name: each.reason for each in FILTERS} | {
            "top-k": "beyond topK",
            REPEATS: repeat_reason(self._state, self._pool, position, served and served.memory, self._result_label)
            or "repeats another memory",
            ASKED_EDGES: self.reason_without_edge(memory_id),
            TELLS_NOTHING: omitted,
            SAID_ALREADY: omitted,
            "budget-fit": "over the budget",
        }
        return snapshot.RejectedCandidate(
            memory_id=memory_id,
            rejected_by=rung,
            reason=reasons[rung],
            margin=self._margin(rung, position),
            floor=self._floor(rung),
            told_under=self._result_of_its_document(position),
            behind=self._terms_apart(position) if rung == "top-k" else {},
            quoted_under=ids_quoting(self._state, memory_id),
            final=float(self._pool.final[position]),
            contributions=self._contributions(position),
        )

    def _terms_apart(self, position: int) -> dict[str, float]:
        """Return the two terms (by field of a score) in which a candidate is most behind the last one within topK, and
        the one in which it is most ahead, with the differences; fewer, if there are fewer.
        """
        own, last = (self._scores(at).model_dump(exclude_none=True) for at in (position, int(self._state.kept[-1])))
        terms = {*own, *last} - {"final", "mmr_penalty"}
        ranked = sorted((own.get(name, 0.0) - last.get(name, 0.0), name) for name in terms)
        apart = [*(each for each in ranked[:2] if each[0] < 0), *(each for each in ranked[-1:] if each[0] > 0)]
        return {name: round(value, 6) for value, name in apart}

    def reason_omitted(self, memory_id: str) -> str | None:
        """Return why the context left a candidate out, as `reason_in_full`; None if it did not, or if the memory did
        not fit the budget. A memory that is no candidate raises KeyError."""
        if missing_room(self._state, memory_id) is not None:
            return None  # as recorded, whose numbers are told in words
        served = self._memories.get(memory_id)
        return reason_in_full(self._state, self._pool, self._position[memory_id], served and served.memory)

    def reason_without_edge(self, memory_id: str) -> str:
        """Say why a section beside what the edges lead to was left out: it is of a document that the question names;
        else that a result, told by its number, stands for its document; else that no edge found leads to it.

        A memory that is no candidate raises KeyError, unless the first of these holds.
        """
        served = self._memories.get(memory_id)
        document_name = served.memory.entity_ref if served else None
        if document_name and node_key(document_name) in self._named_in_question():
            return f"it is of {document_name} itself, and the question asks only for what an edge joins to that"
        if result := self._result_of_its_document(self._position[memory_id]):
            return f"{self._result_label(result)} stands for its document, and the question asks for edges alone"
        return "the question asks for edges alone, and none that was found leads to it"

    def _result_of_its_document(self, position: int) -> str | None:
        """Return the id of the result that stands for a candidate's document: the best in the context of that document
        (or session), as its line can begin with words of this candidate.

        None if there is no such result, if the graph leg answers with nothing (`Plan.answers` is 0), or if the
        candidate is of no document or session.
        """
        document = int(self._pool.session[position])
        if document < 0 or not self._state.plan.answers:
            return None
        included = (
            each for each in self._state.context.included if self._pool.session[self._position[each]] == document
        )
        return next(included, None)

    def _named_in_question(self) -> set[str]:
        """Return the keys (`node_key`) of the things from which the ways through the graph set out, as far as they have
        a name.
        """
        begins = {path.nodes[0] for path in self._state.paths.values() if path.nodes}
        return {node_key(self._names[node]) for node in begins & self._names.keys()}

    def _repeats_what_is_left_out(self, position: int) -> bool:
        """Whether a candidate repeats a recorded memory that is not in the context either."""
        better = self._state.repeats.get(position)
        return better is not None and unpack_id(self._pool.ids[better]) not in self._state.context.included

    def _moved_in_words(self, position: int) -> str:
        """Say above which older memory the term `renewal` moved this one, and why: its document replaces the other's;
        or it is newer, that is from a later day (UTC) and another session, and the older one does not only ask; else it
        follows the other in time. Empty if `renewal` did not move it.
        """
        pool, older = self._pool, self._pool.newer_than.get(position)
        if older is None:
            return ""
        before, after = int(pool.session[older]), int(pool.session[position])
        days = [int(pool.created[at]) // _DAY for at in (older, position)]
        wording = NEWER if days[0] < days[1] and (before != after or before < 0) and not pool.asks[older] else FOLLOWS
        if any((before, after) == (int(pool.session[a]), int(pool.session[b])) for a, b in pool.replaced):
            wording = SUCCEEDS
        raised_above = unpack_id(pool.ids[older])
        label = self._result_label(raised_above)
        return wording.format(older=label if label != raised_above else LEFT_OUT.format(older=label))

    def _edges_clause(self, position: int) -> str:
        """Name the edges that lead to a candidate, if the query asks for edges: `SPEC-030 depends on SPEC-010, as the
        question asks`.

        If the edges are of another type, which counts as well, or none that was asked for leads to it, say so instead.
        Empty if the graph leg answers with nothing or did not reach it; `An edge leads to it` in place of the edges if
        a node on the path has no name now.
        """
        plan, path = self._state.plan, self._state.paths.get(unpack_id(self._pool.ids[position]))
        is_answer, asked = bool(self._pool.answering(plan)[position]), plan.asked
        if not (is_answer or (plan.answers and path)):
            return ""
        has_names = path is not None and set(path.nodes) <= self._names.keys()
        edges = ", ".join(self._edges(path, lambda kind: kind.replace("_", " ").lower())) if path and has_names else ""
        if not is_answer:
            told = f" ({edges})" if edges else ""
            start = (self._names.get(path.nodes[0]) if path else None) or AS_NAMED
            how = f"joined to {start} by an edge that it does not ask for"
            if path and len(path.types) > 1:
                how = f"joined to {start} only by way of others"
                if asked and asked.transitive:
                    how = "not all edges on the way to it are of the kind and direction that it asks for"
            return f"Near what the question asks, but {how}{told}"
        words = edges or "An edge leads to it"
        is_other = path is not None and asked is not None and set(path.types).isdisjoint(asked.types)
        return f"{words}, {COUNTS_AS_WELL if is_other else AS_ASKED}"

    def _lender_in_words(self, position: int) -> str:
        """Name the neighbour that lends a candidate most, that is adds most to its term `expansion`, which passes
        scores on within a session: a result by its number, a left-out one by its id. Empty if none lends anything.
        """
        pool = self._pool
        if "expansion" not in pool.terms or not pool.terms["expansion"][position]:
            return ""
        lent = shares_lent(position, fused(pool), pool.session, pool.ordinal, pool.place)
        if lent.max() <= 0:
            return ""
        best = int(lent.argmax())
        label = self._result_label(lender := unpack_id(pool.ids[best]))
        if label != lender:
            return label
        one = (
            "its own repeat, which was left out" if self._state.repeats.get(best) == position else "one left out itself"
        )
        return f"{one}: {lender}"

    def _result_label(self, memory_id: str) -> str:
        """Return the number of a result as `[2]`; the id of any other memory."""
        results = self._state.context.included
        return f"[{results.index(memory_id) + 1}]" if memory_id in results else memory_id

    def _floor(self, rung: str) -> float | None:
        """Return the least value that passes a filter that measures (`token-overlap`, `score-floor`), by the recall's
        settings; None for other rungs.
        """
        floor = next((each.floor for each in FILTERS if each.name == rung), None)
        return floor(self._state.request.settings) if floor else None

    def _margin(self, rung: str, position: int) -> float | None:
        """Return by how much a candidate missed a rung: in the filter's unit for `token-overlap` (share of the query's
        words) and `score-floor` (cosine), in score below the last one kept for `top-k`, in characters for `budget-fit`.
        None for other rungs, and if the budget's is not recorded.
        """
        measured = {each.name: each.margin for each in FILTERS}.get(rung)
        if measured:
            return float(measured(self._state, self._pool)[position])
        if rung == "top-k":
            return float(self._pool.final[self._state.kept[-1]] - self._pool.final[position])
        if rung == "budget-fit":
            return missing_room(self._state, unpack_id(self._pool.ids[position]))
        return None

    def _scores(self, position: int) -> snapshot.ScoreDecomposition:
        """Return the final score, the penalty (None if it is 0) and terms: of legs, those that found the candidate, of
        others, those that are not 0. The terms of the legs asked with sub-questions are added up as `sub_queries`.
        """
        ranks = self._pool.ranks
        values = {name: float(term[position]) for name, term in self._pool.terms.items()}
        at_work = {name: value for name, value in values.items() if (ranks[name][position] if name in ranks else value)}
        shares = {term_key(name): value for name, value in at_work.items()}
        further = [shares.pop(name) for name in tuple(shares) if "@" in name]
        present = shares | ({"sub_queries": fsum(further)} if further else {})
        penalty = float(self._pool.penalty[position])
        return snapshot.ScoreDecomposition(
            **present, mmr_penalty=penalty or None, final=float(self._pool.final[position])
        )

    def _contributions(self, position: int) -> tuple[snapshot.LegContribution, ...]:
        """Return for each leg that found a candidate: rank, raw score, term, and the key words that `lexical` matched.
        If a leg found it only in its open search, among memories that may not answer, it has its rank there and the
        term 0.
        """
        pool, out = self._pool, list[snapshot.LegContribution]()
        for leg, ranks in pool.ranks.items():
            place = int(ranks[position]) or int(pool.open_ranks[leg][position])
            if place:
                term = float(pool.terms[leg][position]) if ranks[position] else 0.0
                matched_words = int(pool.matched[position]) if leg == "lexical" else 0
                matches = tuple(i for i in self._words if matched_words >> i & 1)
                raw, kind = float(pool.scores[leg][position]), LEGS[base_of(leg)].score_type
                out.append(
                    snapshot.LegContribution(
                        leg=leg, rank=place, raw_score=raw, score_type=kind, matches=matches, term=term
                    )
                )
        return tuple(out)

    def _graph_path(self, memory_id: str) -> _GraphPath:
        """Return how the graph leg reached a memory: the names of the nodes (`GONE` for one without a name), the edges'
        confidences, and the edges as text, `A TYPE B`. All three are None if the leg did not reach the memory.
        """
        path = self._state.paths.get(memory_id)
        if path is None:
            return None, None, None
        return self._node_names(path), path.confidences, self._edges(path)

    def _node_names(self, path: GraphPath) -> tuple[str, ...]:
        """Return the names of the nodes of a path; `GONE` for a node without a name."""
        return tuple(self._names.get(node, GONE) for node in path.nodes)

    def _edges(self, path: GraphPath, spell: Callable[[str], str] = str) -> tuple[str, ...]:
        """Return the edges of a path as texts such as `SPEC-030 DEPENDS_ON SPEC-010`, each in its own direction,
        whichever way it was followed.

        `spell` is given the type of each edge (`DEPENDS_ON`) and returns the words for it.
        """
        names = self._node_names(path)
        steps = zip(names[:-1], names[1:], map(spell, path.types), path.forward, strict=True)
        return tuple(f"{here} {kind} {there}" if out else f"{there} {kind} {here}" for here, there, kind, out in steps)

    def _rerank_detail(self, position: int) -> snapshot.RerankDetail | None:
        """Return the reranker's rank, score and term for a candidate; None if the reranker did not score it."""
        score = float(self._pool.rerank_score[position])
        if isnan(score):
            return None
        term = float(self._pool.terms["rerank"][position]) if "rerank" in self._pool.terms else 0.0
        place = int(self._rerank_ranks[position])
        return snapshot.RerankDetail(backend=self._state.rerank_backend, rank=place, raw_score=score, term=term)

    def _served_by(self, position: int) -> snapshot.ServedBy:
        """Say what served a candidate: `direct-answer` if it is one, else the name for the only leg that found it,
        `hybrid` if several legs did, `episode` if none did, since neighbours brought it in.
        """
        if "direct" in self._pool.terms and self._pool.terms["direct"][position]:
            return "direct-answer"
        legs = {base_of(leg) for leg, ranks in self._pool.ranks.items() if ranks[position]}
        if not legs:
            return "episode"
        return LEGS[legs.pop()].served_by if len(legs) == 1 else "hybrid"
