"""A text in, the text as a reader takes it out: no invisible signs, no look-alike letters, one kind of hyphen.

What the checks for injected instructions and for forged fences have in common: both read this form, whatever was typed.
"""

import re
import unicodedata
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
"""What is drawn as nothing and yet is no format character: default-ignorable code points, the empty braille."""
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
"""By each letter of another script that looks like a Latin one, that Latin letter."""
_LIKE = str.maketrans(TWINS)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def is_unseen(char: str) -> bool:
    """Whether a character is invisible; control characters do not count."""
    return unicodedata.category(char) == "Cf" or _UNSEEN_LETTER.match(char) is not None


class _DrawnForm(dict[int, str | None]):
    """A table for `str.translate`: how each character is drawn, computed when it is first asked for."""

    def __missing__(self, code: int) -> str | None:
        """What the character is drawn as, a dash as a hyphen; None for one that is not drawn at all."""
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
    """The text in compatibility form, without what is not drawn, and look-alikes as the Latin letters they stand for.

    Words of another script stay: only a word that has a Latin letter too, or all of whose letters are look-alikes in a
    text that is mostly Latin, is taken for a disguise. Case and accents stay.
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
    """The undisguised text without accents, and for each of its characters the index of its original in `text`."""
    seen, places = list[str](), list[int]()
    for at, char in enumerate(text):
        plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char)).translate(_SEEN)
        for each in plain.translate(_LIKE):
            if ord(each) not in _MARKS:
                seen.append(each)
                places.append(at)
    return "".join(seen), places


def without_accents(text: str) -> str:
    """An undisguised text in lower case without accents and vowel signs: the form in which words are looked up."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", apart.translate(_mark_removal()))


def _as_latin(word: str, *, mostly: bool) -> str:
    """The word in Latin letters if look-alikes disguise it, else as it is; `mostly`: the text is mostly Latin."""
    if word.isascii():
        return word
    strangers = [char for char in word if not char.isascii()]
    disguised = all(char in TWINS for char in strangers) and (mostly or len(strangers) < len(word))
    return word.translate(_LIKE) if disguised else word


@cache
def _mark_removal() -> dict[int, str | None]:
    """A table for `str.translate` that drops accents, and unites the two forms of three Arabic letters."""
    same = {ord("ة"): "ه", ord("ى"): "ي", ord("ٱ"): "ا"}
    return {**dict.fromkeys(_MARKS), **same}
