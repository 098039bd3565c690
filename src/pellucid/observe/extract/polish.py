"""A spoken sentence in, what it states out: without greeting, filler, doubts and questions, in its own words."""

import re
from collections.abc import Callable
from functools import cache

from pellucid.observe.language import Language

_NAMED = re.compile(r"(?<=[\w,] )(?!I\b|I')[A-ZÀ-Þ]\w+|\d")
_LEAST = 1.2
"""The salience a clause without a name or number needs to stay at an end of the sentence."""
_FEWEST_WORDS = 4

_CLOSING = " \t.!…。！"
_SMILEYS = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+|(?<=\\s)[:;]-?[)(DPp]")
_PLAIN_WORD = re.compile(r"^[a-zß-öø-ÿ][a-zß-öø-ÿ']*(?=[\s,]|$)")


@cache
def _opening_pattern(greeting: str, lead: str) -> re.Pattern[str]:
    """A pattern for a greeting with a name that opens a sentence (`Hey Mel!`), or a bare lead (`and`)."""
    call = r"(?:,? (?-i:[A-ZÀ-Þ])[\w'-]*(?: (?-i:[A-ZÀ-Þ])[\w'-]*)?)?"
    return re.compile(
        rf"^(?:{greeting}{call}(?:\s*[,!.…:、，。！：]+\s*|\s+[-–—]\s+|$)|{lead}\b,?\s+(?=\S))", re.IGNORECASE
    )


@cache
def _tail_pattern(tail: str) -> re.Pattern[str]:
    """A pattern for a tag that ends a sentence (`, right?`)."""
    return re.compile(rf"{tail}$", re.IGNORECASE)


def polish(sentence: str, language: Language) -> str:
    """The sentence without greetings, fillers, smileys, trailing tags and closing mark; empty if nothing is left."""
    may_smile = not sentence.isascii() or ":" in sentence or ";" in sentence
    plain = _SMILEYS.sub("", sentence) if may_smile else sentence
    text = " ".join(plain.split()).strip(_CLOSING + "-–—,")
    noise = language.noise
    opening = _opening_pattern(noise.greeting, noise.lead)
    while found := opening.match(text):
        text = text[found.end() :].lstrip(" ,-–—")
    text = _tail_pattern(noise.tail).sub("", text).rstrip(_CLOSING + ",").strip()
    return text[0].upper() + text[1:] if _PLAIN_WORD.match(text) else text


def before_question(sentence: str, language: Language) -> str:
    """What a question states before it asks (`I moved to Lisbon, do you know a café there?`); empty if under four
    words."""
    asked = language.noise.asking.search(sentence)
    told = sentence[: asked.start()] if asked else ""
    return told if len(told.split()) >= _FEWEST_WORDS and not language.noise.question.search(told.lower() + "?") else ""


def without_doubts(text: str, language: Language) -> str:
    """The text without hedged clauses at either end; all of it if every clause is hedged or there is only one."""
    hedges = language.noise.hedges
    if not hedges.search(text.lower()):
        return text
    return _trim_clauses(text, language, lambda clause: not hedges.search(clause.lower()))


def condense(text: str, language: Language) -> str:
    """The text from the first to the last clause that has a name, a number or salience; all of it if none has."""
    salience = language.salience
    return _trim_clauses(
        text, language, lambda clause: bool(_NAMED.search(clause)) or salience.score(clause.lower()) >= _LEAST
    )


def _trim_clauses(text: str, language: Language, stays: Callable[[str], bool]) -> str:
    """The text from the first to the last clause that `stays` accepts; all of it if it accepts none or there is only
    one."""
    joints = list(language.clauses.joint.finditer(text))
    if not joints:
        return text
    starts = [0, *(found.end() for found in joints)]
    ends = [*(found.start() for found in joints), len(text)]
    staying = [at for at in range(len(starts)) if stays(text[starts[at] : ends[at]])]
    if not staying:
        return text
    kept = language.clauses.leading.sub("", text[starts[staying[0]] : ends[staying[-1]]]).strip(" ,;-–—")
    return kept[:1].upper() + kept[1:] or text
