"""A turn in its context in, the statements worth keeping out: sentences with category, confidence and weight."""

import re
from dataclasses import dataclass, replace

from pellucid.language.sentences import QUESTION_MARKS, mask_code
from pellucid.language.words import reading_length
from pellucid.model.memory import Category
from pellucid.observe.attributes import read_attribution
from pellucid.observe.extract.classify import classify, hedged_confidence
from pellucid.observe.extract.polish import before_question, capitalised, condense, polish, without_doubts
from pellucid.observe.extract.referents import points_outside, solid_words
from pellucid.observe.language import Language
from pellucid.observe.prose import ProseBlock, blocks, sentences
from pellucid.observe.setting import TurnContext
from pellucid.text_cache import text_cache

_LEAST_STEPS = 2
_LONGEST_PROCEDURE = 1200

_FROM_ASSISTANTS: frozenset[Category] = frozenset({"decision", "reasoning_trace", "procedure", "correction"})
"""Categories that are taken from an unnamed assistant, which describes and plans all day: its conclusions."""
_WHILE_DEBUGGING: frozenset[Category] = frozenset({"decision", "rule", "principle", "preference", "commitment"})
_ASSISTANT_DISCOUNT = 0.1
_SURE_CUE = 0.9
_TECHNICAL_CONFIDENCE = 0.9
_PERSONAL_CONFIDENCE = 0.75
_ATTRIBUTE_CONFIDENCE = 0.85
_ATTRIBUTE_WEIGHT = 3.0
_BRIEF = 12
_DIGIT = re.compile(r"\d")
_LONGEST = 400
_LONGEST_JOINED = 200
_HEAVIEST = 9.0
_NAMED_CATEGORY = 1.0
"""The weight of a decision, rule, skill … beyond that of a plain fact, for when a paragraph has too many sentences."""
_FEWEST_WORDS = 3
_FEWEST_SOLID = 2
_NAMED = re.compile(r"\d|(?<=[\w,] )(?!I\b)[A-ZÀ-Þ]\w")
_ENOUGH = 10
_SELF = frozenset({"I", "I'm", "I've", "I'd", "I'll"})
POSITIONS = 1000
"""A statement's position is its block's number times this, plus its sentence's number."""


@dataclass(frozen=True, slots=True)
class ObservedStatement:
    """A sentence that can become a fact; `weight` decides which stay if a turn has too many."""

    text: str
    category: Category
    confidence: float
    weight: float = 0.0
    position: int = 0
    speaker: str | None = None
    own: str = ""
    """The speaker's own part of a text that begins with somebody else's words; else empty."""
    is_update: bool = False
    """The statement says that something has changed, and nothing in it says that this is to last."""


def statements(context: TurnContext, taken: frozenset[str] = frozenset()) -> tuple[ObservedStatement, ...]:
    """Return a turn's statements, in order: procedures (numbered lists), sentences with a cue of the language's tables
    (`we decided`), and plain sentences whose signs weigh enough.

    Sentences in `taken` (as written in the turn), and those of other numbered lists, are left out. While something is
    debugged there are no procedures.
    """
    found = blocks(context.turn.content)
    made: list[ObservedStatement] = []
    used: set[int] = set()
    for procedure in () if context.debugging else procedures(found, context.language):
        used |= procedure.blocks
        made.append(ObservedStatement(procedure.text, "procedure", 0.9, _HEAVIEST, min(procedure.blocks) * POSITIONS))
    for at, block in enumerate(found):
        if at not in used and block.marker != "ordered":
            made += _statements_of_block(block, at * POSITIONS, context, taken)
    return tuple(sorted(made, key=lambda statement: statement.position))


def _statements_of_block(
    block: ProseBlock, start: int, context: TurnContext, taken: frozenset[str]
) -> list[ObservedStatement]:
    """Return the statements of a paragraph, without the sentences in `taken`; the position of each is `start` plus the
    number of its sentence.
    """
    made: list[ObservedStatement] = []
    language = context.language
    before = ""
    for number, sentence in enumerate(sentences(block.text)):
        if sentence in taken:
            continue
        stated = before_question(sentence, language) if is_question(sentence, language) else sentence
        text = without_doubts(polish(stated, language), language) if stated else ""
        statement = _statement_in(text, context) if text else None
        if statement:
            statement = replace(statement, position=start + number, speaker=block.speaker)
            if before and is_unresolved(statement.text, language) and _names_antecedent(before, language):
                statement = _with_antecedent(before, statement, made, language)
            made.append(statement)
        before = statement.text if statement else text
    return made


