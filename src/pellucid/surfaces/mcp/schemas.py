"""Rows in, JSON schemas out as tools show them: without references, and one schema of what several modes allow."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from pellucid.operations.operation import Operation
from pellucid.surfaces.inputs import agent_fields, input_schema

Schema = dict[str, Any]
_WHOLE, _SKETCH = 8, 1
"""Levels of nested objects that the schemas of inputs and of answers show; the descriptions say the rest."""


def field_schemas(row: Operation[Any, Any]) -> dict[str, Schema]:
    """The schema of each field that an agent may send, by its JSON name, without `null`."""
    found = input_schema(row, list(agent_fields(row)))
    return {name: _inlined(part, found.get("$defs", {}), _WHOLE) for name, part in found["properties"].items()}


def answer_schemas(row: Operation[Any, Any]) -> Iterator[Schema]:
    """The schemas of an operation's answer, one for each type that it may have."""
    kind: Any = row.output
    found = TypeAdapter[Any](kind).json_schema(by_alias=True, mode="serialization")
    for each in found.get("anyOf", [found]):
        shown = _without(_inlined(each, found.get("$defs", {}), _SKETCH), "$defs", "description")
        if row.gives_xray:
            properties = {"snapshotFound": {"type": "boolean"}, "snapshot": shown}
            shown = {"type": "object", "properties": properties, "required": ["snapshotFound"]}
        yield shown


def merge_schemas(schemas: Iterable[Schema]) -> Schema:
    """One schema that allows what any of these does: the keywords they share if all have one type, else `anyOf`.

    It has the first description there is, and the default if all have the same.
    """
    several = list(schemas)
    plain = [_without(each, "description", "default") for each in several]
    distinct = [each for place, each in enumerate(plain) if each not in plain[:place]]
    if len({each.get("type") for each in distinct}) == 1:  # they differ in their limits, which each mode checks
        first, *others = distinct
        found = {name: value for name, value in first.items() if all(each.get(name) == value for each in others)}
    else:
        found: Schema = {"anyOf": distinct}
    for name in ("default", "description"):
        values = [each[name] for each in several if name in each]
        is_shared = len(values) == len(several) and values.count(values[0]) == len(values)
        if values and (name == "description" or is_shared):
            found[name] = values[0]
    return found


def _without(found: Schema, *names: str) -> Schema:
    """The schema without these keywords."""
    return {name: value for name, value in found.items() if name not in names}


def _inlined(found: Schema, definitions: Mapping[str, Schema], levels: int) -> Schema:
    """The schema with references replaced by their definitions, and without titles, `null` and empty defaults.

    Objects nested deeper than `levels` are shown without their properties.
    """
    if "$ref" in found:
        found = {**definitions[found["$ref"].rpartition("/")[2]], **_without(found, "$ref")}
    if found.get("type") == "object" and not levels:
        return {"type": "object"}
    out: Schema = {}
    for name, value in found.items():
        if name == "title" or (name == "default" and value in (None, [], {}, "")):
            continue
        out[name] = _inlined_keyword(name, value, found, definitions, levels)
    if len(several := out.get("anyOf", ())) == 1:
        out = {**several[0], **_without(out, "anyOf")}
    return out


def _inlined_keyword(name: str, value: Any, found: Schema, definitions: Mapping[str, Schema], levels: int) -> Any:
    """The value of one keyword of the schema `found`, with references replaced in it as `_inlined` does.

    Nullable fields are dropped from `required`; a keyword that holds no schema keeps its value.
    """
    if name == "properties":
        return {each: _inlined(part, definitions, levels - 1) for each, part in value.items()}
    if name == "required":
        fields = found["properties"]
        return [each for each in value if {"type": "null"} not in fields[each].get("anyOf", ())]
    if name in ("items", "additionalProperties", "propertyNames") and isinstance(value, dict):
        return _inlined(cast("Schema", value), definitions, levels)
    if name in ("anyOf", "oneOf", "prefixItems"):
        return [_inlined(each, definitions, levels) for each in value if each.get("type") != "null"]
    return value
