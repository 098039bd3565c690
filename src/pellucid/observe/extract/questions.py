"""Two neighbouring turns in, a question and its short answer as one statement out: `When? Every Tuesday`."""

import re
from dataclasses import replace

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.referents import solid_words
from pellucid.observe.extract.statements import ObservedStatement, is_question, is_unresolved
from pellucid.observe.language import Language
from pellucid.observe.prose import blocks, captions, sentences
from pellucid.observe.setting import Hearing

_LONGEST_QUESTION = 100
_LONGEST_ANSWER = 12
_SPECIFIC = re.compile(r"\d|(?<=\s)(?!I\b|I')[A-ZÀ-Þ]\w+|\bevery\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_CONFIDENCE = 0.8
_NAMING = 2
"""Solid words that a sentence needs to explain the pronoun of the next turn."""


def answered(before: Hearing, hearing: Hearing) -> ObservedStatement | None:
    """The last question of one voice with the other's short, specific answer, as one statement; None if none."""
    asked = _question_to(before, hearing)
    answer = _first_answer(hearing.turn.content, hearing.language) if asked else ""
    told = answer.replace(before.turn.speaker, "") if before.turn.speaker else answer
    if not asked or not _SPECIFIC.search(told):
        return None
    text = f"{asked} {_named(hearing)}{answer}"
    return ObservedStatement(text, "fact", _CONFIDENCE, 3.0, 0, hearing.turn.speaker)


def in_reply(before: Hearing, hearing: Hearing, statement: ObservedStatement) -> ObservedStatement | None:
    """The statement together with what was asked or named before, if only that explains its pronoun; else None."""
    if not is_unresolved(statement.text, hearing.language):
        return None
    asked = _question_to(before, hearing)
    if asked and solid_words(asked.removeprefix(_named(before)), before.language):
        return replace(statement, text=f"{asked} {_named(hearing)}{statement.text}")
    opens = hearing.language.noise.unresolved.search(statement.text.lower())
    named = "" if opens else _named_by(before, hearing)
    text = f"{named} {_named(hearing)}{statement.text}"
    if not named or is_unresolved(text.partition(": ")[2], hearing.language):
        return None
    return replace(statement, text=text, own=statement.text)


def _is_reply(before: Hearing, hearing: Hearing) -> bool:
    apart = hearing.turn.ordinal - before.turn.ordinal
    same_voice = (before.turn.speaker, before.turn.role) == (hearing.turn.speaker, hearing.turn.role)
    return hearing.voice == "person" and not hearing.debugging and apart == 1 and not same_voice


def _named_by(before: Hearing, hearing: Hearing) -> str:
    """The picture that the named speaker before showed, else the last thing that was named; empty if nothing."""
    if not _is_reply(before, hearing) or not before.turn.speaker or hearing.manner == "work":
        return ""
    if shown := captions(before.turn.content):
        return f"{_named(before)}[image: {shown[0]}]"
    spoken = [sentence for block in blocks(before.turn.content) for sentence in sentences(block.text)]
    language = before.language
    for sentence in reversed(spoken):
        if is_question(sentence, language):
            continue
        text = polish(sentence, language)
        enough = solid_words(text, language) >= _NAMING and len(text) <= _LONGEST_QUESTION
        if enough and not language.noise.idle.search(text.lower()) and not is_unresolved(text, language):
            return f"{_named(before)}{text}."
    return ""


def _question_to(before: Hearing, hearing: Hearing) -> str:
    """What the other side's last turn asked last, with who asked; empty if nothing."""
    if not _is_reply(before, hearing):
        return ""
    asked = _last_question(before.turn.content, hearing.language)
    return f"{_named(before)}{asked}" if asked else ""


def _last_question(content: str, language: Language) -> str:
    """The question a text ends in; empty if it ends in none, in a long one, or its pronouns point elsewhere."""
    spoken = [sentence for block in blocks(content) for sentence in sentences(block.text)]
    if not spoken or closing_mark(spoken[-1]) not in QUESTION_MARKS or len(spoken[-1]) > _LONGEST_QUESTION:
        return ""
    asked = polish(spoken[-1], language)
    if is_unresolved(asked.rstrip("?"), language):
        return ""
    return asked if language.noise.ask.search(asked.lower()) else ""


def _first_answer(content: str, language: Language) -> str:
    """A short, specific answer among the first two sentences of a text, without punctuation; empty if there is none."""
    spoken = [sentence for block in blocks(content) for sentence in sentences(block.text)]
    for sentence in spoken[:2]:
        answer = sentence.strip(" .!")
        elliptic = language.noise.answer.search(answer.lower())
        if elliptic and len(answer.split()) <= _LONGEST_ANSWER and _SPECIFIC.search(answer):
            return answer
    return ""


def _named(hearing: Hearing) -> str:
    return f"{hearing.turn.speaker}: " if hearing.turn.speaker else ""
