"""A sentence about a result and its numbers in, the claims of it that the numbers do not bear out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pellucid.model.snapshot import LegContribution, RerankDetail, ScoreDecomposition
from pellucid.recall.score.rerank import LATE_INTERACTION
from pellucid.xray.words.sentence import (
    ALMOST_ALL,
    FOLLOWS,
    HARDLY,
    MOSTLY,
    NEIGHBOUR,
    NEWER,
    OWED,
    SUCCEEDS,
    TELLING,
    leg_in_words,
    neighbour_share,
    signed,
    term_names,
)


def untrue(
    said: str,
    contributions: Sequence[LegContribution],
    reranked: RerankDetail | None,
    scores: ScoreDecomposition,
    key_words: Mapping[int, str],
    older: str = "",
    apart: tuple[datetime, datetime] | None = None,
) -> list[str]:
    """The claims of a sentence that its numbers do not bear out: read from the words, not from how they were made.

    `older` is the number or id of the memory above which it was moved, `apart` when that one and it were made,
    `key_words` as in `sentence`.
    """
    claims = _checked_claims(said, contributions, reranked, scores, key_words, older, apart)
    return [claim for claim, holds in claims if not holds]


def _checked_claims(
    said: str,
    contributions: Sequence[LegContribution],
    reranked: RerankDetail | None,
    scores: ScoreDecomposition,
    key_words: Mapping[int, str],
    older: str,
    apart: tuple[datetime, datetime] | None,
) -> Iterator[tuple[str, bool]]:
    """Each claim of a sentence that `sentence` made, by name, and whether the numbers bear it out.

    The sentence is read back, so that no claim is taken from what made it.
    """
    legs = {each.leg: each for each in contributions if each.term}
    yield "it was not found by itself", said.startswith(NEIGHBOUR) == (not legs)
    for name, leg in legs.items():
        found = re.search(rf"(\d+)(?:st|nd|rd|th) {re.escape(leg_in_words(name))}(?! in)", said)
        yield f"found by {name}", found is not None and int(found[1]) == leg.rank
    for cosine, leg in ((found, legs.get("vector")) for found in re.findall(r"by meaning \(cosine (-?[\d.]+)\)", said)):
        yield "the cosine", leg is not None and f"{leg.raw_score:.2f}" == cosine
    by_words = r"by words \((\d+) of the question's (\d+) key words?(, but .+? stem)?(?:: (.+?))?\)"
    for held, known, alike, which in re.findall(by_words, said):
        lexical = legs.get("lexical")
        counts = (len(lexical.matches), len(key_words)) if lexical else ()
        yield "the words it holds", (int(held), int(known)) == counts
        named = [key_words[i] for i in lexical.matches] if lexical and 0 < int(held) < int(known) else []
        yield "which words it holds", which == (", ".join(named) if all(named) else "")
        yield "only words spelled alike", bool(alike) == (held == "0")
    placed = re.search(r"placed (\d+)(?:st|nd|rd|th) by the reranker(?: \((.+?)\))?", said)
    claimed = placed and (int(placed[1]), placed[2] or LATE_INTERACTION)
    yield "the reranker's place", claimed == (reranked and (reranked.rank, reranked.backend))
    for name, phrase in TELLING.items():
        value = getattr(scores, name) or 0.0
        if name == "renewal":
            told = [
                each for each in (NEWER, FOLLOWS, SUCCEEDS) if f"{each.format(older=older)} ({signed(value)})" in said
            ]
            yield name, len(told) == (value != 0.0)
            yield "newer by a day", NEWER not in told or apart is None or apart[0].date() < apart[1].date()
            yield "later", FOLLOWS not in told or apart is None or apart[0] < apart[1]
            continue
        yield name, (f"{phrase} ({signed(value)})" in said) == (value != 0.0)
    owed = re.match(rf"{OWED}(?:{HARDLY})? \(they make (-?[\d.]+) of its (-?[\d.]+)(?:, above all .+?)?\)", said)
    share = neighbour_share(scores)
    yield "its neighbours", (owed is not None) == bool(legs and share >= MOSTLY * scores.final > 0)
    yield "hardly for itself", (HARDLY in said) == (owed is not None and share >= ALMOST_ALL * scores.final)
    if owed:
        yield "what its neighbours make", owed.groups() == (f"{neighbour_share(scores):.2f}", f"{scores.final:.2f}")
    else:
        yield "the largest term", _is_heaviest(said, scores)


def _is_heaviest(said: str, scores: ScoreDecomposition) -> bool:
    """Whether the term that a sentence calls the largest is the largest, with the numbers it gives."""
    told = re.search(
        r"the largest term of its score is (.+?) \((-?[\d.]+) of (-?[\d.]+)(?:, above all by .+)?\)\.$", said
    )
    called = term_names(scores)
    names = [name for name, phrase in called.items() if told and phrase == told[1]]
    if not told or not names:
        return False
    value = getattr(scores, names[0]) or 0.0
    most = max((getattr(scores, name, None) or 0.0 for name in called), default=0.0)
    return value == most and f"{value:.2f}" == told[2] and f"{scores.final:.2f}" == told[3]
