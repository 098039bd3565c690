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
    """The parsed file of one kind of a language, by its code such as `en`. FileNotFoundError where there is none."""
    return tomllib.loads(_tables().joinpath(code, f"{kind}.toml").read_text("utf-8"))


def tables(kind: Kind) -> list[dict[str, Any]]:
    """The parsed files of one kind of all languages that have one, in the order of their codes."""
    codes = sorted(each.name for each in _tables().iterdir() if each.joinpath(f"{kind}.toml").is_file())
    return [table(code, kind) for code in codes]


def _tables() -> Traversable:
    """The folder of all language files."""
    return files("pellucid.language").joinpath("tables")


@cache
def phrases(kind: Literal["tasks", "keeping"]) -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """For each language of `STATED` the lists of its file of this kind, by name, each as one pattern.

    What the file has as a text, and not as a list, stands for `{its name}` in the patterns of its language.
    """
    return tuple(
        {
            name: _any_of(cast("list[str]", patterns), known)
            for name, patterns in known.items()
            if not isinstance(patterns, str)
        }
        for known in (table(code, kind) for code in STATED)
    )


def _any_of(patterns: list[str], texts: Mapping[str, str | list[str]]) -> re.Pattern[str]:
    """One pattern that matches any of these; `{name}` in them stands for that one of the texts."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    for name, value in texts.items():
        if isinstance(value, str):
            joined = joined.replace(f"{{{name}}}", value)
    return re.compile(joined)


@cache
def lexicon(code: str) -> Lexicon:
    """The file `words` of a language, by its code such as `en`."""
    return cast("Lexicon", table(code, "words"))


@cache
def words(*kinds: str, of: tuple[str, ...] = STATED) -> frozenset[str]:
    """The words of some kinds (`negators`, `verbs`) in the languages `of`. KeyError for a kind that none has."""
    tables = [lexicon(code).get("words", {}) for code in of]
    for kind in kinds:
        if not any(kind in table for table in tables):
            raise KeyError(kind)
    return frozenset(word for table in tables for kind in kinds for word in table.get(kind, "").split())


@cache
def persons(*pronouns: str) -> dict[str, str]:
    """A dict from each form of these personal pronouns (default: of all) to its pronoun: `mine` to `i`."""
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
    """A dict from the number words of some language codes (default: `STATED`) to their numbers."""
    return {word: number for code in of or STATED for word, number in lexicon(code).get("numbers", {}).items()}


@cache
def months(*of: str) -> dict[str, int]:
    """A dict from the names of months in some language codes (default: `LATIN`) to their numbers, January is 1."""
    named = (lexicon(code).get("dates", {}).get("months", []) for code in of or LATIN)
    return {name: at for names in named for at, each in enumerate(names, 1) for name in each.split()}


@cache
def weekdays(*of: str) -> dict[str, int]:
    """A dict from the names of weekdays in some language codes (default: `LATIN`) to their numbers, Monday is 0."""
    named = (lexicon(code).get("dates", {}).get("weekdays", []) for code in of or LATIN)
    return {name: at for names in named for at, each in enumerate(names) for name in each.split()}


@cache
def changes(kind: Literal["since", "takes", "states", "turns"]) -> tuple[str, ...]:
    """The phrases of `STATED` languages by which changes are told, of one kind: see `changes` in the English file."""
    return tuple(each for code in STATED for each in lexicon(code).get("changes", {}).get(kind, ()))


@cache
def scales() -> tuple[frozenset[str], ...]:
    """The names of units of measurement, in one set each for those that measure the same: `ms`, `seconds`, …"""
    tables = [lexicon(code).get("scales", {}) for code in STATED]
    kinds = dict.fromkeys(kind for table in tables for kind in table)
    return tuple(frozenset(" ".join(table.get(kind, "") for table in tables).split()) for kind in kinds)


@cache
def sign(kind: str) -> str:
    """The regular expressions of a kind (`past`, `unsure`) in Japanese and Chinese, as alternatives of one."""
    return "|".join(signs[kind] for code in EAST if kind in (signs := lexicon(code).get("signs", {})))


def likeliest_language(words: Collection[str], codes: Sequence[str] = STATED) -> str:
    """The code of the language that most of these words are typical of; the first of several, empty if none is."""
    found = {code: len(_telltales(code).intersection(words)) for code in codes}
    best = max(found, key=lambda code: found[code])
    return best if found[best] else ""


@cache
def _telltales(code: str) -> frozenset[str]:
    """The words that are typical of a language."""
    known = lexicon(code).get("words", {})
    return frozenset(" ".join(known.get(kind, "") for kind in ("function", "asking", "telltale")).split())
