"""A segment and its facts in, the other statements of persons out, each with the reason why it became no fact."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pellucid.language.words import content_words
from pellucid.model.observation import Evidence, ExtractedFact
from pellucid.model.turn import Segment
from pellucid.observe.extract.statements import is_question, is_step, is_unresolved, statements
from pellucid.observe.language import Language
from pellucid.observe.prose import prose_sentences
from pellucid.observe.setting import TurnContext, turn_contexts

MAX_REPORTED = 40
"""Sentences of one segment that are reported at most, so that a pasted book does not flood the report."""
_FEWEST_WORDS = 2
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Unkept:
    """A sentence that looked like a statement and became no fact; the reason is `code: words`."""

    text: str
    evidence: Evidence
    reason: str


def unkept_statements(segment: Segment, facts: Sequence[ExtractedFact]) -> list[Unkept]:
    """Return the sentences of persons that look like statements and are in none of the facts, in order, with reasons.

    At most 40 of a segment. `facts` are those that were extracted from it.
    """
    # the turns are read anew: an extractor, which may be a model, gives facts alone
    people = (context for context in turn_contexts(segment) if context.voice == "person")
    return list(islice((each for context in people for each in _unkept_of_turn(context, facts)), MAX_REPORTED))


def _unkept_of_turn(context: TurnContext, facts: Sequence[ExtractedFact]) -> Iterator[Unkept]:
    """Yield the sentences of a turn that look like statements but are in none of the facts, each with the reason.

    A fact has a sentence if it cites the turn and has at least half of the sentence's content words.
    """
    turn = context.turn
    cited = [fact for fact in facts if any(each.start <= turn.ordinal <= each.end for each in fact.evidence)]
    in_facts = [set(content_words(fact.content)) for fact in cited]
    in_statements = [set(content_words(each.text)) for each in statements(context)]
    place = Evidence(source=turn.session_id, start=turn.ordinal, end=turn.ordinal)
    for sentence in prose_sentences(turn.content):
        words = set(content_words(sentence))
        if _looks_like_statement(sentence, context.language) and not _is_covered(words, in_facts):
            yield Unkept(
                sentence, place, _reason_not_kept(sentence, context, is_read=_is_covered(words, in_statements))
            )


def _is_covered(words: set[str], texts: Sequence[set[str]]) -> bool:
    """Whether one of the texts, each a set of content words, has at least half of these words."""
    return any(len(words & each) >= _COVERED * len(words) for each in texts)


def _looks_like_statement(sentence: str, language: Language) -> bool:
    """Whether a sentence looks like a statement: not a question or courtesy, at least two content words."""
    if is_question(sentence, language) or language.noise.chatter.search(sentence.lower()):
        return False
    return len(content_words(sentence)) >= _FEWEST_WORDS


def _reason_not_kept(sentence: str, context: TurnContext, *, is_read: bool) -> str:
    """Return why a sentence was not kept, as `code: words`, by the first code that fits: `outweighed`, `transient`,
    `task`, `debugging`, `unresolved-reference`, `speculative`; else `no-sign`.

    `is_read` says that extraction by words did read it as a statement, so that others must have outweighed it.
    """
    noise, lowered = context.language.noise, sentence.lower()
    signs = (
        (is_read, "outweighed: the paragraph says weightier things, and only those are kept"),
        (noise.transient.search(lowered), "transient: it tells of a state that will have passed"),
        (is_step(lowered, context), "task: it asks for something to be done now"),
        (context.debugging, "debugging: it was said while a failure was being looked into"),
        (is_unresolved(sentence, context.language), "unresolved-reference: what it speaks of is not named in it"),
        (noise.hedges.search(lowered), "speculative: who said it was not sure"),
    )
    return next((why for sign, why in signs if sign), "no-sign: nothing in its words says that it is to last")
