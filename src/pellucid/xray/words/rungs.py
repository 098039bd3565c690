"""The legs and the ladder of a recall in, phrases about them out."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import dropwhile, takewhile

from pellucid.model.snapshot import FilterTrace, LegHealth, RecallXraySnapshot, RejectedCandidate, TierExplain
from pellucid.recall.score.ladder import ABSTENTION, ASKED_EDGES, DIVERSIFY, REPEATS, SAID_ALREADY, TELLS_NOTHING
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
    ASKED_EDGES: "of the named document itself, or not joined to it by edges",
    TELLS_NOTHING: "telling nothing of what is asked",
    SAID_ALREADY: "said in full by another",
    "context-selection": "left out by a model",
    "fact-selection": "left out by a model",
    "budget-fit": "without room in the budget",
    ABSTENTION: "not near enough to be an answer",
}
"""The description of the memories that a rung rejected, by rung: `29 too unlike the question`."""
NO_ANSWER = {
    "no-candidates": "nothing passed the filters",
    "only-asks": "what passed the filters ends in a question",
    "not-trusted-zone": "what passed the filters is neither asserted by a user nor trusted",
    "ineligible-taxonomy-bucket": "what passed the filters is no decision, rule or preference",
    "below-importance-floor": "those that passed the filters are neither important nor confirmed",
    "entity-ref-mismatch": "those that passed the filters are about somebody else",
    "below-token-overlap-floor": "no decision, rule or preference here holds enough of the question's words",
    "ambiguous": "another memory holds nearly as many of the question's words",
}
"""Why there is no direct answer, by the gate that decided it."""
RULED_OUT = {
    "only-asks": "ending in a question",
    "not-trusted-zone": "neither asserted by a user nor trusted",
    "ineligible-taxonomy-bucket": "no decision, rule or preference",
    "below-importance-floor": "neither important nor confirmed",
    "entity-ref-mismatch": "about somebody else",
    "below-token-overlap-floor": "holding too few of the question's words",
}
"""Why a memory cannot answer alone, by the gate that ruled it out."""
_HOW_CUT = {
    "top-k": ", as many as top-k allows",
    "budget-fit": ", the best one first, then the others by rank and length",
}
"""How a rung that cut some chose those that passed."""
_NONE_ALONE = "no memory is put first as an answer by itself"
_TRUSTED = re.compile(r"trusted statement, unambiguous, token-overlap ([\d.]+)")
"""Matches the recorded verdict for a direct answer, with its share of the question's words."""
_CLOSE_CALLS = ("below-token-overlap-floor", "ambiguous")
"""The gates that only a decision, rule or preference reaches which is trusted, and important or confirmed."""
_SHORT_BY = {
    "token-overlap": "their share {:.4f} below the floor",
    "score-floor": "cosine {:.4f} below the floor",
    "top-k": "score {:.4f} below the last one within top-k",
    "budget-fit": "with it the context is {:,.0f} characters too long",
}
"""How far a candidate missed a rung, by rung."""
_MEASURED = {
    "token-overlap": "their share is {:.4f}, and {:g} the least that passes",
    "score-floor": "its cosine is {:.4f}, and {:g} the least that passes",
}
"""The same where the least that passes is known."""
_NEEDS = re.compile(r"needs (\d+) of (\d+) characters")
"""The recorded reason of a memory that did not fit: the length of the context with it, and the budget."""
CUTS = (REPEATS, "top-k")
"""The first rung that cuts what passed the filters, as all after it do; in older receipts `top-k` comes first."""


def passed_in_words(rung: FilterTrace) -> str:
    """Say how many candidates passed a rung: `33 of 62 passed; 29 too unlike the question`. If the rung flagged some
    that it let pass: `…; too unlike the question: 29 turned away, 2 let pass, but flagged`.
    """
    flagged, away = rung.soft_admitted, rung.considered - rung.admitted
    passed = f"{rung.admitted} of {rung.considered} passed"
    passed += _HOW_CUT.get(rung.name, "") if away else ""
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
    """Say why a leg's inadmissible memories are so, with a count for each rung: `18 in quarantine, 2 no longer active`.

    Without the count if one rung barred all of them: `in quarantine`. Empty if there are none, and in snapshots older
    than this record.
    """
    barred = leg.barred or {}
    if len(barred) == 1 and leg.open == sum(barred.values()):
        return rejection_in_words(next(iter(barred)), None)
    return ", ".join(away_in_words(away, rung) for rung, away in barred.items())


def repeat_in_words(better: str, *, shown: bool, bare: bool = False, above: bool = False) -> str:
    """Say why a repeat was left out in favour of the memory called `better`; `shown`: that memory is in the context;
    `above`: the repeat has the higher score. A `bare` section (a licence, references) does not repeat `better`: it
    gives way to any other of its document.
    """
    if bare:
        return f"holds nothing of what is asked but its document's title, and gives way to {better} of that document"
    why = ", which is kept though it scores lower, for it says more or says it more plainly" * above
    return f"repeats {better}{why}" if shown else f"repeats a memory that was itself left out: {better}{why}"


