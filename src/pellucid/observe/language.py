"""A cue table (TOML) in, a compiled language out: what extraction knows of English, German, …, as data.

The table of a language is `statements.toml` in its folder. Every section and key is optional, except `code`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from pellucid.errors import NotFoundError
from pellucid.language import lexicon
from pellucid.language.scripts import has_kana, is_east
from pellucid.model.memory import Category
from pellucid.text_cache import text_cache

LANGUAGES = lexicon.STATED
"""The codes of the languages that have a table, the default language first."""

_MACRO = re.compile(r"\{([a-z]+)\}")
_NEVER = re.compile(r"(?!)")
_LATIN_WORD = re.compile(r"[^\W\d_]+")

Unit = Literal["day", "week", "weekend", "month", "year"]


class FrozenTable(BaseModel):
    """Base of the sections of a language file: immutable, without unknown keys, with compiled patterns."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Salience(FrozenTable):
    """Weighted signs that a plain statement is worth keeping; a statement is kept from `keep` on."""

    keep: float = float("inf")
    per_word: float = 0.25
    """The weight of each word that names something, for at most ten words."""
    signals: tuple[tuple[str, float, re.Pattern[str]], ...] = ()

    @cached_property
    def _weighed_signals(self) -> tuple[tuple[float, float, re.Pattern[str]], ...]:
        """Return (weight, the most that this and all later signals can add, pattern) of each signal whose weight is not
        0."""
        raises = [max(0.0, weight) for _, weight, _ in self.signals]
        return tuple(
            (weight, sum(raises[at:]), pattern) for at, (_, weight, pattern) in enumerate(self.signals) if weight
        )

    def score(self, text: str, start: float = 0.0, min_score: float = float("-inf")) -> float:
        """Return the sum of `start` and the weights of the signals found in a lower-case text.

        Stops adding once `min_score` is out of reach; the result is then below `min_score`.
        """
        score = start
        for weight, max_gain, pattern in self._weighed_signals:
            if score + max_gain < min_score:
                return score
            if pattern.search(text):
                score += weight
        return score


class Noise(FrozenTable):
    """Signs of what is never a fact, and of what must be removed from a sentence before it is a fact."""

    hedges: re.Pattern[str] = _NEVER
    soft_hedges: re.Pattern[str] = _NEVER
    question: re.Pattern[str] = _NEVER
    unmarked: re.Pattern[str] = _NEVER
    """A question by its order of words alone, as it is typed to a program: `who owns billing`."""
    chatter: re.Pattern[str] = _NEVER
    task: re.Pattern[str] = _NEVER
    appointed: re.Pattern[str] = _NEVER
    intent: re.Pattern[str] = _NEVER
    """Announcement of the speaker's next step; no conclusion is worded so."""
    offer: re.Pattern[str] = _NEVER
    """The opening of a question in which an assistant offers to do something: `Do you want me to …`."""
    transient: re.Pattern[str] = _NEVER
    passing: re.Pattern[str] = _NEVER
    """An agent's word on how its work stands, or on the talk itself, which holds no longer once it goes on."""
    objection: re.Pattern[str] = _NEVER
    """The opening of a message by which a person doubts what was said before."""
    greeting: str = "(?!)"
    lead: str = "(?!)"
    tail: str = "(?!)"
    answer: re.Pattern[str] = _NEVER
    ask: re.Pattern[str] = _NEVER
    asking: re.Pattern[str] = _NEVER
    deictic: re.Pattern[str] = _NEVER
    unresolved: re.Pattern[str] = _NEVER
    dangling: re.Pattern[str] = _NEVER
    inner: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = ()
    """Patterns, each with strings of which a matching text has at least one: a cheap first test."""
    idle: re.Pattern[str] = _NEVER
    gendered: re.Pattern[str] = _NEVER
    persons: re.Pattern[str] = _NEVER
    boundary: re.Pattern[str] = _NEVER
    hollow: str = ""
    before_verbs: str = ""
    prepositions: str = ""
    people: str = ""
    owning: str = ""
    self: re.Pattern[str] = _NEVER
    you: re.Pattern[str] = _NEVER


class Clauses(FrozenTable):
    """Where a sentence can be cut: between its clauses, after a conjunction in front, behind a stated value."""

    joint: re.Pattern[str] = re.compile(r"\s+[-–—]\s+|;\s+|[.!]\s+|。")
    leading: re.Pattern[str] = _NEVER
    after_value: re.Pattern[str] = re.compile(r"\s*(?:[;,(，、]|[.]\s| - ).*$")


class ProcedureTable(FrozenTable):
    """Wording that makes a list of steps a procedure."""

    trigger: re.Pattern[str] = _NEVER
    not_trigger: re.Pattern[str] = _NEVER
    inline: re.Pattern[str] = _NEVER


class ImportanceCues(FrozenTable):
    """Words that raise an importance score."""

    critical: re.Pattern[str] = _NEVER
    strong: re.Pattern[str] = _NEVER


class Spans(FrozenTable):
    """How relative dates with a number or a weekday are said; `{n}` and `{weekday}` stand for words of the lexicon."""

    ago: str = ""
    ahead: str = ""
    past_weekday: str = ""
    coming_weekday: str = ""
    units: dict[str, Unit] = Field(default_factory=dict[str, Unit])


