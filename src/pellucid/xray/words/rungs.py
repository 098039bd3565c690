"""The legs and the ladder of a recall in, what is worth saying of them out, in words."""

from collections.abc import Mapping, Sequence
from itertools import dropwhile

from pellucid.model.snapshot import FilterTrace, LegHealth, RejectedCandidate
from pellucid.recall.score.ladder import ASKED_EDGES, DIVERSIFY, REPEATS, SAID_ALREADY, TELLS_NOTHING
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
    TELLS_NOTHING: "that tell nothing of what is asked",
    SAID_ALREADY: "that another here says whole",
    "budget-fit": "without room in the budget",
    "abstention": "not near enough to be an answer",
}
"""What the memories are that a rung rejected: `29 too unlike the question`."""
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
"""Why there is no direct answer, by the gate that decided it."""
CUTS = (REPEATS, "top-k")
"""Rungs that cut what passed the filters, as all behind them do; in older receipts `top-k` stands first."""


def passed_in_words(rung: FilterTrace) -> str:
    """How many candidates passed a rung, in words: `33 of 62 passed; 29 too unlike the question`."""
    softly = f", {rung.soft_admitted} of them only softly" if rung.soft_admitted else ""
    away = rung.considered - rung.admitted
    turned = f"; {away} {rejection_in_words(rung.name, rung.reason)}" if away else ""
    return f"{rung.admitted} of {rung.considered} passed{softly}{turned}"


def rejection_in_words(name: str, reason: str | None) -> str:
    """What the memories are that the rung `name` rejected, in words.

    For a rung without any `reason`, else `turned away`.
    """
    return TURNED_AWAY.get(name) or reason or "turned away"


def why_rejected(candidate: RejectedCandidate) -> str:
    """Why a candidate was rejected, in words.

    Its own reason if it is a repeat, already said by another, or a near miss.
    """
    own = candidate.rejected_by in (REPEATS, SAID_ALREADY, "abstention")
    return candidate.reason if own else rejection_in_words(candidate.rejected_by, candidate.reason)


def verdict_in_words(reason: str) -> str:
    """`no memory answers by itself: …` for the reason why there is no direct answer; any other `reason` as it is."""
    return f"no memory answers by itself: {NO_ANSWER[reason]}" if reason in NO_ANSWER else reason


def is_idle(rung: FilterTrace) -> bool:
    """Whether a rung let every candidate pass, none of them softly: there is nothing to tell."""
    return rung.admitted == rung.considered and not rung.soft_admitted


def is_at_work(leg: LegHealth) -> bool:
    """Whether a leg is on, or off without a reason: False only for one that is off and says why."""
    return leg.health != "off" or not leg.reason


def results_in_words(many: int, cuts: Mapping[str, int]) -> str:
    """`8 memories, 43 weaker ones left out`: the number of results, and what each of `cuts` (rung: how many) cut."""
    parts = [counted(many, "memory", "memories")]
    for rung, away in cuts.items():
        weaker = f"{counted(away, 'weaker one', 'weaker ones')} left out"
        parts.append(weaker if rung == "top-k" else f"{away} {rejection_in_words(rung, None)}")
    return ", ".join(parts)


def cuts_by_rung(rungs: Sequence[FilterTrace]) -> dict[str, int]:
    """How many memories each rung from `repeats` or `top-k` on cut, by its name, without rungs that cut none."""
    after = dropwhile(lambda rung: rung.name not in CUTS, rungs)
    return {rung.name: away for rung in after if (away := rung.considered - rung.admitted)}
