"""A statement in, what it is about and whether it denies it out: `X uses Y` and `X no longer uses Y` share a key."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from pellucid.language import lexicon
from pellucid.language.contractions import without_clitics
from pellucid.language.inflection import folded
from pellucid.language.spelling import entity_key
from pellucid.language.statements.negation_east import east_negations

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
_REFUSING = "no"


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a statement is about (`key`, 64 hex digits) and which side it takes."""

    key: str
    denied: bool


@lru_cache(maxsize=1 << 10)
def polarity(text: str, entity: str | None = None) -> Polarity:
    """The side a statement takes: two of one key and unlike `denied` contradict each other, of one entity.

    The key hashes the content words in order, each once, without negators and with endings folded; the speaker's name
    in front and numbers are words like others. A second negation takes the first one back. What stands against
    something (`600, not 300`) is read as what it affirms.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain, denials = east_negations(plain)
    plain = _CONTRAST.sub(" ", without_clitics(plain))
    plain = _NO_LONGER.sub(" never ", _NO_DENIAL.sub(" ", plain))
    said: dict[str, None] = {}
    negators, repeats, dropped = (lexicon.words(kind) for kind in ("negators", "concord", "unsaying"))
    refused = False
    for token in _TOKEN.findall(plain):
        if token in negators:
            denials += not (refused and token in repeats)
            refused = refused or token == _REFUSING
        elif token not in dropped:
            said[folded(token)] = None
    return Polarity(_hash(entity, tuple(said) or (plain.strip(),)), denials % 2 == 1)


def _hash(entity: str | None, said: tuple[str, ...]) -> str:
    return sha256(f"{entity_key(entity or '')}\0{' '.join(said)}".encode()).hexdigest()
