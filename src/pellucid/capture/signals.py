"""A user's turn in, whether it says that something is to be kept out: phrases in five languages, not their near misses.

Looked for sentence by sentence, outside code and quotations; a question is never such a phrase.
`phrases.toml` has them.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from pellucid.capture.segment import Break, Cutter
from pellucid.language.sentences import is_question
from pellucid.model.turn import Turn

_READ = 4000
"""Characters of a turn that are looked at."""
_APART = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


@cache
def _phrases() -> tuple[tuple[str, re.Pattern[str]], ...]:
    text = files("pellucid.capture").joinpath("phrases.toml").read_text("utf-8")
    return tuple(_compiled(tomllib.loads(text)))


def _compiled(languages: dict[str, dict[str, str | list[str]]]) -> Iterator[tuple[str, re.Pattern[str]]]:
    for kinds in languages.values():
        clause = str(kinds["clause"])
        for kind, patterns in kinds.items():
            if isinstance(patterns, list):
                alternatives = "|".join(pattern.replace("{clause}", clause) for pattern in patterns)
                yield kind, re.compile(alternatives)


def high_signal_phrase(text: str) -> str | None:
    """By what a user says that something is to be kept: `remember`, `decided`, `from_now_on`, `label`; or None."""
    for sentence in _SENTENCE.findall(_APART.sub(" ", text[:_READ])):
        said = sentence.strip().casefold()
        if said and not is_question(said):
            for kind, phrase in _phrases():
                if phrase.search(said):
                    return kind
    return None


def high_signal() -> Cutter:
    """Cuts after a user's turn that says something to be kept, so that it is kept at once."""

    def cut(held: Sequence[Turn], coming: Turn) -> Break | None:
        if coming.role == "user" and high_signal_phrase(coming.content):
            return Break("high_signal", len(held) + 1)
        return None

    return cut
