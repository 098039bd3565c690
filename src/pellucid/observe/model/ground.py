"""A model's claim and the turns it was shown in, the source of the claim out: the turns and sentences it quotes."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from pydantic import BaseModel

from pellucid.language.scripts import EAST
from pellucid.language.spelling import normalise
from pellucid.language.words import content_words, words
from pellucid.model.memory import Category
from pellucid.model.turn import Turn
from pellucid.observe.dates import resolve_dates
from pellucid.observe.language import detect_language
from pellucid.observe.prose import sentences

MOST_TURNS = 3
_BEFORE = 2
"""Turns before the evidence that can supply the name for a pronoun."""
_CLAUSE = re.compile(
    r"(?<=[.!?…;:,)])\s++|(?<=[。！？、，；])|(?<!\s)\s++[-–—]++\s++"
    r"|(?<!\s)\s++(?=(?:but|whereas|instead|rather than|even though|although|though|because|aber|sondern|obwohl|weil"
    r"|(?:an)?statt|pero|sino|aunque|en (?:vez|lugar) de|au lieu d[eu])\b)"
)
_EDGES = rf"(?<![^\W{EAST}])", rf"(?![^\W{EAST}])"
"""Patterns for the beginning and the end of a word; in scripts without spaces they match anywhere."""


class ClaimedAttribute(BaseModel):
    """One attribute of the claim's entity, as a model gave it."""

    name: str
    value: str


class ClaimedResolution(BaseModel):
    """A claim's reference to an earlier statement, as a model gave it."""

    kind: Literal["correction", "retraction"]
    about: str


class ModelClaim(BaseModel):
    """A fact as a model gave it: of the right form, otherwise unchecked."""

    category: Category
    content: str
    confidence: float
    turns: list[int]
    quote: str
    tags: list[str]
    entity: str | None = None
    attributes: list[ClaimedAttribute]
    resolves: ClaimedResolution | None = None


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """The source that a claim quotes. In all of its texts relative dates have absolute ones beside them.

    `turns` are the claim's evidence, `voices` those of them that have the quote, `sentences` the sentences that the
    quote touches. `heard` is the whole text of the evidence, `near` the same with the turns just before and the
    speakers' names.
    """

    turns: tuple[Turn, ...]
    voices: tuple[Turn, ...]
    sentences: tuple[str, ...]
    heard: str
    near: str
    speakers: frozenset[str]
    """The words of every speaker's name, casefolded."""


def source_of_claim(
    claim: ModelClaim, turns: Sequence[Turn]
) -> ClaimSource | Literal["turns-outside", "too-many-turns", "not-quoted"]:
    """Return the turns and sentences that a claim about `turns` quotes, or the reason to drop the claim.

    `turns-outside`: its `turns` are not the numbers of a first and a last turn among `turns`. `too-many-turns`: they
    span more than three. `not-quoted`: none of them has its quote (`quoted_sentences`).
    """
    places = {turn.ordinal: at for at, turn in enumerate(turns)}
    if len(claim.turns) != 2 or not places.keys() >= set(claim.turns) or claim.turns[0] > claim.turns[1]:
        return "turns-outside"
    if claim.turns[1] - claim.turns[0] >= MOST_TURNS:
        return "too-many-turns"
    first, last = (places[ordinal] for ordinal in claim.turns)
    evidence = tuple(turns[first : last + 1])
    quoted = [(turn, sentence) for turn in evidence for sentence in quoted_sentences(claim.quote, turn)]
    if not quoted:
        return "not-quoted"
    names = " ".join({turn.speaker for turn in turns if turn.speaker})
    heard = "\n".join(_dated(sentence, turn) for turn in evidence for sentence in _split(turn.content))
    before = "\n".join(turn.content for turn in turns[max(0, first - _BEFORE) : first])
    return ClaimSource(
        turns=evidence,
        voices=tuple(dict.fromkeys(turn for turn, _ in quoted)),
        sentences=tuple(dict.fromkeys(_dated(sentence, turn) for turn, sentence in quoted)),
        heard=heard,
        near=f"{heard}\n{before}\n{names}",
        speakers=frozenset(words(names)),
    )


def clauses(text: str) -> tuple[str, ...]:
    """Return the clauses of a text in the form of `normalise`, in order, without those that have no letter or digit.

    Cut at punctuation, dashes and conjunctions such as `but` and `because`.
    """
    return tuple(normalise(clause) for clause in _CLAUSE.split(text) if any(sign.isalnum() for sign in clause))


def quoted_sentences(quote: str, turn: Turn) -> list[str]:
    """Return the sentences of a turn, as written there, that contain the quote or a part of it if it spans several.

    The quote must stand in the turn as whole words; case and punctuation do not count (`normalise`). `[]` if it does
    not, or if the quote has no content words.
    """
    sought = normalise(quote)
    spoken = [sentence for sentence in _split(turn.content) if any(sign.isalnum() for sign in sentence)]
    if not content_words(quote) or not sought:
        return []
    normal = [normalise(sentence) for sentence in spoken]
    ends = [end - 1 for end in accumulate(len(sentence) + 1 for sentence in normal)]
    touched: set[int] = set()
    for match in re.finditer(re.escape(sought).join(_EDGES), " ".join(normal)):
        touched.update(range(bisect_right(ends, match.start()), bisect_left(ends, match.end()) + 1))
    return [spoken[at] for at in sorted(touched)]


def _split(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order, none across a line end; those of over 1,000 characters are left out."""
    return tuple(sentence for line in text.splitlines() for sentence in sentences(line))


def _dated(sentence: str, turn: Turn) -> str:
    """Return the sentence with absolute dates beside relative ones; unchanged if its turn has no time."""
    return resolve_dates(sentence, turn.at, detect_language(sentence))
