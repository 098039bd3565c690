"""A text in, its sentences out: where each begins, what asks, what is closed; abbreviations and initials end none."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

_CLOSERS = "\"”’')]*_`"
"""What may close behind the mark that ends a sentence: quotation marks, brackets, emphasis."""
PAUSE = re.compile(rf"(?<=[.!?…])(?P<closed>[{re.escape(_CLOSERS)}]{{0,4}})\s+(?=\S)|(?<=[。！？])(?=\S)")
"""Between what may be two sentences: a mark that ends one, with what closes behind it, and the blank.

Passages are cut here, and what was forgotten is known again by their sentences: it stays as it is.
"""
_PAUSE = re.compile(rf"{PAUSE.pattern}|(?<=[。！？])\s+(?=\S)")
_ENDS = frozenset(".!?…。！？")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|dr|mr|mrs|ms|st|inc|ltd|jr|sr|z\.b|bzw|ca|d\.h|usw|sra?|ud|uds|p\.ej|fig|al)"
    r"|(?<!\d )\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b(?:no|nr|núm)\.$", re.IGNORECASE)
"""Before a digit, `number`; else `no` is an answer."""
_LONGEST_ABBREVIATION = 8
"""Signs at the end of a text that tell whether it ends in an abbreviation, the mark included."""
_BLANKS = 100
"""Signs before a bracket that are looked through for blanks."""
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_QUESTION = re.compile(r"^¿|(?:吗|嗎|呢|(?:です|ます|でした|ました|でしょう)か)[。.]?$")

_APART = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_ROUGHLY = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, each with its closing marks, without blanks around it."""
    places = (0, *beginnings(text), len(text))
    found = (text[start:end].strip() for start, end in pairwise(places))
    return tuple(each for each in found if each)


def own_sentences(text: str) -> Iterator[str]:
    """The sentences of a message, without blocks of code and quoted lines; a line's end ends one, too.

    Cut more simply than `sentences` does it: what stands where in them is of no matter to those who look for phrases.
    """
    found = (each.strip() for each in _ROUGHLY.findall(_APART.sub(" ", text)))
    return (each for each in found if each)


def beginnings(text: str) -> Iterator[int]:
    """Where each sentence but the first begins; not in the middle of `(no. 5, "Why?") and so on`."""
    last = 0
    for pause in _PAUSE.finditer(text):
        goes_on = pause["closed"] and text[pause.end()].islower()
        if not goes_on and not _is_abbreviated(text, last, pause):
            yield pause.end()
            last = pause.end()


def joined(said: Iterable[str]) -> str:
    """Sentences as one text: a full stop behind each but the last that has no mark of its own."""
    *first, last = said
    return "".join(f"{each} " if is_closed(each) else f"{each}. " for each in first) + last


def closing_mark(text: str) -> str:
    """The last sign of a text, quotation marks, brackets and emphasis behind it aside; empty if there is none."""
    return text.rstrip(f"{_CLOSERS} \n")[-1:]


def is_closed(text: str) -> bool:
    """Whether a mark ends the text that ends a sentence."""
    return closing_mark(text) in _ENDS


def is_question(sentence: str) -> bool:
    """Whether a sentence asks by its form: it has a question mark, or a Japanese or Chinese particle instead."""
    return closing_mark(sentence) in QUESTION_MARKS or bool(_QUESTION.search(sentence.strip()))


def asks(content: str) -> bool:
    """Whether a text ends in a question mark, brackets behind it aside."""
    end = len(content.rstrip())
    while end and content[end - 1] == "]":
        start = content.rfind("[", 0, end)
        if start < 0 or "]" in content[start + 1 : end - 1]:
            break
        end = len(content[max(0, start - _BLANKS) : start].rstrip()) + max(0, start - _BLANKS)
    return content[:end].endswith(QUESTION_MARKS)


def _is_abbreviated(text: str, start: int, pause: re.Match[str]) -> bool:
    """Whether the full stop before a pause ends an abbreviation (`no. 5`), and no sentence."""
    end = pause.start()
    tail = text, max(start, end - _LONGEST_ABBREVIATION), end
    return text[end - 1] == "." and bool(
        _ABBREVIATION.search(*tail) or (text[pause.end()].isdigit() and _NUMBERED.search(*tail))
    )
