"""A segment in, extracted facts out: the port of every extractor, and an extractor without model and key."""

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
from pellucid.observe.extract.questions import question_with_answer, with_question
from pellucid.observe.extract.resolutions import Resolved, resolutions
from pellucid.observe.extract.statements import POSITIONS, ObservedStatement, statements
from pellucid.observe.prose import captions
from pellucid.observe.setting import TurnContext, session_manner, turn_contexts
from pellucid.observe.work.attempts import CommandFix, command_fixes
from pellucid.observe.work.parts import work_turns
from pellucid.observe.work.replies import choice_in_reply, is_in_choice
from pellucid.observe.work.statements import statements_of_turn

_MAX_TAGS = 5
_SHORTEST_TAG = 3

PER_BLOCK = 2
"""The most facts from one paragraph of a chat; the weightiest stay."""
SECOND_FROM = 2.8
"""The weight, by the language's salience table, from which a second plain fact of a paragraph stays."""

RESOLVED_CONFIDENCE = 0.95
"""The confidence of a correction or a retraction."""

_CAPTION_OPENING = re.compile(
    r"^(?:an? )?(?:photo(?:graph(?:y)?)?|picture|image|close ?up(?: view)?|screenshot) (?:of )?", re.IGNORECASE
)
Placed = tuple[int, ExtractedFact]
"""The position of a fact in its turn, and the fact."""
_BY_POSITION = itemgetter(0)


class Extractor(Protocol):
    """Extracts what is durable from a segment; keeps no state between segments, and writes nothing."""

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        """Return the facts of a segment in the order of its turns, each with its evidence; `[]` if there are none.

        An extractor that asks a model raises ChatError if it gets no answer.
        """
        ...


class HeuristicExtractor:
    """An extractor by cue tables, weighted signals and structure: deterministic, local, fast."""

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        """Return the facts of a segment in the order of its turns, each with its evidence; `[]` if there are none."""
        contexts = turn_contexts(segment)
        if session_manner(segment.turns) == "work":  # asked anew: turns of tools alone have no contexts, but facts
            return _facts_of_work(segment, contexts)
        facts: list[ExtractedFact] = []
        for at, context in enumerate(contexts):
            resolved = resolutions(contexts[:at], context)
            # as they stand: a chat's statements are compared before they are polished, those of work (below) after it
            taken = frozenset(sentence for each in resolved for sentence in each.replaces)
            placed = [(each.position, _fact_of_resolution(each, context)) for each in resolved]
            placed += _facts_of_turn(contexts[at - 1] if at else None, context, taken)
            facts += [fact for _, fact in sorted(placed, key=_BY_POSITION)]
        return facts


def _facts_of_work(segment: Segment, contexts: Sequence[TurnContext]) -> list[ExtractedFact]:
    """Return the facts of a segment of a coding session, in the order of the last turns of their evidence.

    `contexts` are those of its turns (`turn_contexts`). If a person's reply picks from an agent's options, or agrees,
    the choice is one fact, and the statements that are part of it, the agent's and the reply's, are dropped. Commands
    that failed and were put right are facts, too.
    """
    facts: list[ExtractedFact] = []
    for at, turn in enumerate(work_turns(segment, contexts)):
        context = turn.context
        resolved = resolutions(contexts[:at], context)
        reply = choice_in_reply(turn)
        placed = [(each.position, _fact_of_resolution(each, context)) for each in resolved]
        if reply and (before := turn.before):
            placed.append((0, _fact_of_statement(reply, context, since=before.turn)))
            offering = before.turn.ordinal
            facts = [
                each for each in facts if _last_turn(each) != offering or not is_in_choice(each.content, reply, turn)
            ]
        taken = {sentence.strip(" .").casefold() for each in resolved for sentence in each.replaces}
        placed += [
            (statement.position, _fact_of_statement(statement, context))
            for statement in statements_of_turn(turn, taken)
            if not (reply and (statement.own or statement.text).casefold() in reply.text.casefold())
        ]
        facts += [fact for _, fact in sorted(placed, key=_BY_POSITION)]
    return sorted([*facts, *map(_fact_of_fix, command_fixes(segment))], key=_last_turn)


def _fact_of_fix(fix: CommandFix) -> ExtractedFact:
    """Return the fact that one command fails and another works, with the lines of both calls as quotes."""
    return ExtractedFact(
        category="procedure",
        content=fix.text,
        confidence=0.9,
        tags=tags(fix.text),
        evidence=tuple(
            Evidence(source=run.call.session_id, start=run.call.ordinal, end=run.call.ordinal, quote=run.line)
            for run in (fix.failing, fix.working)
        ),
    )


def _last_turn(fact: ExtractedFact) -> int:
    """Return the ordinal of the last turn of a fact's evidence."""
    return fact.evidence[-1].end


def _facts_of_turn(before: TurnContext | None, context: TurnContext, taken: frozenset[str]) -> list[Placed]:
    """Return a pair of position and fact for each fact of one turn of a chat, in order; the sentences in `taken` give
    none.

    `before` is the turn before it, None for the first. At most two facts of a paragraph stay, the weightiest. If the
    turn is nothing but a short answer to a question at the end of `before`, question and answer are its one fact, at
    position 0.
    """
    found = tuple(_with_caption(each, context) for each in _weightiest_statements(statements(context, taken)))
    answer = question_with_answer(before, context) if before else None
    if before and answer and all(statement.text in answer.text for statement in found):
        return [(0, _fact_of_statement(answer, context, since=before.turn))]
    return [(statement.position, _fact_in_reply(statement, before, context)) for statement in found]


