"""A kind of word in, the words of that kind out: closed classes, persons, numbers and dates, by language.

Everything that is known of a language stands in `tables/<its code>/`, a file for whoever reads it, so that a question,
which needs its words alone, does not wait for what an import knows. The English file of a kind explains its parts.
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, TypedDict, cast

LATIN = ("en", "de", "es", "fr")
EAST = ("ja", "zh")
STATED = ("en", "de", "es", *EAST)
"""The languages in which statements are read; French is known for questions only."""

Kind = Literal["words", "statements", "orders", "tasks", "keeping"]
"""The files of a language: its closed classes of words; the cues of what is worth keeping; words of orders to an
assistant; phrases that start a task; phrases by which somebody says that something is to be kept."""


class DateWords(TypedDict, total=False):
    """How a language names months, from January, weekdays, from Monday, units and stretches of time."""

    months: list[str]
    weekdays: list[str]
    units: dict[str, str]
    phrases: dict[str, list[str]]
    """By `unit:offset` from the present one; `trail` counts days back from now, `none` is no date after all."""


class Lexicon(TypedDict, total=False):
    """What is known of a language; a text of words is split at blanks."""

    words: dict[str, str]
    persons: dict[str, str]
    """The forms of each personal pronoun."""
    numbers: dict[str, int]
    dates: DateWords
    scales: dict[str, str]
    """Units by what they measure."""
    same: dict[str, list[str]]
    changes: dict[str, list[str]]
    signs: dict[str, str]


def table(code: str, kind: Kind) -> dict[str, Any]:
    """What is known of a language code such as `en` for one kind of reader. FileNotFoundError where nothing is."""
    return tomllib.loads(_tables().joinpath(code, f"{kind}.toml").read_text("utf-8"))


def tables(kind: Kind) -> list[dict[str, Any]]:
    """What is known of every language that has a file of a kind, by its code."""
    codes = sorted(each.name for each in _tables().iterdir() if each.joinpath(f"{kind}.toml").is_file())
    return [table(code, kind) for code in codes]


def _tables() -> Traversable:
    return files("pellucid.language").joinpath("tables")


@cache
def phrases(kind: Literal["tasks", "keeping"]) -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """By language, a pattern for each kind of phrase: one of the list that its file has for it.

    What the file has as a text, and not as a list, stands for `{its name}` in the patterns of its language.
    """
    return tuple(
        {
            name: _any_of_patterns(cast("list[str]", said), known)
            for name, said in known.items()
            if isinstance(said, list)
        }
        for known in (table(code, kind) for code in STATED)
    )


def _any_of_patterns(patterns: list[str], language: Mapping[str, str | list[str]]) -> re.Pattern[str]:
    """One pattern that matches any of these; `{name}` in them stands for that text of the language."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    for name, value in language.items():
        if isinstance(value, str):
            joined = joined.replace(f"{{{name}}}", value)
    return re.compile(joined)


@cache
def lexicon(code: str) -> Lexicon:
    """The words of a language code such as `en`."""
    return cast("Lexicon", table(code, "words"))


@cache
def words(*kinds: str, of: tuple[str, ...] = STATED) -> frozenset[str]:
    """The words of some kinds in some languages. KeyError where no language has words of a kind."""
    tables = [lexicon(code).get("words", {}) for code in of]
    for kind in kinds:
        if not any(kind in table for table in tables):
            raise KeyError(kind)
    return frozenset(word for table in tables for kind in kinds for word in table.get(kind, "").split())


@cache
def persons(*pronouns: str) -> dict[str, str]:
    """By each form of these personal pronouns (of all, if none is named) its pronoun: `i` for `mine`."""
    tables = [lexicon(code).get("persons", {}) for code in LATIN]
    return {
        form: pronoun
        for table in tables
        for pronoun, forms in table.items()
        if not pronouns or pronoun in pronouns
        for form in forms.split()
    }


@cache
def numbers(*of: str) -> dict[str, int]:
    """What the number words of some languages count."""
    return {word: number for code in of or STATED for word, number in lexicon(code).get("numbers", {}).items()}


@cache
def months(*of: str) -> dict[str, int]:
    """The number of a month, from 1, by each of its names."""
    named = (lexicon(code).get("dates", {}).get("months", []) for code in of or LATIN)
    return {name: at for names in named for at, each in enumerate(names, 1) for name in each.split()}


@cache
def weekdays(*of: str) -> dict[str, int]:
    """The number of a weekday, Monday is 0, by each of its names."""
    named = (lexicon(code).get("dates", {}).get("weekdays", []) for code in of or LATIN)
    return {name: at for names in named for at, each in enumerate(names) for name in each.split()}


@cache
def scales() -> tuple[frozenset[str], ...]:
    """Units that measure the same, together."""
    tables = [lexicon(code).get("scales", {}) for code in STATED]
    kinds = dict.fromkeys(kind for table in tables for kind in table)
    return tuple(frozenset(" ".join(table.get(kind, "") for table in tables).split()) for kind in kinds)


@cache
def sign(kind: str) -> str:
    """The patterns of a kind in the languages that write no blanks, as one."""
    return "|".join(signs[kind] for code in EAST if kind in (signs := lexicon(code).get("signs", {})))


def likeliest(said: Collection[str], codes: Sequence[str] = STATED) -> str:
    """The language of which most telling words are said, the first of these where several are; empty where none is."""
    found = {code: len(_telltales(code).intersection(said)) for code in codes}
    best = max(found, key=lambda code: found[code])
    return best if found[best] else ""


@cache
def _telltales(code: str) -> frozenset[str]:
    known = lexicon(code).get("words", {})
    return frozenset(" ".join(known.get(kind, "") for kind in ("function", "asking", "telltale")).split())
