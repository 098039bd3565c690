"""A finding in, the plain sentences out that say it first: every number in them is one of the finding's."""

from pellucid.recall.score.ladder import ASKED_EDGES, REPEATS
from pellucid.xray.why.finding import (
    ABSTENTION,
    DEGRADED,
    GATE,
    LEG_OFF,
    NOT_KNOWN,
    NOT_NOMINATED,
    REMOVED,
    WhyFinding,
    WhyLeg,
)
from pellucid.xray.words.numbers import ordinal
from pellucid.xray.words.sentence import by

_CHANGES = {
    "top-k": "Raising topK to {to}",
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
    """What became of the memory, how far it was from the line, and what would admit it."""
    told = (
        _sentence_of_hit(finding)
        if finding.verdict == "hit"
        else _MISSES.get(finding.stage or "", _sentence_of_rung)(finding)
    )
    return " ".join(part for part in (told, _today(finding), _change_in_words(finding)) if part)


def _sentence_of_hit(finding: WhyFinding) -> str:
    """Its place in the context, who found it, and how far it is above the cut."""
    margin = finding.margin
    told = f" The context tells {finding.told}." if finding.told else ""
    lead = "Nothing that passed the filters was cut"
    if margin and margin.unit == "score":
        lead = f"Its score is {margin.spare:.4f} above that of the best one that topK {finding.top_k} cut off"
    return f"It is in the context, at place {finding.context_place}: {_where_found(finding)}. {lead}.{told}"


def _where_found(finding: WhyFinding) -> str:
    """`found 2nd by meaning (only 40th by words)`: the legs that nominated it, then those that rank it too low."""
    told = [f"{ordinal(each.rank or 0)} {by(each.leg)}" for each in finding.legs if each.nominated]
    further = [each for each in finding.legs if not each.nominated and each.rank and each.health != "off"]
    beyond = [f"only {ordinal(each.rank or 0)} {by(each.leg)}" for each in further]
    found = f"found {_joined(told)}" if told else "brought in beside a match in its session"
    return found + (f" ({_joined(beyond)})" if beyond else "")


def _places(legs: list[WhyLeg]) -> str:
    return _joined([f"{ordinal(each.rank or 0)} {by(each.leg)}" for each in legs if each.rank])


def _not_known(finding: WhyFinding) -> str:
    return f"It was not written down then: {finding.reason}."


def _gate(finding: WhyFinding) -> str:
    return f"Nothing was looked up: {finding.reason}."


def _sentence_of_degraded(finding: WhyFinding) -> str:
    seen = _places([each for each in finding.legs if each.health != "off"])
    so_far = f" It is {seen}, beyond what a leg nominates." if seen else ""
    return f"No leg that works nominated it, and what the others would say is not known ({finding.reason}).{so_far}"


def _leg_off(finding: WhyFinding) -> str:
    off = [each for each in finding.legs if each.health == "off" and each.rank and each.rank <= each.pool]
    return f"It is {_places(off)}, but {_joined([each.leg for each in off])} was switched off."


def _not_nominated(finding: WhyFinding) -> str:
    """That no leg nominated it, and its places in the legs, if they are known."""
    ranked = [each for each in finding.legs if each.rank and each.health != "off"]
    if not finding.recalls:
        return "No leg nominated it; the question's words were not kept, so its places cannot be worked out."
    if not ranked:
        return "No leg nominated it: nothing in it matches the question."
    pool = max(each.pool for each in ranked)
    return f"No leg nominated it: it is {_places(ranked)}, and each leg nominates {pool}."


def _top_k(finding: WhyFinding) -> str:
    """That it passed every filter, and how far below the cut at topK it came."""
    missing = f", {finding.margin.missing:.4f} short of the last one in" if finding.margin else ""
    return (
        f"It was {_where_found(finding)}, passed every filter, and came {ordinal(finding.place or 0)}"
        f" of {finding.ranked}, where topK is {finding.top_k}{missing}."
    )


def _sentence_of_budget(finding: WhyFinding) -> str:
    """That it passed every filter, and why it did not fit."""
    return (
        f"It was {_where_found(finding)}, passed every filter, and came {ordinal(finding.place or 0)}"
        f" of {finding.ranked}, but did not fit: {finding.reason}."
    )


def _passed_over(finding: WhyFinding) -> str:
    return f"It was {_where_found(finding)}, and passed every filter, but {finding.reason}."


def _sentence_of_rung(finding: WhyFinding) -> str:
    """Which filter stopped it, in words; one that a filter bars from answering is found only as evidence."""
    margin, ranked = finding.margin, [each for each in finding.legs if each.rank and each.health != "off"]
    where = f"It was {_where_found(finding)}"
    if not any(each.nominated for each in finding.legs):
        beside = "It was seen as evidence only" if finding.open_arm else "It stands beside a match in its session"
        where = f"It would be {_places(ranked)}" if ranked else beside
    short = f", {margin.missing:.4f} short ({margin.unit})" if margin and margin.missing is not None else ""
    return f"{where}, but {finding.stage} turned it away: {finding.reason}{short}."


def _change_in_words(finding: WhyFinding) -> str:
    """What would admit it; empty for a hit, and where nothing was tried."""
    change = finding.change
    if finding.verdict == "hit" or (finding.today and not finding.tried and change is None):
        return ""
    if change is None:
        return _sentence_of_no_change(finding)
    if not change.verified:
        return f"`{change.apply}` says what to mend; whether it is found then cannot be tried before."
    said = _CHANGES[change.kind].format(to=change.to, setting=change.setting, apply=change.apply)
    return f"{said} admits it (verified)."


def _sentence_of_no_change(finding: WhyFinding) -> str:
    """That nothing admits it, and how far the first change that was tried gets it."""
    if not finding.recalls:
        return ""
    ran = next((each for each in finding.tried if each.ran), None)
    if ran is None:
        return "No single change that could be tried admits it."
    return f"No single change that was tried admits it: with {ran.setting} {ran.to}, {ran.result}."


def _today(finding: WhyFinding) -> str:
    return f"{finding.today[0].upper()}{finding.today[1:]}." if finding.today else ""


def _joined(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


_MISSES = {
    NOT_KNOWN: _not_known,
    GATE: _gate,
    DEGRADED: _sentence_of_degraded,
    LEG_OFF: _leg_off,
    NOT_NOMINATED: _not_nominated,
    "top-k": _top_k,
    "budget-fit": _sentence_of_budget,
    REPEATS: _passed_over,
    ASKED_EDGES: _passed_over,
    ABSTENTION: _passed_over,
    REMOVED: _passed_over,
}