def _fact_in_reply(statement: ObservedStatement, before: TurnContext | None, context: TurnContext) -> ExtractedFact:
    """Return the fact of a statement that can answer the turn `before` (None: there is no such turn).

    If something in that turn alone (its question, a sentence, a picture) explains a pronoun of the statement, that is
    put in front, and the turn is evidence, too.
    """
    reply = with_question(before, context, statement) if before else None
    return (
        _fact_of_statement(reply, context, since=before.turn)
        if before and reply
        else _fact_of_statement(statement, context)
    )


def _with_caption(statement: ObservedStatement, context: TurnContext) -> ObservedStatement:
    """Return the statement with the caption of the first picture that its turn shares, in brackets at the end;
    unchanged if there is none, or if no word such as `this` or `here's` points at a picture.
    """
    shown = captions(context.turn.content)
    if not shown or not context.language.noise.deictic.search(statement.text.lower()):
        return statement
    return replace(statement, text=f"{statement.text} [image: {_CAPTION_OPENING.sub('', shown[0])}]")


def _weightiest_statements(candidates: tuple[ObservedStatement, ...]) -> tuple[ObservedStatement, ...]:
    """Return each paragraph's weightiest statement, and the second weightiest if it weighs 2.8 or more, or is not a
    plain fact; in the order of the turn.
    """
    by_block = groupby(candidates, key=lambda statement: statement.position // POSITIONS)
    ranked = [sorted(group, key=lambda statement: -statement.weight) for _, group in by_block]
    kept = [
        statement
        for group in ranked
        for rank, statement in enumerate(group[:PER_BLOCK])
        if rank == 0 or statement.category != "fact" or statement.weight >= SECOND_FROM
    ]
    return tuple(sorted(kept, key=lambda statement: statement.position))


def _fact_of_statement(statement: ObservedStatement, context: TurnContext, since: Turn | None = None) -> ExtractedFact:
    """Return the fact of a statement, with dates made absolute and the speaker put in front.

    If it answers a question of the turn `since`, that turn is evidence, too, and no speaker is put in front.
    """
    turn, language = context.turn, context.language
    speaker = statement.speaker or turn.speaker
    dated = resolve_dates(statement.text, context.at, language)
    narrator = speaker or (ANONYMOUS if context.voice == "person" else None)
    attribution = read_attribution(statement.own or statement.text, language, narrator)
    content = dated if since else f"{_speaker_prefix(speaker, statement, context)}{dated}"
    return ExtractedFact(
        category=statement.category,
        content=content,
        confidence=statement.confidence,
        tags=tags(statement.text, speaker),
        entity_ref=attribution.entity,
        structured_attributes=attribution.attributes,
        evidence=_evidence_of(since or turn, turn, joined=1),
        resolves=Resolution(kind="update") if statement.is_update else None,
    )


def _fact_of_resolution(resolved: Resolved, context: TurnContext) -> ExtractedFact:
    """Return the fact of a correction or retraction; its evidence is the turn that it changes, if known, and its own.
    Its `I` is whoever said the sentence that it changes.
    """
    source = resolved.source.context if resolved.source else context
    owner = source if source.language.noise.self.search(resolved.text.lower()) else context
    statement = ObservedStatement(resolved.text, "correction", RESOLVED_CONFIDENCE, speaker=owner.turn.speaker)
    evidence = _evidence_of(source.turn, context.turn, joined=2)
    return _fact_of_statement(statement, owner).model_copy(update={"resolves": resolved.resolves, "evidence": evidence})


def _evidence_of(since: Turn, turn: Turn, *, joined: int) -> tuple[Evidence, ...]:
    """Return two turns, the earlier one (`since`) first, as evidence: one range if their ordinals are at most `joined`
    apart, else a piece each.

    A longer range would cite the tools' turns between them, too.
    """
    ends = [since.ordinal, turn.ordinal]
    ranges = [ends] if ends[1] - ends[0] <= joined else [[each, each] for each in ends]
    return tuple(Evidence(source=turn.session_id, start=start, end=end) for start, end in ranges)


def _speaker_prefix(speaker: str | None, statement: ObservedStatement, context: TurnContext) -> str:
    """Return what is put before a statement to make its `I` and `you` clear: the speaker's name if known, `Ann: `, with
    the listener's if it says `you` and that is known, `Ann (to Ben): `; else `User: ` for a user who says `I`; else
    empty.
    """
    noise, lowered = context.language.noise, statement.text.lower()
    if speaker:
        to = f" (to {context.listener})" if context.listener and noise.you.search(lowered) else ""
        return f"{speaker}{to}: "
    return "User: " if context.turn.role == "user" and noise.self.search(lowered) else ""


def tags(text: str, speaker: str | None = None) -> tuple[str, ...]:
    """Return at most five of the most specific words of a sentence, casefolded, in the order of the sentence, each
    once.

    Names, identifiers and longer words count as more specific. Stop words, bare numbers, words of the `speaker`'s name,
    and ASCII words of fewer than three letters that are no names are left out.
    """
    names = {word for part in text.split()[1:] if part[:1].isupper() for word in words(part)}
    own = set(words(speaker or ""))
    terms = [word for word in content_words(text) if word not in own]
    terms = [word for word in terms if not word[0].isdigit() or any(map(str.isalpha, word))]
    terms = [word for word in terms if len(word) >= _SHORTEST_TAG or not word.isascii() or word in names]
    best = sorted(terms, key=lambda word: -(10 * (word in names) + 5 * _is_identifier(word) + len(word)))[:_MAX_TAGS]
    return tuple(word for word in terms if word in best)


def _is_identifier(word: str) -> bool:
    """Whether a word has a digit, `.`, `_` or `-` in it, as identifiers have."""
    return not word.isalpha() and any(char in "._-" or char.isdigit() for char in word)
