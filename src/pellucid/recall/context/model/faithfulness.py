"""A text and a model's rewording of it in, what is wrong with the rewording out: nothing if it only rephrases."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pellucid.language import lexicon
from pellucid.language.contractions import spell_out
from pellucid.language.inflection import find_form
from pellucid.language.numbers import amounts
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, stop_words, words

_ID = re.compile(r"\b(?:mem|rec|ep|art|aud|obs)_[0-9a-f]{4,}\b")
_ADDRESS = re.compile(
    r"\b\w{1,40}://[^\s<>\"'`]+|\bwww\.[^\s<>\"'`]+|(?<![\w.+-])[\w.+-]{1,99}@[\w-]{1,99}\.\w+", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[^\s.!?:;] )[A-ZÀ-ÞΑ-ΩА-Я][\w'’-]*")
"""Matches a word with a capital that does not begin a sentence; a word that begins one counts as an ordinary word."""
_WOULD = re.compile(r"['’]d\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;!?](?=\s|$)|\n|\b(?:and|und|y|et|while|whereas|während)\b", re.IGNORECASE)
_CLAUSE = re.compile(rf"[,:](?=\s|$)|{_SENTENCE.pattern}", re.IGNORECASE)


def flaw(rewording: str, original: str) -> str:
    """Return what is wrong with `rewording` as other words for `original`, such as `it adds a number`; empty if it only
    drops words or moves a clause.

    Every word must be in the original (another ending is allowed), except for articles, auxiliaries and forms of a
    pronoun; names, numbers and the words of a clause keep their order, and the tense stays. No denial may be added or
    dropped, and no word that limits may be dropped; if the original has such a limit, no clause is allowed to move. A
    rewording without a content word is wrong.
    """
    return next((problem for problem, has_flaw in _CHECKS if has_flaw(rewording, original)), "")


def _adds_a_match(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    """Return a function of a rewording and its original that tells whether the rewording has a match of this pattern
    that the original lacks."""
    return lambda rewording, original: not {*pattern.findall(rewording)} <= {*pattern.findall(original)}


def _adds_name(rewording: str, original: str) -> bool:
    """Whether the rewording has a capitalised word in mid-sentence, not capitalised so in the original, of which a part
    is neither a word of the original nor a stop word."""
    allowed = {*words(original), *stop_words()}
    new = {*_NAME.findall(rewording)} - {*_NAME.findall(original)}
    return not {word for name in new for word in words(name)} <= allowed


def _has_unknown(candidates: Iterable[str], originals: Iterable[str]) -> bool:
    """Whether one of the words `candidates` is neither among `originals` nor a form of a word among them."""
    distinct = set(originals)
    return any(word not in distinct and not find_form(word, distinct) for word in candidates)


def _changes_tense(rewording: str, original: str) -> bool:
    """Whether the rewording has a form of `be`, `have` or `do` in one tense, present or past, of which the original has
    none, although the original has one in the other tense."""
    new, old = ({*words(_spelled_out_text(text))} for text in (rewording, original))
    was, is_ = lexicon.words("were"), lexicon.words("are")
    return any(new & one and old & other and not old & one for one, other in ((was, is_), (is_, was)))


def _drops_limit(rewording: str, original: str) -> bool:
    """Whether the rewording lacks a word that limits what the original says (`_limits`), or has it less often."""
    return not Counter(_limits(original)) <= Counter(_words_as_in_original(rewording, original))


def _changes_order(rewording: str, original: str) -> bool:
    """Whether the rewording reorders names, numbers, or words of a clause; any words, if the original sets limits
    (`_limits`) or the rewording has a clause of one word."""
    original_sequence, reworded_sequence = _compared_words(original), _words_as_in_original(rewording, original)
    capitals = {word for each in re.findall(r"\b[A-ZÀ-ÞΑ-ΩА-Я]\w*", original) for word in _compared_words(each)}
    ordered = {*capitals, *lexicon.persons().values()}
    named = ([word for word in text if word in ordered] for text in (reworded_sequence, original_sequence))
    if not _is_subsequence(amounts(rewording), amounts(original)) or not _is_subsequence(*named):
        return True
    original_words = dict.fromkeys(original_sequence)
    clauses = [
        part
        for part in (_in_known_forms(_compared_words(each), original_words) for each in _CLAUSE.split(rewording))
        if part
    ]
    sentences = [_compared_words(each) for each in _SENTENCE.split(original)]
    sentences_by_word = _sentences_by_word(sentences)
    if not all(
        any(_is_subsequence(clause, sentences[at]) for at in sentences_by_word.get(clause[0], ())) for clause in clauses
    ):
        return True
    keeps_order = bool(_limits(original)) or any(len(clause) == 1 for clause in clauses)
    return keeps_order and not _is_subsequence(reworded_sequence, original_sequence)


def _spelled_out_text(text: str) -> str:
    """Return the text with its contractions spelled out."""
    return _WOULD.sub(" would", spell_out(text))


def _compared_words(text: str) -> list[str]:
    """Return the words of a text that are compared, in order: without articles, auxiliaries and the like, and with each
    pronoun replaced by a word for its person."""
    persons, free = lexicon.persons(), lexicon.words("coming", "were", "are", codes=lexicon.LATIN)
    return [persons.get(word, word) for word in words(_spelled_out_text(text)) if word not in free]


def _words_as_in_original(rewording: str, original: str) -> list[str]:
    """Return the compared words of the rewording, each in the form that the original has."""
    return _in_known_forms(_compared_words(rewording), dict.fromkeys(_compared_words(original)))


def _in_known_forms(candidates: Iterable[str], known_words: dict[str, None]) -> list[str]:
    """Return the words, each in the form that is among `known_words` if it has one."""
    return [word if word in known_words else find_form(word, known_words) or word for word in candidates]


def _sentences_by_word(sentences: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Map each word to the positions of the sentences that contain it, rising."""
    out: dict[str, list[int]] = {}
    for at, sentence in enumerate(sentences):
        for word in dict.fromkeys(sentence):
            out.setdefault(word, []).append(at)
    return out


