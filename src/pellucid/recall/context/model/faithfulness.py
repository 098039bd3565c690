"""What a model made of a text and that text in, what is wrong with it out: nothing, if it only rephrased."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pellucid.language import lexicon
from pellucid.language.contractions import spell_out
from pellucid.language.inflection import form_of
from pellucid.language.numbers import amounts
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, stop_words, words

_ID = re.compile(r"\b(?:mem|rec|ep|art|aud|obs)_[0-9a-f]{4,}\b")
_ADDRESS = re.compile(
    r"\b\w{1,40}://[^\s<>\"'`]+|\bwww\.[^\s<>\"'`]+|(?<![\w.+-])[\w.+-]{1,99}@[\w-]{1,99}\.\w+", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[^\s.!?:;] )[A-ZÀ-ÞΑ-ΩА-Я][\w'’-]*")
"""A word with a capital that does not begin a sentence; one that does is a word like others."""
_WOULD = re.compile(r"['’]d\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;!?](?=\s|$)|\n|\b(?:and|und|y|et|while|whereas|während)\b", re.IGNORECASE)
_CLAUSE = re.compile(rf"[,:](?=\s|$)|{_SENTENCE.pattern}", re.IGNORECASE)


def flaw(told: str, heard: str) -> str:
    """What is wrong with `told` as another wording of `heard`; empty where it only says less, or moves a clause.

    Every word of it was heard (perhaps with another ending of one tense), but for articles, auxiliaries and forms of
    a pronoun. Names and numbers, these with sign and currency, come in the order heard, and so do the words of a
    clause. No word that limits or denies is lost; where there is one, no clause moves.
    """
    return next((said for said, wrong in _CHECKS if wrong(told, heard)), "")


def _empty(told: str, heard: str) -> bool:  # noqa: ARG001 - every check has one shape
    return not content_words(told)


def _adds_a_match(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda told, heard: not {*pattern.findall(told)} <= {*pattern.findall(heard)}


def _number(told: str, heard: str) -> bool:
    return not {*amounts(told)} <= {*amounts(heard)}


def _names(told: str, heard: str) -> bool:
    known = {*words(heard), *stop_words()}
    new = {*_NAME.findall(told)} - {*_NAME.findall(heard)}
    return not {word for name in new for word in words(name)} <= known


def _words(told: str, heard: str) -> bool:
    known = set(words(heard))
    return any(word not in known and not form_of(word, known) for word in content_words(told))


def _denial(told: str, heard: str) -> bool:
    return polarity(told).denied != polarity(heard).denied


def _tense(told: str, heard: str) -> bool:
    """It speaks of what is where the other spoke of what was, or the other way round."""
    now, then = ({*words(_spelled_out_text(text))} for text in (told, heard))
    was, is_ = lexicon.words("were"), lexicon.words("are")
    return any(now & one and then & other and not then & one for one, other in ((was, is_), (is_, was)))


def _small_words(told: str, heard: str) -> bool:
    known = set(_telling(heard))
    return any(word not in known and not form_of(word, known) for word in _telling(told))


def _limit(told: str, heard: str) -> bool:
    return not Counter(_limits(heard)) <= Counter(_as_heard(told, heard))


def _word_order(told: str, heard: str) -> bool:
    """It has words of the other in another order: names or numbers, a clause of it, or, if it sets limits, any."""
    known, said = _telling(heard), _as_heard(told, heard)
    capitals = {word for each in re.findall(r"\b[A-ZÀ-ÞΑ-ΩА-Я]\w*", heard) for word in _telling(each)}
    ordered = {*capitals, *lexicon.persons().values()}
    named = ([word for word in text if word in ordered] for text in (said, known))
    if not _within(amounts(told), amounts(heard)) or not _within(*named):
        return True
    heard_once = dict.fromkeys(known)
    clauses = [part for part in (_forms(_telling(each), heard_once) for each in _CLAUSE.split(told)) if part]
    sentences = [_telling(each) for each in _SENTENCE.split(heard)]
    holding = _holding(sentences)
    if not all(any(_within(clause, sentences[at]) for at in holding.get(clause[0], ())) for clause in clauses):
        return True
    firm = bool(_limits(heard)) or any(len(clause) == 1 for clause in clauses)
    return firm and not _within(said, known)


def _spelled_out_text(text: str) -> str:
    return _WOULD.sub(" would", spell_out(text))


def _telling(text: str) -> list[str]:
    """The words in order, pronouns as their person, without those that may come and go."""
    persons, free = lexicon.persons(), lexicon.words("coming", "were", "are", of=lexicon.LATIN)
    return [persons.get(word, word) for word in words(_spelled_out_text(text)) if word not in free]


def _as_heard(told: str, heard: str) -> list[str]:
    """The same of another wording, each word in the form that was heard."""
    return _forms(_telling(told), dict.fromkeys(_telling(heard)))


def _forms(spoken: Iterable[str], known: dict[str, None]) -> list[str]:
    return [word if word in known else form_of(word, known) or word for word in spoken]


def _holding(sentences: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """For each word the positions of the sentences that it stands in."""
    out: dict[str, list[int]] = {}
    for at, sentence in enumerate(sentences):
        for word in dict.fromkeys(sentence):
            out.setdefault(word, []).append(at)
    return out


def _limits(text: str) -> list[str]:
    """The words of a text that limit what it says (`only`, `until`), in order: none may be lost by rephrasing.

    With `from` goes its `to`, and `used` before a `to`.
    """
    spoken = _telling(text)
    limits = lexicon.words("limits", of=lexicon.LATIN)
    paired = {"to", "zu", "nach", "auf", "a"} if {"from", "von", "vom", "de"} & {*spoken} else set[str]()
    return [
        word
        for word, after in zip(spoken, [*spoken[1:], ""], strict=True)
        if word in limits or word in paired or (word, after) == ("used", "to")
    ]


def _within(part: Sequence[str], whole: Iterable[str]) -> bool:
    """Whether the words of `part` stand in `whole` in this order, others between them or not."""
    left = iter(whole)
    return all(word in left for word in part)


_CHECKS: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("it is empty", _empty),
    ("it adds an id", _adds_a_match(_ID)),
    ("it adds an address", _adds_a_match(_ADDRESS)),
    ("it adds a number", _number),
    ("it adds a name", _names),
    ("it adds words", _words),
    ("it adds or drops a denial", _denial),
    ("it speaks of another time", _tense),
    ("it adds a word that changes what is said", _small_words),
    ("it drops a word that limits what is said", _limit),
    ("it says it in another order", _word_order),
)
