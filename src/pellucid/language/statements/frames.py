"""A statement in, its frames out: comparable words, each with the kind of thing it names, and signs of validity.

A statement that asks, plans, guesses or tells of one occasion has no frame. `language.statements.clash` compares
frames.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import dropwhile, takewhile

from pellucid.language import lexicon
from pellucid.language.clauses import Clause, clauses, comma_parts, has_verb
from pellucid.language.contractions import CLITIC, spell_out
from pellucid.language.scripts import EAST_WORDS
from pellucid.language.statements.negation import polarity
from pellucid.language.statements.places import Change, Place, read_change, read_place
from pellucid.language.statements.tokens import Token, change_phrases, fold_words, is_participle, structure_words
from pellucid.text_cache import text_cache

_LABEL = re.compile(r"^(?:user|decided|decision|note|update): ", re.IGNORECASE)
_SENTENCE_END = ".!。！…"
_BROKEN = re.compile(r"[;?？]|[:：]$|[^\W\d]: ?\d|(?:[.!] |[。！] ?)(?=\S+ )|[(\[]")
_REGULAR_PAST = re.compile(r"^(?:[^\W\d_]{2,}ed|[^\W\d_]{2,}(?:ó|aron|ieron|amos ayer))$")
_MOST_TOKENS = 40
_SHORTEST_DAY = 4
"""Letters of a month's name from which it is read as a date: `Jan` and `Mar` are people, too."""
_DIGIT = re.compile(r"\d")
_CLITIC = re.compile(rf"{CLITIC}$")
_FROM = frozenset({"from", "von", "vom", "de"})


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement taken apart: its words in comparable form, and what it says about its own validity."""

    tokens: tuple[Token, ...]
    changed: bool = False
    """The statement says that it holds from now on (`now`, `no, …`)."""
    turned: bool = False
    """The statement tells of a change itself (`switched to`), or of what it replaces (`instead`)."""
    adds: bool = False
    denied: bool = False
    existential: bool = False
    """The statement tells of one thing of several (`a meeting`)."""
    definite: bool = False
    """The statement says who, or what, the only thing of a kind is (`is the owner`)."""
    left: str = ""
    """The value that a change leaves, in the statement's words; empty if the statement names none."""
    alone: bool = True
    """The statement says nothing beside this frame."""
    cut: bool = False
    """Words after the frame were left out that can belong to its value."""
    place: Place | None = None
    change: Change | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The texts of the tokens."""
        return tuple(token.text for token in self.tokens)


@text_cache(2048)
def frames(text: str) -> tuple[Frame, ...]:
    """Return every frame that a statement, or a clause of it, can be read as, each once: its words in comparable form
    (mostly stems), with flags such as `changed`.

    Empty for a question, a plan or a guess, and for what happened once; clauses of more than 40 words, with brackets or
    semicolons, or that have a word such as `it` or `this` among their first two, have none. The text is read in NFKC,
    with contractions spelled out.
    """
    whole = spell_out(_LABEL.sub("", unicodedata.normalize("NFKC", text).strip()))
    parts = [each for each in clauses(whole) if each.text != whole.rstrip(_SENTENCE_END)]
    return tuple(dict.fromkeys(frame for each in (Clause(whole), *parts) for frame in _read_clause(each)))


def _read_clause(clause: Clause) -> Iterator[Frame]:
    """Yield every frame that a clause can be read as: with set phrases as the words they mean, and of a passive also
    the active. Nothing if it has no literal frame (see `_literal_frame`); a frame that tells of one past occasion is
    left out, unless it names a place or a changed number.
    """
    literal = _literal_frame(clause)
    if literal is None:
        return
    place, change = read_place(fold_words(literal.tokens)), read_change(fold_words(literal.tokens))
    # a passive statement also gets the wording of the active one, so that the two can be compared
    for each in _with_phrases_as_words(literal):
        for tokens in (_as_active(each.tokens), *_as_done_by_us(each.tokens)):
            frame = replace(each, tokens=fold_words(tokens), place=place, change=change)
            if not _is_past(frame.tokens) or place or change:
                yield frame
                if clause.left and not frame.left:
                    yield replace(frame, left=clause.left)


def _literal_frame(clause: Clause) -> Frame | None:
    """Return a clause as one frame of its own words; None if it has over 40 words or none, a bracket, a semicolon, a
    question mark or several sentences, if it is unsure (`maybe`), if one of its first two words points at something
    else (`it`, `this`), or if it is in the past in Japanese or Chinese.
    """
    plain = clause.text.rstrip(_SENTENCE_END)
    if _BROKEN.search(plain) or _east_sign("unsure").search(plain) or _east_sign("past").search(plain):
        return None
    timeless = _since_pattern().sub(" ", plain).strip()
    changed = clause.corrects or timeless != plain or bool(_east_sign("changed").search(plain))
    tokens = tokenise(_east_sign("changed").sub("", timeless))
    texts = {token.text for token in tokens}
    if lexicon.words("pointing") & {token.text for token in tokens[:2]}:
        return None
    if len(tokens) > _MOST_TOKENS or texts & lexicon.words("unsure") - lexicon.words("future") or not tokens:
        return None
    adds = bool(_east_sign("adding").search(plain) or texts & lexicon.words("adding"))
    denied = polarity(plain).denied
    return _without_opening(Frame(tokens, changed, adds=adds, denied=denied, alone=clause.alone, cut=clause.cut))


def tells_change(text: str) -> bool:
    """Whether a statement says that something has changed: `… now`, `moved to …`, `raise the limit from 5 to 8`. False
    if it has no frame.
    """
    stated = has_verb(text)
    return any(
        (each.changed and stated) or each.turned or each.left or each.change or (each.place and not each.place.joint)
        for each in frames(text)
    )


def search_words(text: str) -> str:
    """Return the query that finds statements that `text` can clash with: the text, its words in comparable form and, if
    it names a change (`Frame.turned`: `moved to`), words for the states that this can have led to (`use`, `live in`).
    """
    states = lexicon.changes("states") if any(frame.turned for frame in frames(text)) else ()
    return " ".join((text, *dict.fromkeys(word for frame in frames(text) for word in frame.words), *states))


def clash_keys(text: str) -> frozenset[tuple[str, str]]:
    """Return (role, word) pairs of a statement; two statements that share no such pair cannot clash. Empty if it has no
    frame.

    Roles are `first` (word), `last` (word) and `thing` (whose location is told). In place of a role there can be a
    number, as text, with a word: each number of a clause with each word of that clause but function words, and the old
    number of a change with each word of the thing that it counts.
    """
    found = [frame for frame in frames(text) if frame.tokens]
    keys = {key for frame in found for key in (("first", frame.words[0]), ("last", frame.words[-1]))}
    keys |= {("thing", frame.place.thing[-1]) for frame in found if frame.place}
    keys |= {(frame.change.old, word) for frame in found if frame.change for word in frame.change.thing}
    for each in (each for part in comma_parts(text) if _DIGIT.search(part) for each in frames(part)):
        numbers = [token.text for token in each.tokens if token.kind == "number"]
        keys |= {(number, word) for number in numbers for word in each.words if word not in structure_words()}
    return frozenset(keys)


def tokenise(text: str) -> tuple[Token, ...]:
    """Return the words of a text in order, casefolded, without `'s` and the like, each with the kind of thing it can
    name (a date, number, sign, code, name or word).

    Number words above one become digits, names of weekdays the singular; a sign of a script without spaces is a word.
    """
    return tuple(_token(found, first=not at) for at, found in enumerate(_token_pattern().finditer(text)))


def _token(found: re.Match[str], *, first: bool) -> Token:
    """Return the token of a match of `_token_pattern`; its kind is the first that fits: date (also a weekday, or a
    month with a capital), number, sign of a script without spaces, code (it has a digit), name (it has a capital),
    word.

    `first`: the match begins a sentence, so that only a capital after its first character is a sign of a name.
    """
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
    named = raw != raw.lower() and (not first or raw[1:] != raw[1:].lower())
    # what stands in quotation marks is a value
    bare = found.string[found.start() - 1 : found.start()].isspace()
    return Token(text, "name" if named else "word", participle=bare and not named and is_participle(text))


def _without_opening(frame: Frame) -> Frame:
    """Return the frame without opening words (`No, …`, `our …`), words such as `now` and `instead`, and what a change
    leaves (`from npm`); the frame's `changed`, `turned` and `left` say instead what these mean.

    A leading `no` denies what was said before, and does not make the frame denied.
    """
    tokens = list(frame.tokens)
    opening = list(takewhile(lambda token: token.text in lexicon.words("openings"), tokens))
    tokens = tokens[len(opening) :]
    words = [token.text for token in tokens]
    left, cut = _words_left(words)
    tokens = [token for at, token in enumerate(tokens) if at not in cut]
    signs = {token.text for token in tokens}
    changed = frame.changed or bool(opening) or bool(signs & lexicon.words("now", "instead"))
    gone = lexicon.words("now", "instead", "future", "lately")
    leading = (lexicon.words("possessive") & lexicon.persons("we").keys()) | lexicon.words("insisting")
    bare = dropwhile(lambda token: token.text in leading, tokens)
    kept = tuple(token for token in bare if token.text not in gone)
    return replace(
        frame,
        tokens=kept,
        changed=changed,
        turned=bool(left or signs & lexicon.words("instead")),
        left=left,
        # the `no` of `No, we use npm` denies what was said before, not this
        denied=frame.denied and not (opening and not polarity(" ".join(token.text for token in kept)).denied),
    )


def _words_left(words: Sequence[str]) -> tuple[str, set[int]]:
    """Return the words for what is given up by a change, `npm` of `from npm to …` or of `instead of npm`, and the
    indices of the phrase (`to` not included); `"", set()` if the words name nothing of the kind."""
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


def _with_phrases_as_words(frame: Frame) -> Iterator[Frame]:
    """Yield the frame with one set phrase (the longest it has) as the word it means, or as it is if it has none;
    `definite` and `existential` are set by its words.

    `takes over` gives a frame for each verb that has one subject (`own`, `lead`), with `changed` set; a phrase of
    change (`moved to`), looked for last, one for each state it can have led to (`use`, `be in`), with `changed` and
    `turned` set.
    """
    definite = any(
        one.text in lexicon.words("be") and other.text in lexicon.words("articles")
        for one, other in zip(frame.tokens, frame.tokens[1:], strict=False)
    )
    frame = replace(
        frame,
        definite=definite,
        existential=any(token.text in lexicon.words("indefinite") for token in frame.tokens[1:]),
    )
    for phrase, meaning in _one_word_phrases().items():
        if (at := _find_phrase(frame, phrase)) is not None:
            taken = phrase in lexicon.changes("takes")
            for word in sorted(lexicon.words("sole")) if taken else (meaning,):
                yield replace(frame, tokens=_replace_phrase(frame, at, phrase, word), changed=frame.changed or taken)
            return
    for phrase in change_phrases():
        if (at := _find_phrase(frame, phrase)) is not None:
            # before a number or a date, a change can also lead to being it: `moved to 9090` means `is 9090`
            counted = {token.kind for token in frame.tokens[at + len(phrase.split()) :][:1]} & {"date", "number"}
            for state in (*lexicon.changes("states"), *(("be",) if counted else ())):
                yield replace(frame, tokens=_replace_phrase(frame, at, phrase, state), changed=True, turned=True)
            return
    yield frame


def _find_phrase(frame: Frame, phrase: str) -> int | None:
    """Return the index of the first token at which the words of a phrase stand in a frame, in a row; None if they do
    not."""
    wanted, words = tuple(phrase.split()), frame.words
    return next((at for at in range(len(words)) if words[at : at + len(wanted)] == wanted), None)


def _replace_phrase(frame: Frame, at: int, phrase: str, words: str) -> tuple[Token, ...]:
    """Return the frame's tokens with `words` in place of the phrase that begins at index `at`."""
    new = tuple(Token(word, "word") for word in words.split())
    return (*frame.tokens[:at], *new, *frame.tokens[at + len(phrase.split()) :])


