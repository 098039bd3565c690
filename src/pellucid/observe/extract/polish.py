"""A spoken sentence in, its statement out: without greeting, filler, doubts and questions, in its own words."""

import re
from collections.abc import Callable
from functools import cache

from pellucid.language.sentences import CODE_SPAN, mask_code
from pellucid.language.words import stop_words
from pellucid.observe.language import Language

_NAMED = re.compile(r"(?<=[\w,] )(?!I\b|I')[A-ZÀ-Þ]\w+|\d|`")
_MIN_SALIENCE = 1.2
"""The salience from which a clause without a name or number stays at an end of the sentence."""
_FEWEST_WORDS = 4

_CLOSING = " \t.!…。！"
_SMILEYS = re.compile(
    rf"(?P<code>{CODE_SPAN.pattern})|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+|(?<=\s)[:;]-?[)(DPp]"
)
_PLAIN_WORD = re.compile(r"^[a-zß-öø-ÿ][a-zß-öø-ÿ']*(?=[\s,]|$)")


@cache
def _opening_pattern(greeting: str, lead: str) -> re.Pattern[str]:
    """Return a pattern for a greeting with a name that opens a sentence (`Hey Mel!`), or a bare lead (`and`).

    `greeting` and `lead` are patterns themselves, as in the `noise` table of a language. Cached.
    """
    call = r"(?:,? (?-i:[A-ZÀ-Þ])[\w'-]*(?: (?-i:[A-ZÀ-Þ])[\w'-]*)?)?"
    return re.compile(
        rf"^(?:{greeting}{call}(?:\s*[,!.…:、，。！：]+\s*|\s+[-–—]\s+|$)|{lead}\b,?\s+(?=\S))", re.IGNORECASE
    )


@cache
def _tail_pattern(tail: str) -> re.Pattern[str]:
    """Return a pattern for a tag that ends a sentence (`, right`); `tail` is the tag's own pattern. Cached."""
    return re.compile(rf"{tail}$", re.IGNORECASE)


def polish(sentence: str, language: Language) -> str:
    """Return the sentence without greetings and bare leads (`well,`) at its beginning, smileys, and tags such as
    `right` at its end; empty if nothing is left.

    It begins with a capital, unless its first word is a name of code (`capitalised`), and blanks are single. Full stops
    and exclamation marks at its end go; a question mark stays, and so does a tag before it.
    """
    can_smile = not sentence.isascii() or ":" in sentence or ";" in sentence
    plain = _SMILEYS.sub(lambda found: found["code"] or "", sentence) if can_smile else sentence
    text = " ".join(plain.split()).strip(_CLOSING + "-–—,")
    noise = language.noise
    opening = _opening_pattern(noise.greeting, noise.lead)
    while found := opening.match(text):
        text = text[found.end() :].lstrip(" ,-–—")
    text = _tail_pattern(noise.tail).sub("", text).rstrip(_CLOSING + ",").strip()
    return capitalised(text)


def capitalised(text: str) -> str:
    """Return the text with a capital at its beginning; unchanged unless it begins with a word of lower-case Latin
    letters, followed by a blank, a comma or its end.

    A name of code (`relPath`, `till.go:12`), and a word that the text has in code or in such a name (but for a function
    word), stay as written."""
    first = _PLAIN_WORD.match(text)
    if not first or (first[0] not in stop_words() and _is_in_code(first[0], text)):
        return text
    return text[0].upper() + text[1:]


def _is_in_code(word: str, text: str) -> bool:
    """Whether a text has a word in inline code, or as a part of a name with signs in it (`//nolint:gosec`)."""
    name = re.escape(word)
    spans = (found[0] for found in CODE_SPAN.finditer(text))
    return any(re.search(rf"\b{name}\b", span) for span in spans) or bool(
        re.search(rf"[\w)][:./_]{name}\b|\b{name}(?:[/_(]|[:.](?=\w))", text)
    )


def before_question(sentence: str, language: Language) -> str:
    """Return a statement of four words or more before a question (`I moved to Lisbon, do you know …`), or ""."""
    asked = language.noise.asking.search(sentence)
    before = sentence[: asked.start()] if asked else ""
    is_statement = len(before.split()) >= _FEWEST_WORDS and not language.noise.question.search(before.lower() + "?")
    return before if is_statement else ""


def without_doubts(text: str, language: Language) -> str:
    """Return the text without the clauses at either end that have a hedge (`maybe`); those between stay. Unchanged if
    all clauses are hedged.
    """
    hedges = language.noise.hedges
    if not hedges.search(text.lower()):
        return text
    return _trim_clauses(text, language, lambda clause: not hedges.search(clause.lower()))


def condense(text: str, language: Language) -> str:
    """Return the text from the first to the last clause that has a name, a number or code, or signs of something worth
    keeping that weigh 1.2 or more (the language's salience table); all of it if none has.
    """
    salience = language.salience
    return _trim_clauses(
        text, language, lambda clause: bool(_NAMED.search(clause)) or salience.score(clause.lower()) >= _MIN_SALIENCE
    )


def _trim_clauses(text: str, language: Language, stays: Callable[[str], bool]) -> str:
    """Return the text from the first to the last clause that `stays` accepts, without a conjunction in front and with a
    capital; the text as it is if it has only one clause, or `stays` accepts none.
    """
    joints = list(language.clauses.joint.finditer(mask_code(text)))
    if not joints:
        return text
    starts = [0, *(found.end() for found in joints)]
    ends = [*(found.start() for found in joints), len(text)]
    staying = [at for at in range(len(starts)) if stays(text[starts[at] : ends[at]])]
    if not staying:
        return text
    kept = language.clauses.leading.sub("", text[starts[staying[0]] : ends[staying[-1]]]).strip(" ,;-–—")
    return capitalised(kept) or text
