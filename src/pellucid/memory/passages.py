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
    """The passages of a text, in order; a text of up to `PASSAGE_CHARS` characters is one."""
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
    """A text without the lines that its diagrams and trees are drawn with: their words, with ` | ` between cells.

    A line of a drawing that holds no word is left out; what has no drawing in it stays as it is.
    """
    if not _DRAWN.search(text):
        return text
    lines = ((line, _words_of_drawing(line) if _DRAWN.search(line) else line) for line in text.split("\n"))
    return "\n".join(words for line, words in lines if words or not line.strip())


def _words_of_drawing(line: str) -> str:
    cells = _DRAWN.split(_LEVEL.sub(" ", line)) if _WORD.search(line) else ()
    return " | ".join(" ".join(each.split()) for each in cells if each.strip())


def sentences_of(passage: str) -> list[str]:
    """The lines of a passage, each cut into its sentences; without blanks around them."""
    said = (each for line in passage.splitlines() for each in PAUSE.split(line))
    return [stripped for each in said if (stripped := each.strip())]


def _announces(piece: str) -> bool:
    return bool(_ANNOUNCES.search(piece.rstrip().rpartition("\n")[2]))


def _pieces_of(text: str) -> Iterator[str]:
    """Lines, each with its end; a line that is too long, in sentences; a code block as one piece if it is short."""
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
    while len(piece) > _LONGEST:
        blank = max(piece.rfind(" ", 0, _LONGEST), piece.rfind("\n", 0, _LONGEST))
        cut = blank + 1 if blank > PASSAGE_CHARS else _LONGEST
        yield piece[:cut]
        piece = piece[cut:]
    if piece:
        yield piece
