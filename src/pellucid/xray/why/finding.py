"""The records of a finding about a memory and a question, which every surface shows."""

from typing import Literal

from pellucid.model.snapshot import Health, ScoreDecomposition
from pellucid.model.wire import Wire

Verdict = Literal["hit", "miss"]
ChangeKind = Literal[
    "gate",
    "abstention",
    "passes",
    "top-k",
    "budget",
    "scope",
    "filter",
    "period",
    "leg",
    "pool",
    "floor",
    "state",
    "weight",
    "repair",
    "now",
]
NOT_KNOWN = "not-known-yet"
GATE, DEGRADED, LEG_OFF, NOT_NOMINATED = "gate", "leg-degraded", "leg-off", "not-nominated"
REMOVED = "context-pass"
"""Stages that can lose a memory beside the rungs (`recall.score.ladder`), which have their own names."""


class WhyLeg(Wire):
    """What one leg makes of the memory. `rank` is exact, over the whole corpus, in the order in which it nominates. A
    memory that may not answer as it stands is given the rank it would have if it might.
    """

    leg: str
    health: Health
    reason: str | None = None
    nominated: bool
    """Whether the leg brought it, as something that may answer."""
    rank: int | None = None
    raw_score: float | None = None
    score_type: str
    last_score: float | None = None
    """The raw score of the last one nominated."""
    pool: int
    """How many the leg nominates at most."""
    unranked: str | None = None
    """Why there is no rank: the leg is down, the memory has no vector, or none of the words."""


class WhyMargin(Wire):
    """How far the memory is from the line that decided: below it by `missing`, or above it by `spare`, in `unit`."""

    unit: Literal["score", "characters", "share of the query's words", "cosine", "places"]
    missing: float | None = None
    spare: float | None = None


class WhyChange(Wire):
    """A single change, and what came of it when the recall was run again with it; nothing was written."""

    kind: ChangeKind
    setting: str
    """What is changed: a setting, a flag, or the state of the memory."""
    was: str
    to: str
    apply: str
    """How to make the change for good, or for one call."""
    verified: bool
    """The recall was run again with this change, and the memory was in its context."""
    place: int | None = None
    """Its rank in that context."""
    smallest: bool = False
    """The next smaller value was tried or is ruled out: it does not admit the memory."""


class WhyTried(Wire):
    """A change that was tried before, and did not admit the memory; or that could not be tried."""

    kind: ChangeKind
    setting: str
    to: str
    result: str
    ran: bool = True
    """Whether a recall was run with it."""


class WhyFinding(Wire):
    """Why a memory is in the context of a recall, or the first stage that lost it and what would admit it."""

    verdict: Verdict
    stage: str | None = None
    """Of a miss, what lost it first: `not-known-yet`, `gate`, `leg-degraded`, `leg-off`, `not-nominated`, a rung, or
    `context-pass`."""
    reason: str | None = None
    soft: str | None = None
    """The first rung that let it pass although it speaks against it."""
    place: int | None = None
    """Its rank among all that passed the filters; `topK` and the budget only cut these."""
    ranked: int
    """How many passed the filters."""
    context_place: int | None = None
    told: str | None = None
    """How much of it the context tells, where that is not all."""
    quoted_at: tuple[int, ...] = ()
    """The places in the context, from 1, of the memories whose lines quote words of it."""
    top_k: int
    budget: int
    used: int
    """Characters of the context."""
    open_arm: bool = False
    """Found as evidence only: a leg would nominate it, if it might answer."""
    legs: tuple[WhyLeg, ...]
    """None of a memory that was not written down at the instant asked about: it was before no leg."""
    degraded: tuple[str, ...] = ()
    """Legs that were down: what they would have found is not known."""
    scores: ScoreDecomposition | None = None
    """Its score by term; none of a memory that was no candidate."""
    signals: str | None = None
    """Its signals in one sentence, as an X-ray says them."""
    margin: WhyMargin | None = None
    change: WhyChange | None = None
    """The first change that admits it, in the order of `docs/why.md`; absent of a hit, and where none does."""
    tried: tuple[WhyTried, ...] = ()
    recalls: int
    """How many recalls were run to find this out."""
    today: str | None = None
    """Of an earlier recall: how the same question goes today, where that differs."""
