"""Text with fenced blocks in, the same text without them out, and the code fence that is open after a line."""

import re


def without_blocks(
    text: str, opening: re.Pattern[str], closing: re.Pattern[str], *, open_ended: bool = False
) -> tuple[str, int]:
    """Return the text without the blocks from an opening mark to the next closing mark, and their number.

    The marks are removed, too. `open_ended`: after an opening mark that is never closed (a cut-off copy), the rest of
    the text is removed; otherwise it stays.
    """
    kept: list[str] = []
    at = removed = 0
    while start := opening.search(text, at):
        end = closing.search(text, start.end())
        if end is None and not open_ended:
            break
        kept.append(text[at : start.start()])
        removed += 1
        at = end.end() if end else len(text)
    kept.append(text[at:])
    return "".join(kept), removed


def fence_after(open_fence: str, mark: str) -> str:
    """Return the code fence that is open after a line that begins with the fence `mark`; "" if none is.

    Fences are backticks or tildes with the blanks before them. `open_fence` is the one open before that line ("" if
    none); it is closed by a mark of its kind, as long at least and indented no further: further in, such a mark belongs
    to what is shown (an unchanged line of a diff).
    """
    if not open_fence:
        return mark
    bare, open_bare = mark.lstrip(), open_fence.lstrip()
    is_within = len(mark) - len(bare) > len(open_fence) - len(open_bare)
    return open_fence if is_within or not bare.startswith(open_bare) else ""
