"""Text with fenced blocks in, the same text without them out; one pass, whatever the text."""

import re


def without_blocks(
    text: str, opening: re.Pattern[str], closing: re.Pattern[str], *, open_ended: bool = False
) -> tuple[str, int]:
    """Remove every stretch from an opening mark to the next closing mark, both included.

    Args:
        open_ended: an opening mark that is never closed removes the rest of the text (a cut-off copy); otherwise it
            stays, as words about the mark.

    Returns:
        The text and the number of blocks removed.
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
