"""A query in, whether it starts or plans a task out: phrases in five languages, not their near misses.

Looked for sentence by sentence, outside code and quotations. `tasks.toml` has them.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pellucid.language.sentences import is_question

_READ = 1_000
"""Characters of a query that are looked at: a task is named first, and what belongs to it follows."""
_CODE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")


@dataclass(frozen=True, slots=True)
class _Phrases:
    """One language's: what asks for the way or says what is to be done, what tells to do it, and what only seems to."""

    said: re.Pattern[str]
    told: re.Pattern[str]
    near: re.Pattern[str]

    def start(self, sentence: str) -> bool:
        found = self.said.search(sentence) or (not is_question(sentence) and self.told.search(sentence))
        return bool(found) and not self.near.search(sentence)


@cache
def _languages() -> tuple[_Phrases, ...]:
    text = files("pellucid.recall").joinpath("tasks.toml").read_text("utf-8")
    return tuple(_phrases(language) for language in tomllib.loads(text).values())


def _phrases(language: dict[str, str | list[str]]) -> _Phrases:
    blanks = {name: value for name, value in language.items() if isinstance(value, str)}

    def of(*kinds: str) -> re.Pattern[str]:
        patterns = [pattern for kind in kinds for pattern in language[kind]]
        return re.compile("|".join(f"(?:{_filled(pattern, blanks.items())})" for pattern in patterns))

    return _Phrases(of("how", "plan"), of("order"), of("near"))


def _filled(pattern: str, blanks: Iterable[tuple[str, str]]) -> str:
    for name, value in blanks:
        pattern = pattern.replace(f"{{{name}}}", value)
    return pattern


def starts_task(text: str) -> bool:
    """Whether somebody starts or plans a task: `How do I …`, `Deploy the …`, `We are about to …`."""
    sentences = (sentence.strip().lower() for sentence in _SENTENCE.findall(_CODE.sub(" ", text[:_READ])))
    return any(phrases.start(sentence) for sentence in sentences if sentence for phrases in _languages())
