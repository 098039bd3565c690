"""A model's words and a JSON schema in, the first JSON in them that follows it out, or what is wrong.

The JSON can be surrounded by prose, a Markdown fence, or other JSON: the events of a stream, or an envelope that
contains the answer as an object or as text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue
from pydantic_core import from_json

from pellucid.encoders.chat.exchange import JsonSchema

_BROKEN_STARTS = 200
"""After so many braces that begin no JSON the rest of a text is given up: each costs time."""
_ENVELOPES = 4
"""Layers of objects and text around an answer, at most."""
_DECODER = json.JSONDecoder()
_START = re.compile(r"[{\[]")


def read_json(text: str, schema: JsonSchema) -> tuple[JsonValue, str]:
    """Return the first JSON object or list in a model's text that follows the schema, and "".

    If there is none, return None and a phrase that says what is wrong with the first one, or with the text. Of the
    schema, only `type`, `enum`, `properties` and `items` are checked: each part must have a `type`, each list `items`.
    A missing property counts as null.
    """
    first = ""
    for value in _json_values(text, _ENVELOPES):
        flaw = _schema_flaw(value, schema, "the answer")
        if not flaw:
            return value, ""
        first = first or flaw
    return None, first or ("it is not JSON, or was cut off" if text.strip() else "it is empty")


def _json_values(text: str, depth: int) -> Iterator[JsonValue]:
    """Yield every outermost JSON object or list in a text, in order, each followed by the values inside it that can be
    the answer (`_values_inside`), as it may be an envelope.

    `depth` is how many layers of envelopes are opened. After 200 braces or brackets that begin no JSON, the rest is not
    read.
    """
    at = broken = 0
    while broken < _BROKEN_STARTS and (start := _START.search(text, at)):
        at = start.end()
        try:
            _, at = _DECODER.raw_decode(text, start.start())
            value = cast("JsonValue", from_json(text[start.start() : at], allow_inf_nan=False))
        except (ValueError, RecursionError):
            broken += 1
            continue
        yield value
        yield from _values_inside(value, depth)


def _values_inside(value: JsonValue, depth: int) -> Iterator[JsonValue]:
    """Yield the objects among an object's values, and the JSON within its texts, and so on inside these, down to
    `depth` layers. Lists are not searched; nothing for a value that is no object, or at depth 0.
    """
    if depth and isinstance(value, dict):
        for part in value.values():
            if isinstance(part, dict):
                yield part
                yield from _values_inside(part, depth - 1)
            elif isinstance(part, str):
                yield from _json_values(part, depth - 1)


def _schema_flaw(value: JsonValue, schema: JsonSchema, where: str) -> str:
    """Return what is wrong with a value by its schema, in words that call it `where`; empty if nothing is.

    Only `type`, `enum`, `properties` and `items` of the schema are checked. A missing property counts as null.
    """
    allowed = schema.get("enum")
    if isinstance(allowed, Sequence) and value not in allowed:
        return f"{where} is none of the allowed values"
    types = schema.get("type")
    names = [types] if isinstance(types, str) else list(cast("Sequence[str]", types or ()))
    if not any(_has_type(value, name) for name in names):
        return f"{where} is not of type {' or '.join(names)}"
    if isinstance(value, dict):
        properties = cast("Mapping[str, JsonSchema]", schema.get("properties", {}))
        flaws = (_schema_flaw(value.get(name), part, name) for name, part in properties.items())
        return next(filter(None, flaws), "")
    if isinstance(value, list):
        items = cast("JsonSchema", schema["items"])
        return next(filter(None, (_schema_flaw(item, items, f"an item of {where}") for item in value)), "")
    return ""


def _has_type(value: JsonValue, name: str) -> bool:
    """Whether a value is of the JSON type of this name; `true` is no number and no integer, 1.0 no integer."""
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
