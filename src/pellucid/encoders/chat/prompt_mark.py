"""A prompt of ours in, the line that opens it out; and a turn's words in, whether they are such a prompt.

A program that Pellucid asks may keep a transcript of it. Nobody said what is in there.
"""

import hashlib
import re

_MARK = re.compile(r'^<pellucid-prompt id="ask_[0-9a-f]{32}">$', re.MULTILINE)


def mark(prompt: str) -> str:
    """A line that opens this prompt, and which no description of it matches."""
    return (
        f'<pellucid-prompt id="ask_{hashlib.blake2b(prompt.encode("utf-8", "replace"), digest_size=16).hexdigest()}">'
    )


def is_own_prompt(text: str) -> bool:
    """Whether a text holds the opening line of a prompt of ours, as a line of its own."""
    return "<pellucid-prompt " in text and _MARK.search(text) is not None
