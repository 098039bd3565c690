"""A heard turn in, the statements worth keeping out: sentences with a category, a confidence and a weight."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from pellucid.language.sentences import QUESTION_MARKS
from pellucid.language.words import reading_length
from pellucid.model.memory import Category
from pellucid.observe.attributes import read_attribution
from pellucid.observe.extract.classify import classify, unhedged
from pellucid.observe.extract.polish import before_question, condense, polish, without_doubts
from pellucid.observe.extract.referents import points_outside, solid_words
from pellucid.observe.language import Language, load_language
from pellucid.observe.prose import ProseBlock, blocks, sentences
from pellucid.observe.setting import Hearing

_LEAST_STEPS = 2
_LONGEST_PROCEDURE = 1200

_FROM_ASSISTANTS: frozenset[Category] = frozenset({"decision", "reasoning_trace", "procedure", "correction"})
"""An unnamed assistant describes and plans all day; only what it concludes is taken from it."""
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
"""What a decision, rule, skill … weighs more than a plain fact when only two sentences of a paragraph may stay."""
_FEWEST_WORDS = 3
_FEWEST_SOLID = 2
_NAMED = re.compile(r"\d|(?<=[\w,] )(?!I\b)[A-ZÀ-Þ]\w")
_ENOUGH = 10
_SELF = frozenset({"I", "I'm", "I've", "I'd", "I'll"})
POSITIONS = 1000
"""A statement's position is its block's number times this, plus its sentence's number."""


@dataclass(frozen=True, slots=True)
class ObservedStatement:
    """One sentence that may become a fact; `weight` orders the statements of a turn when there are too many."""

    text: str
    category: Category
    confidence: float
    weight: float
    position: int
    speaker: str | None = None
    own: str = ""
    """What of the text is the speaker's own, where it takes somebody else's words along; else empty."""
    is_update: bool = False
    """It says that something has changed, and nothing in it says that it is to last."""


def statements(hearing: Hearing, taken: frozenset[str] = frozenset()) -> tuple[ObservedStatement, ...]:
    """What a turn states, in its order: procedures, cued sentences and plain statements that carry enough.

    Sentences that are `taken` are left out: they were read as corrections or retractions.
    """
    found = blocks(hearing.turn.content)
    made: list[ObservedStatement] = []
    used: set[int] = set()
    for procedure in () if hearing.debugging else procedures(found, hearing.language):
        used |= procedure.blocks
        made.append(ObservedStatement(procedure.text, "procedure", 0.9, _HEAVIEST, min(procedure.blocks) * POSITIONS))
    for at, block in enumerate(found):
        if at not in used and block.marker != "ordered":
            made += _of_block(block, at * POSITIONS, hearing, taken)
    return tuple(sorted(made, key=lambda statement: statement.position))


def _of_block(block: ProseBlock, start: int, hearing: Hearing, taken: frozenset[str]) -> list[ObservedStatement]:
    """The statements of a paragraph, placed from `start` on, without the sentences that are `taken`.

    One that opens with a pronoun takes the one before it along.
    """
    made: list[ObservedStatement] = []
    language = hearing.language
    before = ""
    for number, sentence in enumerate(sentences(block.text)):
        if sentence in taken:
            continue
        told = before_question(sentence, language) if is_question(sentence, language) else sentence
        text = without_doubts(polish(told, language), language) if told else ""
        statement = _statement_in(text, hearing) if text else None
        if statement:
            statement = replace(statement, position=start + number, speaker=block.speaker)
            if before and is_unresolved(statement.text, language) and _names_antecedent(before, language):
                statement = _with_antecedent(before, statement, made, language)
            made.append(statement)
        before = statement.text if statement else text
    return made


def _names_antecedent(before: str, language: Language) -> bool:
    """Whether a sentence can explain the pronoun of the next one: it stands alone and speaks to nobody."""
    noise, lowered = language.noise, before.lower()
    if noise.hollow and not solid_words(before, language):
        return False
    return not (noise.idle.search(lowered) or noise.you.search(lowered) or is_unresolved(before, language))


def _with_antecedent(
    before: str, statement: ObservedStatement, made: list[ObservedStatement], language: Language
) -> ObservedStatement:
    """The statement with the sentence before it in front; takes that one's own statement out of `made`."""
    text = f"{before}. {statement.text}"
    if len(text) > _LONGEST_JOINED or is_unresolved(text, language):
        return statement
    if made and made[-1].text == before:
        last = made.pop()
        return replace(last, text=text, weight=last.weight + 0.5)
    return replace(statement, text=text)


def is_unresolved(text: str, language: Language) -> bool:
    """Whether a sentence has a pronoun that points outside of it, and no picture's caption explains it."""
    return _is_unresolved(text, language.code)


@lru_cache(maxsize=128)
def _is_unresolved(text: str, code: str) -> bool:
    language = load_language(code)
    opens = "[image: " not in text and language.noise.unresolved.search(text.lower())
    return bool(opens) or points_outside(text, language)


def is_question(sentence: str, language: Language) -> bool:
    """Whether a sentence asks: it ends in a question mark of any script, or opens like a question."""
    return sentence.rstrip("\"')!. ").endswith(QUESTION_MARKS) or bool(language.noise.question.search(sentence.lower()))


def _statement_in(text: str, hearing: Hearing) -> ObservedStatement | None:
    """What a polished sentence states, by the first way of reading it that fits; None if nothing worth keeping."""
    if len(text) > _LONGEST or _is_noise(text.lower(), hearing) or _says_little(text, hearing):
        return None
    if inline_procedure(text, hearing.language) and not hearing.debugging:
        return ObservedStatement(text, "procedure", 0.8, _HEAVIEST, 0)
    return (
        _cued_statement(text, hearing)
        or _technical_statement(text, hearing)
        or _personal_statement(text, hearing)
        or _attribute_statement(text, hearing)
    )