def _names_antecedent(before: str, language: Language) -> bool:
    """Whether a sentence can explain the pronoun of the next one: it names something, has no unexplained pronoun
    itself, addresses nobody, and is no small talk.
    """
    noise, lowered = language.noise, before.lower()
    if noise.hollow and not solid_words(before, language):
        return False
    return not (noise.idle.search(lowered) or noise.you.search(lowered) or is_unresolved(before, language))


def _with_antecedent(
    before: str, statement: ObservedStatement, made: list[ObservedStatement], language: Language
) -> ObservedStatement:
    """Return the statement with the sentence before it in front, so that its pronoun is explained.

    If that sentence is itself the last statement in `made`, that one is taken out of `made` and returned instead: with
    the joined text, its own category and place, and 0.5 more weight. Unchanged if the joined text would have over 200
    characters or its pronoun still be unexplained.
    """
    text = f"{before}. {statement.text}"
    if len(text) > _LONGEST_JOINED or is_unresolved(text, language):
        return statement
    if made and made[-1].text == before:
        last = made.pop()
        return replace(last, text=text, weight=last.weight + 0.5)
    return replace(statement, text=text)


@text_cache(128)
def is_unresolved(text: str, language: Language) -> bool:
    """Whether a sentence has a pronoun that points outside of it, and no picture's caption explains it."""
    opens = "[image: " not in text and language.noise.unresolved.search(text.lower())
    return bool(opens) or points_outside(text, language)


def is_question(sentence: str, language: Language) -> bool:
    """Whether a sentence ends in a question mark of any script, or opens like a question."""
    return sentence.rstrip("\"')!. ").endswith(QUESTION_MARKS) or bool(language.noise.question.search(sentence.lower()))


def _statement_in(text: str, context: TurnContext) -> ObservedStatement | None:
    """Return the statement of a polished sentence, by the first kind that fits: procedure in one sentence, with a cue,
    technical, personal, with a number. None if none fits, or if it is noise, has over 400 characters or says little.
    """
    if len(text) > _LONGEST or _is_noise(text.lower(), context) or _says_little(text, context):
        return None
    if is_inline_procedure(text, context.language) and not context.debugging:
        return ObservedStatement(text, "procedure", 0.8, _HEAVIEST)
    return (
        _cued_statement(text, context)
        or _technical_statement(text, context)
        or _personal_statement(text, context)
        or _numeric_statement(text, context)
    )


def _is_noise(lowered: str, context: TurnContext) -> bool:
    """Whether a lower-case text is a courtesy, a passing state or, in a work session, a step of the work at hand."""
    noise = context.language.noise
    if noise.chatter.search(lowered) or noise.transient.search(lowered):
        return True
    return is_step(lowered, context)


def is_step(lowered: str, context: TurnContext) -> bool:
    """Whether a lower-case text, in a work session, announces or reports a step of the work at hand, without a date.

    `let me check the logs`, `i've added a test`; not `i'll fix it by friday`, and not every plain order.
    """
    noise = context.language.noise
    return context.manner == "work" and bool(noise.task.search(lowered)) and not noise.appointed.search(lowered)


def _says_little(text: str, context: TurnContext) -> bool:
    """Whether a sentence of a chat, not of work, is feelings, wishes and abstractions: fewer than two words name
    something (`solid_words`), unless there is one, and a number or a capital in mid-sentence. False for a language
    without a list of such words.
    """
    if context.manner == "work" or not context.language.noise.hollow:
        return False
    solid = solid_words(text, context.language)
    return solid < _FEWEST_SOLID and not (solid and _NAMED.search(text))


def _cued_statement(text: str, context: TurnContext) -> ObservedStatement | None:
    """Return the statement of a sentence with a cue of the language's tables; None if it has none, or the context rules
    it out.

    While something is debugged only sure cues (.9) of decisions, rules, principles, preferences and commitments count;
    of an unnamed assistant only decisions, reasoning, procedures and corrections, with .1 less confidence.
    """
    reading = classify(text, context.language)
    if reading is None:
        return None
    if context.debugging and (reading.category not in _WHILE_DEBUGGING or reading.cue < _SURE_CUE):
        return None
    if context.voice == "assistant" and reading.category not in _FROM_ASSISTANTS:
        return None
    discount = _ASSISTANT_DISCOUNT if context.voice == "assistant" else 0.0
    named = 0.0 if reading.category == "fact" else _NAMED_CATEGORY
    weight = 3 * reading.cue + named + context.language.salience.score(text.lower())
    return ObservedStatement(reading.text, reading.category, round(reading.confidence - discount, 2), weight)


