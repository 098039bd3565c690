"""A file of phrases by language in, its patterns out; a message in, the sentences out that are its author's own."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import cast

_APART = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")


@cache
def phrases(room: str, file: str) -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """By language, a pattern for each kind of phrase: one of the list that the file has for it.

    What the file has as a text, and not as a list, stands for `{its name}` in the patterns of its language.
    """
    tables = tomllib.loads(files(room).joinpath(file).read_text("utf-8"))
    languages = cast("list[dict[str, str | list[str]]]", list(tables.values()))
    return tuple(
        {kind: _one_of(patterns, language) for kind, patterns in language.items() if isinstance(patterns, list)}
        for language in languages
    )


def own_sentences(text: str) -> Iterator[str]:
    """The sentences of a message, without blocks of code and quoted lines; a line's end ends one, too."""
    found = (each.strip() for each in _SENTENCE.findall(_APART.sub(" ", text)))
    return (each for each in found if each)


def _one_of(patterns: list[str], language: Mapping[str, str | list[str]]) -> re.Pattern[str]:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    for name, value in language.items():
        if isinstance(value, str):
            joined = joined.replace(f"{{{name}}}", value)
    return re.compile(joined)
