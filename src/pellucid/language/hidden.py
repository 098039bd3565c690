"""A text in, the text as a reader sees it out: no invisible signs, no look-alike letters, one kind of hyphen.

The checks for injected instructions and for forged fences share this form: both read it, whatever was typed.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import chain

UNSHOWN = (
    "\x7f-\x9f\xad\u061c\u180e\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
"""Direction marks, tags, lone surrogates and the controls above `~`, as part of a character class.

Zero-width spaces and joiners (U+200B to U+200D) are not among them: Khmer, Persian, Indic scripts and emoji are written
with them.
"""
_UNSEEN_LETTER = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that are drawn as nothing but are not format characters: default-ignorable ones, the empty braille."""
_MARKS = frozenset(chain(range(0x0300, 0x0370), range(0x0483, 0x048A), range(0x064B, 0x0660), (0x0640, 0x0670)))
"""Accents and vowel signs of Latin, Greek, Cyrillic and Arabic, and the stretch of Arabic."""
_LATIN_AND_TWINS = """
    a аαɑᴀ   b ЬвʙƄ   c сϲᴄⅽ   d ԁɗᴅ   e еεєҽᴇ   f ƒꜰ   g ɡցɢ   h һհʜ   i іιıɪɩӏ   j јϳᴊ   k кκᴋ
    l ⅼʟ|ǀ   m мᴍ   n пηɴո   o оοօσᴏ০٥   p рρᴘ   q ԛզ   r гʀᴦ   s ѕꜱʂ   t тτᴛ   u υսᴜц   v ѵνᴠ
    w ԝωᴡա   x хχ×   y уγүʏ   z ᴢ   A АΑᎪ   B ВΒᏴ   C СϹᏟ   D Ꭰ   E ЕΕᎬ   G Ꮐ   H НΗᎻ   I ІΙ
    J ЈᎫ   K КΚᏦ   L Ꮮ   M МΜᎷ   N Ν   O ОΟՕ   P РΡᏢ   S ЅᏚ   T ТΤᎢ   V ѴᏙ   W Ꮃ   X ХΧ   Y УΥ
    Z ΖᏃ
"""
_PAIRS = re.findall(r"(\S) (\S+)", _LATIN_AND_TWINS)
TWINS = {twin: letter for letter, twins in _PAIRS for twin in twins if twin.isalpha()}
"""Maps each letter of another script that looks like a Latin letter to that letter."""
_LIKE = str.maketrans(TWINS)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_DISGUISED = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u214f"
    "\u2460-\u24ff\u2800\u3164\ufe00-\ufe0f\ufe50-\ufe6f\ufeff-\uffff\U0001d400-\U0001d7ff\U000e0000-\U000e0fff]"
)
"""Characters that are invisible, wide or styled; a text without them needs no further look."""


def is_unseen(char: str) -> bool:
    """Whether a character is drawn as nothing: a format character (zero-width, direction mark, soft hyphen), a
    variation selector, a filler letter. Control characters and spaces do not count.
    """
    return unicodedata.category(char) == "Cf" or _UNSEEN_LETTER.match(char) is not None


class _DrawnForm(dict[int, str | None]):
    """A table for `str.translate` that fills itself: maps each character to the form in which it is drawn."""

    def __missing__(self, code: int) -> str | None:
        """Store and return the drawn form of a character: a dash as a hyphen; None if it is invisible."""
        char = chr(code)
        kind = unicodedata.category(char)
        seen: str | None = char
        if is_unseen(char) or (kind == "Cc" and char not in "\t\n\r"):
            seen = None
        elif kind == "Pd" or char in "−⁃˗":
            seen = "-"
        elif char in "’‘ʼ`´":
            seen = "'"
        elif kind in {"Zl", "Zp"}:
            seen = "\n"
        self[code] = seen
        return seen


_SEEN = _DrawnForm()


