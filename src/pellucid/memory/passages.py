"""A turn's text in, its passages out: short stretches that each say something, cut where the text itself pauses.

A long turn is many things: a vector of it is near to none of them, and it does not fit a context. So it is kept, and
found, as passages. No word is lost or changed; only the blank between two passages is.
"""

import re
from collections.abc import Iterator

from pellucid.language.sentences import PAUSE

PASSAGE_CHARS = 280
"""Characters a passage aims at: about sixty tokens, six or seven passages in a context of 2,000 characters."""
_LONGEST = 2 * PASSAGE_CHARS
"""A stretch without any pause is cut between words, here."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_ANNOUNCES = re.compile(r"^\s*#{1,6}\s|[:：]\W{0,3}$|^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*$")
"""A heading, or a line that ends in a colon: it belongs to what follows."""
_DRAWN = re.compile(r"[\u2500-\u259f]")
"""Lines, corners and blocks that diagrams, trees and bars are drawn with."""
_LEVEL = re.compile(r"[\u2500\u2501\u2504\u2505\u2508\u2509\u254c\u254d\u2550\u2580-\u259f]")
"""Of these, what only leads on, to the right; the others stand between cells."""
_WORD = re.compile(r"\w")


def passages(text: str) -> list[str]:
    """The passages of a text in order, of some 280 characters each; a shorter text is one passage."""
    if len(text) <= PASSAGE_CHARS:
        return [text]
    found, open_piece, announced = list[str](), "", False
    for piece in _pieces_of(text):
        announces = _announces(piece)
        room = _LONGEST if announced else PASSAGE_CHARS // 2 if announces else PASSAGE_CHARS
        if open_piece and len(open_piece) + len(piece) > room:
            found.append(open_piece)
            open_piece = ""
        open_piece += piece
        announced = announces or (announced and not piece.strip())
    return [stripped for each in (*found, open_piece) if (stripped := each.strip())] or [text]


def undrawn(text: str) -> str:
    """The text with the words of its diagrams and trees in place of the drawing, ` | ` between cells.

    A line of a drawing that has no word is left out; other lines stay as they are.
    """
    if not _DRAWN.search(text):
        return text
    lines = ((line, _words_of_drawing(line) if _DRAWN.search(line) else line) for line in text.split("\n"))
    return "\n".join(words for line, words in lines if words or not line.strip())


def _words_of_drawing(line: str) -> str:
    """The words of a line of a drawing, with ` | ` between its cells; empty if it has none."""
    cells = _DRAWN.split(_LEVEL.sub(" ", line)) if _WORD.search(line) else ()
    return " | ".join(" ".join(each.split()) for each in cells if each.strip())


def sentences_of(passage: str) -> list[str]:
    """The sentences of a passage, stripped; the end of a line ends one, too."""
    said = (each for line in passage.splitlines() for each in PAUSE.split(line))
    return [stripped for each in said if (stripped := each.strip())]


def _announces(piece: str) -> bool:
    """Whether the last line of a piece is a heading or ends in a colon, and so belongs to what follows."""
    return bool(_ANNOUNCES.search(piece.rstrip().rpartition("\n")[2]))


def _pieces_of(text: str) -> Iterator[str]:
    """The pieces of a text that passages are put together from: lines, sentences of long lines, blocks of code."""
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
    """A piece, cut between words where it is longer than a passage may be."""
    while len(piece) > _LONGEST:
        blank = max(piece.rfind(" ", 0, _LONGEST), piece.rfind("\n", 0, _LONGEST))
        cut = blank + 1 if blank > PASSAGE_CHARS else _LONGEST
        yield piece[:cut]
        piece = piece[cut:]
    if piece:
        yield piece
