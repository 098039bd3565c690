"""The legs and the ladder of a recall in, what is worth saying of them out, in words."""

from collections.abc import Mapping, Sequence
from itertools import dropwhile

from pellucid.model.snapshot import FilterTrace, LegHealth, RejectedCandidate
from pellucid.recall.score.ladder import ASKED_EDGES, DIVERSIFY, REPEATS
from pellucid.xray.words.numbers import counted

TURNED_AWAY = {
    "status-active": "no longer active",
    "valid-at": "not valid at the time asked about",
    "trust-zone": "in quarantine",
    "boundary-scope": "marked for scopes that were not named",
    "caller-filter": "not what was asked for",
    "time-window": "from another time than the question names",
    "token-overlap": "with too few of the question's words",
    "score-floor": "too unlike the question",
    "top-k": "weaker",
    DIVERSIFY: "lower for being like a better one",
    REPEATS: "that another stands for",
    ASKED_EDGES: "that no edge asked for leads to",
    "budget-fit": "without room in the budget",
    "abstention": "not near enough to be an answer",
}
"""What those are that a rung turned away: `29 too unlike the question`."""
NO_ANSWER = {
    "no-candidates": "nothing passed the filters",
    "only-asks": "what passed only asks",
    "not-trusted-zone": "what passed is not trusted enough",
    "ineligible-taxonomy-bucket": "what is left settles nothing: no decision, rule or preference",
    "below-importance-floor": "what is left is neither important nor confirmed",
    "entity-ref-mismatch": "what is left is about somebody else",
    "below-token-overlap-floor": "what is left holds too few of the question's words",
    "ambiguous": "another memory holds nearly as many of the question's words",
}
"""Why no memory is told to answer by itself, by the gate that decided it."""
CUTS = (REPEATS, "top-k")
"""Rungs that cut what passed the filters, as all behind them do; in older receipts `top-k` stands first."""


def passed(rung: FilterTrace) -> str:
    """How many passed a filter, in words: `33 of 62 passed; 29 too unlike the question`; soft passes are counted."""
    softly = f", {rung.soft_admitted} of them only softly" if rung.soft_admitted else ""
    away = rung.considered - rung.admitted
    turned = f"; {away} {turned_away(rung.name, rung.reason)}" if away else ""
    return f"{rung.admitted} of {rung.considered} passed{softly}{turned}"


def turned_away(name: str, reason: str | None) -> str:
    """What those are that a rung turned away, in words."""
    return TURNED_AWAY.get(name) or reason or "turned away"


def why_rejected(candidate: RejectedCandidate) -> str:
    """Why one candidate was turned away; one that repeats another names it, one that is near says how near."""
    own = candidate.rejected_by in (REPEATS, "abstention")
    return candidate.reason if own else turned_away(candidate.rejected_by, candidate.reason)


def no_answer(reason: str) -> str:
    """The verdict on a direct answer; where there is none, in words."""
    return f"no memory answers by itself: {NO_ANSWER[reason]}" if reason in NO_ANSWER else reason


def idle(rung: FilterTrace) -> bool:
    """Whether a rung let everybody pass, and nobody softly: nothing is to be said of it."""
    return rung.admitted == rung.considered and not rung.soft_admitted


def at_work(leg: LegHealth) -> bool:
    """Whether a leg had something to do, or was left out on purpose; else it gave its reason not to."""
    return leg.health != "off" or not leg.reason


def shown(many: int, cuts: Mapping[str, int]) -> str:
    """`8 memories, 43 weaker ones left out`, with whatever else was cut after the filters."""
    return ", ".join([counted(many, "memory", "memories"), *(_left_out(rung, away) for rung, away in cuts.items())])


def cuts_of(rungs: Sequence[FilterTrace]) -> dict[str, int]:
    """How many of those that had passed every filter each later rung cut, by its name."""
    after = dropwhile(lambda rung: rung.name not in CUTS, rungs)
    return {rung.name: away for rung in after if (away := rung.considered - rung.admitted)}


def _left_out(rung: str, away: int) -> str:
    weaker = f"{counted(away, 'weaker one', 'weaker ones')} left out"
    return weaker if rung == "top-k" else f"{away} {turned_away(rung, None)}"
