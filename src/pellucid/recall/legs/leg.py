"""What a leg found in, its name, health and hits out: the shape that every nominating leg has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from pellucid.recall.state import LegReport, Plan, State, Way, World
from pellucid.store.index_port import LegHits

_NO_ROWS, _NO_SCORES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
NO_HITS = LegHits(_NO_ROWS, _NO_SCORES, _NO_ROWS, _NO_SCORES)
Asked = tuple[LegReport, LegHits]


@dataclass(frozen=True, slots=True)
class GraphHits(LegHits):
    """What the graph leg found, and how."""

    ways: Mapping[str, Way] = field(default_factory=dict[str, Way])
    """By the id of a memory of the admitted arm."""
    answers: int = 0
    """How many of the first of that arm stand on edges that the query asks for."""
    beside: tuple[int, ...] = ()
    """Indices of the stems by which the query asks for a part of what these edges lead to."""
    only: bool = False
    """Nothing but what these edges lead to is asked for."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One nominating retriever: its name (also that of its weight), what its raw score measures, and how to ask it."""

    name: str
    score_type: str
    ask: Callable[[State, Plan, World], Asked]
    searches: bool = True
    """Whether it searches for the query's words or meaning: if none of these finds anything, the newest are asked."""


def report(name: str, hits: LegHits, problem: str = "", note: str = "") -> LegReport:
    """How a leg did that was asked: `degraded` with its problem, `ok`, or `empty`."""
    health = "degraded" if problem else "ok" if len(hits.rows) else "empty"
    return LegReport(name, health, problem or note, len(hits.rows), len(hits.open_rows))
