"""A statement in, its frames out: its words in comparable forms, each with the kind of thing it is, and what signs say.

What is asked, planned, guessed or tells of one occasion has none. `language.clash` compares them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import dropwhile, takewhile

from pellucid.language import lexicon
from pellucid.language.clauses import Clause, clauses, has_verb, pieces
from pellucid.language.contractions import CLITIC, spell_out
from pellucid.language.scripts import EAST_WORDS
from pellucid.language.statements.negation import polarity
from pellucid.language.statements.places import Change, Place, read_change, read_place
from pellucid.language.statements.tokens import Token, change_phrases, fold_words, structure

_LABEL = re.compile(r"^(?:user|decided|decision|note|update): ", re.IGNORECASE)
_SENTENCE_END = ".!。！…"
_BROKEN = re.compile(r"[;?？]|[:：]$|[^\W\d]: ?\d|(?:[.!] |[。！] ?)(?=\S+ )|[(\[]")
_REGULAR_PAST = re.compile(r"^(?:[^\W\d_]{2,}ed|[^\W\d_]{2,}(?:ó|aron|ieron|amos ayer))$")
_SO_LONG = 40
_SHORTEST_DAY = 4
"""Letters of the name of a month or a day in a statement, at least: `Jan` and `Mar` are people, too."""
_DIGIT = re.compile(r"\d")
_CLITIC = re.compile(rf"{CLITIC}$")
_FROM = frozenset({"from", "von", "vom", "de"})


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
    alone: bool = True
    """Its text says nothing besides."""
    cut: bool = False
    """What stood behind it was left out, and may belong to it."""
    place: Place | None = None
    change: Change | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(token.text for token in self.tokens)


@lru_cache(maxsize=2048)
def frames(text: str) -> tuple[Frame, ...]:
    """The frames a statement can be read as; none of what is asked, planned or guessed, or tells of one occasion.

    A text of several clauses is read as a whole, too.
    """
    whole = spell_out(_LABEL.sub("", unicodedata.normalize("NFKC", text).strip()))
    found = [each for each in clauses(whole) if each.text != whole.rstrip(_SENTENCE_END)]
    readings = dict.fromkeys(frame for each in (Clause(whole), *found) for frame in _frames_of(each))
    return tuple(readings)


def _frames_of(clause: Clause) -> Iterator[Frame]:
    """Every frame that a clause can be read as; none where it tells of one past occasion."""
    made = _frame_of(clause)
    if made is None:
        return
    places = read_place(fold_words(made.tokens)), read_change(fold_words(made.tokens))
    for each in _frames_with_one_word(made):
        for tokens in (_as_active(each.tokens), *_as_done_by_us(each.tokens)):
            told = replace(each, tokens=fold_words(tokens), place=places[0], change=places[1])
            if not _is_past(told.tokens) or any(places):
                yield told
                yield from (replace(told, left=clause.left),) if clause.left and not told.left else ()


def _frame_of(clause: Clause) -> Frame | None:
    """A clause as one frame, before phrases of it are put otherwise."""
    plain = clause.text.rstrip(_SENTENCE_END)
    if _BROKEN.search(plain) or _sign("unsure").search(plain) or _sign("past").search(plain):
        return None
    begun = _since().sub(" ", plain).strip()
    changed, adds = begun != plain or bool(_sign("changed").search(plain)), bool(_sign("adding").search(plain))
    said = words(_sign("changed").sub("", begun))
    lowered = {token.text for token in said}
    if lexicon.words("pointing") & {token.text for token in said[:2]}:
        return None
    if len(said) > _SO_LONG or lowered & lexicon.words("unsure") - lexicon.words("future") or not said:
        return None
    return _without_opening(
        Frame(
            said,
            changed or clause.corrects,
            adds=adds or bool(lowered & lexicon.words("adding")),
            denied=polarity(plain).denied,
            alone=clause.alone,
            cut=clause.cut,
        )
    )


def tells_change(text: str) -> bool:
    """Whether a statement says that something is no more what it was: `… now`, `moved to …`, `raise it from 5 to 8`."""
    stated = has_verb(text)
    return any(
        (frame.changed and stated)
        or frame.turned
        or frame.left
        or frame.change
        or (frame.place and not frame.place.joint)
        for frame in frames(text)
    )


def search_words(text: str) -> str:
    """Words to search for statements this one may clash with: its own, and those of states it may have changed."""
    said = frames(text)
    turned = any(frame.turned for frame in said)
    return " ".join(
        (text, *dict.fromkeys(word for frame in said for word in frame.words), *(_states() if turned else ()))
    )


def edges(text: str) -> frozenset[tuple[str, str]]:
    """Words, each with its role in the statement; two statements that share none of these pairs cannot clash.

    What it begins and ends with, the thing it says a place of, and numbers with what they count.
    """
    said = [frame for frame in frames(text) if frame.tokens]
    ends = ((("first", frame.words[0]), ("last", frame.words[-1])) for frame in said)
    things = (("thing", frame.place.thing[-1]) for frame in said if frame.place)
    counted = {(frame.change.old, word) for frame in said if frame.change for word in frame.change.thing}
    for each in (each for piece in pieces(text) if _DIGIT.search(piece) for each in frames(piece)):
        numbers = [token.text for token in each.tokens if token.kind == "number"]
        counted |= {(number, word) for number in numbers for word in each.words if word not in structure()}
    return frozenset((*(edge for pair in ends for edge in pair), *things, *counted))


def words(text: str) -> tuple[Token, ...]:
    """The words of a text, each with the kind of thing it may name."""
    return tuple(_token(found, first=not at) for at, found in enumerate(_token_of().finditer(text)))


def _token(found: re.Match[str], *, first: bool) -> Token:
    """A word, number, date, name, code or sign as a token; `first`: it begins a sentence, so a capital says nothing."""
    raw = found[0]
    text = _CLITIC.sub("", raw.casefold())
    if found["date"] or text in _weekday_names() or (text in _months() and raw[0].isupper()):
        return Token(_weekday_names().get(text, text), "date")
    if found["number"]:
        return Token(text, "number")
    if (count := lexicon.numbers().get(text, 0)) > 1:
        return Token(str(count), "number")
    if found["sign"]:
        return Token(text, "sign")
    if any(char.isdigit() for char in raw):
        return Token(text, "code")
    # at the beginning of a sentence only a capital inside the word (`GitHub`) is a sign of a name
    return Token(text, "name" if raw != raw.lower() and (not first or raw[1:] != raw[1:].lower()) else "word")


def _without_opening(frame: Frame) -> Frame:
    """The frame without the words that open it (`No, …`, `our …`) and words of now; flags of it say they were there."""
    tokens = list(frame.tokens)
    opening = list(takewhile(lambda token: token.text in lexicon.words("openings"), tokens))
    tokens = tokens[len(opening) :]
    words = [token.text for token in tokens]
    left, cut = _words_left(words)
    tokens = [token for at, token in enumerate(tokens) if at not in cut]
    signs = {token.text for token in tokens}
    changed = frame.changed or bool(opening) or bool(signs & lexicon.words("now", "instead"))
    gone = lexicon.words("now", "instead", "future", "lately")
    bare = dropwhile(lambda token: token.text in _ours() | lexicon.words("insisting"), tokens)
    kept = tuple(token for token in bare if token.text not in gone)
    return replace(
        frame,
        tokens=kept,
        changed=changed,
        turned=bool(left or signs & lexicon.words("instead")),
        left=left,
        denied=frame.denied and not (opening and not polarity(" ".join(token.text for token in kept)).denied),
    )


def _words_left(words: Sequence[str]) -> tuple[str, set[int]]:
    """The words for what a change leaves (`from npm to`, `instead of npm`), and their positions; empty if none."""
    for at, word in enumerate(words[:-1]):
        is_instead = word == "instead" and words[at + 1] == "of"
        is_from = word in _FROM and at and f"{words[at - 1]} to" in change_phrases()
        if is_instead:
            end = next((at for at in range(len(words), 0, -1) if words[at - 1] not in lexicon.words("now")), 0)
            return " ".join(words[at + 2 : end]), set(range(at, end))
        if is_from and "to" in words[at:]:
            end = words.index("to", at)
            return " ".join(words[at + 1 : end]), set(range(at, end))
    return "", set()


def _frames_with_one_word(frame: Frame) -> Iterator[Frame]:
    """The frame with each set phrase as one word; several where a change may have led to several states."""
    definite = any(
        one.text in lexicon.words("be") and other.text in lexicon.words("articles")
        for one, other in zip(frame.tokens, frame.tokens[1:], strict=False)
    )
    frame = replace(
        frame,
        definite=definite,
        existential=any(token.text in lexicon.words("indefinite") for token in frame.tokens[1:]),
    )
    for phrase, instead in _one_word_phrases().items():
        if (at := _find_phrase(frame, phrase)) is not None:
            taken = phrase in _takes()
            for word in sorted(lexicon.words("sole")) if taken else (instead,):
                yield replace(frame, tokens=_put(frame, at, phrase, word), changed=frame.changed or taken)
            return
    for phrase in change_phrases():
        if (at := _find_phrase(frame, phrase)) is not None:
            counted = {token.kind for token in frame.tokens[at + len(phrase.split()) :][:1]} & {"date", "number"}
            for state in (*_states(), *(("be",) if counted else ())):
                yield replace(frame, tokens=_put(frame, at, phrase, state), changed=True, turned=True)
            return
    yield frame


def _find_phrase(frame: Frame, phrase: str) -> int | None:
    wanted = tuple(phrase.split())
    words = frame.words
    return next((at for at in range(len(words)) if words[at : at + len(wanted)] == wanted), None)


def _put(frame: Frame, at: int, phrase: str, state: str) -> tuple[Token, ...]:
    new = tuple(Token(word, "word") for word in state.split())
    return (*frame.tokens[:at], *new, *frame.tokens[at + len(phrase.split()) :])


def _as_active(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens of a passive statement in the active: `Search is owned by Jonas` as `Jonas owned search`."""
    words = [token.text for token in tokens]
    if "by" in words and (by := words.index("by")) >= 3 and words[by - 2] in lexicon.words("be"):
        return (*tokens[by + 1 :], tokens[by - 1], *tokens[: by - 2])
    return tokens


