"""Hits of a leg in, its name, health and hits out: the shape that every nominating leg has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from pellucid.model.snapshot import Health, LegHealth, ServedBy
from pellucid.recall.state import Plan, State, Way, World
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import LegHits

_NO_ROWS, _NO_SCORES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
NO_HITS = LegHits(_NO_ROWS, _NO_SCORES, _NO_ROWS, _NO_SCORES)
LegAnswer = tuple[LegHealth, LegHits]
"""The report of a leg, and its hits."""


@dataclass(frozen=True, slots=True)
class GraphHits(LegHits):
    """The hits of the graph leg, and how it reached each memory."""

    ways: Mapping[str, Way] = field(default_factory=dict[str, Way])
    """Maps the ids of the admitted hits to their ways through the graph."""
    answers: int = 0
    """How many of the first admitted hits are on edges that the query asks for; if it asks for none, how many are leads
    of documents that alone are asked for, by name."""
    beside: tuple[int, ...] = ()
    """Indices of the stems by which the query asks for a part of what these edges lead to."""
    only_edges: bool = False
    """Whether the query asks for nothing but what these edges lead to."""
    unknown: tuple[str, ...] = ()
    """Names in the query that the leg's report calls unknown, or lacking the edges asked for."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One retriever that nominates candidates, with everything that stages and explanations need to know of it."""

    name: str
    score_type: str
    """What its raw score measures: `cosine`."""
    ask: Callable[[State, Plan, World], LegAnswer]
    found: str
    """How it finds memories, in words: `by meaning`."""
    weight: float | None = None
    """Its weight, if that is not a setting; None for the setting of its name in `LegWeights`."""
    term: str = ""
    """The name of its term in a score, also in JSON; empty if that is the leg's name. Texts call the leg what `found`
    says: the leg `lexical` has the term `bm25` and is `by words` there."""
    served_by: ServedBy = "hybrid"
    """The label of memories that this leg alone nominated."""
    searches: bool = False
    """Whether it searches for the query's words or meaning: if no such leg finds anything, the newest are asked for."""
    by_context: bool = False
    """Whether it nominates by what a memory is connected to: the memory need not have words of the query."""
    lends: bool = True
    """Whether the neighbours of its hits gain from its term."""

    @property
    def key(self) -> str:
        """Return the name of the leg's term in a score: its `term`, or its own name if that is empty."""
        return self.term or self.name

    def weight_by(self, settings: RecallSettings) -> float:
        """Return the weight of the leg by the settings (its term at rank 1), whatever the query; 0 switches it off."""
        return getattr(settings.leg_weights, self.name) if self.weight is None else self.weight


@dataclass(frozen=True, slots=True)
class AskedLeg:
    """A leg as one recall asks it: for the query, or, as `vector@2`, for a sub-question."""

    name: str
    leg: Leg
    plan: Plan


def report(name: str, hits: LegHits, problem: str = "", note: str = "") -> LegHealth:
    """Return the report of an asked leg: `degraded` if there is a `problem`, else `ok`, or `empty` if no admitted row
    is among its hits. The reason in it is the problem, else the note."""
    health = "degraded" if problem else "ok" if len(hits.rows) else "empty"
    admitted, opened = len(hits.rows), len(hits.open_rows)
    return LegHealth(name=name, health=health, reason=problem or note or None, admitted=admitted, open=opened)


def empty_report(name: str, health: Health, reason: str = "") -> LegHealth:
    """Return the report of a leg that found nothing, was down or was not asked; `reason` says why, if not empty."""
    return LegHealth(name=name, health=health, reason=reason or None, admitted=0, open=0)
