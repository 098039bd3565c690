"""A result's terms in, one plain sentence out: why it surfaced, in words that agree with its numbers."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic.alias_generators import to_snake

from pellucid.model.snapshot import LegContribution, RerankDetail, ScoreDecomposition
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.score.rerank import LATE_INTERACTION
from pellucid.xray.words.numbers import counted, listed, ordinal

LARGEST = {
    "temporal": "how lately it was written down or indexed",
    "sub_queries": "its places for the sub-questions",
    "rerank": "its place with the reranker",
    "rerank_passage": "the place that the reranker gives it and its neighbours together",
    "named": "whom it is by or about",
    "voice": "that the user said it",
    "importance": "how important it is held to be",
    "reinforcement_boost": "how often it was said",
    "heat": "how much it is used",
    "pin": "its pin",
    "expansion": "what its neighbours lend it",
    "renewal": "its move above an older memory that answers much the same",
    "direct": "that it answers directly",
}
"""The words for each term of a score that is not a leg's."""
TELLING = {
    "named": "by or about somebody the question names",
    "voice": "in the words of the user, whom the question is about",
    "asking": "ending in a question",
    "tier_prior": "gone cold",
    "reinforcement_boost": "said repeatedly",
    "pin": "pinned",
    "renewal": "{moved}",
    "direct": "answering directly",
}
"""Terms that a sentence names with their values if they are not 0."""
NEWER = "moved just above {older}, which is older and answers much the same"
FOLLOWS = "moved just above {older}, which was said before it and answers much the same"
SUCCEEDS = "moved just above {older}, whose document its own replaces"
"""Why `renewal` moved a memory: it is of a later day, of the same day, or of a document that replaces the other's."""
LEFT_OUT = "a memory that was itself left out ({older})"
"""The name of that older memory if it is not a result."""
NEIGHBOUR = "Not found by itself: it stands beside a match in its session"
REDUCING = {
    "asking": "that it ends in a question",
    "tier_prior": "that it has gone cold",
    "mmr_penalty": "that it is like a better one; subtracted",
}
"""The words for terms that only reduce a score."""
NEIGHBOURS = (
    "neighbours: the memories around it in its session or document; what they make of a score is this, and half of its"
    " place by the words around it and of the place that the reranker gives it and them together"
)
"""What a sentence means by neighbours, and by what they make."""
WAYS = "by how few and sure the edges to it are, how much hangs on it, and its nearness in meaning"
"""What decides a place along the graph."""
STEMS = "a key word counts as held where a word of its stem stands (such as set for settings)"
"""When a word matches, for the sentences that count them."""
AROUND = ("expansion", "passage", "rerank_passage")
"""Terms that a memory owes to what stands around it in its session or document: the first wholly, the others half."""
MOSTLY, ALMOST_ALL = 0.5, 0.7
"""The shares of a score from which on the sentence says that it is owed to neighbours: mostly, and almost all."""
OWED, HARDLY = "Here mostly because of its neighbours", ", hardly for itself"
_RENAMED = {"reinforcement": "reinforcement_boost"}
"""Terms of the sum whose name in a score differs."""


def term_key(name: str) -> str:
    """Return the field of a score for a leg (`vector`) or a term of the sum (`mmrPenalty` is in `mmr_penalty`)."""
    return LEGS[name].key if name in LEGS else _RENAMED.get(name, to_snake(name))


def sentence(
    contributions: Sequence[LegContribution],
    reranked: RerankDetail | None,
    scores: ScoreDecomposition,
    key_words: Mapping[int, str],
    moved: str = "",
    edges: str = "",
    lender: str = "",
) -> str:
    """Say in one sentence why a memory was found: the legs, its rank by the reranker, its notable and largest terms.

    Said first: the edges that lead to it, where the query asks for some (`edges`, a clause); that no leg found it; that
    half of its score or more comes from its neighbours. `key_words` maps the numbers of the query's key words, as in a
    contribution's `matches`, to the words, empty if they were not kept; `moved` says above which memory `renewal` moved
    it (`NEWER` and the like), empty if it did not; `lender` names the neighbour that lends it most (`[2]`), empty if
    there is none.
    """
    found = [each for each in contributions if each.term]
    parts = [f"Found {listed([_found_clause(each, key_words) for each in found])}" if found else NEIGHBOUR]
    if reranked:
        other = "" if reranked.backend == LATE_INTERACTION else f" ({reranked.backend})"
        parts.append(f"placed {ordinal(reranked.rank)} by the reranker{other}")
    parts += [f"{phrase} ({signed(value)})" for phrase, value in _named_terms(scores, moved)]
    text = ", ".join(parts)
    if found and (from_neighbours := neighbour_share(scores)) >= MOSTLY * scores.final > 0:
        above_all = f", above all {lender}" if lender else ""
        part = f"they make {from_neighbours:.2f} of its {scores.final:.2f}{above_all}"
        hardly = HARDLY if from_neighbours >= ALMOST_ALL * scores.final else ""
        text = f"{OWED}{hardly} ({part}): {text[0].lower()}{text[1:]}."
    else:
        name, value = largest_term(scores)
        above_all = f", above all by {lender}" if lender and name == "expansion" else ""
        largest = f"{term_names(scores)[name]} ({value:.2f} of {scores.final:.2f}{above_all})"
        text = f"{text}; the largest term of its score is {largest}."
    return f"{edges}: {text[0].lower()}{text[1:]}" if edges else text


