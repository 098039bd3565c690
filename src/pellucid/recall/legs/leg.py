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
"""How a leg did that was asked, and what it found."""


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
    unknown: tuple[str, ...] = ()
    """Names in the query that its report says something is not known of."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One nominating retriever, with all that is to be known of it anywhere."""

    name: str
    score_type: str
    """What its raw score measures."""
    ask: Callable[[State, Plan, World], LegAnswer]
    found: str
    """How it finds something: `by meaning`."""
    part: str
    """What its term is called where it is the largest part of a score: `its meaning`."""
    weight: float | None = None
    """What first place is worth, where that is no setting; None: `LegWeights` has one of its name."""
    term: str = ""
    """What a score calls its term, if not by its name."""
    served_by: ServedBy = "hybrid"
    """What a memory was served by that no other leg nominated."""
    searches: bool = False
    """It searches for the query's words or meaning: if no such leg finds anything, the newest are asked."""
    by_context: bool = False
    """It nominates by what a memory hangs together with: its words need not be the query's."""
    lends: bool = True
    """What it finds speaks for what stands beside that, too."""

    @property
    def key(self) -> str:
        """The name of its term in a score."""
        return self.term or self.name

    def weighs(self, settings: RecallSettings) -> float:
        """What first place is worth by the settings, whatever the query; 0 switches it off."""
        return getattr(settings.leg_weights, self.name) if self.weight is None else self.weight


@dataclass(frozen=True, slots=True)
class AskedLeg:
    """A leg as one recall asks it: under the name it has there, for the query or for a sub-question."""

    name: str
    leg: Leg
    plan: Plan


def report(name: str, hits: LegHits, problem: str = "", note: str = "") -> LegReport:
    """How a leg did that was asked: `degraded` with its problem, `ok`, or `empty`."""
    health = "degraded" if problem else "ok" if len(hits.rows) else "empty"
    return LegReport(name, health, problem or note, len(hits.rows), len(hits.open_rows))
