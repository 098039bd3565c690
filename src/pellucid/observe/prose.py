"""A turn's text in, blocks and sentences of human prose out; code, logs, diffs and stack traces are dropped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pellucid.language.scripts import EAST
from pellucid.language.sentences import mask_code
from pellucid.language.sentences import sentences as every_sentence
from pellucid.text_cache import text_cache

Marker = Literal["none", "bullet", "ordered"]

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_CAPTION = re.compile(r"\[(?:shares? )?(?:image|photo|picture|video)s?: ([^\[\]]+)\]", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][\w-]{0,60})>")
_MACHINE = re.compile(
    r"""^(?:
      \s*File\ ".+",\ line\ \d+ | \s+at\ \S.*[(:].* | Traceback\ \( | Caused\ by: | \s*\.{3}\ \d+\ more
    | \s*(?:[\w$]+\.)*\w*(?:Error|Exception|Warning)\b(?::.*)?$
    | \s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.* | .*\b(?:DEBUG|INFO|WARN|ERROR|FATAL)\b\ .*
    | (?:diff\ --git|index\ [0-9a-f]{7}|@@\ |\+\+\+\ |---\ \S|[+][^\s\d+]|-[^\s\d-]) .*
    | \s*(?:\$|>>>|\#!|%)\ ?\S.* | \s*[{}\[\]();,]+\s*$ | \s*\|.*\|\s*$ | \s*[-=_*~.#]{4,}.*$
    | \s*(?:-{3}|\*{3}|_{3})\s*$
    | (?:E|>)\ {3}.* | \ {4,}\S.* | \t.* | .*[;{]\s*$ | \s*https?://\S+\s*$
    | \s*(?:FAILED|PASSED|ERROR|OK|make|npm\ ERR!)\b.* | \d+\ (?:passed|failed|errors?|examples?)\b.*
    )""",
    re.VERBOSE,
)
_ITEM = re.compile(
    r"^\s*(?:(?P<bullet>[-*•+])|(?P<ordered>\(?\d{1,2}[.)]|(?:step|schritt|paso)\s+\d+[:.)])|(?P<cjk>[①-⑳]|第[一二三四五六七八九十]步[，,：:]?))\s*(?=\S)(?P<text>(?<=[\s、①-⑳步，,：:]).*)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_SPEAKER = re.compile(r"^([A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’.-]+)?): (?=\S)")
_LABELS = (
    "note fact rule decision decided agreed todo fyi remember correction policy convention present attendees summary "
    "warning error question answer example update result background context goal plan status entscheidung regel nota "
    "decisión regla hinweis resolved verdict reason edit ps nb tip user assistant human system"
)
_NOT_SPEAKERS = frozenset(_LABELS.split())
LONGEST_SENTENCE = 1_000
"""Characters; a longer stretch without an end is not a statement, and not a sentence here."""
_EAST = re.compile(f"[{EAST}]{{2}}")
_SIGN = re.compile(r"[^\w\s]|[\d_]")
_ASCII_SIGNS = bytes(code for code in range(128) if _SIGN.match(chr(code)))
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_EMPHASIS = re.compile(r"\*\*(?P<strong>.+?)\*\*|__(?P<under>.+?)__")
_CURLY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
_STOPS = (".", "!", "?", "…", "。", "！", "？", ":", "：")


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """A paragraph or a list item.

    `speaker` is the name at the beginning of its line (`Amara: …`), `number` the number of a list item.
    """

    text: str
    marker: Marker = "none"
    speaker: str | None = None
    number: int | None = None


def captions(text: str) -> tuple[str, ...]:
    """Return the captions of pictures shared in a turn, in order: `a lake at dawn` of `[shares image: a lake at dawn]`;
    `()` if there are none.
    """
    return tuple(_CAPTION.findall(text))


@text_cache(32)
def blocks(text: str) -> tuple[ProseBlock, ...]:
    """Return the paragraphs and list items of a text in order, wrapped lines joined; code, machine output, tagged
    elements and captions of pictures are dropped.
    """
    found: list[list[ProseBlock]] = []
    for line in _prose_lines(text):
        if not line.strip():
            found.append([ProseBlock("")])
            continue
        block = _read_line(line)
        if found and _is_continuation(found[-1], block, indented=line[0].isspace()):
            found[-1].append(block)
        else:
            found.append([block])
    joined = (replace(lines[0], text=" ".join(each.text for each in lines)) for lines in found)
    return tuple(block for block in joined if block.text)


@text_cache(64)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a block; those of over 1,000 characters, too long for the patterns, are left out."""
    return tuple(each for each in every_sentence(text) if len(each) <= LONGEST_SENTENCE)


def prose_sentences(text: str) -> list[str]:
    """Return the sentences of all blocks of a text, in order; those of over 1,000 characters are left out."""
    return [sentence for block in blocks(text) for sentence in sentences(block.text)]


def _prose_lines(text: str) -> list[str]:
    """Return the lines of a text for reading as prose, with curly quotation marks made straight.

    A line of machine output is empty, as is a fence of code; the lines within fences are left out. Tagged elements with
    their contents, and captions, are replaced by a blank.
    """
    lines: list[str] = []
    fenced = False
    plain = _CAPTION.sub(" ", text.translate(_CURLY))
    for line in (_without_tags(plain) if "</" in plain else plain).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            lines.append("")
        elif not fenced:
            lines.append("" if _is_machine(line) else line)
    return lines


def _without_tags(text: str) -> str:
    """Return the text with a blank for each tagged element (`<log>…</log>`), contents included.

    A tag that is never closed stays, and so does a tag in inline code.
    """
    tags = list(_TAG.finditer(mask_code(text)))
    last = {found[2]: found.end() for found in tags if found[1]}
    kept: list[str] = []
    at, within = 0, ""
    for found in tags:
        if not within and not found[1] and last.get(found[2], 0) > found.end():
            kept.append(text[at : found.start()])
            within = found[2]
        elif within == found[2] and found[1]:
            at, within = found.end(), ""
    return " ".join([*kept, text[at:]])


def _is_machine(line: str) -> bool:
    """Whether a line looks like machine output: by its form, or because over half of its characters are no letters.

    The second counts only in a line of more than 12 characters, without Chinese or Japanese words. A list item is not
    judged by its form.
    """
    if _MACHINE.match(line) and not _ITEM.match(line):
        return True
    if len(line) <= 12:
        return False
    if line.isascii():
        return 2 * (len(line) - len(line.encode().translate(None, _ASCII_SIGNS))) > len(line)
    return not _EAST.search(line) and len(_SIGN.findall(line)) > 0.5 * len(line)


def _read_line(line: str) -> ProseBlock:
    """Parse a line into a block: its words without markup, and in fields the list sign, item number and speaker's name.

    A speaker is one or two capitalised words before a colon; labels such as `Note:` stay in the text, and so does what
    stands before a colon in a numbered item.
    """
    item = _ITEM.match(line)
    marker: Marker = "none"
    number: int | None = None
    if item:
        marker = "bullet" if item["bullet"] else "ordered"
        number = int(found[0]) if (found := _DIGITS.search(item["ordered"] or "")) else None
        line = item["text"]
    text = without_emphasis(_HEADING.sub("", line)).strip()
    named = _SPEAKER.match(text)
    if named and marker != "ordered" and named[1].casefold() not in _NOT_SPEAKERS:
        return ProseBlock(text[named.end() :], marker, named[1], number)
    return ProseBlock(text, marker, number=number)


def without_emphasis(line: str) -> str:
    """Return the line without the signs of strong emphasis (`**`, `__`); those in inline code stay."""
    masked, parts, last = mask_code(line), list[str](), 0
    for found in _EMPHASIS.finditer(masked):
        start, end = found.span("strong" if found["strong"] else "under")
        parts += [line[last : found.start()], line[start:end]]
        last = found.end()
    return "".join([*parts, line[last:]])


def _is_continuation(lines: Sequence[ProseBlock], block: ProseBlock, *, indented: bool) -> bool:
    """Whether `block`, read from the next line, continues the paragraph or list item `lines`.

    A line continues a paragraph that stopped mid-sentence; an indented line continues a list item. A line with a list
    sign or a speaker continues nothing.
    """
    if not lines[0].text or block.marker != "none" or block.speaker is not None:
        return False
    return indented if lines[0].marker != "none" else not lines[-1].text.endswith(_STOPS)
