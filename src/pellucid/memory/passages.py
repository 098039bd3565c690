"""A turn's text in, its passages out: short stretches that each say something, cut at pauses in the text.

A long turn is many things: a vector of it is near to none of them, and it does not fit a context. So it is kept, and
found, as passages. No word is lost or changed; only the blanks between passages are dropped.
"""

import re
from collections.abc import Iterator

from pellucid.language.sentences import PAUSE

PASSAGE_CHARS = 280
"""The length that passages aim at: about sixty tokens; six or seven passages fill a context of 2,000 characters."""
_MAX_CHARS = 2 * PASSAGE_CHARS
"""The greatest length of a passage; a longer stretch without a pause is cut between words."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_ANNOUNCES = re.compile(r"^\s*#{1,6}\s|[:：]\W{0,3}$|^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*$")
"""A heading, or a line that ends in a colon, which belongs to the text after it."""
_DRAWN = re.compile(r"[\u2500-\u259f]")
"""The lines, corners and blocks of which diagrams, trees and bars are drawn."""
_LEVEL = re.compile(r"[\u2500\u2501\u2504\u2505\u2508\u2509\u254c\u254d\u2550\u2580-\u259f]")
"""Those of `_DRAWN` that only lead to the right; the others separate cells."""
_WORD = re.compile(r"\w")


def passages(text: str) -> list[str]:
    """Cut a text into passages that aim at 280 characters each and have at most 560, in order, without outer blanks.

    A text of at most 280 characters, also an empty one, and one of blanks alone is one passage, unchanged.
    """
    if len(text) <= PASSAGE_CHARS:
        return [text]
    finished, current, after_heading = list[str](), "", False
    for piece in _pieces_of(text):
        announces = _announces(piece)
        # a heading takes its text along, and is not put at the end of a passage that is half full
        room = _MAX_CHARS if after_heading else PASSAGE_CHARS // 2 if announces else PASSAGE_CHARS
        if current and len(current) + len(piece) > room:
            finished.append(current)
            current = ""
        current += piece
        after_heading = announces or (after_heading and not piece.strip())
    return [stripped for each in (*finished, current) if (stripped := each.strip())] or [text]


def undrawn(text: str) -> str:
    """Return the text with diagrams and trees replaced by their words, ` | ` between cells.

    A line of a drawing without a word is left out; other lines stay as they are.
    """
    if not _DRAWN.search(text):
        return text
    lines = ((line, _words_of_drawing(line) if _DRAWN.search(line) else line) for line in text.split("\n"))
    return "\n".join(words for line, words in lines if words or not line.strip())


def _words_of_drawing(line: str) -> str:
    """Return the words of a drawn line, with ` | ` between its cells; empty if it has none."""
    cells = _DRAWN.split(_LEVEL.sub(" ", line)) if _WORD.search(line) else ()
    return " | ".join(" ".join(each.split()) for each in cells if each.strip())


def sentences_of(passage: str) -> list[str]:
    """Return the sentences of a passage, stripped; each line ends a sentence, too."""
    pieces = (each for line in passage.splitlines() for each in PAUSE.split(line))
    return [stripped for each in pieces if (stripped := each.strip())]


def _announces(piece: str) -> bool:
    """Whether the last line of a piece is a heading, all bold, or ends in a colon, and so belongs to the next piece."""
    return bool(_ANNOUNCES.search(piece.rstrip().rpartition("\n")[2]))


def _pieces_of(text: str) -> Iterator[str]:
    """Yield the pieces of which passages are made, in order: lines, the sentences of lines of over 280 characters, and
    blocks of code, each of which ends at its fence or once it has over 280. Sentences and blocks of over 560 are cut
    (`_bounded_pieces`); joined, the pieces are the text.
    """
    block = ""
    for line in text.splitlines(keepends=True):
        if block or _FENCE.match(line):
            closes = bool(block) and bool(_FENCE.match(line))
            block += line
            if closes or len(block) > PASSAGE_CHARS:
                yield from _bounded_pieces(block)
                block = ""
        elif len(line) <= PASSAGE_CHARS:
            yield line
        else:
            start = 0
            for end in (*(found.end() for found in PAUSE.finditer(line)), len(line)):
                yield from _bounded_pieces(line[start:end])
                start = end
    if block:
        yield from _bounded_pieces(block)


def _bounded_pieces(piece: str) -> Iterator[str]:
    """Yield a piece, cut after a blank into parts of at most 560 characters if it is longer; without a blank in the
    second half of such a part, just there. Nothing for an empty piece.
    """
    while len(piece) > _MAX_CHARS:
        blank = max(piece.rfind(" ", 0, _MAX_CHARS), piece.rfind("\n", 0, _MAX_CHARS))
        cut = blank + 1 if blank > PASSAGE_CHARS else _MAX_CHARS
        yield piece[:cut]
        piece = piece[cut:]
    if piece:
        yield piece