def _technical_statement(text: str, context: TurnContext) -> ObservedStatement | None:
    """Return the statement of a sentence that tells how something works or where it is, by the weights of the
    language's `technical` table, without what stands before a colon; None below the table's `keep`, for an unnamed
    assistant's words, and while something is debugged.
    """
    if context.voice == "assistant" or context.debugging:
        return None
    stated = text[mask_code(text).rfind(": ") + 2 :] if ": " in mask_code(text) else text
    keep = context.language.technical.keep
    score = context.language.technical.score(stated.lower(), min_score=keep)
    if score < keep:
        return None
    stated = capitalised(stated)
    return ObservedStatement(stated, "fact", hedged_confidence(stated, _TECHNICAL_CONFIDENCE, context.language), score)


def _personal_statement(text: str, context: TurnContext) -> ObservedStatement | None:
    """Return the statement of a chat's sentence in which somebody tells enough about themself, condensed; else None.

    Its specifics and the signs of the language's salience table must weigh as much as the table's `keep`, and the
    condensed text must not say little (`_says_little`). None for work and for an unnamed assistant's words.
    """
    language = context.language
    if context.voice == "assistant" or context.manner == "work":
        return None
    keep = language.salience.keep
    score = language.salience.score(text.lower(), start=_weight_of_specifics(text, language), min_score=keep)
    if score < keep:
        return None
    condensed = condense(text, language)
    if condensed != text and _says_little(condensed, context):
        return None
    return ObservedStatement(condensed, "fact", hedged_confidence(text, _PERSONAL_CONFIDENCE, language), score)


def _numeric_statement(text: str, context: TurnContext) -> ObservedStatement | None:
    """Return the statement of a sentence of at most twelve words that has a digit and states an attribute (`The roof is
    3 metres high`).

    None for other sentences, for an unnamed assistant's words, and while something is debugged."""
    if context.voice == "assistant" or context.debugging or not _DIGIT.search(text) or len(text.split()) > _BRIEF:
        return None
    if not read_attribution(text, context.language, None).entity:
        return None
    confidence = hedged_confidence(text, _ATTRIBUTE_CONFIDENCE, context.language)
    return ObservedStatement(text, "fact", confidence, _ATTRIBUTE_WEIGHT)


def _weight_of_specifics(text: str, language: Language) -> float:
    """Return how much a sentence says: .4 for each name (a capitalised word but the first and `I`; at most two), .5 for
    a digit, the language's `per_word` for each word that names something (at most ten; in a script without spaces,
    words are estimated from the length), less 2 for fewer than three words.
    """
    parts = text.split()
    names = min(sum(part[0].isupper() and part not in _SELF for part in parts[1:]), 2)
    length = reading_length(text)
    solid = min(max(solid_words(text, language), length - len(parts)), _ENOUGH)
    brief = -2.0 if length < _FEWEST_WORDS else 0.0
    return names * 0.4 + any(map(str.isdigit, text)) * 0.5 + solid * language.salience.per_word + brief


@dataclass(frozen=True, slots=True)
class Procedure:
    """A heading with numbered steps, a step a line, and the positions of the blocks they were read from."""

    text: str
    blocks: frozenset[int]


def procedures(prose: tuple[ProseBlock, ...], language: Language) -> tuple[Procedure, ...]:
    """Return the numbered lists of two steps or more, in order, whose heading says what for.

    The heading is the block before the list. Lists whose steps have over 1,200 characters are left out.
    """
    found: list[Procedure] = []
    at = 0
    while at < len(prose):
        end = at
        while end < len(prose) and prose[end].marker == "ordered":
            end += 1
        if end - at >= _LEAST_STEPS and at > 0:
            heading = _list_heading(prose[at - 1], language)
            steps = "\n".join(f"{number}. {block.text}" for number, block in enumerate(prose[at:end], 1))
            if heading and len(steps) <= _LONGEST_PROCEDURE:
                found.append(Procedure(f"{heading}\n{steps}", frozenset(range(at - 1, end))))
        at = max(end, at + 1)
    return tuple(found)


def is_inline_procedure(sentence: str, language: Language) -> bool:
    """Whether one sentence lists steps in order: `To deploy, first … then … finally …`."""
    lowered = sentence.lower()
    return bool(language.procedure.inline.search(lowered) and language.procedure.trigger.search(lowered))


def _list_heading(block: ProseBlock, language: Language) -> str:
    """Return the last sentence of the block before a list if it says what the steps are for, without a hedge (`maybe`);
    else empty.
    """
    last = next(reversed(sentences(block.text)), "")
    procedure, noise, lowered = language.procedure, language.noise, last.lower()
    if not procedure.trigger.search(lowered) or procedure.not_trigger.search(lowered):
        return ""
    if noise.hedges.search(lowered) or noise.soft_hedges.search(lowered):
        return ""
    return capitalised(last)
