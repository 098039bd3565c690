"""A value that an input refused in, words for an error out: the value as it came, and what the field expects."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from pellucid.xray.words.visible import visible

_SHOWN_CHARS = 80
_NOTHING = {"type": "null"}
_NOUNS: Mapping[str, str] = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "object": "an object",
}
"""Maps the types of JSON Schema to words."""


def short_json(value: object) -> str:
    """Render a caller's value for an error message: a text, number, bool or None as JSON (a text in quotes), with
    invisible characters made visible, cut to 80 characters and `…`; a dict as "an object", anything else as "a
    list"."""
    if isinstance(value, str | int | float) or value is None:
        text = visible(json.dumps(value, ensure_ascii=False))
        return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    return "an object" if isinstance(value, dict) else "a list"


def expectation_in_words(kind: type[BaseModel], detail: ErrorDetails) -> str:
    """Say which values the field of a validation error (`detail`) accepts, such as `a whole number from 1 to 10`: the
    message of the field's own check (a ValueError), else by the JSON schema of the input type `kind`.
    """
    if detail["type"] == "value_error":
        return detail["msg"].removeprefix("Value error, ")
    schema: Any = kind.model_json_schema()
    defs = schema.get("$defs", {})
    for part in detail["loc"]:
        nested: list[Any] = [each for each in _alternatives(schema, defs) if each.get("type") in ("object", "array")]
        schema = _schema_at(nested[0], part) if nested else {}
    return " or ".join(dict.fromkeys(_schema_in_words(each, defs) for each in _alternatives(schema, defs)))


def _schema_at(schema: Mapping[str, Any], part: int | str) -> Any:
    """Return the schema of a field (`part` is its name) or of an item (`part` is its index) within the schema of an
    object or array; {} if the field has no schema."""
    if isinstance(part, int):
        return schema.get("items", {})
    properties = schema.get("properties", {})
    return properties.get(part) or properties.get(to_camel(part)) or schema.get("additionalProperties", {})


def _alternatives(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[Any]:
    """Resolve a schema's `$ref` and `anyOf` into the list of schemas of which a value must match at least one. The
    schema of null is left out unless it is the only one; `defs` maps the names of references to schemas."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    parts = schema.get("anyOf", ())
    return [each for part in parts for each in _alternatives(part, defs) if each != _NOTHING] or [schema]


def _schema_in_words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """Say which values a JSON schema accepts, such as "a whole number from 1 to 10"; "another value" if its type is
    unknown. `defs` maps the names of references to schemas."""
    if one_of := schema.get("enum") or [schema["const"] for _ in "c" if "const" in schema]:
        return f"{'one of ' if len(one_of) > 1 else ''}{', '.join(map(str, one_of))}"
    kind = schema.get("type", "")
    if kind == "array":
        min_count = schema.get("minItems", 0)
        items = " or ".join(_schema_in_words(each, defs) for each in _alternatives(schema.get("items", {}), defs))
        return f"a list{f' of at least {min_count}' if min_count else ''}, each {items}"
    noun = "an ISO date or date-time" if schema.get("format") == "date-time" else _NOUNS.get(kind, "another value")
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{noun} from {low:g} to {high:g}"
    if low is not None:
        return f"{noun} of at least {low:g}"
    return f"{noun} of at most {high:g}" if high is not None else noun