def _limits(text: str) -> list[str]:
    """Return the compared words of a text that limit what it says (`only`, `until`), in order.

    Also counted are `used` before `to`, and a `to` (or `zu`, `nach`, `auf`, `a`) if the text has a `from` (or `von`,
    `vom`, `de`).
    """
    spoken = _compared_words(text)
    limits = lexicon.words("limits", codes=lexicon.LATIN)
    paired = {"to", "zu", "nach", "auf", "a"} if {"from", "von", "vom", "de"} & {*spoken} else set[str]()
    return [
        word
        for word, after in zip(spoken, [*spoken[1:], ""], strict=True)
        if word in limits or word in paired or (word, after) == ("used", "to")
    ]


def _is_subsequence(part: Sequence[str], whole: Iterable[str]) -> bool:
    """Whether the words of `part` are in `whole` in this order, with or without others between them."""
    left = iter(whole)
    return all(word in left for word in part)


_CHECKS: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("it is empty", lambda rewording, _: not content_words(rewording)),
    ("it adds an id", _adds_a_match(_ID)),
    ("it adds an address", _adds_a_match(_ADDRESS)),
    ("it adds a number", lambda rewording, original: not {*amounts(rewording)} <= {*amounts(original)}),
    ("it adds a name", _adds_name),
    ("it adds words", lambda rewording, original: _has_unknown(content_words(rewording), words(original))),
    ("it adds or drops a denial", lambda rewording, original: polarity(rewording).denied != polarity(original).denied),
    ("it speaks of another time", _changes_tense),
    (
        "it adds a word that changes what is said",
        lambda rewording, original: _has_unknown(_compared_words(rewording), _compared_words(original)),
    ),
    ("it drops a word that limits what is said", _drops_limit),
    ("it says it in another order", _changes_order),
)