def undisguised(text: str) -> str:
    """Return the text in compatibility form (NFKC), without invisible characters, look-alikes as the letters they
    imitate, with one form of dash, apostrophe and line break. Case and accents stay; so does a text of ASCII without
    control characters.

    Words of another script stay: a word counts as a disguise only if all its letters beyond ASCII are look-alikes, and
    it has a letter of ASCII too or the text is mostly Latin (more than half of its letters are of ASCII).
    """
    if text.isascii():
        return text.translate(_SEEN) if _CONTROL.search(text) else text
    plain = unicodedata.normalize("NFKC", text).translate(_SEEN)
    if TWINS.keys().isdisjoint(plain):
        return plain
    latin = len(_LATIN.findall(plain))
    mostly = latin * 2 > sum(map(str.isalpha, plain))
    return _WORD.sub(lambda word: _as_latin(word[0], mostly=mostly), plain)


def aligned(text: str) -> tuple[str, list[int]]:
    """Return the text in a form to be compared with Latin words, and for each of its characters the index in `text`
    that it comes from.

    It has compatibility forms, no invisible characters and no accents, and a Latin letter for every look-alike, also in
    words of another script; one form of dash and apostrophe. Case stays.
    """
    seen, places = list[str](), list[int]()
    for at, char in enumerate(text):
        plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char)).translate(_SEEN)
        for each in plain.translate(_LIKE):
            if ord(each) not in _MARKS:
                seen.append(each)
                places.append(at)
    return "".join(seen), places


def without_accents(text: str) -> str:
    """Return an undisguised text casefolded, without accents and vowel signs, with one form of three Arabic letters, as
    words are looked up. Invisible characters stay: `undisguised` removes them.
    """
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", apart.translate(_mark_removal()))


def _as_latin(word: str, *, mostly: bool) -> str:
    """Return the word with its look-alikes as Latin letters if they disguise it, else the word as it is.

    They do if all its letters beyond ASCII are look-alikes, and it has a letter of ASCII too or `mostly` is true (most
    letters of its text are Latin).
    """
    if word.isascii():
        return word
    strangers = [char for char in word if not char.isascii()]
    disguised = all(char in TWINS for char in strangers) and (mostly or len(strangers) < len(word))
    return word.translate(_LIKE) if disguised else word


@cache
def _mark_removal() -> dict[int, str | None]:
    """Return a table for `str.translate` that drops accents and unifies the two forms of three Arabic letters."""
    same = {ord("ة"): "ه", ord("ى"): "ي", ord("ٱ"): "ا"}
    return {**dict.fromkeys(_MARKS), **same}


class _AsSeen(dict[int, str]):
    """A table for `str.translate` that fills itself: maps each character to the form that a reader sees."""

    def __missing__(self, code: int) -> str:
        """Store and return the seen form: "" if invisible, ASCII for a wide or styled form, else the character."""
        char = chr(code)
        plain = unicodedata.normalize("NFKC", char)
        is_lookalike = len(plain) == 1 and plain.isascii()
        self[code] = "" if is_unseen(char) else plain if is_lookalike else char
        return self[code]


_AS_SEEN = _AsSeen()


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text as a reader sees it; `places` are its characters' positions in the original text."""

    text: str
    places: tuple[int, ...] = ()  # empty if every character has the same position as in the original

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range in the original text that a range in the visible text, not an empty one, comes from."""
        return (self.places[start], self.places[end - 1] + 1) if self.places else (start, end)


def visible_text(text: str) -> VisibleText | None:
    """Return the text as a reader sees it, without invisible characters, wide and styled letters in ASCII; None if that
    is the text itself. Letters of other scripts stay.

    A token broken by a zero-width space, or typed in full-width letters, is still the token to whoever copies it.
    """
    if text.isascii() or not _DISGUISED.search(text):
        return None
    seen = text.translate(_AS_SEEN)
    if len(seen) == len(text):
        return VisibleText(seen) if seen != text else None
    return VisibleText(seen, tuple(at for at, char in enumerate(text) if _AS_SEEN[ord(char)]))
