"""A segment and its facts in, the person's other statements out, each with why nothing was made of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.language.words import content_words
from pellucid.model.observation import Evidence, ExtractedFact
from pellucid.model.turn import Segment
from pellucid.observe.extract.statements import is_question, is_unresolved, statements
from pellucid.observe.language import Language
from pellucid.observe.prose import blocks, sentences
from pellucid.observe.setting import Hearing, hear

MOST = 40
"""Sentences of one segment that are told of: who pastes a book is not asked about each of its sentences."""
_FEWEST_WORDS = 2
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Unkept:
    """A sentence that looked like a statement: where it stands, and why it was passed over (`code: words`)."""

    text: str
    evidence: Evidence
    reason: str


def unkept(segment: Segment, facts: Sequence[ExtractedFact]) -> list[Unkept]:
    """What a person stated and no fact says; questions, courtesies and what hardly says anything are no statements."""
    found = (each for hearing in hear(segment) if hearing.voice == "person" for each in _of_turn(hearing, facts))
    return [each for _, each in zip(range(MOST), found, strict=False)]


def _of_turn(hearing: Hearing, facts: Sequence[ExtractedFact]) -> Iterator[Unkept]:
    """The sentences of a turn that look like statements and stand in none of the facts, each with the reason."""
    turn = hearing.turn
    told = [set(content_words(fact.content)) for fact in facts if _is_of(fact, turn.ordinal)]
    read = [set(content_words(each.text)) for each in statements(hearing)]
    place = Evidence(source=turn.session_id, start=turn.ordinal, end=turn.ordinal)
    for block in blocks(turn.content):
        for sentence in sentences(block.text):
            held = set(content_words(sentence))
            if _looks_like_statement(sentence, hearing.language) and not _covers(told, held):
                yield Unkept(sentence, place, _reason_of(sentence, hearing, is_read=_covers(read, held)))


def _is_of(fact: ExtractedFact, ordinal: int) -> bool:
    return any(each.start <= ordinal <= each.end for each in fact.evidence)


def _covers(told: Sequence[set[str]], held: set[str]) -> bool:
    return any(len(held & each) >= _COVERED * len(held) for each in told)


def _looks_like_statement(sentence: str, language: Language) -> bool:
    """Whether a sentence looks like a statement: it asks nothing, is no courtesy, and names two things."""
    if is_question(sentence, language) or language.noise.chatter.search(sentence.lower()):
        return False
    return len(content_words(sentence)) >= _FEWEST_WORDS


def _reason_of(sentence: str, hearing: Hearing, *, is_read: bool) -> str:
    """Why a sentence was not kept, in words; `is_read`: it was read as a statement, and outweighed by others."""
    noise, lowered = hearing.language.noise, sentence.lower()
    is_task = hearing.manner == "work" and noise.task.search(lowered) and not noise.appointed.search(lowered)
    signs = (
        (is_read, "outweighed: the paragraph says weightier things, and only those are kept"),
        (noise.transient.search(lowered), "transient: it tells of a state that will have passed"),
        (is_task, "task: it asks for something to be done now"),
        (hearing.debugging, "debugging: it was said while a failure was being looked into"),
        (is_unresolved(sentence, hearing.language), "unresolved-reference: what it speaks of is not named in it"),
        (noise.hedges.search(lowered), "speculative: who said it was not sure"),
    )
    return next((why for sign, why in signs if sign), "no-sign: nothing in its words says that it is to last")
