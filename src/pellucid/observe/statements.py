"""A heard turn in, the statements worth keeping out: sentences with a category, a confidence and a weight."""

from dataclasses import dataclass, replace

from pellucid.model.memory import Category
from pellucid.model.text import STOP_WORDS, reading_length
from pellucid.observe.classify import classify, unhedged
from pellucid.observe.condense import before_question, condense, without_doubts
from pellucid.observe.language import Language
from pellucid.observe.polish import polish
from pellucid.observe.procedures import inline_procedure, procedures
from pellucid.observe.prose import Block, blocks, sentences
from pellucid.observe.setting import Hearing

_FROM_ASSISTANTS: frozenset[Category] = frozenset({"decision", "reasoning_trace", "procedure", "correction"})
"""An unnamed assistant describes and plans all day; only what it concludes is taken from it."""
_WHILE_DEBUGGING: frozenset[Category] = frozenset({"decision", "rule", "principle", "preference", "commitment"})
_ASSISTANT_DISCOUNT = 0.1
_SURE_CUE = 0.9
_TECHNICAL_CONFIDENCE = 0.9
_PERSONAL_CONFIDENCE = 0.75
_LONGEST = 400
_LONGEST_JOINED = 200
_HEAVIEST = 9.0
_NAMED_CATEGORY = 1.0
"""What a decision, rule, skill … weighs more than a plain fact when only two sentences of a paragraph may stay."""
_FEWEST_WORDS = 3
_ENOUGH = 10
_SELF = frozenset({"I", "I'm", "I've", "I'd", "I'll"})
_MARKS = ".,;:!?\"'()…-–—"
POSITIONS = 1000
"""A statement's position is its block's number times this, plus its sentence's number."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that may become a fact; `weight` orders the statements of a turn when there are too many."""

    text: str
    category: Category
    confidence: float
    weight: float
    position: int
    speaker: str | None = None


def statements(hearing: Hearing) -> tuple[Statement, ...]:
    """What a turn states, in its order: procedures, cued sentences and plain statements that carry enough."""
    found = blocks(hearing.turn.content)
    made: list[Statement] = []
    used: set[int] = set()
    for procedure in () if hearing.debugging else procedures(found, hearing.language):
        used |= procedure.blocks
        made.append(Statement(procedure.text, "procedure", 0.9, _HEAVIEST, min(procedure.blocks) * POSITIONS))
    for at, block in enumerate(found):
        if at not in used and block.marker != "ordered":
            placed = (replace(said, position=at * POSITIONS + said.position) for said in _of_block(block, hearing))
            made += placed
    return tuple(sorted(made, key=lambda statement: statement.position))


def _of_block(block: Block, hearing: Hearing) -> list[Statement]:
    """The statements of one paragraph; one that opens with a pronoun takes the sentence before it along."""
    made: list[Statement] = []
    language = hearing.language
    before = ""
    for number, sentence in enumerate(sentences(block.text)):
        told = before_question(sentence, language) if is_question(sentence, language) else sentence
        text = without_doubts(polish(told, language), language)
        statement = _read(text, hearing) if text else None
        if statement:
            statement = replace(statement, position=number, speaker=block.speaker)
            if is_unresolved(statement.text, language) and before and not is_unresolved(before, language):
                statement = _joined(before, statement, made)
            made.append(statement)
        before = statement.text if statement else text
    return made


def _joined(before: str, statement: Statement, made: list[Statement]) -> Statement:
    """`statement` with what its pronoun speaks of in front; replaces the statement that was just made of that."""
    text = f"{before}. {statement.text}"
    if len(text) > _LONGEST_JOINED:
        return statement
    if made and made[-1].text == before:
        last = made.pop()
        return replace(last, text=text, weight=last.weight + 0.5)
    return replace(statement, text=text)


def is_unresolved(text: str, language: Language) -> bool:
    """Whether a sentence opens with a pronoun that points outside of it, and no picture's caption explains it."""
    return bool(language.noise.unresolved.search(text.lower())) and "[image: " not in text


def is_question(sentence: str, language: Language) -> bool:
    """Whether a sentence asks: it ends in a question mark of any script, or opens like a question."""
    return sentence.rstrip("\"')!. ").endswith(("?", "？")) or bool(language.noise.question.search(sentence.lower()))


def _read(text: str, hearing: Hearing) -> Statement | None:
    if len(text) > _LONGEST or _is_noise(text.lower(), hearing):
        return None
    if inline_procedure(text, hearing.language) and not hearing.debugging:
        return Statement(text, "procedure", 0.8, _HEAVIEST, 0)
    return _cued(text, hearing) or _technical(text, hearing) or _personal(text, hearing)


def _is_noise(lowered: str, hearing: Hearing) -> bool:
    noise = hearing.language.noise
    if noise.chatter.search(lowered) or noise.transient.search(lowered):
        return True
    return hearing.manner == "work" and bool(noise.task.search(lowered)) and not noise.appointed.search(lowered)


def _cued(text: str, hearing: Hearing) -> Statement | None:
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
    return Statement(reading.text, reading.category, round(reading.confidence - discount, 2), weight, 0)


def _technical(text: str, hearing: Hearing) -> Statement | None:
    """A plain statement about how something works or where it is, behind a lead-in if there is one."""
    if hearing.voice == "assistant" or hearing.debugging:
        return None
    behind = text.rsplit(": ", 1)[-1]
    score = hearing.language.technical.score(behind.lower())
    if score < hearing.language.technical.keep:
        return None
    said = behind[0].upper() + behind[1:]
    return Statement(said, "fact", unhedged(said, _TECHNICAL_CONFIDENCE, hearing.language), score, 0)


def _personal(text: str, hearing: Hearing) -> Statement | None:
    """What people tell of themselves in a chat: no cue, but enough weighted signs that it will matter later."""
    language = hearing.language
    if hearing.voice == "assistant" or hearing.manner == "work":
        return None
    score = language.salience.score(text.lower()) + _specifics(text)
    if score < language.salience.keep:
        return None
    return Statement(condense(text, language), "fact", unhedged(text, _PERSONAL_CONFIDENCE, language), score, 0)


def _specifics(text: str) -> float:
    """Named things, numbers and words with a meaning of their own say more than feelings; a handful says little."""
    parts = text.split()
    named = sum(part[0].isupper() and part not in _SELF for part in parts[1:])
    numbers = any(char.isdigit() for char in text)
    meaning = sum(part.strip(_MARKS) not in STOP_WORDS for part in text.lower().replace("'", "").split())
    length = reading_length(text)
    brief = -2.0 if length < _FEWEST_WORDS else 0.0
    return min(named, 2) * 0.4 + numbers * 0.5 + min(max(meaning, length - len(parts)), _ENOUGH) * 0.25 + brief
