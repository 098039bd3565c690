"""A result's terms in, one plain sentence out: why it surfaced, in words that its numbers bear out."""

from collections.abc import Iterator, Sequence

from pellucid.model.snapshot import LegContribution, RerankDetail, ScoreDecomposition
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.score.rerank import LATE_INTERACTION
from pellucid.xray.words.numbers import listed, ordinal

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
    "renewal": "its move above a memory that it follows",
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
    "renewal": "{moved}",
    "direct": "answering directly",
}
"""Terms that a sentence names with their worth, where they are not 0."""
NEWER = "newer than {older}"
FOLLOWS = "moved just above {older}, which it follows in time"
SUCCEEDS = "moved just above {older}, whose document its own replaces"
"""What `renewal` did, by what the two memories are to each other: of different days, of one day, of two documents."""
LEFT_OUT = "a memory that was itself left out ({older})"
"""What such a memory is called if it is no result."""
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
    moved: str = "",
) -> str:
    """Why a memory was found, in one sentence: by which legs, its rank by the reranker, its notable and largest terms.

    That no leg found it, or that two thirds of its score come from its neighbours, is said first. `words` is the number
    of the query's key words, `moved` says above which memory `renewal` put it, as `NEWER` and the like do.
    """
    found = [each for each in contributions if each.term]
    parts = [f"Found {listed([_found_clause(each, words) for each in found])}" if found else NEIGHBOUR]
    if reranked:
        other = "" if reranked.backend == LATE_INTERACTION else f" ({reranked.backend})"
        parts.append(f"placed {ordinal(reranked.rank)} by the reranker{other}")
    parts += [f"{said} ({signed(worth)})" for said, worth in _named_terms(scores, moved)]
    told = ", ".join(parts)
    if found and (owed := neighbour_share(scores)) >= MOSTLY * scores.final > 0:
        return f"{HARDLY} (they make {owed:.2f} of its {scores.final:.2f}): {told[0].lower()}{told[1:]}."
    name, worth = largest_term(scores)
    return f"{told}; the largest part of its score is {term_names(scores)[name]} ({worth:.2f} of {scores.final:.2f})."


def legend(scores: Sequence[ScoreDecomposition]) -> dict[str, str]:
    """The words for each term that is not 0 in any of these scores, by its name: `{"heat": "how much it is used"}`."""
    dumped = [each.model_dump(exclude_none=True) for each in scores]
    called = MEANING | {name: words for each in scores for name, words in term_names(each).items()}
    return {name: words for name, words in called.items() if any(each.get(name) for each in dumped)}


def neighbour_share(scores: ScoreDecomposition) -> float:
    """The part of a score, in its own unit, that comes from a memory's neighbours in its session."""
    return sum(getattr(scores, name) or 0.0 for name in AROUND)


def leg_in_words(leg: str) -> str:
    """How a leg finds, in words: `by meaning`; for a sub-question's leg `vector@2` with ` in sub-question 1`."""
    name, _, number = leg.partition("@")
    return f"{LEGS[name].found} in sub-question {int(number) - 1}" if number else LEGS[name].found


def term_names(scores: ScoreDecomposition) -> dict[str, str]:
    """What each term that may be the largest is called in words, by its name in a score."""
    further = {name: f"its {name}" for name in scores.model_extra or {}}
    return further | {leg.key: leg.part for leg in LEGS.values()} | LARGEST


def largest_term(scores: ScoreDecomposition) -> tuple[str, float]:
    """The name and value of the largest term, the first of equals; `("expansion", 0.0)` where there is none."""
    values = {name: value for name in term_names(scores) if (value := getattr(scores, name, None)) is not None}
    name = max(values, key=lambda name: values[name], default="expansion")
    return name, values.get(name, 0.0)


def signed(value: float) -> str:
    """A number with sign and two decimals, `+0.80`; a smaller one to its first digit, `+0.001`."""
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.1g}"


def _named_terms(scores: ScoreDecomposition, moved: str) -> Iterator[tuple[str, float]]:
    """The terms to name in a sentence, each as (words, value); `moved` as in `sentence`."""
    for name, phrase in TELLING.items():
        if value := getattr(scores, name):
            yield phrase.format(moved=moved), value


def _found_clause(contribution: LegContribution, words: int) -> str:
    """The rank and leg of a contribution: `2nd by meaning (cosine 0.71)`; `words` counts the query's key words."""
    found = f"{ordinal(contribution.rank)} {leg_in_words(contribution.leg)}"
    if contribution.leg == "lexical":
        known = f"{words} key word{'' if words == 1 else 's'}"
        return f"{found} ({len(contribution.matches)} of the question's {known})"
    if contribution.leg == "vector":
        return f"{found} (cosine {contribution.raw_score:.2f})"
    return found
