"""What a leg found in, its name, health and hits out: the shape that every nominating leg has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from pellucid.model.snapshot import ServedBy
from pellucid.recall.state import LegReport, Plan, State, Way, World
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import LegHits

_NO_ROWS, _NO_SCORES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
NO_HITS = LegHits(_NO_ROWS, _NO_SCORES, _NO_ROWS, _NO_SCORES)
LegAnswer = tuple[LegReport, LegHits]
"""The report of a leg, and what it found."""


@dataclass(frozen=True, slots=True)
class GraphHits(LegHits):
    """What the graph leg found, and how it reached each memory."""

    ways: Mapping[str, Way] = field(default_factory=dict[str, Way])
    """By the id of a memory of the admitted arm."""
    answers: int = 0
    """How many of the first of that arm stand on edges that the query asks for."""
    beside: tuple[int, ...] = ()
    """Indices of the stems by which the query asks for a part of what these edges lead to."""
    only: bool = False
    """Nothing but what these edges lead to is asked for."""
    unknown: tuple[str, ...] = ()
    """Names in the query that its report says something is not known of."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One retriever that nominates candidates, with everything that stages and explanations need to know of it."""

    name: str
    score_type: str
    """What its raw score measures."""
    ask: Callable[[State, Plan, World], LegAnswer]
    found: str
    """How it finds memories, in words: `by meaning`."""
    part: str
    """What an explanation calls its share of a score: `its meaning`."""
    weight: float | None = None
    """Its weight, where that is no setting; None: the setting in `LegWeights` of its name."""
    term: str = ""
    """The name of its term in a score, if not its own."""
    served_by: ServedBy = "hybrid"
    """The label of memories that it alone nominated."""
    searches: bool = False
    """It searches for the query's words or meaning: if no such leg finds anything, the newest are asked."""
    by_context: bool = False
    """It nominates by what a memory hangs together with: its words need not be the query's."""
    lends: bool = True
    """Neighbours of what it finds gain from its term, too."""

    @property
    def key(self) -> str:
        """The name of its term in a score."""
        return self.term or self.name

    def weighs(self, settings: RecallSettings) -> float:
        """The weight of the leg by the settings (its term at rank 1), whatever the query; 0 switches it off."""
        return getattr(settings.leg_weights, self.name) if self.weight is None else self.weight


@dataclass(frozen=True, slots=True)
class AskedLeg:
    """A leg as one recall asks it: for the query, or, as `vector@2`, for a sub-question."""

    name: str
    leg: Leg
    plan: Plan


def report(name: str, hits: LegHits, problem: str = "", note: str = "") -> LegReport:
    """The report of a leg that was asked: `degraded` if there is a problem, else `ok` or `empty`, with the note."""
    health = "degraded" if problem else "ok" if len(hits.rows) else "empty"
    return LegReport(name, health, problem or note, len(hits.rows), len(hits.open_rows))
