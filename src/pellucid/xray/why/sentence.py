"""A finding in, the plain sentences that introduce it out: every number in them is in the finding."""

from collections.abc import Callable

from pellucid.recall.score.ladder import ABSTENTION, ASKED_EDGES, REPEATS, SAID_ALREADY, TELLS_NOTHING
from pellucid.xray.why.finding import (
    DEGRADED,
    GATE,
    LEG_OFF,
    NOT_KNOWN,
    NOT_NOMINATED,
    REMOVED,
    WhyFinding,
    WhyLeg,
    WhyTried,
)
from pellucid.xray.words.numbers import listed, ordinal
from pellucid.xray.words.sentence import leg_in_words

_CHANGES = {
    "top-k": "Raising top-k to {to}",
    "budget": "Raising the budget to {to} characters",
    "gate": "Recalling whatever the message is (gate off)",
    "abstention": "Never abstaining",
    "passes": "Leaving the context as it is (no passes)",
    "scope": "Naming the scopes {to}",
    "filter": "Lifting the filter by {setting}",
    "period": "Taking the period only as a note",
    "leg": "Switching {setting} on",
    "pool": "Raising the pool of a leg to {to}",
    "floor": "Lowering {setting} to {to}",
    "state": "`{apply}`",
    "weight": "Raising {setting} to {to}",
    "now": "Leaving out {setting}",
}


def sentences(finding: WhyFinding) -> str:
    """Tell a finding in plain sentences: what became of the memory, which results quote it, for an earlier recall how
    the question goes today if that differs, and what would admit it.
    """
    outcome = (
        _sentence_of_hit(finding)
        if finding.verdict == "hit"
        else _MISSES.get(finding.stage or "", _sentence_of_rung)(finding)
    )
    today = f"{finding.today[0].upper()}{finding.today[1:]}." if finding.today else ""
    places = listed([f"[{place}]" for place in finding.quoted_at])
    quoted = f"Words of it are quoted in the context under {places}." if places else ""
    return " ".join(part for part in (outcome, quoted, today, _change_in_words(finding)) if part)


def _sentence_of_hit(finding: WhyFinding) -> str:
    """Say the memory's rank in the context, why it was found, how far its score is above the best one that topK cut (or
    that none was cut), and how much of it is shown if not all.
    """
    margin = finding.margin
    why = f"{finding.signals[0].lower()}{finding.signals[1:]}" if finding.signals else f"{_where_found(finding)}."
    cut = f" The context tells {finding.told}." if finding.told else ""
    lead = "Nothing that passed the filters was cut"
    if margin and margin.unit == "score":
        lead = f"Its score is {margin.spare:.4f} above that of the best one that top-k {finding.top_k} cut off"
    return f"It is in the context, at place {finding.context_place}: {why} {lead}.{cut}"


def _where_found(finding: WhyFinding) -> str:
    """Say the memory's ranks in the legs that nominated it, then in others: `found 2nd by meaning (only 4th by words)`.
    `brought in beside a match in its session` if no leg nominated it.
    """
    nominating = [f"{ordinal(each.rank or 0)} {leg_in_words(each.leg)}" for each in finding.legs if each.nominated]
    others = [each for each in finding.legs if not each.nominated and each.rank and each.health != "off"]
    other_ranks = [f"only {ordinal(each.rank or 0)} {leg_in_words(each.leg)}" for each in others]
    lead = f"found {listed(nominating)}" if nominating else "brought in beside a match in its session"
    return lead + (f" ({listed(other_ranks)})" if other_ranks else "")


def _ranks_in_words(legs: list[WhyLeg]) -> str:
    """Say the memory's ranks in those of these legs that rank it: `2nd by meaning and 5th by words`; empty if none
    does.
    """
    return listed([f"{ordinal(each.rank or 0)} {leg_in_words(each.leg)}" for each in legs if each.rank])


def _sentence_of_degraded(finding: WhyFinding) -> str:
    """Say that no leg that works nominated the memory, that nobody knows what the others would say, and its ranks in
    those that were on.
    """
    ranks = _ranks_in_words([each for each in finding.legs if each.health != "off"])
    beyond = f" It is {ranks}, beyond what a leg nominates." if ranks else ""
    return f"No leg that works nominated it, and what the others would say is not known ({finding.reason}).{beyond}"


def _sentence_of_leg_off(finding: WhyFinding) -> str:
    """Say the memory's ranks in the legs that were off and would have nominated it, and that they were switched off."""
    off = [each for each in finding.legs if each.health == "off" and each.rank and each.rank <= each.pool]
    return f"It is {_ranks_in_words(off)}, but {listed([each.leg for each in off])} was switched off."


