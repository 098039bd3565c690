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
    """For `str.translate`: a sign that names nothing as a space, any other as itself; asked once for each sign."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if _stays(char) else " "
        return self[code]


_SPACED = _Spacing()


def normalise(text: str) -> str:
    """One canonical spelling of `text`: NFKC, casefold, one space between words.

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
    """SHA-256 (64 hex digits) of the normal form within one entity: equal words about two things do not collide."""
    return sha256(f"{entity_key(entity or '')}\0{normalise(text)}".encode()).hexdigest()


def entity_key(name: str) -> str:
    """The comparable name of an entity or attribute: trimmed, casefolded, runs of space or hyphen as one `-`."""
    return re.sub(r"[\s\-‐-―_]+", "-", unicodedata.normalize("NFKC", name).casefold().strip())


def tag_key(tag: str) -> str:
    """The comparable form of a tag: composed, trimmed, casefolded."""
    return unicodedata.normalize("NFC", tag).strip().casefold()


def attribute_key(entity: str, attribute: str) -> str:
    """`entity::attribute` in comparable form: what supersession goes by."""
    return f"{entity_key(entity)}::{entity_key(attribute)}"


def _stays(char: str) -> bool:
    return char in _KEPT or unicodedata.category(char)[0] in "LMN" or unicodedata.category(char) in {"Sc", "Sm"}
