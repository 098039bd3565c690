"""A fact and the turns it came from in, the fact with the sentence that says it, word for word, in its evidence out."""

import re
from collections.abc import Mapping

from pellucid.language.words import content_words
from pellucid.model.observation import LONGEST_QUOTE, Evidence, ExtractedFact
from pellucid.model.turn import Turn
from pellucid.observe.prose import blocks, sentences

_LEAST_SHARED = 0.5
"""The least share of a sentence's content words that the fact must hold for the sentence to be what says it."""
_EDGE = re.compile(r"\s+\S*$")


def quoted(fact: ExtractedFact, said: Mapping[int, Turn]) -> ExtractedFact:
    """The fact with a quote in each piece of evidence that has none, and of which one sentence says it.

    `said` are the turns by ordinal, redacted as they are kept.
    """
    evidence = tuple(each if each.quote else _with_quote(each, fact.content, said) for each in fact.evidence)
    return fact if evidence == fact.evidence else fact.model_copy(update={"evidence": evidence})


def _with_quote(place: Evidence, content: str, said: Mapping[int, Turn]) -> Evidence:
    wanted = set(content_words(content))
    turns = [said[at] for at in range(place.start, place.end + 1) if at in said]
    spoken = [(_shared(sentence, wanted), sentence) for turn in reversed(turns) for sentence in _sentences(turn)]
    best = max(spoken, key=lambda each: each[0], default=(0.0, ""))
    return place.model_copy(update={"quote": _cut(best[1])}) if best[0] >= _LEAST_SHARED else place


def _sentences(turn: Turn) -> list[str]:
    """The sentences of a turn that stand in it word for word."""
    flat = " ".join(turn.content.split())
    found = (" ".join(each.split()) for block in blocks(turn.content) for each in sentences(block.text))
    return [each for each in found if each in flat]


def _shared(sentence: str, wanted: set[str]) -> float:
    """How much two sets of content words have in common, of the larger one."""
    held = set(content_words(sentence))
    return len(held & wanted) / max(len(held), len(wanted), 1)


def _cut(sentence: str) -> str:
    if len(sentence) <= LONGEST_QUOTE:
        return sentence
    return _EDGE.sub("", sentence[: LONGEST_QUOTE - 1]) + "…"
