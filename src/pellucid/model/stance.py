"""A statement in, what it is about and whether it denies it out: `X uses Y` and `X no longer uses Y` share a key."""

import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256

from pellucid.model.stance_east import east_negations
from pellucid.model.text import entity_key

_CONTRACTED = (
    (re.compile(r"\b(?:can['’]t|cannot)\b"), "can not"),
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"n['’]t\b"), " not"),
    (re.compile(r"['’](?:s|m|re|ll|ve|d)\b"), ""),
)
_NO_DENIAL = re.compile(
    r"^(?:no|nein|nope|nah)[,.!] +|(?<=: )(?:no|nein|nope|nah)[,.!] +"
    r"|\b(?:not|nicht|no) (?:only|just|merely|nur|bloß|sólo|solo|solamente)\b|\b(?:no|without) (?:doubt|matter)\b"
    r"|\bwhether or not\b|\bif not\b|\bsin embargo\b|\bsin duda\b|\bnicht zuletzt\b|\bno\. ?(?=\d)"
    r"|,? \bnot (?=\S[^,.;]{0,40}?,? but\b)|(?<!\w)nicht (?=\S[^,.;]{0,40}, sondern\b)"
)
_CONTRAST = re.compile(
    r"(?:, (?:(?:and|und|y) )?| - |; )(?:not|nicht|kein\w{0,2}|no) [^,.;]{1,60}(?=[,.;]|$)"
    r"|\bnot \S[^,.;]{0,40}?,? but (?!also\b)|(?<!\w)nicht \S[^,.;]{0,40}, sondern (?!auch\b)"
    r"|\bno \S[^,.;]{0,40}?,? sino (?!también\b)"
)
_NO_LONGER = re.compile(
    r"\bno longer\b|\b(?:not|n[io]cht|kein\w{0,2}) mehr\b"
    r"|\b(?:stop(?:s|ped)?|quit|quits|cease[sd]?) (?=\w+ing\b)|\b(?:dejó|dejé|deja|dejo|dejamos|dejaron|dejan) de\b"
)
_TOKEN = re.compile(r"(?:(?<!\w)[-−])?\d+(?:[.,:]\d+)*%?|[^\W\d_]+[+#]*")
_NEGATING = """
    not no never none nobody nothing neither nor without nicht nie niemals kein keine keinen keinem keiner keines nichts
    niemand ohne weder nunca jamás ningún ninguna ninguno ni nadie nada tampoco sin
    """
_NEGATORS = frozenset(_NEGATING.split())
_REFUSING = "no"
_CONCORD = frozenset({"nunca", "jamás", "ningún", "ninguna", "ninguno", "ni", "nadie", "nada", "tampoco"})
"""Spanish words that only repeat an earlier `no`: `no usa nunca` denies once."""
_UNSAYING = """
    a an the any some with do does did will shall now currently anymore longer still yet already always ever at all also
    der die das den dem des ein eine einen einem einer mit auch immer jetzt noch schon mehr gar überhaupt
    el la los las un una unos unas con ya siempre ahora todavía aún también
    """
_DROPPED = frozenset(_UNSAYING.split())
"""Words that come and go between a statement and its denial."""
_MERGED = {
    **dict.fromkeys(("is", "are", "was", "were", "am", "been", "being", "be"), "be"),
    **dict.fromkeys(("has", "had", "have", "having"), "have"),
    **dict.fromkeys(("goes", "went", "gone", "going"), "go"),
    **dict.fromkeys(("i", "me", "my", "mine"), "i"),
    **dict.fromkeys(("we", "our", "ours"), "we"),
    **dict.fromkeys(("ist", "sind", "war", "waren", "bin", "bist"), "sein"),
    **dict.fromkeys(("hat", "habe", "haben", "hatte"), "haben"),
}
_ENDINGS = ("ing", "ed", "en", "et", "er", "t", "e")
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Stance:
    """What a statement is about (`key`, 64 hex digits) and which side it takes."""

    key: str
    denied: bool


def stance(text: str, entity: str | None = None) -> Stance:
    """The side a statement takes: two of one key and unlike `denied` contradict each other, of one entity.

    The key hashes the content words in order, each once, without negators and with endings folded; the speaker's name
    in front and numbers are words like others. A second negation takes the first one back. What stands against
    something (`600, not 300`) is read as what it affirms.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain, denials = east_negations(plain)
    for contracted, full in _CONTRACTED:
        plain = contracted.sub(full, plain)
    plain = _CONTRAST.sub(" ", plain)
    plain = _NO_LONGER.sub(" never ", _NO_DENIAL.sub(" ", plain))
    said: dict[str, None] = {}
    refused = False
    for token in _TOKEN.findall(plain):
        if token in _NEGATORS:
            denials += not (refused and token in _CONCORD)
            refused = refused or token == _REFUSING
        elif token not in _DROPPED:
            said[folded(token)] = None
    return Stance(_hash(entity, tuple(said) or (plain.strip(),)), denials % 2 == 1)


def _hash(entity: str | None, said: tuple[str, ...]) -> str:
    return sha256(f"{entity_key(entity or '')}\0{' '.join(said)}".encode()).hexdigest()


def folded(word: str) -> str:
    """A word without its plural, tense or person, crudely; short words, numbers and other scripts stay."""
    if word in _MERGED:
        return _MERGED[word]
    if len(word) <= 2 or not "a" <= word[0] <= "ÿ":
        return word
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word[-1] == "s" and word[-2] not in "siu":
        word = word[:-1]
    for ending in _ENDINGS:
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= (2 if ending in {"e", "ing"} else 4 if ending == "t" else 3):
            word = rest
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS else word
