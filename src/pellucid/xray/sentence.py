"""A result's terms in, one plain sentence out: why it surfaced, in words that its numbers bear out."""

from collections.abc import Sequence

from pellucid.model.snapshot import LegContribution, RerankDetail, ScoreDecomposition

_LARGEST = {
    "vector": "its meaning", "bm25": "its words", "recent": "its age", "rerank": "how its words meet the query's",
    "expansion": "what stands around it in its session", "pin": "its pin", "importance": "its importance",
    "temporal": "how recent it is", "renewal": "that it is newer than another answer",
}  # fmt: skip


def sentence(
    contributions: Sequence[LegContribution], reranked: RerankDetail | None, scores: ScoreDecomposition, words: int
) -> str:
    """Who found it, where late interaction put it, and which term weighs most."""
    parts = [_found(each, words) for each in contributions]
    found = f"Found {' and '.join(parts)}" if parts else "Not found by itself: it stands beside a match in its session"
    placed = f"; late interaction places it {_ordinal(reranked.rank)}" if reranked else ""
    return f"{found}{placed}. The largest part of its score is {_largest(scores)}."


def _found(contribution: LegContribution, words: int) -> str:
    place = _ordinal(contribution.rank)
    if contribution.leg == "lexical":
        return f"{place} by words (it holds {len(contribution.matches)} of the query's {words} telling words)"
    if contribution.leg == "vector":
        return f"{place} by meaning (cosine {contribution.raw_score:.2f})"
    return f"{place} by age, as a fallback"


def _largest(scores: ScoreDecomposition) -> str:
    values = {name: getattr(scores, name) or 0.0 for name in _LARGEST}
    return _LARGEST[max(values, key=lambda name: values[name])]


def _ordinal(number: int) -> str:
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
