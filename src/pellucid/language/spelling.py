"""A text or a name in, its comparable spelling or a hash of that out: pure functions that treat every script alike."""

import re
import unicodedata
from hashlib import sha256

from pellucid.language.contractions import spell_denials

_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_JOINT = re.compile(r"(?<=[^\W_])[:,](?=\d)|(?<=[^\W_])[._](?=[^\W_])")
_KEPT = frozenset("+#%@<>=≤≥≠−§&")
_SIGN = re.compile(r"(?<![\w)])-(?=\d)")


class _Spacing(dict[int, str]):
    """A table for `str.translate` that fills itself: characters that name nothing become a space."""

    def __missing__(self, code: int) -> str:
        """Store and return the character if it is a letter, mark, digit or sign that changes a value; else a space."""
        char, category = chr(code), unicodedata.category(chr(code))
        stays = char in _KEPT or category[0] in "LMN" or category in {"Sc", "Sm"}
        self[code] = char if stays else " "
        return self[code]


_SPACED = _Spacing()


def normalise(text: str) -> str:
    """Return the normal form by which two texts are compared: NFKC, casefolded, one space between words.

    Letters, marks and digits of every script stay, and so do negations (`isn't` becomes `is not`) and signs that
    change a value (`-5`, `1.5`, `c++`, `50%`, `<`). Other punctuation becomes a space. A text of nothing but
    punctuation or emoji keeps it, so that no two different texts meet in the empty string.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    spelled = _SIGN.sub("−", _APOSTROPHE.sub("", spell_denials(folded)))
    signs = list(spelled.translate(_SPACED))
    for found in _JOINT.finditer(spelled):
        signs[found.start()] = found[0]
    return " ".join("".join(signs).split()) or " ".join(folded.split())


def content_hash(text: str, entity: str | None = None) -> str:
    """Return the SHA-256 (64 hex digits) of a text's normal form and its entity, so that two entities differ."""
    return sha256(f"{entity_key(entity or '')}\0{normalise(text)}".encode()).hexdigest()


def entity_key(name: str) -> str:
    """Return the form in which names of entities and attributes are compared: NFKC, casefolded, stripped of blanks,
    each run of blanks, dashes and underscores as one `-`.
    """
    return re.sub(r"[\s\-‐-―_]+", "-", unicodedata.normalize("NFKC", name).casefold().strip())


def tag_key(tag: str) -> str:
    """Return the form in which tags are compared: NFC, stripped, casefolded."""
    return unicodedata.normalize("NFC", tag).strip().casefold()


def attribute_key(entity: str, attribute: str) -> str:
    """Return the key `entity::attribute` of two names, each as `entity_key` spells it. Two memories that give one key
    unlike values contradict each other, and the newer supersedes the older.
    """
    return f"{entity_key(entity)}::{entity_key(attribute)}"
