"""A row and JSON values or words in, its input out; and the fields that a program can write, with their schema.

No program can write a field that names files of the caller's machine, or one that the place of a call decides. An input
within an input, such as the question of an X-ray, is written flat: its fields are beside the others.
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
    """A field of an operation's input that a program can write."""

    name: str
    info: FieldInfo
    model: type[Wire]
    """The input class that has the field."""
    parent: str = ""
    """The field of the operation's input whose type is `model`; empty if `model` is the operation's input itself."""

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
    """Map JSON names to the fields of an operation's input that a program can write: all but those that name files, and
    those that the call fills in from its own place (`CONTEXT`, such as `namespace`, unless the input makes a flag of
    it, as `project.move` does). The fields of an input within the input are among them, under their own names."""
    return {each.json_name: each for each in _iterate_fields(row.input)}


def agent_fields(row: Row) -> dict[str, WritableField]:
    """Map JSON names to the fields that an agent is offered: the writable ones that are neither for persons alone
    (`Flag.of_person`) nor reach beyond the namespace (`Flag.beyond`).
    """
    return {name: each for name, each in writable_fields(row).items() if not (each.flag.of_person or each.flag.beyond)}


def _iterate_fields(model: type[Wire], parent: str = "") -> Iterator[WritableField]:
    """Yield the writable fields of an input class; in place of a field that is itself an input, those of its class.
    `parent` is the name of the field whose type is `model`, "" for the operation's own input.
    """
    for name, info in model.model_fields.items():
        if inner := _nested_input(info):
            yield from _iterate_fields(inner, name)
        elif not _names_file(info.annotation) and (name not in CONTEXT or flag_of(info)):
            yield WritableField(name, info, model, parent)


def _nested_input(info: FieldInfo) -> type[Wire] | None:
    """Return the input class of a field whose type is such a class, or has one among its arguments, as `X | None` has;
    None for a field with a plain value.
    """
    types = (info.annotation, *get_args(info.annotation))
    return next((each for each in types if isinstance(each, type) and issubclass(each, Wire)), None)


def _names_file(annotation: Any) -> bool:
    """Whether a type is `Path`, or has `Path` anywhere among its arguments, as `tuple[Path, ...]` has."""
    return annotation is Path or any(map(_names_file, get_args(annotation)))


def file_field(row: Row) -> str | None:
    """Return the Python name of the required field that names files, for which a program sends a file's content; None
    if the operation's input has no such field.
    """
    fields = row.input.model_fields.items()
    return next((name for name, info in fields if info.is_required() and _names_file(info.annotation)), None)


def input_schema(row: Row, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the JSON Schema of an operation's writable fields, as of an object without other properties; of those with
    the JSON names `names` if that is given. `KeyError` for a name that is not a writable field's.
    """
    fields = writable_fields(row)
    chosen = {name: fields[name] for name in (fields if names is None else names)}
    tables = {model: model.model_json_schema() for model in dict.fromkeys(each.model for each in chosen.values())}
    properties = {name: _property_schema(each, tables[each.model]) for name, each in chosen.items()}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [name for name, each in chosen.items() if each.is_required]:
        schema["required"] = required
    if definitions := {name: each for table in tables.values() for name, each in table.get("$defs", {}).items()}:
        schema["$defs"] = definitions
    return schema


def _property_schema(field: WritableField, class_schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field's schema, taken from the schema of its class; its description ends with the right that the field
    takes, if that is more than the operation's. A field that is parsed from a text such as `7d` is a string.
    """
    flag = field.flag
    schema = {"type": "string"} if flag.reads else dict(class_schema["properties"][field.json_name])
    schema.pop("title", None)
    right = " Takes admin." if flag.of_person else " Takes the same right everywhere." if flag.beyond else ""
    return {**schema, "description": f"{schema.get('description', flag.text)}{right}"}


def fields_beyond_namespace(row: Row, values: Mapping[str, object]) -> list[str]:
    """Return the names in `values` of fields that reach beyond the namespace (`Flag.beyond`), for which a server
    requires the operation's right in every namespace. A field whose value is None, False, "false", or an empty list or
    mapping is not included.
    """
    fields, empty_values = writable_fields(row), (None, False, "false", "", dict[str, object](), list[object]())
    return [
        name
        for name, value in values.items()
        if name in fields and fields[name].flag.beyond and value not in empty_values
    ]


def input_from_json(call: Call, row: Row, json_values: Mapping[str, object], **files: object) -> Any:
    """Make the input of an operation from JSON values by JSON names, filled up with what the place of the call decides
    (such as the namespace), for which its home can be opened. `files` are fields that the surface fills in itself, by
    their Python names. `InputError` for a name that is not writable, or a value that is not valid.
    """
    fields = writable_fields(row)
    if unknown := sorted(json_values.keys() - fields.keys()):
        raise InputError(
            f"{json.dumps(unknown[0])} is no field of this call", next_step=f"{field_name('help')} says what it takes"
        )
    values_by_parent: dict[str, dict[str, object]] = {}
    for name, value in json_values.items():
        field = fields[name]
        values_by_parent.setdefault(field.parent, {})[field.name] = _parse_value(call, field, value)
    values = {**values_by_parent.pop("", {}), **files}
    for parent, nested in values_by_parent.items():
        inner = _nested_input(row.input.model_fields[parent])
        assert inner is not None
        values[parent] = call.input_of(inner, nested)
    return call.input_of(row.input, values)


def _parse_value(call: Call, field: WritableField, value: object) -> object:
    """Return what `value` stands for if it is a text, such as `7d`, and the field has a parser for texts (`InputError`
    if the parser refuses it); any other value unchanged.
    """
    if field.flag.reads and isinstance(value, str):
        return field.flag.reads(value, call.now(), field_name(field.name))
    return value


def parse_query(row: Row, texts_by_name: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return the fields of a query string, given as lists of texts by name, as JSON values by name: a list for a field
    of many values, a mapping for a field of `name=value` texts, for any other field, also an unknown one, its only
    text. `InputError` if a field has more values than it takes, or a mapping's text is not `name=value`."""
    fields, values = writable_fields(row), dict[str, object]()
    for name, texts in texts_by_name.items():
        field = fields.get(name)
        if field and str(field.info.annotation).startswith("dict"):
            values[name] = parse_pairs(field.name, field.info, texts)
        elif field and field.is_many:
            values[name] = list(texts)
        elif len(texts) > 1:
            raise InputError(f"{json.dumps(name)} is given {len(texts)} times, and takes one value")
        else:
            values[name] = texts[0]
    return values


def parse_pairs(name: str, info: FieldInfo, texts: Sequence[str]) -> dict[str, object]:
    """Return texts such as `name=value`, given for the field `name` described by `info`, as a mapping; names and values
    are stripped, and the last value of a name wins. Values that are JSON are parsed if the field's type is open
    (`Any`); `InputError` if a text has no `=` or no name.
    """
    mapping: dict[str, object] = {}
    for text in texts:
        key, equals, value = (each.strip() for each in text.partition("="))
        if not equals or not key:
            raise InputError(
                f'{field_name(name)} expects name=value; got "{text}"',
                code=f"invalid_{name.removesuffix('s')}",
                next_step="write it as name=value",
            )
        mapping[key] = _json_or_text(value) if "Any" in str(info.annotation) else value
    return mapping


def _json_or_text(value: str) -> object:
    """Return the text parsed as JSON; the text itself if it is not JSON."""
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        return value
