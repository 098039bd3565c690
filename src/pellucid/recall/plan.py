"""A query's text in, its words and its encoding out."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pellucid.encoders.port import QueryEncoding
from pellucid.errors import EncoderError, InputError
from pellucid.recall.function_words import FUNCTION_WORDS
from pellucid.recall.state import Plan, Request, State, World
from pellucid.store.index_port import Admission, Term

MAX_CHARACTERS = 20_000
MAX_STEMS = 64
"""Distinct words the lexical leg asks for at most; also the width of the bit field of matches."""


def plan(state: State, world: World) -> State:
    """Read the query once: its words with their frequency, its vectors, the instant it asks about."""
    request = state.request
    text = clean(request.query)
    known = world.reader.survey(text)
    terms, stems = known.terms, _distinct(known.terms)
    words, frequencies = _spelled(text, terms, stems), tuple(stems.values())
    telling = _telling(words, frequencies)
    encoding, problem = encode(text, world)
    return replace(
        state,
        admission=_admission(request, world),
        corpus=known.corpus,
        plan=Plan(
            text=text,
            stems=tuple(stems),
            words=words,
            frequencies=frequencies,
            telling=telling,
            searched=_searched(telling, frequencies, request.settings.lexical_cost),
            encoding=encoding,
            token_stem=_align(encoding, terms, list(stems)) if encoding else (),
            encoder_problem=problem,
            named=known.named,
        ),
    )


def _admission(request: Request, world: World) -> Admission:
    """Which rows may answer: at the instant asked about, and what fits the caller's filters."""
    filters = request.filters
    only = world.reader.select(filters) if filters.limiting else None
    return Admission(int(request.at.timestamp() * 1000), only, filters.since, filters.until)


def clean(query: str) -> str:
    """The query with control characters and lone surrogates as spaces.

    Raises:
        InputError: nothing is left of it, or it is longer than 20,000 characters.
    """
    if len(query) > MAX_CHARACTERS:
        raise InputError(
            f"<query> has {len(query)} characters, and {MAX_CHARACTERS} are the most",
            code="invalid_query",
            next_step="ask a shorter question",
        )
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Cn") else c for c in query).strip()
    if not text:
        raise InputError("<query> is required and must be non-empty", code="missing_query")
    return text


def _distinct(terms: Sequence[Term]) -> dict[str, int]:
    """Each stem with its frequency, in query order; of a very long query the rarest are kept."""
    stems = {term.stem: term.frequency for term in terms}
    if len(stems) <= MAX_STEMS:
        return stems
    kept = sorted(stems, key=lambda stem: (stems[stem] == 0, stems[stem], stem))[:MAX_STEMS]
    return {stem: frequency for stem, frequency in stems.items() if stem in set(kept)}


def _spelled(text: str, terms: Sequence[Term], stems: Iterable[str]) -> tuple[str, ...]:
    first = {term.stem: text[term.start : term.end] for term in reversed(terms)}
    return tuple(first[stem] for stem in stems)


def _telling(words: Sequence[str], frequencies: Sequence[int]) -> tuple[int, ...]:
    """The words that say what is sought: all but those that hold a sentence together, unless only those are known."""
    telling = tuple(i for i, word in enumerate(words) if word.casefold() not in FUNCTION_WORDS)
    return telling if any(frequencies[i] for i in telling) else tuple(range(len(words)))


def _searched(telling: Sequence[int], frequencies: Sequence[int], cost: int) -> tuple[int, ...]:
    """The telling words the lexical leg asks for: the rarest, until the rows they stand in add up to `cost`."""
    spent, chosen = 0, list[int]()
    for index in sorted((i for i in telling if frequencies[i]), key=lambda i: (frequencies[i], i)):
        spent += frequencies[index]
        if chosen and spent > cost:
            break
        chosen.append(index)
    return tuple(sorted(chosen))


def encode(text: str, world: World) -> tuple[QueryEncoding | None, str]:
    """The encoding of a text, or why there is none."""
    if world.embedder is None:
        return None, world.encoder_problem
    try:
        return world.embedder.encode_query(text), ""
    except EncoderError as error:
        return None, error.message


def _align(encoding: QueryEncoding, terms: Sequence[Term], stems: Sequence[str]) -> tuple[int, ...]:
    """For each token of the encoding, the stem whose span it overlaps."""
    number = {stem: i for i, stem in enumerate(stems)}
    out: list[int] = []
    for start, end in encoding.spans:
        inside = (number.get(term.stem, -1) for term in terms if term.start < end and start < term.end)
        out.append(next(inside, -1))
    return tuple(out)