def legend(scores: Sequence[ScoreDecomposition]) -> dict[str, str]:
    """Map each term that is not 0 in any of these scores to its words: `{"heat": "how much it is used"}`.

    Those of `expansion` also say what neighbours are, those of `bm25` when a word counts, those of `graph` what decides
    its places.
    """
    values = [each.model_dump(exclude_none=True) for each in scores]
    term_words = REDUCING | {name: words for each in scores for name, words in term_names(each).items()}
    term_words |= {"expansion": f"{LARGEST['expansion']} ({NEIGHBOURS})"}
    term_words |= {"bm25": f"its place {LEGS['lexical'].found}; {STEMS}"}
    term_words |= {"graph": f"its place {LEGS['graph'].found}, {WAYS}"}
    return {name: words for name, words in term_words.items() if any(each.get(name) for each in values)}


def neighbour_share(scores: ScoreDecomposition) -> float:
    """Return the part of a score, in its unit, that comes from a memory's neighbours in its session or document: what
    they lend it, and half of the terms that its words and theirs make together.
    """
    lent, *together = (getattr(scores, name) or 0.0 for name in AROUND)
    return lent + sum(together) / 2


def leg_in_words(leg: str) -> str:
    """Say how a leg finds memories: `by meaning`; for a sub-question's leg `vector@2` with ` in sub-question 1`."""
    name, _, number = leg.partition("@")
    return f"{LEGS[name].found} in sub-question {int(number) - 1}" if number else LEGS[name].found


def term_names(scores: ScoreDecomposition) -> dict[str, str]:
    """Map each term that can be the largest, by its field of a score (`term_key`), to its name in words: those of the
    legs, those in `LARGEST`, and further ones of `scores`.
    """
    further = {name: f"its {name}" for name in scores.model_extra or {}}
    return further | {leg.key: f"its place {leg.found}" for leg in LEGS.values()} | LARGEST


def largest_term(scores: ScoreDecomposition) -> tuple[str, float]:
    """Return the name and value of the largest term, the first of equals; `("expansion", 0.0)` if there is none."""
    values = {name: value for name in term_names(scores) if (value := getattr(scores, name, None)) is not None}
    name = max(values, key=lambda name: values[name], default="expansion")
    return name, values.get(name, 0.0)


def signed(value: float) -> str:
    """Write a number with its sign and two decimals, `+0.80`; a smaller one to its first digit, `+0.001`."""
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.1g}"


def _named_terms(scores: ScoreDecomposition, moved: str) -> Iterator[tuple[str, float]]:
    """Yield the words and value of each term that a sentence names; `moved` as in `sentence`."""
    for name, phrase in TELLING.items():
        if value := getattr(scores, name):
            yield phrase.format(moved=moved), value


def _found_clause(contribution: LegContribution, key_words: Mapping[int, str]) -> str:
    """Say the rank and leg of a contribution: `2nd by meaning (cosine 0.71)`, `1st by words (1 of the question's 3 key
    words: cache)`. The matching ones of `key_words` (as in `sentence`) are named if others did not match and the words
    were kept; if none matched, it says that words of the same stem did.
    """
    found = f"{ordinal(contribution.rank)} {leg_in_words(contribution.leg)}"
    if contribution.leg == "lexical":
        held = [key_words.get(i, "") for i in contribution.matches]
        which = f": {', '.join(held)}" if all(held) and len(held) < len(key_words) else ""
        which = which if held else ", but words of the same stem"
        return f"{found} ({len(held)} of the question's {counted(len(key_words), 'key word')}{which})"
    if contribution.leg == "vector":
        return f"{found} (cosine {contribution.raw_score:.2f})"
    return found