def _as_active(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return a passive statement's tokens in the active, others unchanged: `Jonas owned X` of `X is owned by Jonas`."""
    words = [token.text for token in tokens]
    if "by" in words and (by := words.index("by")) >= 3 and words[by - 2] in lexicon.words("be"):
        return (*tokens[by + 1 :], tokens[by - 1], *tokens[: by - 2])
    return tokens


def _as_done_by_us(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """Yield, at most once, the tokens of a passive statement without a doer as done by `we`:
    `we cut releases on Fridays` of `Releases are cut on Fridays`. Nothing unless a preposition follows the participle.
    """
    words = [token.text for token in tokens]
    at = next((at for at, word in enumerate(words) if word in lexicon.words("be")), 0)
    after = words[at + 1 : at + 3]
    if at and len(after) == 2 and tokens[at + 1].participle and after[1] in lexicon.words("prepositions"):
        yield (Token("we", "word"), tokens[at + 1], *tokens[:at], *tokens[at + 2 :])


def _is_past(tokens: Sequence[Token]) -> bool:
    """Whether a statement tells of one past occasion: it has a word of a past tense that does not follow a form of
    `be`, as a passive's does (`is limited`).
    """
    before, be = "", lexicon.words("be")
    for token in tokens:
        past = token.text in lexicon.words("past") - be or (token.kind == "word" and _REGULAR_PAST.match(token.text))
        if past and before not in be and token.text not in structure_words() - {"had", "did"}:
            return True
        before = token.text
    return False


@cache
def _token_pattern() -> re.Pattern[str]:
    """Return a pattern for one token: a date, a number, a word, or a character of a script without spaces."""
    east = EAST_WORDS
    return re.compile(
        rf"(?P<date>{lexicon.sign('day')})|(?P<number>[$€£¥]?(?<![A-Za-z\d])[-−]?\d+(?:[.,:/]\d+)*%?)"
        rf"|(?P<word>[^\W\d_{east}][^\W_{east}]*(?:[-./_+#'’]+[^\W_{east}]+)*)|(?P<sign>[{east}])"
    )


@cache
def _east_sign(kind: str) -> re.Pattern[str]:
    """Return the pattern of `lexicon.sign(kind)`, compiled."""
    return re.compile(lexicon.sign(kind))


@cache
def _since_pattern() -> re.Pattern[str]:
    """Return a pattern for phrases that say since when something holds: `from now on`."""
    return re.compile(rf",? *\b(?:{'|'.join(map(re.escape, lexicon.changes('since')))})\b,? *", re.IGNORECASE)


@cache
def _weekday_names() -> dict[str, str]:
    """Return a dict from the names of weekdays, also in the plural (`mondays`), to the name in the singular; short
    forms of up to four letters (`mon`) are left out.
    """
    names = [name.removesuffix("s") for name in lexicon.weekdays(*lexicon.STATED) if len(name) > _SHORTEST_DAY]
    return {form: name for name in names for form in (name, f"{name}s")}


@cache
def _months() -> frozenset[str]:
    """Return the names of months, lower case, without those of under four letters, which can be people (`jan`); `may`
    and `mai` stay.
    """
    named = lexicon.months(*lexicon.STATED)
    return frozenset(name for name in named if len(name) >= _SHORTEST_DAY or name in {"may", "mai"})


@cache
def _one_word_phrases() -> dict[str, str]:
    """Return a dict from set phrases, longest first, to the word they mean: `takes over` to `own`."""
    tables = [lexicon.lexicon(code).get("same", {}) for code in lexicon.STATED]
    found = {each: word for table in tables for word, phrases in table.items() for each in phrases}
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))
