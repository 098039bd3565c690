"""Rows in, JSON schemas out as tools show them: without references, and merged for a tool with several modes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from pellucid.operations.operation import Operation
from pellucid.surfaces.inputs import agent_fields, input_schema

Schema = dict[str, Any]
_WHOLE, _SKETCH = 8, 1
"""The levels of nested objects in the schemas of inputs and of answers; descriptions say the rest."""


def field_schemas(row: Operation[Any, Any]) -> dict[str, Schema]:
    """Return the schema of each field that an agent can send, by its JSON name, without `null`; objects nested deeper
    than eight levels are shown without their properties.
    """
    schema = input_schema(row, list(agent_fields(row)))
    return {name: _inline(part, schema.get("$defs", {}), _WHOLE) for name, part in schema["properties"].items()}


def answer_schemas(row: Operation[Any, Any]) -> Iterator[Schema]:
    """Yield the schemas of an operation's answer, one for each type that it can have. That of an X-ray (explanation of
    a recall) is under `snapshot`, beside the boolean `snapshotFound`. Objects within the answer are shown without their
    properties.
    """
    kind: Any = row.output
    schema = TypeAdapter[Any](kind).json_schema(by_alias=True, mode="serialization")
    for each in schema.get("anyOf", [schema]):
        shown = _without(_inline(each, schema.get("$defs", {}), _SKETCH), "$defs", "description")
        if row.gives_xray:
            properties = {"snapshotFound": {"type": "boolean"}, "snapshot": shown}
            shown = {"type": "object", "properties": properties, "required": ["snapshotFound"]}
        yield shown


def merge_schemas(schemas: Iterable[Schema]) -> Schema:
    """Merge schemas into one that allows everything that any of them allows.

    If all have the same `type`, or none has one, the result has the keywords that all have with the same value, else an
    `anyOf` of the distinct ones. Beside that it has the first description, and the default if all have the same.
    """
    all_schemas = list(schemas)
    plain = [_without(each, "description", "default") for each in all_schemas]
    distinct = [each for place, each in enumerate(plain) if each not in plain[:place]]
    if len({each.get("type") for each in distinct}) == 1:  # they differ in their limits, which each mode checks
        first, *others = distinct
        merged = {name: value for name, value in first.items() if all(each.get(name) == value for each in others)}
    else:
        merged: Schema = {"anyOf": distinct}
    for name in ("default", "description"):
        values = [each[name] for each in all_schemas if name in each]
        is_shared = len(values) == len(all_schemas) and values.count(values[0]) == len(values)
        if values and (name == "description" or is_shared):
            merged[name] = values[0]
    return merged


def _without(schema: Schema, *names: str) -> Schema:
    """Return a copy of the schema without the keywords `names`."""
    return {name: value for name, value in schema.items() if name not in names}


def _inline(schema: Schema, definitions: Mapping[str, Schema], levels: int) -> Schema:
    """Return the schema with references replaced by their definitions, without titles, `null` and empty defaults (None,
    "", [] or {}). After `levels` of objects within objects, an object is shown as `{"type": "object"}`.
    """
    if "$ref" in schema:
        schema = {**definitions[schema["$ref"].rpartition("/")[2]], **_without(schema, "$ref")}
    if schema.get("type") == "object" and not levels:
        return {"type": "object"}
    out: Schema = {}
    for name, value in schema.items():
        if name == "title" or (name == "default" and value in (None, [], {}, "")):
            continue
        out[name] = _inline_keyword(name, value, schema, definitions, levels)
    if len(options := out.get("anyOf", ())) == 1:
        out = {**options[0], **_without(out, "anyOf")}
    return out


def _inline_keyword(name: str, value: Any, schema: Schema, definitions: Mapping[str, Schema], levels: int) -> Any:
    """Return the value of a keyword of `schema`, with references replaced in it as `_inline` does. Nullable fields are
    dropped from `required`; the value of a keyword without schemas is unchanged.
    """
    if name == "properties":
        return {each: _inline(part, definitions, levels - 1) for each, part in value.items()}
    if name == "required":
        fields = schema["properties"]
        return [each for each in value if {"type": "null"} not in fields[each].get("anyOf", ())]
    if name in ("items", "additionalProperties", "propertyNames") and isinstance(value, dict):
        return _inline(cast("Schema", value), definitions, levels)
    if name in ("anyOf", "oneOf", "prefixItems"):
        return [_inline(each, definitions, levels) for each in value if each.get("type") != "null"]
    return value
