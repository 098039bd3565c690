"""Two neighbouring turns in, a question and its short answer as one statement out: `When? Every Tuesday`."""

import re
from dataclasses import replace

from pellucid.observe.language import Language
from pellucid.observe.polish import polish
from pellucid.observe.prose import blocks, sentences
from pellucid.observe.setting import Hearing
from pellucid.observe.statements import Statement, is_unresolved

_LONGEST_QUESTION = 100
_LONGEST_ANSWER = 12
_SPECIFIC = re.compile(r"\d|(?<=\s)(?!I\b|I')[A-ZÀ-Þ]\w+|\bevery\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_CONFIDENCE = 0.8


def answered(before: Hearing, hearing: Hearing) -> Statement | None:
    """The last question of one voice with the brief, specific, elliptic answer of the other; else nothing."""
    asked = _question_to(before, hearing)
    answer = _first_answer(hearing.turn.content, hearing.language) if asked else ""
    if not asked or not answer:
        return None
    text = f"{asked} {_named(hearing)}{answer}"
    return Statement(text, "fact", _CONFIDENCE, 3.0, 0, hearing.turn.speaker)


def in_reply(before: Hearing, hearing: Hearing, statement: Statement) -> Statement | None:
    """A statement whose pronoun only the question before explains, together with that question; else nothing."""
    if not is_unresolved(statement.text, hearing.language):
        return None
    asked = _question_to(before, hearing)
    return replace(statement, text=f"{asked} {_named(hearing)}{statement.text}") if asked else None


def _question_to(before: Hearing, hearing: Hearing) -> str:
    """What the neighbouring turn of somebody else asked last, with the name of who asked; empty if nothing."""
    apart = hearing.turn.ordinal - before.turn.ordinal
    same_voice = (before.turn.speaker, before.turn.role) == (hearing.turn.speaker, hearing.turn.role)
    if hearing.voice == "assistant" or hearing.debugging or apart != 1 or same_voice:
        return ""
    asked = _last_question(before.turn.content, hearing.language)
    return f"{_named(before)}{asked}" if asked else ""


def _last_question(content: str, language: Language) -> str:
    spoken = [sentence for block in blocks(content) for sentence in sentences(block.text)]
    if not spoken or not spoken[-1].endswith(("?", "？")) or len(spoken[-1]) > _LONGEST_QUESTION:
        return ""
    asked = polish(spoken[-1], language)
    return asked if language.noise.ask.search(asked.lower()) else ""


def _first_answer(content: str, language: Language) -> str:
    spoken = [sentence for block in blocks(content) for sentence in sentences(block.text)]
    for sentence in spoken[:2]:
        answer = sentence.strip(" .!")
        elliptic = language.noise.answer.search(answer.lower())
        if elliptic and len(answer.split()) <= _LONGEST_ANSWER and _SPECIFIC.search(answer):
            return answer
    return ""


def _named(hearing: Hearing) -> str:
    return f"{hearing.turn.speaker}: " if hearing.turn.speaker else ""
