"""The legs and the ladder of a recall in, phrases about them out."""

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
"""The description of the memories that a rung rejected, by rung: `29 too unlike the question`."""
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
"""The first rung that cuts what passed the filters, as all after it do; in older receipts `top-k` comes first."""


def passed_in_words(rung: FilterTrace) -> str:
    """Say how many candidates passed a rung: `33 of 62 passed; 29 too unlike the question`. If the rung flagged some
    that it let pass: `…; too unlike the question: 29 turned away, 2 let pass, but flagged`.
    """
    flagged, away = rung.soft_admitted, rung.considered - rung.admitted
    passed = f"{rung.admitted} of {rung.considered} passed"
    if not flagged:
        return f"{passed}; {away_in_words(away, rung.name, rung.reason)}" if away else passed
    rejected = f"{away} turned away, " if away else ""
    return f"{passed}; {rejection_in_words(rung.name, rung.reason)}: {rejected}{flagged} let pass, but flagged"


def away_in_words(count: int, rung: str, reason: str | None = None) -> str:
    """Say how many memories the rung rejected: `29 too unlike the question`, `1 repeat`. `reason` is the recorded
    reason.
    """
    phrase = rejection_in_words(rung, reason)
    return f"{count:,} {phrase.removesuffix('s') if rung == REPEATS and count == 1 else phrase}"


def barred_in_words(leg: LegHealth) -> str:
    """Say why a leg's inadmissible memories are so: `in quarantine`, `18 in quarantine, 2 no longer active`; empty if
    there are none, and in snapshots older than this record.
    """
    barred = leg.barred or {}
    if len(barred) == 1 and leg.open == sum(barred.values()):
        return rejection_in_words(next(iter(barred)), None)
    return ", ".join(away_in_words(away, rung) for rung, away in barred.items())


def repeat_in_words(better: str, *, shown: bool, bare: bool = False) -> str:
    """Say why a repeat was left out in favour of the memory called `better`; `shown`: that memory is in the context. A
    `bare` section (a licence, references) does not repeat `better`: it gives way to any other of its document.
    """
    if bare:
        return f"holds nothing of what is asked but its document's title, and gives way to {better} of that document"
    return f"repeats {better}" if shown else f"repeats a memory that was itself left out: {better}"


def rejection_in_words(rung: str, reason: str | None) -> str:
    """Describe the memories that a rung rejected, such as `in quarantine`. An unknown rung is described by the recorded
    `reason`, else as `turned away`.
    """
    return TURNED_AWAY.get(rung) or reason or "turned away"


def why_rejected(candidate: RejectedCandidate) -> str:
    """Say why a candidate was rejected: its rung's words; its own for a repeat, one already said or a near miss."""
    own = candidate.rejected_by in (REPEATS, SAID_ALREADY, "abstention")
    return candidate.reason if own else rejection_in_words(candidate.rejected_by, candidate.reason)


def verdict_in_words(reason: str) -> str:
    """Return `no memory answers by itself: …` if `reason` is a gate of the direct answer; else `reason`."""
    return f"no memory answers by itself: {NO_ANSWER[reason]}" if reason in NO_ANSWER else reason


def is_idle(rung: FilterTrace) -> bool:
    """Whether a rung let every candidate pass and flagged none, so that an explanation need not mention it."""
    return rung.admitted == rung.considered and not rung.soft_admitted


def is_at_work(leg: LegHealth) -> bool:
    """Whether a leg is on, or off without a reason: False only for one that is off and says why."""
    return leg.health != "off" or not leg.reason


def results_in_words(results: int, count_by_rung: Mapping[str, int], filtered: int = 0) -> str:
    """Say how many results there are and what was left out: `8 memories. Left out: 2 repeats, 43 weaker`.

    `count_by_rung` maps each rung to how many memories it cut. `filtered` is how many memories the filters rejected
    before; 0 leaves that out.
    """
    phrases = (
        [", ".join(away_in_words(number, rung) for rung, number in count_by_rung.items())] if count_by_rung else []
    )
    phrases += [f"{filtered:,} turned away by filters"] if filtered else []
    return ". Left out: ".join(filter(None, (counted(results, "memory", "memories"), "; ".join(phrases))))


def cuts_by_rung(rungs: Sequence[FilterTrace]) -> dict[str, int]:
    """Map each rung from `repeats` or `top-k` on to how many memories it cut, without rungs that cut none."""
    return _away_by_rung(dropwhile(lambda rung: rung.name not in CUTS, rungs))


def shown_in_words(snapshot: RecallXraySnapshot) -> str:
    """Say how many results a snapshot has, and how many memories were left out, by reason."""
    filters = takewhile(lambda rung: rung.name not in CUTS, snapshot.filters)
    cuts = cuts_by_rung(snapshot.filters)
    return results_in_words(len(snapshot.results), cuts, sum(_away_by_rung(filters).values()))


def more_in_words(snapshot: RecallXraySnapshot) -> str:
    """Say how many rejected candidates a snapshot does not list: `106 more not shown: 13 in quarantine, …`; empty if it
    lists all; without the reasons if the rungs do not account for all of them.
    """
    more = snapshot.rejected_total - len(snapshot.rejected)
    named = Counter(each.rejected_by for each in snapshot.rejected)
    left = {rung: away - named[rung] for rung, away in _away_by_rung(snapshot.filters).items() if away > named[rung]}
    reasons = ", ".join(away_in_words(away, rung) for rung, away in left.items())
    by_reason = f": {reasons}" if reasons and sum(left.values()) == more else ""
    return f"{more:,} more not shown{by_reason}" if more > 0 else ""


def _away_by_rung(rungs: Iterable[FilterTrace]) -> dict[str, int]:
    """Map each of these rungs to how many memories it rejected, without rungs that rejected none."""
    return {rung.name: away for rung in rungs if (away := rung.considered - rung.admitted)}
