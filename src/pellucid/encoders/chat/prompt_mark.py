"""A prompt of ours in, its opening line out; and the text of a turn in, whether it is such a prompt.

A program that Pellucid asks can write a transcript of that: nobody said what it contains, so capture leaves it out.
"""

import hashlib
import re

_MARK = re.compile(r'^<pellucid-prompt id="ask_[0-9a-f]{32}">$', re.MULTILINE)


def opening_line(prompt: str) -> str:
    """Return the line to be put above a prompt, `<pellucid-prompt id="ask_…">` with a digest of the prompt, by which
    `is_own_prompt` recognises it.
    """
    digest = hashlib.blake2b(prompt.encode("utf-8", "replace"), digest_size=16).hexdigest()
    return f'<pellucid-prompt id="ask_{digest}">'


def is_own_prompt(text: str) -> bool:
    """Whether a text has the opening line of one of Pellucid's own prompts, as a line of its own."""
    return "<pellucid-prompt " in text and _MARK.search(text) is not None
