"""A text in, its concepts out: the places in it of words of each concept, in every language.

A place counts words; the end of a sentence counts as several, so that places near each other are in one sentence.
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
"""The number of words that the end of a sentence counts as."""
_UNSPACED = f"{EAST_WORDS}{HALF_WIDTH}"
_ADDRESS = (
    r"(?:https?|ftp|wss?)://(?!localhost|127\.|0\.0\.0\.0|\[::1)[^\s<>\"'）)\]]{3,300}"
    r"|[\w.+-]{1,64}+@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|(?<![\w./-])(?:[a-z0-9][a-z0-9-]{0,62}+\.){1,4}(?:com|net|org|io|dev|example|test|xyz|ru|cn|kr|br|fr|de|top|info|invalid|app|sh|link|site|cloud)(?![\w.-]*\w)"
)
_PIECE = re.compile(
    rf"(?P<address>{_ADDRESS})"
    r"|(?P<scope>\$env[.:](?=[^\W\d]))"
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
    """The places of each concept in a text, ascending; `length` is the place after the last word."""

    at: dict[str, list[int]]
    length: int
    loose: bool = False
    """Whether to ignore words that negate an order: then any order in a part of the text is also one in the whole."""

    def has(self, concept: str, first: int, last: int, excluded: int = -1) -> bool:
        """Whether the concept has a place from `first` to `last`, both included, other than `excluded` (-1: any
        counts).
        """
        places = self.at.get(concept)
        if not places:
            return False
        start = bisect_left(places, first)
        count = bisect_right(places, last, start) - start
        if count and places[start] <= excluded <= last:
            at = bisect_left(places, excluded, start)
            count -= at < len(places) and places[at] == excluded
        return count > 0


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The terms of all concepts, by the way they are looked up."""

    words: dict[str, frozenset[str]]
    stems: dict[str, frozenset[str]]
    phrases: dict[str, dict[str, list[tuple[tuple[str, ...], str]]]]
    """Maps a phrase's first word, then its second's first letter, to its other words and its concept."""
    unspaced: re.Pattern[str]
    of_unspaced: dict[str, frozenset[str]]


def read(text: str) -> ConceptPlaces:
    """Return where in a text the concepts of the language tables `orders` occur, such as `send`, `secret` or `user`.

    A place counts words; the end of a sentence counts as 8, and a colon's place is that of the word before it. The text
    is one that `undisguised` returned.
    """
    lexicon = _lexicon()
    at: dict[str, list[int]] = defaultdict(list)
    words, places, place = list[str](), list[int](), 0
    for address, scope, unspaced, word, colon, _ in _PIECE.findall(without_accents(text)):
        if word or address:
            term = (word or address).replace("'", "")
            for concept in (_concepts_of_word(term) if len(term) <= _LONGEST_WORD else ()) if word else ("address",):
                at[concept].append(place)
            words.append(term)
            places.append(place)
            place += 1
        elif colon:
            at["colon"].append(max(place - 1, 0))
        elif unspaced:
            place = _read_unspaced(unspaced, lexicon, at, place)
        elif not scope:  # of `$env.NAME`, one variable and not all, the name alone is read
            place += SENTENCE_GAP
    for number, concept in _concept_phrases(words, lexicon):
        at[concept].append(places[number])
    return ConceptPlaces({concept: sorted(set(found_places)) for concept, found_places in at.items()}, place)


def _read_unspaced(run: str, lexicon: _Lexicon, at: dict[str, list[int]], place: int) -> int:
    """Note the places of terms in a run of a script without spaces, which begins at `place`, in `at`; return the place
    after the run. A term counts as a word, and so do two characters outside of terms.
    """
    end = 0
    for found in lexicon.unspaced.finditer(run):
        place += (found.start() - end + 1) // 2
        for concept in lexicon.of_unspaced[found[0]]:
            at[concept].append(place)
        place += 1
        end = found.end()
    return place + (len(run) - end + 1) // 2


def _concept_phrases(words: list[str], lexicon: _Lexicon) -> Iterator[tuple[int, str]]:
    """Yield, for each phrase of the lexicon among the words, the index of its first word, and its concept."""
    for number, (word, following) in enumerate(pairwise(words)):
        if by_letter := lexicon.phrases.get(word):
            for rest, concept in by_letter.get(following[0], ()):
                after = words[number + 1 : number + 1 + len(rest)]
                if len(after) == len(rest) and all(map(_fits, rest, after)):
                    yield number, concept


def _fits(pattern: str, word: str) -> bool:
    """Whether a word equals the pattern or, if that ends in `*`, begins like it."""
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


@text_cache(1 << 15)
def _concepts_of_word(word: str) -> frozenset[str]:
    """Return the concepts that a word names; in Arabic, if it names none, those of the word without a particle that is
    written together with it.
    """
    found = _look_up(word)
    if not found and "\u0621" <= word[:1] <= "\u064a":
        for lead in _PROCLITICS:
            if word.startswith(lead) and len(word) > len(lead) + 1:
                found |= _look_up(word[len(lead) :])
    return found


def _look_up(word: str) -> frozenset[str]:
    """Return the concepts that the lexicon has for a word, or for a stem that it begins with."""
    lexicon = _lexicon()
    found = lexicon.words.get(word, frozenset())
    for end in range(_LEAST_STEM - 1, len(word) + 1):
        found |= lexicon.stems.get(word[:end], frozenset())
    return found


@cache
def _lexicon() -> _Lexicon:
    """Load the terms of the tables `orders`, by the way they are looked up."""
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
    """Return the links (not to this machine), mail addresses and hosts with a well-known ending in a text, in lower
    case, without `.`, `,` or `;` at their ends. None are found in a text without a full stop.
    """
    return {found[0].rstrip(".,;") for found in _PLACES.finditer(text.lower())} if "." in text else set()
