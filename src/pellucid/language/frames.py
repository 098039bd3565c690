"""A statement in, its frames out: its words in comparable forms, each with the kind of thing it is, and what signs say.

What is asked, planned, guessed or tells of one occasion has none. `language.clash` compares them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from pellucid.language import frame_words as of
from pellucid.language.contractions import CLITIC
from pellucid.language.inflection import folded
from pellucid.language.negation import stance
from pellucid.language.scripts import EAST_WORDS

Kind = Literal["word", "name", "code", "number", "date", "sign"]
_TOKEN = re.compile(
    rf"(?P<date>{of.EAST_DAYS})|(?P<number>[$€£¥]?(?<![A-Za-z\d])[-−]?\d+(?:[.,:/]\d+)*%?)"
    rf"|(?P<word>[^\W\d_{EAST_WORDS}][^\W_{EAST_WORDS}]*(?:[-./_+#'’]+[^\W_{EAST_WORDS}]+)*)|(?P<sign>[{EAST_WORDS}])"
)
_LABEL = re.compile(r"^(?:user|decided|decision|note|update): ", re.IGNORECASE)
_SENTENCE_END = ".!。！…"
_BROKEN = re.compile(r"[;?？]|[:：]$|[^\W\d]: ?\d|[.!。！] ?(?=\S+ )|[(\[]")
_EAST_UNSURE, _EAST_CHANGED, _EAST_ADDING, _EAST_PAST = (
    re.compile(each) for each in (of.EAST_UNSURE, of.EAST_CHANGED, of.EAST_ADDING, of.EAST_PAST)
)
_REGULAR_PAST = re.compile(r"^(?:[^\W\d_]{2,}ed|[^\W\d_]{2,}(?:ó|aron|ieron|amos ayer))$")
_SO_LONG = 40
_CLITIC = re.compile(rf"{CLITIC}$")
_FROM = frozenset({"from", "von", "vom", "de"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is compared, and what kind of thing it may fill a place with."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement taken apart."""

    tokens: tuple[Token, ...]
    changed: bool = False
    """It says that it holds since now (`now`, `no, …`)."""
    turned: bool = False
    """It tells of a change itself (`switched to`), or what it stands in place of (`instead`)."""
    adds: bool = False
    denied: bool = False
    existential: bool = False
    """It tells of one of several (`a meeting`)."""
    definite: bool = False
    """It says who, or what, the one thing of a kind is (`is the owner`)."""
    left: str = ""
    """What it says was there before."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(token.text for token in self.tokens)


@lru_cache(maxsize=2048)
def frames(text: str) -> tuple[Frame, ...]:
    """The frames a statement can be read as; none of what is asked, planned or guessed, or tells of one occasion."""
    plain = unicodedata.normalize("NFKC", text).strip()
    plain = _LABEL.sub("", plain).rstrip(_SENTENCE_END)
    if _BROKEN.search(plain) or _EAST_UNSURE.search(plain) or _EAST_PAST.search(plain):
        return ()
    changed, adds = bool(_EAST_CHANGED.search(plain)), bool(_EAST_ADDING.search(plain))
    said = [_token(found, first=not at) for at, found in enumerate(_TOKEN.finditer(_EAST_CHANGED.sub("", plain)))]
    lowered = {token.text for token in said}
    if of.POINTING & {token.text for token in said[:2]}:
        return ()
    if len(said) > _SO_LONG or lowered & of.UNSURE - of.FUTURE or not said:
        return ()
    made = Frame(tuple(said), changed, adds=adds or bool(lowered & of.ADDING), denied=stance(plain).denied)
    return tuple(
        replace(each, tokens=fold_words(_flipped(each.tokens)))
        for each in _turned(_opened(made))
        if not _is_past(each.tokens)
    )


def search_words(text: str) -> str:
    """What to look for to find statements of the same frame: its words, and those of the states it may have changed."""
    said = frames(text)
    turned = any(frame.turned for frame in said)
    return " ".join(
        (text, *dict.fromkeys(word for frame in said for word in frame.words), *(of.STATES if turned else ()))
    )


def edges(text: str) -> frozenset[tuple[str, str]]:
    """The first and the last words of its frames: two statements that share none cannot clash."""
    ends = ((("first", frame.words[0]), ("last", frame.words[-1])) for frame in frames(text) if frame.tokens)
    return frozenset(edge for pair in ends for edge in pair)


def _token(found: re.Match[str], *, first: bool) -> Token:
    raw = found[0]
    text = _CLITIC.sub("", raw.casefold())
    if found["date"] or text in of.DAYS or (text in of.MONTHS and raw[0].isupper()):
        return Token(text.removesuffix("s") if text in of.DAYS else text, "date")
    if found["number"] or text in of.NUMBERS:
        return Token(text, "number")
    if found["sign"]:
        return Token(text, "sign")
    if any(char.isdigit() for char in raw):
        return Token(text, "code")
    return Token(text, "name" if raw != raw.lower() and (not first or raw[1:] != raw[1:].lower()) else "word")


def _opened(frame: Frame) -> Frame:
    """Without what opens it (`No, …`) and the words of now; they are told as signs."""
    tokens = list(frame.tokens)
    opening = list(takewhile(lambda token: token.text in of.OPENINGS, tokens))
    tokens = tokens[len(opening) :]
    words = [token.text for token in tokens]
    left, cut = _left(words)
    tokens = [token for at, token in enumerate(tokens) if at not in cut]
    signs = {token.text for token in tokens}
    changed = frame.changed or bool(opening) or bool(signs & (of.NOW | of.INSTEAD))
    gone = of.NOW | of.INSTEAD | of.FUTURE | of.LATELY
    kept = tuple(token for token in tokens if token.text not in gone)
    return replace(
        frame,
        tokens=kept,
        changed=changed,
        turned=bool(left or signs & of.INSTEAD),
        left=left,
        denied=frame.denied and not (opening and not stance(" ".join(token.text for token in kept)).denied),
    )


def _left(words: Sequence[str]) -> tuple[str, set[int]]:
    """What a change leaves (`from npm to`, `instead of npm`), and where that stands."""
    for at, word in enumerate(words[:-1]):
        is_instead = word == "instead" and words[at + 1] == "of"
        is_from = word in _FROM and at and f"{words[at - 1]} to" in of.TURNS
        if is_instead:
            end = len(words)
            return " ".join(words[at + 2 : end]), set(range(at, end))
        if is_from and "to" in words[at:]:
            end = words.index("to", at)
            return " ".join(words[at + 1 : end]), set(range(at, end))
    return "", set()


def _turned(frame: Frame) -> Iterator[Frame]:
    """The frame with one word for a phrase; one for each state that a change may have led to."""
    definite = any(
        one.text in of.BE and other.text in of.ARTICLES
        for one, other in zip(frame.tokens, frame.tokens[1:], strict=False)
    )
    frame = replace(
        frame, definite=definite, existential=any(token.text in of.INDEFINITE for token in frame.tokens[1:])
    )
    for phrase, instead in of.SAME:
        if (at := _at(frame, phrase)) is not None:
            taken = phrase in of.TAKING
            yield replace(frame, tokens=_put(frame, at, phrase, " ".join(instead)), changed=frame.changed or taken)
            return
    for phrase in of.TURNS:
        if (at := _at(frame, phrase)) is not None:
            for state in of.STATES:
                yield replace(frame, tokens=_put(frame, at, phrase, state), changed=True, turned=True)
            return
    yield frame


def _at(frame: Frame, phrase: str) -> int | None:
    wanted = tuple(phrase.split())
    words = frame.words
    return next((at for at in range(len(words)) if words[at : at + len(wanted)] == wanted), None)


def _put(frame: Frame, at: int, phrase: str, state: str) -> tuple[Token, ...]:
    new = tuple(Token(word, "word") for word in state.split())
    return (*frame.tokens[:at], *new, *frame.tokens[at + len(phrase.split()) :])


def _flipped(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """`Search is owned by Jonas` as `Jonas owned search`."""
    words = [token.text for token in tokens]
    if "by" in words and (by := words.index("by")) >= 3 and words[by - 2] in of.BE:
        return (*tokens[by + 1 :], tokens[by - 1], *tokens[: by - 2])
    return tokens


def fold_words(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without articles, each word in the form that all of its forms share."""
    kept = (token for token in tokens if token.text not in of.ARTICLES | of.INDEFINITE or token.kind == "name")
    return tuple(replace(token, text=_form(token)) for token in kept)


def _form(token: Token) -> str:
    if token.text in of.BE:
        return "be"
    return folded(token.text) if token.kind in {"word", "name"} and token.text not in of.STRUCTURE else token.text


def _is_past(tokens: Sequence[Token]) -> bool:
    """Whether it tells of one time: a form of the past that is no passive (`is limited`)."""
    before = ""
    for token in tokens:
        past = token.text in of.PAST - of.BE or (token.kind == "word" and _REGULAR_PAST.match(token.text))
        if past and before not in of.BE and token.text not in of.STRUCTURE - {"had", "did"}:
            return True
        before = token.text
    return False