class Attributes(FrozenTable):
    """Rows that read `entity attribute value`, by the name of the attribute, or of an addition to it (`+time`)."""

    named: dict[str, tuple[re.Pattern[str], ...]] = Field(default_factory=dict[str, "tuple[re.Pattern[str], ...]"])
    items: tuple[re.Pattern[str], ...] = ()
    signs: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, "tuple[str, ...]"])
    """Maps the name of a row to strings of which a matching lower-case text has at least one: a cheap first test."""
    negation: re.Pattern[str] = _NEVER
    units: tuple[str, ...] = ()

    def rows(self, lowered: str) -> Iterator[tuple[str, re.Pattern[str]]]:
        """Yield (attribute name, pattern) of every attribute pattern, in the order of the file.

        An attribute that has `signs`, none of which is in the lower-case text `lowered`, is left out: its patterns
        cannot match it.
        """
        for name, patterns in self.named.items():
            signs = self.signs.get(name)
            if not signs or any(sign in lowered for sign in signs):
                for pattern in patterns:
                    yield name, pattern


class Resolutions(FrozenTable):
    """Wording that takes back or corrects an earlier statement; `sign` tells cheaply whether a turn can have either."""

    sign: re.Pattern[str] = _NEVER
    mark: re.Pattern[str] = _NEVER
    corrections: tuple[re.Pattern[str], ...] = ()
    retractions: tuple[re.Pattern[str], ...] = ()
    contrast: re.Pattern[str] = _NEVER
    stated: re.Pattern[str] = _NEVER


RawRows = dict[Category, tuple[tuple[float, str], ...]]
Rows = dict[Category, tuple[tuple[float, re.Pattern[str]], ...]]


class Cues:
    """Compiled rows `[confidence, pattern]` by category; `any` tells cheaply whether any row can match."""

    def __init__(self, raw: RawRows, *, spaced: bool) -> None:
        """Compile the rows; `spaced` says whether the language puts spaces between words."""
        edge = r"\b" if spaced else ""

        def compiled(pattern: str) -> re.Pattern[str]:
            """Compile a pattern so that it matches only at the beginning of a word, if the language puts spaces between
            words.

            A pattern that starts with `^` is compiled as it is.
            """
            return re.compile(pattern if pattern.startswith("^") else f"{edge}(?:{pattern})")

        self.rows: Rows = {
            category: tuple((cue, compiled(pattern)) for cue, pattern in rows) for category, rows in raw.items()
        }
        patterns = [pattern.replace("(?P<keep>", "(?:") for rows in raw.values() for _, pattern in rows]
        first = "|".join(pattern[1:] for pattern in patterns if pattern.startswith("^"))
        inside = "|".join(pattern for pattern in patterns if not pattern.startswith("^"))
        self.any = re.compile(
            "|".join(filter(None, (first and f"^(?:{first})", inside and f"{edge}(?:{inside})"))) or "(?!)"
        )


class Language(FrozenTable):
    """One language's compiled cue table."""

    code: str
    macros: dict[str, str] = Field(default_factory=dict[str, str])
    spaced: bool = True
    cues: RawRows = Field(default_factory=RawRows)
    cased: RawRows = Field(default_factory=RawRows)
    salience: Salience = Salience()
    technical: Salience = Salience()
    noise: Noise = Noise()
    clauses: Clauses = Clauses()
    procedure: ProcedureTable = ProcedureTable()
    importance: ImportanceCues = ImportanceCues()
    spans: Spans = Spans()
    attributes: Attributes = Attributes()
    resolutions: Resolutions = Resolutions()

    def __hash__(self) -> int:
        """Hash by the code, so that functions of a text and its language can be cached."""
        return hash(self.code)


@cache
def load_language(code: str) -> Language:
    """Load the compiled cue table of a language (the patterns by which its statements are read), by its code such as
    `en`.

    Cached. NotFoundError if there is none.
    """
    if code not in LANGUAGES:
        raise NotFoundError(f"There is no cue table for the language {code!r}.", next_step=f"one of {LANGUAGES}")
    raw_table = lexicon.table(code, "statements")
    return Language.model_validate(_with_macros(raw_table, raw_table.get("macros", {})))


def _with_macros(part: object, macros: Mapping[str, str]) -> object:
    """Return a part of a table with each `{macro}` in its strings replaced; unknown macros and other values stay."""
    if isinstance(part, str):
        return _MACRO.sub(lambda found: macros.get(found[1], found[0]), part)
    if isinstance(part, list):
        return [_with_macros(each, macros) for each in cast("list[object]", part)]
    if isinstance(part, dict):
        return {name: _with_macros(each, macros) for name, each in cast("dict[str, object]", part).items()}
    return part


@cache
def load_cues(code: str) -> tuple[Cues, Cues]:
    """Return a language's compiled cue rows (patterns that make a sentence a statement of a category, with a
    confidence).

    The first `Cues` are for lower-case text, the second for text as written. `code` is the language's, such as `en`.
    Cached. NotFoundError if there is no such language.
    """
    language = load_language(code)
    return Cues(language.cues, spaced=language.spaced), Cues(language.cased, spaced=language.spaced)


@text_cache(128)
def detect_language(text: str, usual: str = "") -> Language:
    """Return the likeliest language of a text: Japanese or Chinese if it has one of their letters.

    Any other text has the language of whose function words it contains the most. Ties go to the language of the code
    `usual`. A text without function words has that language, too, or the default language if `usual` is empty.
    """
    if is_east(text):
        return load_language("ja" if has_kana(text) else "zh")
    present = set(_LATIN_WORD.findall(text.casefold()))
    ordered = (usual, *LANGUAGES) if usual else LANGUAGES
    return load_language(lexicon.likeliest_language(present, ordered) or ordered[0])
