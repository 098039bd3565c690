"""A text in, its sentences out: where each begins, which ask, which are closed; abbreviations and code end none."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

CODE_SPAN = re.compile(r"(?<![`\\])(?P<ticks>`+)(?!`)[^\n]*?[^`\n](?P=ticks)(?!`)")
"""Inline code with its backticks, as in Markdown: as many backticks close it as open it. A line break ends none."""
_MASK = "x"
_CLOSERS = "\"”’')]*_`"
"""Characters that can follow the mark that ends a sentence: quotation marks, brackets, emphasis."""
PAUSE = re.compile(rf"(?<=[.!?…])(?P<closed>[{re.escape(_CLOSERS)}]{{0,4}})\s+(?=\S)|(?<=[。！？])(?=\S)")
"""A possible boundary of two sentences: after the mark that ends the first, its closing characters and a blank.

Never change it: passages are cut here, and forgotten text is recognised by the hashes of its sentences.
"""
_PAUSE = re.compile(rf"{PAUSE.pattern}|(?<=[。！？])\s+(?=\S)")
_ENDS = frozenset(".!?…。！？")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|dr|mr|mrs|ms|st|inc|ltd|jr|sr|z\.b|bzw|ca|d\.h|usw|sra?|ud|uds|p\.ej|fig|al)"
    r"|(?<!\d )\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?<!\S)\d{1,2}\.$")
"""A number with a full stop; another number after it, or one word and another number, makes the two a list."""
_LISTED_NEXT = re.compile(r"(?:[^\W\d_]+\s+\d{1,2}(?=[.,;)]|\s*$)|\d{1,2}[.,)](?=\s|$))")
_NUMBERED = re.compile(r"\b(?:no|nr|núm)\.$", re.IGNORECASE)
"""Abbreviations of `number` if a digit follows; otherwise `no` is an answer."""
_LONGEST_ABBREVIATION = 8
"""Characters at the end of a text that are searched for an abbreviation, its full stop included."""
_BLANKS = 100
"""Characters before a bracket that are searched for the end of the text before it."""
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_QUESTION = re.compile(r"^¿|(?:吗|嗎|呢|(?:です|ます|でした|ました|でしょう)か)[。.]?$")

_APART = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_ROUGHLY = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")


def mask_code(text: str) -> str:
    """Return a text of the same length with a letter for each character of inline code between its backticks."""
    return CODE_SPAN.sub(_masked, text) if "`" in text else text


def unmark_code(text: str) -> str:
    """Return the text without the backticks of its inline code."""
    return CODE_SPAN.sub(_unmarked, text) if "`" in text else text


def _masked(span: re.Match[str]) -> str:
    """Return a span of code with a letter for each of its characters but the backticks."""
    ticks = span["ticks"]
    return f"{ticks}{_MASK * (len(span[0]) - 2 * len(ticks))}{ticks}"


def _unmarked(span: re.Match[str]) -> str:
    """Return a span of code without its backticks."""
    return span[0].strip("`")


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order, each stripped of blanks, with its closing mark; no sentence is empty.
    `sentence_starts` says where one ends; a line break alone ends none.
    """
    places = (0, *sentence_starts(text), len(text))
    found = (text[start:end].strip() for start, end in pairwise(places))
    return tuple(each for each in found if each)


def own_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a message outside its code blocks and quoted lines, in order, stripped of blanks; a line
    break ends one, too.

    Cut more simply than by `sentences`: good enough for finding phrases.
    """
    found = (each.strip() for each in _ROUGHLY.findall(_APART.sub(" ", text)))
    return (each for each in found if each)


def sentence_starts(text: str) -> Iterator[int]:
    """Yield the index of the first character of each sentence except the first.

    A sentence ends at `.`, `!`, `?` or `…` before a blank, and at `。`, `！` or `？`.

    But none ends at an abbreviation, at a mark with a closing quote or bracket before a lower-case letter
    (`("Why?" and so on)`), at the number of a list (`steps 1. and 2.`), or in inline code.
    """
    last = 0
    text = mask_code(text)
    for pause in _PAUSE.finditer(text):
        goes_on = pause["closed"] and text[pause.end()].islower()
        if not goes_on and not _ends_in_abbreviation(text, last, pause) and not _is_listed(text, pause):
            yield pause.end()
            last = pause.end()


def join_sentences(parts: Iterable[str]) -> str:
    """Return the sentences (ValueError if there is none) as one text; all but the last get a full stop if they have no
    mark that ends them.
    """
    *first, last = parts
    return "".join(f"{each} " if is_closed(each) else f"{each}. " for each in first) + last


def closing_mark(text: str) -> str:
    """Return a text's last character before closing quotation marks, brackets and emphasis; empty if none.

    A letter if the text ends in inline code, whose last mark closes nothing.
    """
    return mask_code(text).rstrip(f"{_CLOSERS} \n")[-1:]


def is_closed(text: str) -> bool:
    """Whether a text ends in a mark that ends a sentence (`.`, `!`, `?`, `…` or a full-width `。`, `！`, `？`), closing
    quotation marks, brackets and emphasis after it aside.
    """
    return closing_mark(text) in _ENDS


def has_question_form(sentence: str) -> bool:
    """Whether a sentence asks by its form: it ends in a question mark, begins with `¿`, or ends in a Japanese or
    Chinese particle that asks.
    """
    return closing_mark(sentence) in QUESTION_MARKS or bool(_QUESTION.search(sentence.strip()))


def ends_in_question(content: str) -> bool:
    """Whether a text ends in a question mark, not counting square brackets and their contents at its end."""
    end = len(content.rstrip())
    while end and content[end - 1] == "]":
        start = content.rfind("[", 0, end)
        if start < 0 or "]" in content[start + 1 : end - 1]:
            break
        end = len(content[max(0, start - _BLANKS) : start].rstrip()) + max(0, start - _BLANKS)
    return content[:end].endswith(QUESTION_MARKS)


def _ends_in_abbreviation(text: str, start: int, pause: re.Match[str]) -> bool:
    """Whether the full stop before `pause`, a match of `_PAUSE`, ends an abbreviation (`no. 5`).

    `start` is the index at which its sentence begins.
    """
    end = pause.start()
    tail = text, max(start, end - _LONGEST_ABBREVIATION), end
    return text[end - 1] == "." and bool(
        _ABBREVIATION.search(*tail) or (text[pause.end()].isdigit() and _NUMBERED.search(*tail))
    )


def _is_listed(text: str, pause: re.Match[str]) -> bool:
    """Whether the full stop before `pause`, a match of `_PAUSE`, follows a number of one or two digits after which a
    list goes on with another number: `1. and 2.`.
    """
    tail = text, max(0, pause.start() - 4), pause.start()
    following = _LISTED_NEXT.match(text, pause.end())
    return bool(following and following[0][0] == following[0][0].lower() and _LISTED.search(*tail))
