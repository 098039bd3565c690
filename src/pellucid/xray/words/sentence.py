"""A result's terms in, one plain sentence out: why it surfaced, in words that its numbers bear out."""

import re
from collections.abc import Iterator, Sequence

from pellucid.model.snapshot import LegContribution, RerankDetail, ScoreDecomposition
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.score.rerank import LATE_INTERACTION
from pellucid.xray.words.numbers import ordinal

LARGEST = {
    "temporal": "how recent it is",
    "sub_queries": "what it says to the sub-questions",
    "rerank": "how its words meet the question's",
    "rerank_passage": "how its words and those around it meet the question's",
    "named": "whom it is by or about",
    "voice": "that the user said it",
    "importance": "its importance",
    "reinforcement_boost": "how often it was said",
    "heat": "how much it is used",
    "pin": "its pin",
    "expansion": "what stands around it in its session",
    "renewal": "that it is newer than another answer",
    "direct": "that it answers directly",
}
"""What the largest term of a score is called, if it is not that of a leg."""
TELLING = {
    "named": "by or about somebody the question names",
    "voice": "in the words of the user, whom the question is about",
    "asking": "only asking",
    "tier_prior": "gone cold",
    "reinforcement_boost": "said repeatedly",
    "pin": "pinned",
    "renewal": "newer than {older}",
    "direct": "answering directly",
}
"""Terms that a sentence names with their worth, where they are not 0."""
NEIGHBOUR = "Not found by itself: it stands beside a match in its session"
MEANING = {
    "asking": "that it only asks",
    "tier_prior": "that it has gone cold",
    "mmr_penalty": "that it is like a better one",
}
"""What terms that only take away are called."""
AROUND = ("passage", "expansion", "rerank_passage")
"""Terms that a memory owes to what stands around it in its session."""
MOSTLY = 2 / 3
"""From which share of its score on a memory is said to be there because of its neighbours."""
HARDLY = "Here mostly because of its neighbours, hardly for itself"


def sentence(
    contributions: Sequence[LegContribution],
    reranked: RerankDetail | None,
    scores: ScoreDecomposition,
    words: int,
    older: str = "",
) -> str:
    """Why a memory was found, in one sentence: by whom, where the reranker put it, which term weighs most.

    What is there mostly because of its neighbours is told so first. `words` is the number of the query's telling words,
    `older` the number or id of the memory whose place it took.
    """
    found = [each for each in contributions if each.term]
    parts = [f"Found {_listed([_found_clause(each, words) for each in found])}" if found else NEIGHBOUR]
    if reranked:
        other = "" if reranked.backend == LATE_INTERACTION else f" ({reranked.backend})"
        parts.append(f"placed {ordinal(reranked.rank)} by the reranker{other}")
    parts += [f"{said} ({_signed(worth)})" for said, worth in _telling_terms(scores, older)]
    told = ", ".join(parts)
    if found and (owed := around(scores)) >= MOSTLY * scores.final > 0:
        return f"{HARDLY} (they make {owed:.2f} of its {scores.final:.2f}): {told[0].lower()}{told[1:]}."
    name, worth = largest(scores)
    return f"{told}; the largest part of its score is {_term_names(scores)[name]} ({worth:.2f} of {scores.final:.2f})."


def legend(scores: Sequence[ScoreDecomposition]) -> dict[str, str]:
    """What each term that counts in one of these scores stands for, by its name there."""
    dumped = [each.model_dump(exclude_none=True) for each in scores]
    called = MEANING | {name: words for each in scores for name, words in _term_names(each).items()}
    return {name: words for name, words in called.items() if any(each.get(name) for each in dumped)}


def around(scores: ScoreDecomposition) -> float:
    """How much of a score comes from what stands around the memory."""
    return sum(getattr(scores, name) or 0.0 for name in AROUND)


def by(leg: str) -> str:
    """How a leg found something, in words; of a sub-question, too."""
    name, _, number = leg.partition("@")
    return f"{LEGS[name].found} in sub-question {int(number) - 1}" if number else LEGS[name].found


def _term_names(scores: ScoreDecomposition) -> dict[str, str]:
    """What each term of a score is called that may be the largest, by its name there."""
    further = {name: f"its {name}" for name in scores.model_extra or {}}
    return further | {leg.key: leg.part for leg in LEGS.values()} | LARGEST


