"""A sentence in, `entity attribute value` out where it plainly states one: `The cache TTL is 300 seconds`."""

import re
from dataclasses import dataclass, field

from pellucid.language import lexicon
from pellucid.language.scripts import HAN, KATAKANA, is_east
from pellucid.language.spelling import entity_key
from pellucid.language.statements.negation import polarity
from pellucid.language.words import stop_words
from pellucid.observe.language import Language
from pellucid.observe.prose import LONGEST_SENTENCE

_PATHLIKE = re.compile(r"^[\w~.-]*/[\w./-]+$|^[\w-]+\.\w{1,5}$|^`.+`$|^\".+\"$")
_NAME = re.compile(
    r"^[A-ZÀ-Þ][\w.'-]*(?: (?:[A-ZÀ-Þ\d][\w.'-]*|of|de|and))*$|"
    rf"^[{KATAKANA}{HAN}]{{2,12}}$"
)
_DIGIT = re.compile(r"\d")
_DATA = re.compile(r"""\s*(?:[{\[]\s*["'{\[]|["'][\w .-]{1,60}["']\s*:)""")
_CODE_LINE = re.compile(r"(?:[;{}]|=>)\s*$|\s:?={1,3}\s|!=")
_INSIDE_CODE = re.compile(r"""\{[^{}\n]{0,400}\}|\b[\w.]+\([^()\n]{0,400}["'][^()\n]{0,400}\)""")
"""An object, or a call with a string in it, inside a sentence: what stands in it is said by a program."""
_LONGEST_VALUE = 5
_LONGEST_EAST = 14
_LONGEST_KEY = 6
_SHORTEST_PLURAL = 4
_SUFFIX = "+"
ANONYMOUS = "user"
"""The entity of who says `I` where the transcript knows no name."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a sentence says about a named thing: `cache`, `{"ttl": "300 seconds"}`; no entity when it says nothing."""

    entity: str | None = None
    attributes: dict[str, str] = field(default_factory=dict[str, str])


def read_attribution(sentence: str, language: Language, speaker: str | None = ANONYMOUS) -> Attribution:
    """Everything the attribute rows of the language find about one entity: that of the first row that fits.

    A text longer than a sentence can be states nothing: the rows are patterns for one.

    Of a denied sentence only the entity is told. Without a speaker (`None`: an assistant that speaks for nobody) the
    rows about `I` and `my` say nothing. JSON and lines of code state nothing, whatever their strings hold, nor does a
    sentence of which a list is still to come (`We have two paths:`).
    """
    if len(sentence) > LONGEST_SENTENCE:
        return Attribution()
    if _DATA.match(sentence) or _CODE_LINE.search(sentence) or sentence.rstrip().endswith((":", "：")):
        return Attribution()
    sentence = _INSIDE_CODE.sub(" ", sentence)
    affirmed = language.attributes.negation.sub("", sentence)
    entity, attributes = _read_sentence(affirmed, language, speaker)
    denied = bool(attributes) and affirmed != sentence and polarity(sentence).denied
    return Attribution(entity, {} if denied else attributes) if attributes else Attribution()


def _read_sentence(sentence: str, language: Language, speaker: str | None) -> tuple[str, dict[str, str]]:
    """The entity and attributes of one sentence; the first row that fits names the entity, others may add to it."""
    entity = ""
    attributes: dict[str, str] = {}
    for name, pattern in language.attributes.rows(sentence.lower()):
        for found in pattern.finditer(sentence):
            about, stated = _entity_of(found, speaker), _stated_attributes(found, name, language)
            if stated and _is_name(about) and about == (entity or about):
                entity = about
                attributes = {**stated, **attributes}
    return entity, attributes


def _entity_of(found: re.Match[str], speaker: str | None) -> str:
    """Whom a match speaks of: the named entity, something of somebody's (`my dog`), or the speaker."""
    groups = found.groupdict()
    if groups.get("entity"):
        return entity_key(groups["entity"])
    if speaker is None:
        return ""
    return entity_key(f"{speaker} {groups['mine']}" if groups.get("mine") else speaker)


def _stated_attributes(found: re.Match[str], row: str, language: Language) -> dict[str, str]:
    """The attributes that a match of this row states; none where the value says nothing that could change."""
    groups = found.groupdict()
    if groups.get("list") is not None:
        return _listed_attributes(groups["list"], language)
    verb = f" {groups['verb']}" if groups.get("verb") else ""
    attribute = _attribute_key(groups.get("attribute"), row) + verb.lower().replace(" ", "-")
    loose = groups.get("said") is not None
    value = _value(groups["said"] if loose else groups["value"], language)
    fits = _is_short(value) if loose else _is_concrete(value, language)
    own = not groups.get("entity")
    return {attribute: value} if fits and _is_name(attribute, strict=not own) else {}


def _listed_attributes(text: str, language: Language) -> dict[str, str]:
    """`a TTL of 300 s and 4 shards` gives both; nothing where the list names nothing with a number."""
    found: dict[str, str] = {}
    for item in language.attributes.items:
        for part in item.finditer(text):
            attribute = _attribute_key(part["attribute"], "")
            value = part["value"].strip()
            if _is_name(attribute) and value not in found.values() and attribute not in language.attributes.units:
                found.setdefault(attribute, value)
    return found


def _attribute_key(said: str | None, row: str) -> str:
    """The attribute's key as it is stored, its last word in the singular; a row `+…` adds its own name behind."""
    if not said:
        return entity_key(row.strip(_SUFFIX))
    key = entity_key(said)
    if key.isascii() and len(key) >= _SHORTEST_PLURAL and key.endswith("s") and key[-2] not in "sui":
        key = key[:-1]
    return f"{key}-{row[1:]}" if row.startswith(_SUFFIX) else key


def _value(said: str, language: Language) -> str:
    return language.clauses.after_value.sub("", said).strip(" .!'\"`,。、，")


def _is_short(value: str) -> bool:
    return 0 < len(value.split()) <= _LONGEST_VALUE and (not is_east(value) or len(value) <= _LONGEST_EAST)


def _is_concrete(value: str, language: Language) -> bool:
    """Whether a value is a number, weekday, path or name: something that another could replace later."""
    if not _is_short(value):
        return False
    first = value.split(maxsplit=1)[0]
    numbers, weekdays = lexicon.numbers(language.code), lexicon.weekdays(language.code)
    return (
        first[0].isdigit()
        or (first[0] in "$€£¥-−" and bool(_DIGIT.search(first)))
        or bool(_PATHLIKE.match(first) or _NAME.match(value))
        or numbers.get(first.lower(), 0) > 1
        or first.lower().rstrip("s") in {day.rstrip("s") for day in weekdays}
    )


def _is_name(key: str, *, strict: bool = True) -> bool:
    """At least one word that means something, and (if strict) none that points elsewhere (`this-one`, `what`)."""
    parts = key.split("-")
    pointing = [part in stop_words() for part in parts]
    return bool(key) and len(parts) <= _LONGEST_KEY and not (any(pointing) if strict else all(pointing))
