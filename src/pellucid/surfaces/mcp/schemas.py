"""Rows in, JSON schemas out as tools show them: without references, and one schema of what several modes allow."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from pellucid.operations.operation import Operation
from pellucid.surfaces.asking import offered, schema

Schema = dict[str, Any]
_WHOLE, _SKETCH = 8, 1
"""Levels of objects that are shown of what is sent, and of what is answered: the words say the rest."""


def field_schemas(row: Operation[Any, Any]) -> dict[str, Schema]:
    """What may be sent in each field; that nothing may be sent goes without saying."""
    found = schema(row, list(offered(row)))
    return {name: _bare(part, found.get("$defs", {}), _WHOLE) for name, part in found["properties"].items()}


def answer_schemas(row: Operation[Any, Any]) -> Iterator[Schema]:
    """What a row answers with: one schema a type it may answer with."""
    kind: Any = row.output
    found = TypeAdapter[Any](kind).json_schema(by_alias=True, mode="serialization")
    for each in found.get("anyOf", [found]):
        shown = _without(_bare(each, found.get("$defs", {}), _SKETCH), "$defs", "description")
        if row.gives_xray:
            captured = {"snapshotFound": {"type": "boolean"}, "snapshot": shown}
            shown = {"type": "object", "properties": captured, "required": ["snapshotFound"]}
        yield shown


def together(parts: Iterable[Schema]) -> Schema:
    """One schema of what several allow; described as the first is, with a default only where all share it."""
    several = list(parts)
    plain = [_without(each, "description", "default") for each in several]
    unlike = [each for place, each in enumerate(plain) if each not in plain[:place]]
    if len({each.get("type") for each in unlike}) == 1:  # they differ in their limits, which each mode checks
        found = {name: value for name, value in unlike[0].items() if all(each.get(name) == value for each in unlike)}
    else:
        found: Schema = {"anyOf": unlike}
    for name in ("default", "description"):
        said = [each[name] for each in several if name in each]
        if said and (name == "description" or (len(said) == len(several) and said.count(said[0]) == len(said))):
            found[name] = said[0]
    return found


def _without(found: Schema, *names: str) -> Schema:
    return {name: value for name, value in found.items() if name not in names}


def _bare(found: Schema, definitions: Mapping[str, Schema], levels: int) -> Schema:
    """Without references, titles, and the null that stands for what is left out; what may be is not required.

    Below the last level an object is an object.
    """
    if "$ref" in found:
        found = {**definitions[found["$ref"].rpartition("/")[2]], **_without(found, "$ref")}
    if found.get("type") == "object" and not levels:
        return {"type": "object"}
    out: Schema = {}
    for name, value in found.items():
        if name == "title" or (name == "default" and value in (None, [], {}, "")):
            continue
        out[name] = _part(name, value, found, definitions, levels)
    if len(several := out.get("anyOf", ())) == 1:
        out = {**several[0], **_without(out, "anyOf")}
    return out


def _part(name: str, value: Any, found: Schema, definitions: Mapping[str, Schema], levels: int) -> Any:
    """One keyword of a schema, without references."""
    if name == "properties":
        return {each: _bare(part, definitions, levels - 1) for each, part in value.items()}
    if name == "required":
        return [each for each in value if not _may_be_null(found["properties"][each])]
    if name in ("items", "additionalProperties", "propertyNames") and isinstance(value, dict):
        return _bare(cast("Schema", value), definitions, levels)
    if name in ("anyOf", "oneOf", "prefixItems"):
        return [_bare(each, definitions, levels) for each in value if each.get("type") != "null"]
    return value


def _may_be_null(found: Schema) -> bool:
    return any(each.get("type") == "null" for each in found.get("anyOf", ()))