def _is_noise(lowered: str, hearing: Hearing) -> bool:
    """Whether a text in small letters is a courtesy, a passing state or, at work, an order for now."""
    noise = hearing.language.noise
    if noise.chatter.search(lowered) or noise.transient.search(lowered):
        return True
    return hearing.manner == "work" and bool(noise.task.search(lowered)) and not noise.appointed.search(lowered)


def _says_little(text: str, hearing: Hearing) -> bool:
    """Whether a sentence of a chat is feelings, wishes and abstractions with hardly a word that names something."""
    if hearing.manner == "work" or not hearing.language.noise.hollow:
        return False
    solid = solid_words(text, hearing.language)
    return solid < _FEWEST_SOLID and not (solid and _NAMED.search(text))


def _cued_statement(text: str, hearing: Hearing) -> ObservedStatement | None:
    """The statement of a sentence with a cue word; None without one, or where the setting speaks against it."""
    reading = classify(text, hearing.language)
    if reading is None:
        return None
    if hearing.debugging and (reading.category not in _WHILE_DEBUGGING or reading.cue < _SURE_CUE):
        return None
    if hearing.voice == "assistant" and reading.category not in _FROM_ASSISTANTS:
        return None
    discount = _ASSISTANT_DISCOUNT if hearing.voice == "assistant" else 0.0
    named = 0.0 if reading.category == "fact" else _NAMED_CATEGORY
    weight = 3 * reading.cue + named + hearing.language.salience.score(text.lower())
    return ObservedStatement(reading.text, reading.category, round(reading.confidence - discount, 2), weight, 0)


def _technical_statement(text: str, hearing: Hearing) -> ObservedStatement | None:
    """A sentence as a plain statement of how something works or where it is; None where it is no such thing."""
    if hearing.voice == "assistant" or hearing.debugging:
        return None
    behind = text.rsplit(": ", 1)[-1]
    keep = hearing.language.technical.keep
    score = hearing.language.technical.score(behind.lower(), least=keep)
    if score < keep:
        return None
    said = behind[0].upper() + behind[1:]
    return ObservedStatement(said, "fact", unhedged(said, _TECHNICAL_CONFIDENCE, hearing.language), score, 0)


def _personal_statement(text: str, hearing: Hearing) -> ObservedStatement | None:
    """A sentence of a chat in which somebody tells of themself, if enough in it will matter later; else None."""
    language = hearing.language
    if hearing.voice == "assistant" or hearing.manner == "work":
        return None
    keep = language.salience.keep
    score = language.salience.score(text.lower(), given=_weight_of_specifics(text, language), least=keep)
    if score < keep:
        return None
    told = condense(text, language)
    if told != text and _says_little(told, hearing):
        return None
    return ObservedStatement(told, "fact", unhedged(text, _PERSONAL_CONFIDENCE, language), score, 0)


def _attribute_statement(text: str, hearing: Hearing) -> ObservedStatement | None:
    """A short sentence that says what a number of something is (`The roof is 3 metres high`); else None."""
    if hearing.voice == "assistant" or hearing.debugging or not _DIGIT.search(text) or len(text.split()) > _BRIEF:
        return None
    if not read_attribution(text, hearing.language, None).entity:
        return None
    return ObservedStatement(
        text, "fact", unhedged(text, _ATTRIBUTE_CONFIDENCE, hearing.language), _ATTRIBUTE_WEIGHT, 0
    )


def _weight_of_specifics(text: str, language: Language) -> float:
    """How much a sentence says: more for named things, numbers and words with a meaning, less where it is brief."""
    parts = text.split()
    named = sum(part[0].isupper() and part not in _SELF for part in parts[1:])
    numbers = any(map(str.isdigit, text))
    meaning = solid_words(text, language)
    length = reading_length(text)
    brief = -2.0 if length < _FEWEST_WORDS else 0.0
    return (
        min(named, 2) * 0.4
        + numbers * 0.5
        + min(max(meaning, length - len(parts)), _ENOUGH) * language.salience.per_word
        + brief
    )


@dataclass(frozen=True, slots=True)
class Procedure:
    """Its text (heading and numbered steps, one a line) and the positions of the blocks it was made of."""

    text: str
    blocks: frozenset[int]


def procedures(found: tuple[ProseBlock, ...], language: Language) -> tuple[Procedure, ...]:
    """Every run of ordered items whose heading names what they are for; other lists are no procedures."""
    made: list[Procedure] = []
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and found[end].marker == "ordered":
            end += 1
        if end - at >= _LEAST_STEPS and at > 0:
            heading = _list_heading(found[at - 1], language)
            steps = "\n".join(f"{number}. {block.text}" for number, block in enumerate(found[at:end], 1))
            if heading and len(steps) <= _LONGEST_PROCEDURE:
                made.append(Procedure(f"{heading}\n{steps}", frozenset(range(at - 1, end))))
        at = max(end, at + 1)
    return tuple(made)


def inline_procedure(sentence: str, language: Language) -> bool:
    """Whether one sentence tells steps in order: `To deploy, first … then … finally …`."""
    lowered = sentence.lower()
    return bool(language.procedure.inline.search(lowered) and language.procedure.trigger.search(lowered))


def _list_heading(block: ProseBlock, language: Language) -> str:
    """The sentence before a list that says what its steps are for; empty if it announces another kind of list."""
    spoken = sentences(block.text)
    lowered = spoken[-1].lower() if spoken else ""
    procedure = language.procedure
    if not procedure.trigger.search(lowered) or procedure.not_trigger.search(lowered):
        return ""
    return spoken[-1][0].upper() + spoken[-1][1:]
