"""A text in, where it speaks of what out: where in it the words of each concept stand, in every language.

A place counts words; the end of a sentence counts as several, so that what is near stands in one sentence.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from pellucid.language.hidden import without_accents
from pellucid.language.lexicon import tables
from pellucid.language.scripts import EAST_WORDS, HALF_WIDTH
from pellucid.text_cache import text_cache

SENTENCE_GAP = 8
"""Words that the end of a sentence counts for."""
_UNSPACED = f"{EAST_WORDS}{HALF_WIDTH}"
_ADDRESS = (
    r"(?:https?|ftp|wss?)://(?!localhost|127\.|0\.0\.0\.0|\[::1)[^\s<>\"'）)\]]{3,300}"
    r"|[\w.+-]{1,64}+@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|(?<![\w./-])(?:[a-z0-9][a-z0-9-]{0,62}+\.){1,4}(?:com|net|org|io|dev|example|test|xyz|ru|cn|kr|br|fr|de|top|info|invalid|app|sh|link|site|cloud)(?![\w.-]*\w)"
)
_PIECE = re.compile(
    rf"(?P<address>{_ADDRESS})"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<word>[^\W_{_UNSPACED}]+(?:'[^\W_{_UNSPACED}]+)*)"
    r"|(?P<colon>[:：])"
    r"|(?P<end>[.!?](?=[\s\"')\]*_]|$)|[。！？；;؟।]|\n\s{0,8}(?=[-*#>|\d\n]))",
    re.IGNORECASE,
)
_PLACES = re.compile(_ADDRESS, re.IGNORECASE)
_PROCLITICS = ("و", "ف", "ب", "ك", "ل", "ال", "وال", "بال", "لل", "فال", "س", "ول", "وب")
_LEAST_STEM, _LONGEST_WORD = 2, 32


@dataclass(frozen=True, slots=True)
class ConceptPlaces:
    """The places of each concept in a text, ascending; `length` is the place behind the last word."""

    at: dict[str, list[int]]
    length: int
    loose: bool = False
    """Whether no word takes back what another says: then what a part of the text asks for, the whole asks for, too."""

    def has(self, concept: str, first: int, last: int, besides: int = -1) -> bool:
        """Whether the concept is named at a place from `first` to `last`, both included, other than `besides`."""
        places = self.at.get(concept)
        if not places:
            return False
        start = bisect_left(places, first)
        found = bisect_right(places, last, start) - start
        if found and places[start] <= besides <= last:
            at = bisect_left(places, besides, start)
            found -= at < len(places) and places[at] == besides
        return found > 0


@dataclass(frozen=True, slots=True)
class _Lexicon:
    words: dict[str, frozenset[str]]
    stems: dict[str, frozenset[str]]
    phrases: dict[str, dict[str, list[tuple[tuple[str, ...], str]]]]
    """By their first word and the first letter of the next: all but the first (the last may be a stem), the concept."""
    unspaced: re.Pattern[str]
    of_unspaced: dict[str, frozenset[str]]


def read(text: str) -> ConceptPlaces:
    """Where a text (undisguised, see `veils`) names each concept of the tables `orders`, as numbers of words."""
    lexicon = _lexicon()
    at: dict[str, list[int]] = defaultdict(list)
    words, places, place = list[str](), list[int](), 0
    for address, unspaced, word, colon, _ in _PIECE.findall(without_accents(text)):
        if word or address:
            said = (word or address).replace("'", "")
            for concept in (_concepts_of_word(said) if len(said) <= _LONGEST_WORD else ()) if word else ("address",):
                at[concept].append(place)
            words.append(said)
            places.append(place)
            place += 1
        elif colon:
            at["colon"].append(max(place - 1, 0))
        elif unspaced:
            place = _read_unspaced(unspaced, lexicon, at, place)
        else:
            place += SENTENCE_GAP
    for number, concept in _concept_phrases(words, lexicon):
        at[concept].append(places[number])
    return ConceptPlaces({concept: sorted(set(found)) for concept, found in at.items()}, place)


def _read_unspaced(said: str, lexicon: _Lexicon, at: dict[str, list[int]], place: int) -> int:
    """Add the places of terms in a run of an unspaced script to `at`; returns the place behind the run.

    It begins at `place`; two characters beside the terms count as a word.
    """
    end = 0
    for found in lexicon.unspaced.finditer(said):
        place += (found.start() - end + 1) // 2
        for concept in lexicon.of_unspaced[found[0]]:
            at[concept].append(place)
        place += 1
        end = found.end()
    return place + (len(said) - end + 1) // 2


def _concept_phrases(words: list[str], lexicon: _Lexicon) -> Iterator[tuple[int, str]]:
    """For each phrase of the lexicon among the words, the index of its first word, and its concept."""
    for number, (word, following) in enumerate(pairwise(words)):
        if begun := lexicon.phrases.get(word):
            for rest, concept in begun.get(following[0], ()):
                there = words[number + 1 : number + 1 + len(rest)]
                if len(there) == len(rest) and all(map(_fits, rest, there)):
                    yield number, concept


def _fits(wanted: str, word: str) -> bool:
    """Whether a word is the wanted one, or begins with it if that ends in `*`."""
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


@text_cache(1 << 15)
def _concepts_of_word(word: str) -> frozenset[str]:
    """The concepts that a word names, in Arabic also behind a particle that is written together with it."""
    found = _looked_up(word)
    if not found and "\u0621" <= word[:1] <= "\u064a":
        for lead in _PROCLITICS:
            if word.startswith(lead) and len(word) > len(lead) + 1:
                found |= _looked_up(word[len(lead) :])
    return found


def _looked_up(word: str) -> frozenset[str]:
    """The concepts that the lexicon has for a word, or for a beginning of it."""
    lexicon = _lexicon()
    found = lexicon.words.get(word, frozenset())
    for end in range(_LEAST_STEM - 1, len(word) + 1):
        found |= lexicon.stems.get(word[:end], frozenset())
    return found


@cache
def _lexicon() -> _Lexicon:
    """The terms of the tables `orders`, by how they are looked up."""
    words: dict[str, set[str]] = defaultdict(set)
    stems: dict[str, set[str]] = defaultdict(set)
    unspaced: dict[str, set[str]] = defaultdict(set)
    phrases: dict[str, dict[str, list[tuple[tuple[str, ...], str]]]] = defaultdict(lambda: defaultdict(list))
    rows = ((concept, term) for table in tables("orders") for concept, terms in table.items() for term in terms)
    for concept, term in sorted((concept, without_accents(term)) for concept, term in rows):
        first, *rest = term.split(" ")
        if re.search(f"[{_UNSPACED}]", term):
            unspaced[term].add(concept)
        elif rest:
            phrases[first][rest[0][0]].append((tuple(rest), concept))
        elif term.endswith("*"):
            stems[term[:-1]].add(concept)
        else:
            words[term].add(concept)
    longest_first = sorted(unspaced, key=lambda term: (-len(term), term))
    return _Lexicon(
        {term: frozenset(found) for term, found in words.items()},
        {term: frozenset(found) for term, found in stems.items()},
        {first: dict(then) for first, then in phrases.items()},
        re.compile("|".join(map(re.escape, longest_first))),
        {term: frozenset(found) for term, found in unspaced.items()},
    )


def addresses_in(text: str) -> set[str]:
    """The links, mail addresses and hosts that a text names, in lower case."""
    return {found[0].rstrip(".,;") for found in _PLACES.finditer(text.lower())} if "." in text else set()