def rejection_in_words(rung: str, reason: str | None) -> str:
    """Describe the memories that a rung rejected, such as `in quarantine`. An unknown rung is described by the recorded
    `reason`, else as `turned away`.
    """
    return TURNED_AWAY.get(rung) or reason or "turned away"


def why_rejected(candidate: RejectedCandidate) -> str:
    """Say why a candidate was rejected, and by how much: `too unlike the question: its cosine is -0.0051, and 0 the
    least that passes`.

    A repeat, one already said, one that no asked edge leads to, one that tells nothing and a near miss are described by
    their own reason; one that did not fit the budget only by how many characters too long the context is with it.
    """
    rung, margin = candidate.rejected_by, candidate.margin
    own = rung in (REPEATS, SAID_ALREADY, ASKED_EDGES, TELLS_NOTHING, ABSTENTION)
    reason = candidate.reason if own else rejection_in_words(rung, candidate.reason)
    if margin is None:
        return reason
    if candidate.floor is not None and rung in _MEASURED:
        return f"{reason}: {_MEASURED[rung].format(candidate.floor - margin, candidate.floor)}"
    short = _SHORT_BY.get(rung, "{:.4f} short").format(margin)
    return short if rung == "budget-fit" else f"{reason}, {short}"


def missing_characters(reason: str) -> int | None:
    """Return by how many characters a memory did not fit, read from its recorded reason; None for another reason."""
    found = _NEEDS.match(reason)
    return int(found[1]) - int(found[2]) if found else None


def omission_in_words(reason: str) -> str:
    """Say why the context left a memory out, by the recorded reason; that reason itself, unless the memory did not fit.

    Of one that did not fit: `with it the context is 1,200 characters too long`.
    """
    missing = missing_characters(reason)
    return reason if missing is None else _SHORT_BY["budget-fit"].format(missing)


def verdict_in_words(reason: str) -> str:
    """Return `no memory is put first as an answer by itself: …` if `reason` is a gate of the direct answer; what was
    tested if it is the verdict for one. Any other `reason` unchanged.
    """
    if found := _TRUSTED.fullmatch(reason):
        return (
            f"a trusted statement with {found[1]} of the question's words, and no other that may answer by itself has"
            " nearly as many"
        )
    return f"{_NONE_ALONE}: {NO_ANSWER[reason]}" if reason in NO_ANSWER else reason


def is_direct_answer_in_question(tier: TierExplain | None) -> bool:
    """Whether a recall found a direct answer, or a memory of the kind that can be one, which then had too few of the
    question's words, or a rival. False for None, and if an earlier gate ruled all out.
    """
    return tier is not None and (tier.tier_reason not in NO_ANSWER or tier.tier_reason in _CLOSE_CALLS)


def neighbours_in_words(count: int) -> str:
    """Say how many candidates no leg found: `25 more, beside these in their session or document`; empty for 0."""
    return f"{count} more, beside these in their session or document" if count else ""


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


def turned_away_by_filters(rungs: Sequence[FilterTrace]) -> int:
    """Return how many memories the filters, the rungs before the first cut, rejected."""
    return sum(_away_by_rung(takewhile(lambda rung: rung.name not in CUTS, rungs)).values())


def shown_in_words(snapshot: RecallXraySnapshot) -> str:
    """Say how many results a snapshot has, and how many memories were left out, by reason."""
    rungs = snapshot.filters
    return results_in_words(len(snapshot.results), cuts_by_rung(rungs), turned_away_by_filters(rungs))


def more_in_words(snapshot: RecallXraySnapshot) -> str:
    """Say how many rejected candidates a snapshot does not list: `106 more not listed: 13 in quarantine, …`.

    Of a single reason `55 weaker ones not listed`. Empty if it lists all; without the reasons if the rungs do not
    account for all of them.
    """
    more = snapshot.rejected_total - len(snapshot.rejected)
    named = Counter(each.rejected_by for each in snapshot.rejected)
    left = {rung: away - named[rung] for rung, away in _away_by_rung(snapshot.filters).items() if away > named[rung]}
    reasons = ", ".join(away_in_words(away, rung) for rung, away in left.items())
    if more <= 0:
        return ""
    if not reasons or sum(left.values()) != more:
        return f"{more:,} more not listed"
    if len(left) > 1:
        return f"{more:,} more not listed: {reasons}"
    ones = (" one" if more == 1 else " ones") if "top-k" in left else ""
    return f"{reasons}{ones} not listed"


def _away_by_rung(rungs: Iterable[FilterTrace]) -> dict[str, int]:
    """Map each of these rungs to how many memories it rejected, without rungs that rejected none."""
    return {rung.name: away for rung in rungs if (away := rung.considered - rung.admitted)}
