"""A user's turn in, whether it says that something is to be kept out: phrases in five languages, not their near misses.

Each language's `keeping.toml` has them; they count outside code, quotations and questions.
"""

import re
from collections.abc import Sequence

from pellucid.capture.segment import Break, Cutter
from pellucid.language.lexicon import phrases
from pellucid.language.sentences import is_question, own_sentences
from pellucid.model.turn import Turn

_READ = 4000  # characters of a turn that are looked at
_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]*`")


def high_signal_phrase(text: str) -> str | None:
    """Return the kind of phrase by which a user asks to keep something (`remember`, `decided`, …); None without one."""
    for sentence in own_sentences(_CODE.sub(" ", text[:_READ])):
        said = sentence.casefold()
        if not is_question(said):
            for kinds in phrases("keeping"):
                for kind, phrase in kinds.items():
                    if phrase.search(said):
                        return kind
    return None


def high_signal() -> Cutter:
    """Return a cutter that cuts right behind a user's turn with such a phrase, so that it is stored at once."""

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> Break | None:
        if next_turn.role == "user" and high_signal_phrase(next_turn.content):
            return Break("high_signal", len(open_turns) + 1)
        return None

    return cut