def _sentence_of_not_nominated(finding: WhyFinding) -> str:
    """Say that no leg nominated the memory, and its ranks in the legs; if these are not known, why, and if it has none,
    that nothing in it matches.
    """
    ranked = [each for each in finding.legs if each.rank and each.health != "off"]
    if not finding.recalls:
        return "No leg nominated it; the question's words were not kept, so its places cannot be worked out."
    if not ranked:
        return "No leg nominated it: nothing in it matches the question."
    pool = max(each.pool for each in ranked)
    return f"No leg nominated it: it is {_ranks_in_words(ranked)}, and each leg nominates {pool}."


def _sentence_of_top_k(finding: WhyFinding) -> str:
    """Say that the memory passed every filter, and how far below the cut at top-k it came."""
    missing = f", {finding.margin.missing:.4f} short of the last one in" if finding.margin else ""
    return f"{_passed_filters(finding)}, where top-k is {finding.top_k}{missing}."


def _passed_filters(finding: WhyFinding) -> str:
    """Say that the memory passed every filter, and its rank; without a full stop."""
    place = f"{ordinal(finding.place or 0)} of {finding.ranked}"
    return f"It was {_where_found(finding)}, passed every filter, and came {place}"


def _sentence_of_removed(finding: WhyFinding) -> str:
    """Say that the memory passed every filter, and why it was left out all the same."""
    return f"It was {_where_found(finding)}, and passed every filter, but {finding.reason}."


def _sentence_of_rung(finding: WhyFinding) -> str:
    """Say which legs found the memory or would rank it (if none, that it was seen only as one that may not answer, or
    beside a match), then which rung rejected it, with the reason and margin.
    """
    margin, ranked = finding.margin, [each for each in finding.legs if each.rank and each.health != "off"]
    where = f"It was {_where_found(finding)}"
    if not any(each.nominated for each in finding.legs):
        unranked = "It was seen as evidence only" if finding.open_arm else "It stands beside a match in its session"
        where = f"It would be {_ranks_in_words(ranked)}" if ranked else unranked
    short = f", {margin.missing:.4f} short ({margin.unit})" if margin and margin.missing is not None else ""
    return f"{where}, but {finding.stage} turned it away: {finding.reason}{short}."


def _change_in_words(finding: WhyFinding) -> str:
    """Say what would admit the memory, which call says what to repair, or that nothing tried admits it. Empty for a
    hit, for a past miss that is a hit today, and if no recall was run.
    """
    change = finding.change
    if finding.verdict == "hit" or (finding.today and not finding.tried and change is None):
        return ""
    if change is None:
        return _sentence_of_no_change(finding)
    if not change.verified:
        return f"`{change.apply}` says what to mend; whether it is found then cannot be tried before."
    change_words = _CHANGES[change.kind].format(to=change.to, setting=change.setting, apply=change.apply)
    skips = (
        " (repeats before it take no place)" if change.kind == "top-k" and _is_below(change.to, finding.place) else ""
    )
    return f"{change_words} admits it{skips} (verified)."


def _is_below(number: str, place: int | None) -> bool:
    """Whether a setting's new value is a number below the memory's place in the ranking."""
    return place is not None and number.isdecimal() and int(number) < place


def tried_in_words(tried: WhyTried) -> str:
    """Say which change was tried: `with scopes private`; of a change whose `setting` is `state` only the new state:
    `pinned`."""
    return tried.to if tried.setting == "state" else f"with {tried.setting} {tried.to}"


def _sentence_of_no_change(finding: WhyFinding) -> str:
    """Say that nothing admits the memory, with the outcome of the first change that a recall was run for; empty if no
    recall was run.
    """
    if not finding.recalls:
        return ""
    ran = next((each for each in finding.tried if each.ran), None)
    if ran is None:
        return "No single change that could be tried admits it."
    return f"No single change that was tried admits it: {tried_in_words(ran)}, {ran.result}."


_MISSES: dict[str, Callable[[WhyFinding], str]] = {
    NOT_KNOWN: lambda finding: f"It was not written down then: {finding.reason}.",
    GATE: lambda finding: f"Nothing was looked up: {finding.reason}.",
    DEGRADED: _sentence_of_degraded,
    LEG_OFF: _sentence_of_leg_off,
    NOT_NOMINATED: _sentence_of_not_nominated,
    "top-k": _sentence_of_top_k,
    "budget-fit": lambda finding: f"{_passed_filters(finding)}, but {finding.reason}.",
    REPEATS: _sentence_of_removed,
    ASKED_EDGES: _sentence_of_removed,
    TELLS_NOTHING: _sentence_of_removed,
    SAID_ALREADY: _sentence_of_removed,
    ABSTENTION: _sentence_of_removed,
    REMOVED: _sentence_of_removed,
}
"""The sentence of a miss, by the stage that lost the memory; any other stage is a rung."""
