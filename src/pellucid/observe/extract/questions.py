"""Two neighbouring turns in, a question and its short answer as one statement out: `When? Every Tuesday`."""

import re
from dataclasses import replace

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.referents import solid_words
from pellucid.observe.extract.statements import ObservedStatement, is_question, is_unresolved
from pellucid.observe.language import Language
from pellucid.observe.prose import captions, prose_sentences
from pellucid.observe.setting import TurnContext

_LONGEST_QUESTION = 100
_LONGEST_ANSWER = 12
_SPECIFIC = re.compile(r"\d|(?<=\s)(?!I\b|I')[A-ZÀ-Þ]\w+|\bevery\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_CONFIDENCE = 0.8
_NAMING = 2
"""Solid words from which a sentence can explain the pronoun of the next turn."""


def question_with_answer(before: TurnContext, context: TurnContext) -> ObservedStatement | None:
    """Return the last question of the turn `before` with its answer of at most twelve words in `context`, as one
    statement.

    None if `context` does not directly reply to `before` (`_is_reply`), if `before` does not end in a question that
    asks to be told something (see `_last_question`), if the reply has no `_first_answer`, or if that is specific by the
    asker's name alone.
    """
    asked = _question_replied_to(before, context)
    answer = _first_answer(context.turn.content, context.language) if asked else ""
    unnamed = answer.replace(before.turn.speaker, "") if before.turn.speaker else answer
    if not asked or not _SPECIFIC.search(unnamed):
        return None
    text = f"{asked} {_speaker_label(context)}{answer}"
    return ObservedStatement(text, "fact", _CONFIDENCE, 3.0, speaker=context.turn.speaker)


def with_question(before: TurnContext, context: TurnContext, statement: ObservedStatement) -> ObservedStatement | None:
    """Return the statement with what explains its pronoun in front: the question of the turn `before` that it replies
    to or, if there is none or it names nothing, the last sentence or picture of that turn (`_antecedent`); each with
    its speaker.

    None if the statement has no unexplained pronoun, or if neither explains it; a sentence or picture is not tried for
    a statement with wording of the language's `unresolved`.
    """
    if not is_unresolved(statement.text, context.language):
        return None
    asked = _question_replied_to(before, context)
    if asked and solid_words(asked.removeprefix(_speaker_label(before)), before.language):
        return replace(statement, text=f"{asked} {_speaker_label(context)}{statement.text}")
    opens_unresolved = context.language.noise.unresolved.search(statement.text.lower())
    named = "" if opens_unresolved else _antecedent(before, context)
    text = f"{named} {_speaker_label(context)}{statement.text}"
    if not named or is_unresolved(text.partition(": ")[2], context.language):
        return None
    return replace(statement, text=text, own=statement.text)


def _is_reply(before: TurnContext, context: TurnContext) -> bool:
    """Whether `context` is a person's turn with the number after that of `before`, another speaker's, and nothing is
    being debugged.
    """
    apart = context.turn.ordinal - before.turn.ordinal
    same_voice = (before.turn.speaker, before.turn.role) == (context.turn.speaker, context.turn.role)
    return context.voice == "person" and not context.debugging and apart == 1 and not same_voice


def _antecedent(before: TurnContext, context: TurnContext) -> str:
    """Return what a pronoun in a chat's reply can mean, with its speaker (`Ann: `); empty if nothing.

    A picture shown in the turn `before`, else the last sentence of that turn that is no question or small talk, has no
    unexplained pronoun itself, at most 100 characters, and two words or more that name something.
    """
    if not _is_reply(before, context) or not before.turn.speaker or context.manner == "work":
        return ""
    if shown := captions(before.turn.content):
        return f"{_speaker_label(before)}[image: {shown[0]}]"
    language = before.language
    for sentence in reversed(prose_sentences(before.turn.content)):
        if is_question(sentence, language):
            continue
        text = polish(sentence, language)
        enough = solid_words(text, language) >= _NAMING and len(text) <= _LONGEST_QUESTION
        if enough and not language.noise.idle.search(text.lower()) and not is_unresolved(text, language):
            return f"{_speaker_label(before)}{text}."
    return ""


def _question_replied_to(before: TurnContext, context: TurnContext) -> str:
    """Return the question at the end of `before`, with its speaker; empty if `context` does not reply to one."""
    if not _is_reply(before, context):
        return ""
    asked = _last_question(before.turn.content, context.language)
    return f"{_speaker_label(before)}{asked}" if asked else ""


def _last_question(content: str, language: Language) -> str:
    """Return the question that a text ends with, polished; empty if it ends in none, if that has over 100 characters or
    an unexplained pronoun, or if by its wording (the language's `ask`) it does not ask for something to be told.
    """
    last = next(reversed(prose_sentences(content)), "")
    if closing_mark(last) not in QUESTION_MARKS or len(last) > _LONGEST_QUESTION:
        return ""
    asked = polish(last, language)
    if is_unresolved(asked.rstrip("?"), language):
        return ""
    return asked if language.noise.ask.search(asked.lower()) else ""


def _first_answer(content: str, language: Language) -> str:
    """Return the first of a text's first two sentences that is worded as a bare answer, has at most twelve words, and
    is specific, without marks at its ends; "" if neither is.

    Specific is one with a digit, `every`, a weekday in lower case or, behind its first word, a capitalised word other
    than `I`.
    """
    for sentence in prose_sentences(content)[:2]:
        answer = sentence.strip(" .!")
        elliptic = language.noise.answer.search(answer.lower())
        if elliptic and len(answer.split()) <= _LONGEST_ANSWER and _SPECIFIC.search(answer):
            return answer
    return ""


def _speaker_label(context: TurnContext) -> str:
    """Return the speaker's name as it precedes their words (`Ann: `); empty if it is unknown."""
    return f"{context.turn.speaker}: " if context.turn.speaker else ""
