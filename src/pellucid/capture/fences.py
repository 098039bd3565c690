"""Text with fenced blocks in, the same text without them out."""

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
