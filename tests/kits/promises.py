"""A home and a question in, whether every promise of a recall and its explanation holds out."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import Any

from kits.sentences import untrue
from kits.vault import (
    ELSEWHERE,
    HERE,
    file_memories,
    may_answer,
    open_home,
    queries,
    salad_memories,
    take_verbatim,
)
from pellucid.app import App
from pellucid.encoders.port import Embedder
from pellucid.model.memory import BOUNDARY_SCOPES, unpack_id
from pellucid.model.snapshot import RecallXraySnapshot, XrayResult
from pellucid.operations.recall.recalling import build_snapshot
from pellucid.operations.recall.request import RecallInput, build_request, removable_parts
from pellucid.operations.recall.why import WhyInput, why
from pellucid.recall.ablate import NotComputableError, ablate
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.ladder import FILTERS, RUNGS
from pellucid.recall.state import Request, State
from pellucid.settings.sections import LegWeights
from pellucid.store.index_port import Filters

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"mmr_lambda": 0.5, "mmr_threshold": 0.3},
    {"leg_weights": LegWeights(temporal=0.5)},
    {"expand_from": 0},
    {"pool": 8, "expand_from": 3},
    {"min_token_overlap": 0.3, "min_fact_score": 0.1},
    {"max_iterations": 2, "sufficiency_threshold": 0.9},
    {"direct_answer": False, "renewal_weight": 0.0},
    {"score_propagation_alpha": 0.0},
    {"rrf_k": 60},
    {"top_k_facts": 3},
    {"char_budget": 700},
)
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"scopes": BOUNDARY_SCOPES},
    {"scopes": BOUNDARY_SCOPES[:1]},
    {"filters": Filters(categories=("fact", "decision"))},
    {"filters": Filters(since=1_770_000_000_000)},
    {"review": ("config/cache.toml",)},
)


@dataclass
class Promises:
    """Asks, checks and counts. A promise that does not hold is kept with the question that broke it."""

    app: App
    rng: random.Random
    held: Counter[str] = field(default_factory=Counter[str])
    broken: list[str] = field(default_factory=list[str])
    recalls: int = 0
    last: Request = field(init=False)

    def ask(self, query: str) -> None:
        """One question with settings and a caller drawn at random, and everything that must hold of its recall."""
        asked = build_request(self.app, RecallInput(query=query, namespace=HERE))
        settings = asked.settings.model_copy(update=self.rng.choice(VARIANTS))
        request = replace(asked, settings=settings, **self.rng.choice(ASKED))
        self.last = request
        state = self._run(request)
        self._pointwise(request, state)
        again = self._run(request)
        self._see("determinism", query, _told(again) == _told(state))
        wide = settings.model_copy(update={"top_k_facts": settings.top_k_facts + 7, "char_budget": 1 << 30})
        more = self._run(replace(request, settings=wide))
        self._see(
            "limit stability",
            query,
            _order(more) == _order(state) and _served(more)[: len(_served(state))] == _served(state),
        )
        self._ablation(request, state)

    def why(self, query: str, memory_id: str) -> None:
        """Why one memory did or did not come, and whether the change that is offered does what it says."""
        asked = RecallInput(query=query, namespace=HERE, top_k=self.rng.choice((1, 3, 12)))
        finding = why(self.app, WhyInput(namespace=HERE, memory=memory_id, question=asked)).finding
        if finding is None:
            return
        self.recalls += finding.recalls
        state = self._run(build_request(self.app, asked))
        there = memory_id in state.context.included
        self._see("why tells a hit from a miss", query, there == (finding.verdict == "hit"))
        self._see("why names what lost a miss", query, there or bool(finding.stage))
        change = finding.change
        if change and change.verified and change.kind in ("top-k", "budget"):
            name = {"top-k": "top_k", "budget": "budget"}[change.kind]
            with_it = self._run(build_request(self.app, asked.model_copy(update={name: int(change.to)})))
            self._see("why's change admits it", query, memory_id in with_it.context.included)

    def _run(self, request: Request) -> State:
        self.recalls += 1
        return self.app.recaller.run(request)

    def _see(self, promise: str, query: str, holds: bool) -> None:
        self.held[promise] += holds
        if not holds:
            self.broken.append(f"{promise}: {query!r}")

    def _pointwise(self, request: Request, state: State) -> None:
        query, pool = request.query, state.pool
        terms = [term.tolist() for term in pool.terms.values()]
        sums = [fsum(row) for row in zip(*terms, strict=True)] if terms else [0.0] * len(pool)
        finals = [base - penalty for base, penalty in zip(sums, pool.penalty.tolist(), strict=True)]
        self._see("terms sum to the score", query, finals == pool.final.tolist())
        chained = all(above.admitted == below.considered for above, below in pairwise(state.rungs))
        first = not state.rungs or state.rungs[0].considered == len(pool)
        counted = all(
            int((pool.rejected == 1 + RUNGS.index(rung.name)).sum()) == rung.considered - rung.admitted
            for rung in state.rungs
            if rung.name in RUNGS  # an abstention's own is none of a candidate
        )
        self._see("rungs chain and count", query, chained and first and counted)
        climbed = {unpack_id(raw) for raw in pool.ids[(pool.rejected == 0) | (pool.rejected > len(FILTERS))]}
        self._see("no id after the ladder", query, {*_served(state), *state.context.included} <= climbed)
        rightful = all(
            may_answer(each.memory, request.scopes) and each.memory.namespace == HERE for each in state.served
        )
        self._see("only what may answer answers", query, rightful)
        self._see("the budget holds", query, len(state.context.text) <= request.settings.char_budget)
        receipt = unpack(pack(state))
        again, order = rescore(receipt.state)
        same = again.final.tobytes() == pool.final.tobytes() and order.tolist() == state.order.tolist()
        self._see("replay is identical", query, same)
        snapshot = build_snapshot(self.app, receipt, state.served)
        words = {i: state.plan.words[i] for i in state.plan.telling or state.plan.searched}
        made = {each.memory.id: each.memory.created for each in self.app.index.memories(HERE)}
        lies = [
            untrue(
                each.why,
                each.contributions,
                each.rerank,
                each.score_decomposition,
                words,
                _older(each, snapshot),
                (made[each.newer_than], made[each.memory_id]) if each.newer_than else None,
            )
            for each in snapshot.results
        ]
        self._see("sentences are true", query, not any(lies))

    def _ablation(self, request: Request, state: State) -> None:
        roomy = replace(request, settings=request.settings.model_copy(update={"char_budget": 1 << 30}))
        part = self.rng.choice(removable_parts())
        try:
            told = ablate(unpack(pack(self._run(roomy))).state, (part,))
        except NotComputableError:
            self.held["ablation says that it cannot tell"] += 1
            return
        live = self._run(replace(roomy, without=frozenset((part,))))
        self._see("receipt ablation is live ablation", f"{request.query} without {part}", _told(told) == _told(live))


def _told(state: State) -> tuple[Any, ...]:
    pool = state.pool
    rejected = [number if number <= len(FILTERS) else 0 for number in pool.rejected.tolist()]
    return pool.ids.tolist(), state.order.tolist(), pool.final.tobytes(), rejected


def _older(result: XrayResult, snapshot: RecallXraySnapshot) -> str:
    """What the sentence must call the memory whose place a result took: its number, else its id."""
    places = {each.memory_id: f"[{at}]" for at, each in enumerate(snapshot.results, start=1)}
    return places.get(result.newer_than or "") or f"a memory that was itself left out ({result.newer_than})"


def _order(state: State) -> list[bytes]:
    return [state.pool.ids[at] for at in state.order.tolist()]


def _served(state: State) -> list[str]:
    return [each.memory.id for each in state.served]


def open_vault(folder: Path, encoder: Embedder, number: int) -> tuple[App, list[str]]:
    """A vault of its own with memories in every state and a conversation, and a dozen questions about it."""
    rng = random.Random(number)
    app = open_home(folder / f"vault-{number}", encoder)
    file_memories(app, salad_memories(rng, rng.randint(20, 120)))
    file_memories(app, salad_memories(rng, 15, ELSEWHERE))
    take_verbatim(app, rng, "harbour-talk", rng.randint(3, 40))
    said = [each.memory.content for each in app.index.memories(HERE)]
    return app, queries(rng, said, 12)


def of_every_vault(
    open_one: Callable[[int], tuple[App, list[str]]], recalls: int, seed: int
) -> tuple[Counter[str], list[str], int]:
    """Ask vault after vault until so many recalls were made; what held how often, what broke, how many there were."""
    held, broken, made, number = Counter[str](), list[str](), 0, 0
    while made < recalls:
        app, queries = open_one(number)
        promises = Promises(app, random.Random(seed + number))
        for query in queries:
            promises.ask(query)
        memories = [each.memory.id for each in app.index.memories(HERE)]
        for query in queries[:3]:
            promises.why(query, promises.rng.choice(memories))
        app.close()
        held, broken, made, number = held + promises.held, broken + promises.broken, made + promises.recalls, number + 1
    return held, broken, made
