"""A kind of word in, the words of that kind out: closed classes, persons, numbers and dates, by language.

All knowledge of a language is in `tables/<its code>/`, in a file for each reader, so that a question, which needs the
closed classes alone, does not wait for what only an import reads. The English file of a kind explains its parts.
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypedDict, cast

LATIN = ("en", "de", "es", "fr")
EAST = ("ja", "zh")
STATED = ("en", "de", "es", *EAST)
"""The languages in which statements are read; French is known for questions only."""
_TABLES = files("pellucid.language").joinpath("tables")

Kind = Literal["words", "statements", "orders", "tasks", "keeping"]
"""The files of a language: closed classes of words; cues of what is worth keeping; words of orders to an assistant;
phrases that start a task; phrases that ask to remember something."""


class DateWords(TypedDict, total=False):
    """How a language names months, from January, weekdays, from Monday, units and stretches of time."""

    months: list[str]
    weekdays: list[str]
    units: dict[str, str]
    phrases: dict[str, list[str]]
    """Maps `unit:offset` (from the present unit) to phrases; `trail` counts days back from now, `none` is no date."""


class Lexicon(TypedDict, total=False):
    """The closed classes of words of a language; a text of words is split at blanks."""

    words: dict[str, str]
    persons: dict[str, str]
    """The forms of each personal pronoun."""
    numbers: dict[str, int]
    announcing: list[str]
    """Phrases by which somebody announces the next step: `let me`."""
    dates: DateWords
    scales: dict[str, str]
    """Maps what is measured to the names of its units."""
    same: dict[str, list[str]]
    changes: dict[str, list[str]]
    signs: dict[str, str]


def table(code: str, kind: Kind) -> dict[str, Any]:
    """Return the parsed file of one kind of a language, by its code (`en`); FileNotFoundError if there is none."""
    return tomllib.loads(_TABLES.joinpath(code, f"{kind}.toml").read_text("utf-8"))


def tables(kind: Kind) -> list[dict[str, Any]]:
    """Return the parsed files of one kind, of every language that has such a file, in the order of their codes."""
    codes = sorted(each.name for each in _TABLES.iterdir() if each.joinpath(f"{kind}.toml").is_file())
    return [table(code, kind) for code in codes]


@cache
def phrases(kind: Literal["tasks", "keeping"]) -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """Return, for each language of `STATED`, a dict from the names of the lists in its file to a pattern of a list's
    phrases.

    An entry of the file that is a text, and not a list, replaces `{its name}` in the patterns of its language.
    """
    return tuple(
        {
            name: _join_patterns(cast("list[str]", patterns), entries)
            for name, patterns in entries.items()
            if not isinstance(patterns, str)
        }
        for entries in (table(code, kind) for code in STATED)
    )


def _join_patterns(patterns: list[str], texts: Mapping[str, str | list[str]]) -> re.Pattern[str]:
    """Return one pattern that matches any of the patterns, in which `{name}` is replaced by the text of that name."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    for name, value in texts.items():
        if isinstance(value, str):
            joined = joined.replace(f"{{{name}}}", value)
    return re.compile(joined)


@cache
def lexicon(code: str) -> Lexicon:
    """Return the parsed file `words` of a language, by its code such as `en`; all callers share it. FileNotFoundError
    if there is none.
    """
    return cast("Lexicon", table(code, "words"))


@cache
def words(*kinds: str, codes: tuple[str, ...] = STATED) -> frozenset[str]:
    """Return the words of some kinds (`negators`) in the languages of these codes, as one set; KeyError for a kind that
    none of the languages has, FileNotFoundError for an unknown language.
    """
    tables = [lexicon(code).get("words", {}) for code in codes]
    for kind in kinds:
        if not any(kind in table for table in tables):
            raise KeyError(kind)
    return frozenset(word for table in tables for kind in kinds for word in table.get(kind, "").split())


@cache
def persons(*pronouns: str) -> dict[str, str]:
    """Return a dict from each form of the given personal pronouns (default: all) in the languages of `LATIN` to its
    pronoun: `mine` to `i`.
    """
    tables = [lexicon(code).get("persons", {}) for code in LATIN]
    return {
        form: pronoun
        for table in tables
        for pronoun, forms in table.items()
        if not pronouns or pronoun in pronouns
        for form in forms.split()
    }


@cache
def numbers(*codes: str) -> dict[str, int]:
    """Return a dict from the number words of some languages (default: `STATED`) to their numbers."""
    return {word: number for code in codes or STATED for word, number in lexicon(code).get("numbers", {}).items()}


@cache
def months(*codes: str) -> dict[str, int]:
    """Return a dict from the names of months in some languages (default: `LATIN`) to their numbers; January is 1."""
    named = (lexicon(code).get("dates", {}).get("months", []) for code in codes or LATIN)
    return {name: at for names in named for at, each in enumerate(names, 1) for name in each.split()}


@cache
def weekdays(*codes: str) -> dict[str, int]:
    """Return a dict from the names of weekdays in some languages (default: `LATIN`) to their numbers; Monday is 0."""
    named = (lexicon(code).get("dates", {}).get("weekdays", []) for code in codes or LATIN)
    return {name: at for names in named for at, each in enumerate(names) for name in each.split()}


@cache
def changes(kind: Literal["since", "takes", "states", "turns"]) -> tuple[str, ...]:
    """Return the phrases of a kind that tell of a change, of all `STATED` languages; the English file explains them."""
    return tuple(each for code in STATED for each in lexicon(code).get("changes", {}).get(kind, ()))


@cache
def announcing() -> tuple[str, ...]:
    """Return the phrases by which somebody announces the next step (`let me`), of all `STATED` languages."""
    return tuple(each for code in STATED for each in lexicon(code).get("announcing", ()))


@cache
def scales() -> tuple[frozenset[str], ...]:
    """Return the names of units, as one set for each measured quantity (time, size, …): `ms`, `seconds`, …"""
    tables = [lexicon(code).get("scales", {}) for code in STATED]
    kinds = dict.fromkeys(kind for table in tables for kind in table)
    return tuple(frozenset(" ".join(table.get(kind, "") for table in tables).split()) for kind in kinds)


@cache
def sign(kind: str) -> str:
    """Return a regular expression for the signs of one kind (`past`, `unsure`) in Japanese and Chinese; for an unknown
    kind an empty one, which matches anywhere.
    """
    return "|".join(signs[kind] for code in EAST if kind in (signs := lexicon(code).get("signs", {})))


def likeliest_language(words: Collection[str], codes: Sequence[str] = STATED) -> str:
    """Return the code of the language with the most typical words among `words`, which are casefolded; empty if none of
    them is typical.

    Of several languages with as many, the first in `codes` counts; `codes` must not be empty.
    """
    found = {code: len(_telltales(code).intersection(words)) for code in codes}
    best = max(found, key=lambda code: found[code])
    return best if found[best] else ""


@cache
def _telltales(code: str) -> frozenset[str]:
    """Return the words that are typical of a language: its kinds `function`, `asking` and `telltale`."""
    known = lexicon(code).get("words", {})
    return frozenset(" ".join(known.get(kind, "") for kind in ("function", "asking", "telltale")).split())