def largest(scores: ScoreDecomposition) -> tuple[str, float]:
    """The largest term of a score, the first of equals; 0 of `expansion` where there is none."""
    values = {name: value for name in _term_names(scores) if (value := getattr(scores, name, None)) is not None}
    name = max(values, key=lambda name: values[name], default="expansion")
    return name, values.get(name, 0.0)


def untrue(
    said: str,
    contributions: Sequence[LegContribution],
    reranked: RerankDetail | None,
    scores: ScoreDecomposition,
    words: int,
    older: str = "",
) -> list[str]:
    """The claims of a sentence that its numbers do not bear out: read from the words, not from how they were made."""
    return [claim for claim, holds in _checked_claims(said, contributions, reranked, scores, words, older) if not holds]


def _checked_claims(
    said: str,
    contributions: Sequence[LegContribution],
    reranked: RerankDetail | None,
    scores: ScoreDecomposition,
    words: int,
    older: str,
) -> Iterator[tuple[str, bool]]:
    """Each claim of a sentence that `sentence` made, by name, and whether the numbers bear it out.

    The sentence is read back, so that no claim is taken from what made it.
    """
    legs = {each.leg: each for each in contributions if each.term}
    yield "it was not found by itself", said.startswith(NEIGHBOUR) == (not legs)
    for name, leg in legs.items():
        found = re.search(rf"(\d+)(?:st|nd|rd|th) {re.escape(by(name))}(?! in)", said)
        yield f"found by {name}", found is not None and int(found[1]) == leg.rank
    for cosine, leg in ((found, legs.get("vector")) for found in re.findall(r"by meaning \(cosine (-?[\d.]+)\)", said)):
        yield "the cosine", leg is not None and f"{leg.raw_score:.2f}" == cosine
    for held, known in re.findall(r"by words \((\d+) of the question's (\d+) telling words?\)", said):
        lexical = legs.get("lexical")
        yield "the words it holds", lexical is not None and (int(held), int(known)) == (len(lexical.matches), words)
    placed = re.search(r"placed (\d+)(?:st|nd|rd|th) by the reranker(?: \((.+?)\))?", said)
    claimed = placed and (int(placed[1]), placed[2] or LATE_INTERACTION)
    yield "the reranker's place", claimed == (reranked and (reranked.rank, reranked.backend))
    for name, phrase in TELLING.items():
        value = getattr(scores, name) or 0.0
        yield name, (f"{phrase.format(older=older)} ({_signed(value)})" in said) == (value != 0.0)
    owed = re.match(rf"{HARDLY} \(they make (-?[\d.]+) of its (-?[\d.]+)\)", said)
    yield "its neighbours", (owed is not None) == bool(legs and around(scores) >= MOSTLY * scores.final > 0)
    if owed:
        yield "what its neighbours make", owed.groups() == (f"{around(scores):.2f}", f"{scores.final:.2f}")
    else:
        yield "the largest term", _is_heaviest(said, scores)


def _is_heaviest(said: str, scores: ScoreDecomposition) -> bool:
    """Whether the term that a sentence calls the largest is the largest, with the numbers it gives."""
    told = re.search(r"the largest part of its score is (.+) \((-?[\d.]+) of (-?[\d.]+)\)\.$", said)
    called = _term_names(scores)
    names = [name for name, phrase in called.items() if told and phrase == told[1]]
    if not told or not names:
        return False
    value = getattr(scores, names[0]) or 0.0
    most = max((getattr(scores, name, None) or 0.0 for name in called), default=0.0)
    return value == most and f"{value:.2f}" == told[2] and f"{scores.final:.2f}" == told[3]


def _signed(value: float) -> str:
    """`+0.80`; what two decimals would show as nothing to its first digit, `+0.001`."""
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.1g}"


def _telling_terms(scores: ScoreDecomposition, older: str) -> Iterator[tuple[str, float]]:
    for name, phrase in TELLING.items():
        if value := getattr(scores, name):
            yield phrase.format(older=older), value


def _found_clause(contribution: LegContribution, words: int) -> str:
    """`2nd by meaning (cosine 0.71)`: the place that a leg gave it, and by what.

    `words` is the number of the query's telling words.
    """
    found = f"{ordinal(contribution.rank)} {by(contribution.leg)}"
    if contribution.leg == "lexical":
        known = f"{words} telling word{'' if words == 1 else 's'}"
        return f"{found} ({len(contribution.matches)} of the question's {known})"
    if contribution.leg == "vector":
        return f"{found} (cosine {contribution.raw_score:.2f})"
    return found


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
