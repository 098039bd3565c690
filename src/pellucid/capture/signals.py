"""A user's turn in, whether it says that something is to be kept out: phrases in five languages, not their near misses.

Looked for sentence by sentence, outside code and quotations; a question is never such a phrase.
They are each language's `keeping.toml`.
"""

import re
from collections.abc import Sequence

from pellucid.capture.segment import Break, Cutter
from pellucid.language.lexicon import phrases
from pellucid.language.sentences import is_question, own_sentences
from pellucid.model.turn import Turn

_READ = 4000
"""Characters of a turn that are looked at."""
_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]*`")


def high_signal_phrase(text: str) -> str | None:
    """How a user says that something is to be kept: `remember`, `decided`, `from_now_on`, `label`; None if not."""
    for sentence in own_sentences(_CODE.sub(" ", text[:_READ])):
        said = sentence.casefold()
        if not is_question(said):
            for kinds in phrases("keeping"):
                for kind, phrase in kinds.items():
                    if phrase.search(said):
                        return kind
    return None


def high_signal() -> Cutter:
    """A cutter behind a user's turn that says something to be kept, so that it is kept at once."""

    def cut(held: Sequence[Turn], coming: Turn) -> Break | None:
        if coming.role == "user" and high_signal_phrase(coming.content):
            return Break("high_signal", len(held) + 1)
        return None

    return cut
