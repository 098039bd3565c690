"""The legs and the ladder of a recall in, what is worth saying of them out, in words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import dropwhile, takewhile

from pellucid.model.snapshot import FilterTrace, LegHealth, RecallXraySnapshot, RejectedCandidate
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
    REPEATS: "repeats",
    ASKED_EDGES: "that no edge asked for leads to",
    TELLS_NOTHING: "telling nothing of what is asked",
    SAID_ALREADY: "said in full by another",
    "context-selection": "left out by a model",
    "fact-selection": "left out by a model",
    "budget-fit": "without room in the budget",
    "abstention": "not near enough to be an answer",
}
"""What the memories are that a rung rejected: `29 too unlike the question`."""
NO_ANSWER = {
    "no-candidates": "nothing passed the filters",
    "only-asks": "what passed only asks",
    "not-trusted-zone": "what passed is not trusted enough",
    "ineligible-taxonomy-bucket": "what is left is no decision, rule or preference",
    "below-importance-floor": "what is left is neither important nor confirmed",
    "entity-ref-mismatch": "what is left is about somebody else",
    "below-token-overlap-floor": "what is left holds too few of the question's words",
    "ambiguous": "another memory holds nearly as many of the question's words",
}
"""Why there is no direct answer, by the gate that decided it."""
CUTS = (REPEATS, "top-k")
"""Rungs that cut what passed the filters, as all behind them do; in older receipts `top-k` stands first."""


def passed_in_words(rung: FilterTrace) -> str:
    """How many candidates passed a rung, in words: `33 of 62 passed; 29 too unlike the question`.

    Where some passed although the rung speaks against them, too, `…; too unlike the question: 29 turned away, 2 let
    pass, but flagged`.
    """
    flagged, away = rung.soft_admitted, rung.considered - rung.admitted
    passed = f"{rung.admitted} of {rung.considered} passed"
    if not flagged:
        return f"{passed}; {away_in_words(away, rung.name, rung.reason)}" if away else passed
    turned = f"{away} turned away, " if away else ""
    return f"{passed}; {rejection_in_words(rung.name, rung.reason)}: {turned}{flagged} let pass, but flagged"


def away_in_words(away: int, name: str, reason: str | None = None) -> str:
    """So many memories that the rung `name` rejected, in words: `29 too unlike the question`, `1 repeat`."""
    said = rejection_in_words(name, reason)
    return f"{away:,} {said.removesuffix('s') if name == REPEATS and away == 1 else said}"


def barred_in_words(leg: LegHealth) -> str:
    """Why a leg's finds that may not answer may not: `in quarantine`, `18 in quarantine, 2 no longer active`.

    Empty where there are none, and in snapshots of before that was recorded.
    """
    barred = leg.barred or {}
    if len(barred) == 1 and leg.open == sum(barred.values()):
        return rejection_in_words(next(iter(barred)), None)
    return ", ".join(away_in_words(away, rung) for rung, away in barred.items())


def repeat_in_words(better: str, *, shown: bool, bare: bool = False) -> str:
    """Why a repeat was left out for the memory called `better`; `shown` is whether that one is in the context.

    A `bare` section (a licence, references) need not repeat it: it gives way to any other of its document.
    """
    if bare:
        return f"holds nothing of what is asked but its document's title, and gives way to {better} of that document"
    return f"repeats {better}" if shown else f"repeats a memory that was itself left out: {better}"


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
    """Whether a rung let every candidate pass and flagged none of them: there is nothing to tell."""
    return rung.admitted == rung.considered and not rung.soft_admitted


def is_at_work(leg: LegHealth) -> bool:
    """Whether a leg is on, or off without a reason: False only for one that is off and says why."""
    return leg.health != "off" or not leg.reason


def results_in_words(many: int, cuts: Mapping[str, int], turned_away: int = 0) -> str:
    """`8 memories. Left out: 2 repeats, 43 weaker`: how many results there are, and what each of `cuts` left out.

    `cuts` has by rung how many that one cut; `turned_away` is how many did not pass the filters before, 0 to say
    nothing of them.
    """
    away = [", ".join(away_in_words(number, rung) for rung, number in cuts.items())] if cuts else []
    away += [f"{turned_away:,} turned away by filters"] if turned_away else []
    return ". Left out: ".join(filter(None, (counted(many, "memory", "memories"), "; ".join(away))))


def cuts_by_rung(rungs: Sequence[FilterTrace]) -> dict[str, int]:
    """How many memories each rung from `repeats` or `top-k` on cut, by its name, without rungs that cut none."""
    return _away_by_rung(dropwhile(lambda rung: rung.name not in CUTS, rungs))


def shown_in_words(snapshot: RecallXraySnapshot) -> str:
    """How many results a snapshot has, and how many memories were left out, by reason."""
    filters = takewhile(lambda rung: rung.name not in CUTS, snapshot.filters)
    cuts = cuts_by_rung(snapshot.filters)
    return results_in_words(len(snapshot.results), cuts, sum(_away_by_rung(filters).values()))


def more_in_words(snapshot: RecallXraySnapshot) -> str:
    """How many rejected candidates a snapshot does not name, by reason: `106 more not shown: 13 in quarantine, …`.

    Empty for none; without the reasons where its rungs do not account for all of them.
    """
    more = snapshot.rejected_total - len(snapshot.rejected)
    named = Counter(each.rejected_by for each in snapshot.rejected)
    left = {rung: away - named[rung] for rung, away in _away_by_rung(snapshot.filters).items() if away > named[rung]}
    reasons = ", ".join(away_in_words(away, rung) for rung, away in left.items())
    known = f": {reasons}" if reasons and sum(left.values()) == more else ""
    return f"{more:,} more not shown{known}" if more > 0 else ""


def _away_by_rung(rungs: Iterable[FilterTrace]) -> dict[str, int]:
    """How many memories each of these rungs rejected, by its name, without rungs that rejected none."""
    return {rung.name: away for rung in rungs if (away := rung.considered - rung.admitted)}
