"""A sentence in, `entity attribute value` out if the sentence plainly states one: `The cache TTL is 300 seconds`."""

import re
from dataclasses import dataclass, field

from pellucid.language import lexicon
from pellucid.language.scripts import HAN, KATAKANA, is_east
from pellucid.language.sentences import unmark_code
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
"""An object, or a call with a string in it, inside a sentence: its contents are a program's words."""
_LONGEST_VALUE = 5
_LONGEST_EAST = 14
_LONGEST_KEY = 6
_SHORTEST_PLURAL = 4
_SUFFIX = "+"
ANONYMOUS = "user"
"""The entity of a person who says `I` and whose name the transcript does not have."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The attributes that a sentence states of an entity: `cache`, `{"ttl": "300 seconds"}`; no entity if none."""

    entity: str | None = None
    attributes: dict[str, str] = field(default_factory=dict[str, str])


def read_attribution(sentence: str, language: Language, speaker: str | None = ANONYMOUS) -> Attribution:
    """Read the attributes of one entity from a sentence; empty if it states none.

    Entity and names of attributes come as `entity_key` makes them (casefolded, with hyphens), values as written. If the
    sentence denies them, only the entity is returned. JSON, lines of code, a sentence of over 1,000 characters, and one
    that announces a list state nothing. `speaker` is the entity that `I` and `my` mean; None for an assistant that
    speaks for nobody.
    """
    if len(sentence) > LONGEST_SENTENCE:
        return Attribution()
    if _DATA.match(sentence) or _CODE_LINE.search(sentence) or sentence.rstrip().endswith((":", "：")):
        return Attribution()
    sentence = _INSIDE_CODE.sub(" ", unmark_code(sentence))
    affirmed = language.attributes.negation.sub("", sentence)
    entity, attributes = _match_rows(affirmed, language, speaker)
    denied = bool(attributes) and affirmed != sentence and polarity(sentence).denied
    return Attribution(entity, {} if denied else attributes) if attributes else Attribution()


def _match_rows(sentence: str, language: Language, speaker: str | None) -> tuple[str, dict[str, str]]:
    """Return the entity of the first pattern row that matches a sentence, and its attributes; `("", {})` if none.

    Later rows add attributes of the same entity; the value read first stays. `speaker` is the entity of `I` and `my`.
    """
    entity = ""
    attributes: dict[str, str] = {}
    for name, pattern in language.attributes.rows(sentence.lower()):
        for found in pattern.finditer(sentence):
            about, stated = _matched_entity(found, speaker), _stated_attributes(found, name, language)
            if stated and _is_name(about) and about == (entity or about):
                entity = about
                attributes = {**stated, **attributes}
    return entity, attributes


def _matched_entity(match: re.Match[str], speaker: str | None) -> str:
    """Return the key of the entity that a match is about: the named one, the speaker, or the speaker's thing.

    The thing of `my dog` is `ann-dog` if `ann` speaks. Empty if the match is about a `speaker` who is None.
    """
    groups = match.groupdict()
    if groups.get("entity"):
        return entity_key(groups["entity"])
    if speaker is None:
        return ""
    return entity_key(f"{speaker} {groups['mine']}" if groups.get("mine") else speaker)


def _stated_attributes(match: re.Match[str], row: str, language: Language) -> dict[str, str]:
    """Return the attributes that a match states; `{}` if they are unfit.

    `row` is the name of the pattern row that matched. The value must be concrete (`_is_concrete`), so that another can
    replace it later or, in a row that takes any words (group `said`), short (`_is_short`); the attribute has to be able
    to name something (`_is_name`). Of a list (group `list`) each item with a number is an attribute.
    """
    groups = match.groupdict()
    if groups.get("list") is not None:
        return _listed_attributes(groups["list"], language)
    verb = f" {groups['verb']}" if groups.get("verb") else ""
    attribute = _attribute_key(groups.get("attribute"), row) + verb.lower().replace(" ", "-")
    is_free = groups.get("said") is not None
    value = language.clauses.after_value.sub("", groups["said" if is_free else "value"]).strip(" .!'\"`,。、，")
    fits = _is_short(value) if is_free else _is_concrete(value, language)
    return {attribute: value} if fits and _is_name(attribute, strict=bool(groups.get("entity"))) else {}


def _listed_attributes(text: str, language: Language) -> dict[str, str]:
    """Return the attributes with a number in a list: `{"ttl": "300 s", "shard": "4"}` of `a TTL of 300 s, 4 shards`.
    Names of units are none; of equal names, and of equal values, only the first counts.
    """
    found: dict[str, str] = {}
    for item in language.attributes.items:
        for part in item.finditer(text):
            attribute = _attribute_key(part["attribute"], "")
            value = part["value"].strip()
            if _is_name(attribute) and value not in found.values() and attribute not in language.attributes.units:
                found.setdefault(attribute, value)
    return found


def _attribute_key(name: str | None, row: str) -> str:
    """Return an attribute's key as `entity_key` spells it, in the singular; without a `name`, the pattern row's name. A
    row named `+…` appends its own: `+limit` makes `rate-limit` of `rate`.
    """
    if not name:
        return entity_key(row.strip(_SUFFIX))
    key = entity_key(name)
    if key.isascii() and len(key) >= _SHORTEST_PLURAL and key.endswith("s") and key[-2] not in "sui":
        key = key[:-1]
    return f"{key}-{row[1:]}" if row.startswith(_SUFFIX) else key


def _is_short(value: str) -> bool:
    """Whether a value has one to five words, and at most 14 characters if it is in a script without spaces."""
    return 0 < len(value.split()) <= _LONGEST_VALUE and (not is_east(value) or len(value) <= _LONGEST_EAST)


def _is_concrete(value: str, language: Language) -> bool:
    """Whether a value is short (`_is_short`) and either begins with a number, weekday, path or quotation, or is a name
    or inline code.

    Such a value can be replaced by another later. The number words for zero and one do not count.
    """
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
    """Whether a key can name something: it has one to six words.

    With `strict`, none of them is a stop word; else at least one is not.
    """
    parts = key.split("-")
    pointing = [part in stop_words() for part in parts]
    return bool(key) and len(parts) <= _LONGEST_KEY and not (any(pointing) if strict else all(pointing))
