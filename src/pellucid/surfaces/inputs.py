"""A row and JSON values or words in, its input out; and which fields a program may write, with their schema.

A field that names files of the caller's machine is written by no program, nor is one that the place of a call decides.
An input within an input, such as the question of an X-ray, is written flat: its fields stand beside the others.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from pydantic.fields import FieldInfo

from pellucid.errors import InputError, field_name
from pellucid.model.wire import Wire
from pellucid.operations.operation import CONTEXT, Call, Flag, Operation, flag_of

Row = Operation[Any, Any]


@dataclass(frozen=True, slots=True)
class WritableField:
    """A field of an operation's input that a program may write."""

    name: str
    info: FieldInfo
    model: type[Wire]
    """The input class that has the field."""
    parent: str = ""
    """The field of the operation's input that holds `model`; empty if `model` is the operation's input itself."""

    @property
    def json_name(self) -> str:
        """The field's name in JSON."""
        return self.info.alias or self.name

    @property
    def is_required(self) -> bool:
        """Whether a call without it is refused; never for a field of a nested input."""
        return self.info.is_required() and not self.parent

    @property
    def is_many(self) -> bool:
        """Whether it takes any number of values: its type is a tuple or a mapping."""
        return str(self.info.annotation).startswith(("tuple", "dict"))

    @property
    def flag(self) -> Flag:
        """The field's description and rules for every surface; an empty one if the input declares none."""
        return flag_of(self.info) or Flag("")


def writable_fields(row: Row) -> dict[str, WritableField]:
    """The fields of an operation that a program may write, by their JSON names."""
    return {each.json_name: each for each in _fields_of(row.input)}


def agent_fields(row: Row) -> dict[str, WritableField]:
    """The writable fields, by their JSON names, without those that only a person may set, or that reach beyond the
    namespace.
    """
    return {name: each for name, each in writable_fields(row).items() if not (each.flag.of_person or each.flag.beyond)}


def _fields_of(model: type[Wire], parent: str = "") -> Iterator[WritableField]:
    """The writable fields of an input class and of the input classes nested in it; `parent` is the field that holds
    `model`.
    """
    for name, info in model.model_fields.items():
        if inner := _nested_input(info):
            yield from _fields_of(inner, name)
        elif not _names_file(info.annotation) and (name not in CONTEXT or flag_of(info)):
            yield WritableField(name, info, model, parent)


def _nested_input(info: FieldInfo) -> type[Wire] | None:
    """The input class that a field holds; None if it holds a plain value."""
    parts = (info.annotation, *get_args(info.annotation))
    return next((each for each in parts if isinstance(each, type) and issubclass(each, Wire)), None)


def _names_file(annotation: Any) -> bool:
    """Whether a type is `Path`, or has `Path` anywhere among its arguments, as `tuple[Path, ...]` has."""
    return annotation is Path or any(map(_names_file, get_args(annotation)))


def file_field(row: Row) -> str | None:
    """The name of the required field that names files, in whose place a program sends a file's content; None if there
    is none.
    """
    fields = row.input.model_fields.items()
    return next((name for name, info in fields if info.is_required() and _names_file(info.annotation)), None)


def input_schema(row: Row, names: Sequence[str] | None = None) -> dict[str, Any]:
    """The JSON Schema of an operation's writable fields, or of those with the JSON names `names`; `KeyError` for other
    names.
    """
    fields = writable_fields(row)
    shown = {name: fields[name] for name in (fields if names is None else names)}
    tables = {model: model.model_json_schema() for model in dict.fromkeys(each.model for each in shown.values())}
    properties = {name: _property_schema(each, tables[each.model]) for name, each in shown.items()}
    found: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [name for name, each in shown.items() if each.is_required]:
        found["required"] = required
    if definitions := {name: each for table in tables.values() for name, each in table.get("$defs", {}).items()}:
        found["$defs"] = definitions
    return found


def _property_schema(field: WritableField, table: Mapping[str, Any]) -> dict[str, Any]:
    """A field's schema, taken from `table`, the schema of its class; its description ends with the right that it takes,
    if any. A field that is parsed from a text such as `7d` is a string.
    """
    flag = field.flag
    found = {"type": "string"} if flag.reads else dict(table["properties"][field.json_name])
    found.pop("title", None)
    right = " Takes admin." if flag.of_person else " Takes the same right everywhere." if flag.beyond else ""
    return {**found, "description": f"{found.get('description', flag.text)}{right}"}


def fields_beyond_namespace(row: Row, given: Mapping[str, object]) -> list[str]:
    """The names in `given` of fields that reach beyond a namespace, which takes the operation's right everywhere.

    A field that is given as None, False, "false" or empty is not among them.
    """
    fields, nothing = writable_fields(row), (None, False, "false", dict[str, object](), list[object]())
    return [
        name for name, value in given.items() if name in fields and fields[name].flag.beyond and value not in nothing
    ]


def input_from_json(call: Call, row: Row, given: Mapping[str, object], **files: object) -> Any:
    """The input of an operation from JSON values by JSON names; `InputError` for a name that is no writable field.

    `files` are fields that the surface fills in itself.
    """
    fields = writable_fields(row)
    if unknown := sorted(given.keys() - fields.keys()):
        raise InputError(
            f"{json.dumps(unknown[0])} is no field of this call", next_step=f"{field_name('help')} says what it takes"
        )
    by_parent: dict[str, dict[str, object]] = {}
    for name, value in given.items():
        field = fields[name]
        by_parent.setdefault(field.parent, {})[field.name] = _parse_value(call, field, value)
    values = {**by_parent.pop("", {}), **files}
    for parent, nested in by_parent.items():
        inner = _nested_input(row.input.model_fields[parent])
        assert inner is not None
        values[parent] = call.input_of(inner, nested)
    return call.input_of(row.input, values)


def _parse_value(call: Call, field: WritableField, value: object) -> object:
    """The value of a text such as `7d`, if the field has a parser for texts; any other value as it is."""
    if field.flag.reads and isinstance(value, str):
        return field.flag.reads(value, call.now(), field_name(field.name))
    return value


def parse_query(row: Row, given: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """The fields of a query string as JSON values, which stay texts; an unknown field is kept, for `input_from_json` to
    refuse. `InputError` if a field has more values than it takes, or a mapping's text is not `name=value`.
    """
    fields, found = writable_fields(row), dict[str, object]()
    for name, texts in given.items():
        field = fields.get(name)
        if field and str(field.info.annotation).startswith("dict"):
            found[name] = parse_pairs(field.name, field.info, texts)
        elif field and field.is_many:
            found[name] = list(texts)
        elif len(texts) > 1:
            raise InputError(f"{json.dumps(name)} is given {len(texts)} times, and takes one value")
        else:
            found[name] = texts[0]
    return found


def parse_pairs(name: str, info: FieldInfo, given: Sequence[str]) -> dict[str, object]:
    """A field's texts `name=value` as a mapping, the last one winning; `InputError` if one has no `=` or no name.

    Values are parsed as JSON, if they are JSON, where the field's type is open (`Any`).
    """
    out: dict[str, object] = {}
    for text in given:
        key, equals, value = (each.strip() for each in text.partition("="))
        if not equals or not key:
            raise InputError(
                f'{field_name(name)} expects name=value; got "{text}"',
                code=f"invalid_{name.removesuffix('s')}",
                next_step="write it as name=value",
            )
        out[key] = _json_or_text(value) if "Any" in str(info.annotation) else value
    return out


def _json_or_text(value: str) -> object:
    """The text parsed as JSON; the text itself if it is not JSON."""
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        return value
