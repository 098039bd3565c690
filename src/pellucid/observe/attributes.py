"""A sentence in, `entity attribute value` out where it plainly states one: `The cache TTL is 300 seconds`."""

import re
from dataclasses import dataclass, field

from pellucid.model.text import STOP_WORDS, entity_key
from pellucid.observe.language import Language

_PATHLIKE = re.compile(r"^[\w~.-]*/[\w./-]+$|^[\w-]+\.\w{1,5}$|^`.+`$|^\".+\"$")
_LONGEST_VALUE = 5
_FIXED = {"location": "location", "cost": "cost"}


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a sentence says about a named thing: `cache`, `{"ttl": "300 seconds"}`; no entity when it says nothing."""

    entity: str | None = None
    attributes: dict[str, str] = field(default_factory=dict[str, str])


def read_attribution(sentence: str, language: Language) -> Attribution:
    """The first attribute row of the language that fits, if entity and value are concrete; else an empty one."""
    for name, pattern in language.attributes.items():
        found = pattern.search(sentence) or pattern.search(_last_clause(sentence))
        if not found:
            continue
        groups = found.groupdict()
        value = language.clauses.after_value.sub("", groups["value"]).strip(" .!'\"`")
        entity, attribute = entity_key(groups["entity"]), entity_key(groups.get("attribute") or _FIXED[name])
        if _is_concrete(value, language) and _is_name(entity) and _is_name(attribute):
            return Attribution(entity, {attribute: value})
    return Attribution()


def _last_clause(sentence: str) -> str:
    return sentence.rsplit(": ", 1)[-1]


def _is_concrete(value: str, language: Language) -> bool:
    parts = value.split()
    if not parts or len(parts) > _LONGEST_VALUE:
        return False
    first = parts[0]
    return first[0].isdigit() or bool(_PATHLIKE.match(first)) or language.spans.numbers.get(first.lower(), 0) > 1


def _is_name(key: str) -> bool:
    """At least one word that means something, and none that points elsewhere (`this-one`, `what`)."""
    return bool(key) and not any(part in STOP_WORDS for part in key.split("-"))
