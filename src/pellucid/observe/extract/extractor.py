"""A segment in, extracted facts out: the port of every extractor, and the one that needs no model and no key."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from pellucid.language.words import content_words, words
from pellucid.model.observation import Evidence, ExtractedFact, Resolution
from pellucid.model.turn import Segment, Turn
from pellucid.observe.attributes import ANONYMOUS, read_attribution
from pellucid.observe.dates import resolve_dates
from pellucid.observe.extract.questions import answered, in_reply
from pellucid.observe.extract.resolutions import REACH, Resolved, resolutions
from pellucid.observe.extract.statements import POSITIONS, ObservedStatement, statements
from pellucid.observe.prose import captions
from pellucid.observe.setting import Hearing, hear, manner_of
from pellucid.observe.work.attempts import Pair, attempts
from pellucid.observe.work.parts import parts
from pellucid.observe.work.replies import is_settled, replied
from pellucid.observe.work.statements import stated

AT_MOST = 5
_SHORTEST = 3

PER_BLOCK = 2
"""Facts at most from one paragraph of a chat; the weightiest stay."""
SECOND_FROM = 2.8
"""The weight from which a second plain fact stays; weights are those of the language's salience table."""

RESOLVED_CONFIDENCE = 0.95
"""Of what a person says to correct or to take back something said."""

_CAPTION_OPENING = re.compile(
    r"^(?:an? )?(?:photo(?:graph(?:y)?)?|picture|image|close ?up(?: view)?|screenshot) (?:of )?", re.IGNORECASE
)


Placed = tuple[int, ExtractedFact]
_BY_POSITION = itemgetter(0)


class Extractor(Protocol):
    """Anything that extracts what is durable from a segment; it keeps no state between segments and writes nothing."""

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        """Zero or more facts, each evidenced by at most three turns of the segment, in the order of the turns."""
        ...


class HeuristicExtractor:
    """Cue tables, weighted signals and a little structure: deterministic, local, thousands of turns a second."""

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        """The facts of a segment by rules alone, in the order of its turns, each correction once."""
        heard = hear(segment)
        if manner_of(segment.turns) == "work":
            return _of_work(segment, heard)
        facts: list[ExtractedFact] = []
        for at, hearing in enumerate(heard):
            resolved = resolutions(heard[max(0, at - REACH) : at], hearing)
            taken = frozenset(sentence for each in resolved for sentence in each.heard)
            found = _facts_of(heard[at - 1] if at else None, hearing, taken)
            if resolved:
                found = sorted(
                    [*((r.position, _fact_of_resolution(r, hearing)) for r in resolved), *found], key=_BY_POSITION
                )
            facts += [fact for _, fact in found]
        return facts


def _of_work(segment: Segment, heard: Sequence[Hearing]) -> list[ExtractedFact]:
    """What is worth keeping of a stretch of a coding session."""
    facts: list[ExtractedFact] = []
    for at, spoken in enumerate(parts(segment, heard)):
        hearing = spoken.hearing
        resolved = resolutions(heard[max(0, at - REACH) : at], hearing)
        reply = replied(spoken)
        placed = [(each.position, _fact_of_resolution(each, hearing)) for each in resolved]
        if reply and (before := spoken.before):
            placed.append((0, _fact_of(reply, hearing, since=before.turn)))
            offering = before.turn.ordinal
            facts = [
                each for each in facts if _last_turn(each) != offering or not is_settled(each.content, reply, spoken)
            ]
        taken = {sentence.strip(" .").casefold() for each in resolved for sentence in each.heard}
        placed += [
            (statement.position, _fact_of(statement, hearing))
            for statement in stated(spoken, taken)
            if not (reply and (statement.own or statement.text) in reply.text)
        ]
        facts += [fact for _, fact in sorted(placed, key=_BY_POSITION)]
    return sorted([*facts, *map(_of_pair, attempts(segment))], key=_last_turn)


def _of_pair(pair: Pair) -> ExtractedFact:
    """The fact that one command fails and another works, with both as they stand in their calls."""
    return ExtractedFact(
        category="procedure",
        content=pair.text,
        confidence=0.9,
        tags=tags(pair.text, None),
        evidence=tuple(
            Evidence(source=run.call.session_id, start=run.call.ordinal, end=run.call.ordinal, quote=run.line)
            for run in (pair.failing, pair.working)
        ),
    )


def _last_turn(fact: ExtractedFact) -> int:
    return fact.evidence[-1].end


def _facts_of(before: Hearing | None, hearing: Hearing, taken: frozenset[str]) -> list[Placed]:
    """The facts of one turn with their places in it; of a question's answer, one fact of both together.

    Sentences that are `taken` were read as corrections.
    """
    found = statements(hearing, taken)
    if hearing.manner == "chat":
        found = tuple(_with_caption(statement, hearing) for statement in _weightiest_statements(found))
    answer = answered(before, hearing) if before else None
    if before and answer and all(statement.text in answer.text for statement in found):
        return [(0, _fact_of(answer, hearing, since=before.turn))]
    return [(statement.position, _fact_in_reply(statement, before, hearing)) for statement in found]