def _as_done_by_us(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """The tokens of a statement that names no doer, also with `we`: `Releases are cut` as `we cut releases`."""
    words = [token.text for token in tokens]
    at = next((at for at, word in enumerate(words) if word in lexicon.words("be")), 0)
    behind = words[at + 1 : at + 3]
    if at and len(behind) == 2 and behind[0] not in structure() and behind[1] in lexicon.words("prepositions"):
        yield (Token("we", "word"), tokens[at + 1], *tokens[:at], *tokens[at + 2 :])


def _is_past(tokens: Sequence[Token]) -> bool:
    """Whether a statement tells of one past occasion: a form of the past that is no passive (`is limited`)."""
    before, be = "", lexicon.words("be")
    for token in tokens:
        past = token.text in lexicon.words("past") - be or (token.kind == "word" and _REGULAR_PAST.match(token.text))
        if past and before not in be and token.text not in structure() - {"had", "did"}:
            return True
        before = token.text
    return False


@cache
def _token_of() -> re.Pattern[str]:
    """A pattern for one token: a date, a number, a word or a sign of a script without spaces."""
    east = EAST_WORDS
    return re.compile(
        rf"(?P<date>{lexicon.sign('day')})|(?P<number>[$€£¥]?(?<![A-Za-z\d])[-−]?\d+(?:[.,:/]\d+)*%?)"
        rf"|(?P<word>[^\W\d_{east}][^\W_{east}]*(?:[-./_+#'’]+[^\W_{east}]+)*)|(?P<sign>[{east}])"
    )


@cache
def _sign(kind: str) -> re.Pattern[str]:
    return re.compile(lexicon.sign(kind))


@cache
def _since() -> re.Pattern[str]:
    said = [each for code in lexicon.STATED for each in lexicon.lexicon(code).get("changes", {}).get("since", ())]
    return re.compile(rf",? *\b(?:{'|'.join(map(re.escape, said))})\b,? *", re.IGNORECASE)


@cache
def _ours() -> frozenset[str]:
    return lexicon.words("possessive") & lexicon.persons("we").keys()


@cache
def _weekday_names() -> dict[str, str]:
    """The names of weekdays, also with an `s` for each of them, with the name alone."""
    names = [name.removesuffix("s") for name in lexicon.weekdays(*lexicon.STATED) if len(name) > _SHORTEST_DAY]
    return {form: name for name in names for form in (name, f"{name}s")}


@cache
def _months() -> frozenset[str]:
    named = lexicon.months(*lexicon.STATED)
    return frozenset(name for name in named if len(name) >= _SHORTEST_DAY or name in {"may", "mai"})


@cache
def _one_word_phrases() -> dict[str, str]:
    """Phrases that one word says, with that word: who takes over owns, who picked uses; the longest first."""
    tables = [lexicon.lexicon(code).get("same", {}) for code in lexicon.STATED]
    found = {each: word for table in tables for word, phrases in table.items() for each in phrases}
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


@cache
def _takes() -> frozenset[str]:
    return frozenset(_changes("takes"))


@cache
def _states() -> tuple[str, ...]:
    """What a change may have changed."""
    return tuple(_changes("states"))


def _changes(kind: str) -> list[str]:
    return [each for code in lexicon.STATED for each in lexicon.lexicon(code).get("changes", {}).get(kind, ())]
