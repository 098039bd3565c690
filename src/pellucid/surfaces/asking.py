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
    """A field that a program may write."""

    name: str
    info: FieldInfo
    kind: type[Wire]
    """The input it is a field of."""
    within: str = ""
    """The field of the row's input that holds that input, where it is not the row's own."""

    @property
    def wire(self) -> str:
        """Its name in JSON."""
        return self.info.alias or self.name

    @property
    def is_required(self) -> bool:
        """Whether a call without it is refused."""
        return self.info.is_required() and not self.within

    @property
    def is_many(self) -> bool:
        """Whether it takes any number of values."""
        return str(self.info.annotation).startswith(("tuple", "dict"))

    @property
    def flag(self) -> Flag:
        """What it says of itself."""
        return flag_of(self.info) or Flag("")


def writable(row: Row) -> dict[str, WritableField]:
    """The fields that a program may write, by their JSON names."""
    return {each.wire: each for each in _fields_of(row.input, "")}


def offered(row: Row) -> dict[str, WritableField]:
    """Those of them that an agent may write: not what is a person's to say, nor what reaches beyond the namespace."""
    return {name: each for name, each in writable(row).items() if not (each.flag.of_person or each.flag.beyond)}


def _fields_of(kind: type[Wire], within: str) -> Iterator[WritableField]:
    """The fields of an input that may be written, those of inputs within it among them (`within` names the outer)."""
    for name, info in kind.model_fields.items():
        if inner := _input_within(info):
            yield from _fields_of(inner, name)
        elif not _is_file(info) and (name not in CONTEXT or flag_of(info)):
            yield WritableField(name, info, kind, within)


def _input_within(info: FieldInfo) -> type[Wire] | None:
    parts = (info.annotation, *get_args(info.annotation))
    return next((each for each in parts if isinstance(each, type) and issubclass(each, Wire)), None)


def _is_file(info: FieldInfo) -> bool:
    return _names_path(info.annotation)


def _names_path(annotation: Any) -> bool:
    return annotation is Path or any(map(_names_path, get_args(annotation)))


def file_field(row: Row) -> str | None:
    """The field without which a row cannot run, and which names files: a program sends what stands in them."""
    fields = row.input.model_fields.items()
    return next((name for name, info in fields if info.is_required() and _is_file(info)), None)


def schema(row: Row, names: Sequence[str] | None = None) -> dict[str, Any]:
    """What a program may write, as a JSON Schema; of all fields, or of those with these JSON names."""
    fields = writable(row)
    shown = {name: fields[name] for name in (fields if names is None else names)}
    tables = {kind: kind.model_json_schema() for kind in dict.fromkeys(each.kind for each in shown.values())}
    properties = {name: _schema_property(each, tables[each.kind]) for name, each in shown.items()}
    found: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [name for name, each in shown.items() if each.is_required]:
        found["required"] = required
    if definitions := {name: each for table in tables.values() for name, each in table.get("$defs", {}).items()}:
        found["$defs"] = definitions
    return found


def _schema_property(field: WritableField, table: Mapping[str, Any]) -> dict[str, Any]:
    said = {"type": "string"} if field.flag.reads else dict(table["properties"][field.wire])  # words that mean a value
    said.pop("title", None)
    return {**said, "description": f"{said.get('description', field.flag.text)}{_right(field.flag)}"}


def _right(flag: Flag) -> str:
    """What a field takes beyond the right to make the call."""
    return " Takes admin." if flag.of_person else " Takes the same right everywhere." if flag.beyond else ""


def beyond(row: Row, given: Mapping[str, object]) -> list[str]:
    """Those of the given fields that reach beyond a namespace: a server takes them only of who may do so everywhere."""
    fields, nothing = writable(row), (None, False, "false", dict[str, object](), list[object]())
    return [
        name for name, value in given.items() if name in fields and fields[name].flag.beyond and value not in nothing
    ]


def input_of(call: Call, row: Row, given: Mapping[str, object], **files: object) -> Any:
    """The input of a row from JSON values; `files` are fields that a surface fills in itself.

    Raises:
        InputError: a name is none of its fields, or a value is not allowed.
    """
    fields = writable(row)
    if unknown := sorted(given.keys() - fields.keys()):
        raise InputError(
            f"{json.dumps(unknown[0])} is no field of this call", next_step=f"{field_name('help')} says what it takes"
        )
    parts: dict[str, dict[str, object]] = {}
    for name, value in given.items():
        field = fields[name]
        parts.setdefault(field.within, {})[field.name] = _value_of(call, field, value)
    mine = {**parts.pop("", {}), **files}
    for within, values in parts.items():
        inner = _input_within(row.input.model_fields[within])
        assert inner is not None
        mine[within] = call.input_of(inner, values)
    return call.input_of(row.input, mine)


def _value_of(call: Call, field: WritableField, value: object) -> object:
    """Words that mean a value become it, such as `7d`; other values are what they are."""
    if field.flag.reads and isinstance(value, str):
        return field.flag.reads(value, call.now(), field_name(field.name))
    return value


def from_words(row: Row, given: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """The fields of a query string as JSON values; `name=value` words become a mapping.

    Raises:
        InputError: a field that takes one value is given several.
    """
    fields, found = writable(row), dict[str, object]()
    for name, words in given.items():
        field = fields.get(name)
        if field and str(field.info.annotation).startswith("dict"):
            found[name] = pairs(field.name, field.info, words)
        elif field and field.is_many:
            found[name] = list(words)
        elif len(words) > 1:
            raise InputError(f"{json.dumps(name)} is given {len(words)} times, and takes one value")
        else:
            found[name] = words[0]
    return found


def pairs(name: str, info: FieldInfo, given: Sequence[str]) -> dict[str, object]:
    """`name=value` texts as a mapping; where any value may stand, it is read as JSON if it is that.

    Raises:
        InputError: a text is no such pair.
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
    """A text read as JSON if it is that, else as it stands."""
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        return value