def _fact_in_reply(statement: ObservedStatement, before: Hearing | None, hearing: Hearing) -> ExtractedFact:
    """The fact of a statement, with the question before it where only that says what a pronoun means."""
    reply = in_reply(before, hearing, statement) if before else None
    return _fact_of(reply, hearing, since=before.turn) if before and reply else _fact_of(statement, hearing)


def _with_caption(statement: ObservedStatement, hearing: Hearing) -> ObservedStatement:
    """The statement, with the caption of the shared picture if it points at it (`this`, `here's`)."""
    shown = captions(hearing.turn.content)
    if not shown or not hearing.language.noise.deictic.search(statement.text.lower()):
        return statement
    return replace(statement, text=f"{statement.text} [image: {_CAPTION_OPENING.sub('', shown[0])}]")


def _weightiest_statements(found: tuple[ObservedStatement, ...]) -> tuple[ObservedStatement, ...]:
    """The weightiest statement of each paragraph, and a second one that is heavy in its own right; in their order."""
    by_block = groupby(found, key=lambda statement: statement.position // POSITIONS)
    ranked = [sorted(group, key=lambda statement: -statement.weight) for _, group in by_block]
    kept = [
        statement
        for group in ranked
        for rank, statement in enumerate(group[:PER_BLOCK])
        if rank == 0 or statement.category != "fact" or statement.weight >= SECOND_FROM
    ]
    return tuple(sorted(kept, key=lambda statement: statement.position))


def _fact_of(statement: ObservedStatement, hearing: Hearing, since: Turn | None = None) -> ExtractedFact:
    """The fact of a statement: with its speaker, absolute dates, and attributes.

    Its evidence begins at the turn `since` where the statement answers that one.
    """
    turn, language = hearing.turn, hearing.language
    speaker = statement.speaker or turn.speaker
    said = resolve_dates(statement.text, hearing.at, language)
    attribution = read_attribution(statement.own or statement.text, language, whose(hearing, speaker))
    content = said if since else f"{_with_speaker(speaker, statement, hearing)}{said}"
    return ExtractedFact(
        category=statement.category,
        content=content,
        confidence=statement.confidence,
        tags=tags(statement.text, speaker),
        entity_ref=attribution.entity,
        structured_attributes=attribution.attributes,
        evidence=(Evidence(source=turn.session_id, start=(since or turn).ordinal, end=turn.ordinal),),
        resolves=Resolution(kind="update") if statement.is_update else None,
    )


def whose(hearing: Hearing, speaker: str | None) -> str | None:
    """The entity that `I` means in a turn; nobody's, where an unnamed assistant speaks."""
    return speaker or (ANONYMOUS if hearing.voice == "person" else None)


def _fact_of_resolution(resolved: Resolved, hearing: Hearing) -> ExtractedFact:
    """The fact of a correction, with the `I` of who said the earlier sentence if it has one; or of a retraction."""
    source = resolved.source.hearing if resolved.source else hearing
    owner = source if source.language.noise.self.search(resolved.text.lower()) else hearing
    statement = ObservedStatement(resolved.text, "correction", RESOLVED_CONFIDENCE, 0.0, 0, owner.turn.speaker)
    turn, since = hearing.turn, source.turn
    apart = turn.ordinal - since.ordinal > 2
    ranges = (
        [(since.ordinal, since.ordinal), (turn.ordinal, turn.ordinal)] if apart else [(since.ordinal, turn.ordinal)]
    )
    evidence = tuple(Evidence(source=turn.session_id, start=start, end=end) for start, end in ranges)
    return _fact_of(statement, owner).model_copy(update={"resolves": resolved.resolves, "evidence": evidence})


def _with_speaker(speaker: str | None, statement: ObservedStatement, hearing: Hearing) -> str:
    """`Ann: ` to put before a statement, so that its `I` and `you` still mean somebody alone; empty if not needed."""
    noise, lowered = hearing.language.noise, statement.text.lower()
    if speaker:
        to = f" (to {hearing.listener})" if hearing.listener and noise.you.search(lowered) else ""
        return f"{speaker}{to}: "
    return "User: " if hearing.turn.role == "user" and noise.self.search(lowered) else ""


def tags(text: str, speaker: str | None = None) -> tuple[str, ...]:
    """The most telling words of a sentence in their order; never a stop word or the speaker's own name."""
    named = {word for part in text.split()[1:] if part[:1].isupper() for word in words(part)}
    own = set(words(speaker or ""))
    terms = [word for word in content_words(text) if word not in own and not _is_number(word)]
    terms = [word for word in terms if len(word) >= _SHORTEST or not word.isascii() or word in named]
    best = sorted(terms, key=lambda word: -(10 * (word in named) + 5 * _is_identifier(word) + len(word)))[:AT_MOST]
    return tuple(word for word in terms if word in best)


def _is_number(word: str) -> bool:
    return word[0].isdigit() and not any(char.isalpha() for char in word)


def _is_identifier(word: str) -> bool:
    return not word.isalpha() and any(char in "._-" or char.isdigit() for char in word)
