"""A typed command in, the request of a program that does the same out, and back: derived from the operations table."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic.alias_generators import to_camel

from pellucid.clock import isoformat
from pellucid.errors import InputError, field_name
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Words, flag_name, flag_of
from pellucid.surfaces.command_line import HOME, JSON, NAMESPACE, Command, Parameter, commands, find_command
from pellucid.surfaces.inputs import Row, WritableField, parse_pairs, writable_fields

_PARSERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "whole": (int, "a whole number, such as 20"),
    "number": (float, "a number, such as 0.5"),
}
"""How values are read from words, and what words those are, by the kind of their parameter; as text if not here."""


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a command: an operation, its fields by their JSON names, and the namespace, if one was typed."""

    row: Row
    fields: dict[str, Any]
    namespace: str | None


def parse_command(words: str) -> Request | None:
    """Parse a command such as `undo op_1`, typed without `pellucid`, into a request.

    None if its quotes do not match, if it is not an operation's command, or if it sets a field that no program can
    write; `InputError` if a number cannot be parsed.
    """
    try:
        typed = shlex.split(words)
    except ValueError:
        return None
    command = find_command(typed)
    row = next((row for row in _operations() if command and row.on.cli == command.words), None)
    if not (command and row):
        return None
    values = _parse_arguments(command, typed[len(command.words.split()) :])
    fields = {each.name: each for each in writable_fields(row).values()}
    if values is None or values.keys() - fields.keys() - {HOME.name, NAMESPACE.name, JSON.name}:
        return None
    json_values = {
        fields[name].json_name: _json_value(fields[name].flag, value)
        for name, value in values.items()
        if name in fields
    }
    return Request(row, json_values, values.get(NAMESPACE.name))


def _json_value(flag: Flag, typed: Any) -> Any:
    """Return the JSON value of a field's typed words: words joined by spaces; False for a flag such as `--no-x`."""
    if isinstance(flag, Words):
        return " ".join(typed)
    return typed is not True if flag.opposite else typed


def _operations() -> Sequence[Row]:
    """Return all operations; importing them here delays no command, since that loads every package."""
    from pellucid.table import OPERATIONS

    return OPERATIONS


def _parse_arguments(command: Command, typed: list[str]) -> dict[str, Any] | None:
    """Map the command's parameters to their typed values: a list for a parameter that takes several, True for a switch.
    None if a word belongs to no parameter; `InputError` if a number cannot be parsed.
    """
    flags = {each.flag: each for each in command.parameters if each.flag}
    positional = [each for each in command.parameters if not each.flag]
    values: dict[str, Any] = {}
    remaining = iter(typed)
    for word in remaining:
        parameter = flags.get(word) if word.startswith("--") else positional[0] if positional else None
        if parameter is None:
            return None
        text = word if not parameter.flag else "" if parameter.kind == "switch" else next(remaining, "")
        value = True if parameter.kind == "switch" else _parse_value(parameter, text)
        values[parameter.name] = [*values.get(parameter.name, ()), value] if parameter.many else value
        if not (parameter.flag or parameter.many):
            positional.pop(0)
    return values


def _parse_value(parameter: Parameter, text: str) -> Any:
    """Return the value of a parameter that is not a switch; `InputError` if its kind is a number and `text` is not."""
    parse, expected = _PARSERS.get(parameter.kind, (str, ""))
    try:
        return parse(text)
    except ValueError as error:
        received = f'got "{text}"' if text else "nothing stands behind it"
        raise InputError(
            f"{field_name(parameter.name)} expects {expected}; {received}",
            code=f"invalid_{parameter.name}",
            next_step=f"write it as {expected}",
        ) from error


def command_for(words: str, request: Wire, **changes: object) -> str:
    """Return the command `words` with the arguments that make `request`, quoted for a shell, without `pellucid`.
    `changes` are fields of the request with other values; a field that has its default is not written.
    """
    changed = request.model_copy(update=changes)
    parts = [part for each in commands()[words].parameters for part in _argument_words(each, changed)]
    return " ".join([words, *map(shlex.quote, parts)])


def _argument_words(parameter: Parameter, request: Wire) -> list[str]:
    """Return the words that set a command's parameter to its value in the request, such as `--top-k`, `3`; empty if the
    value is the default, or the request has no such field.
    """
    field = type(request).model_fields.get(parameter.name)
    value: Any = getattr(request, parameter.name, None)
    if field is None or parameter == NAMESPACE or value == field.get_default(call_default_factory=True):
        return []
    flag = flag_of(field)
    if parameter.kind == "switch":
        return [parameter.flag] if value is not (flag is not None and flag.opposite) else []
    values: list[Any] = [*value] if isinstance(value, tuple) else [value]
    texts = [isoformat(each) if isinstance(each, datetime) else str(each) for each in values]
    return [part for text in texts for part in ([parameter.flag, text] if parameter.flag else [text])]


def flag_in_json(
    flag: str, pair: str, row: Row | None, as_json: str, fields: Callable[[Row], Mapping[str, WritableField]]
) -> str:
    """Return the JSON field that a flag sets, in quotes, then the value of `pair`, such as `"settings": {"a": 1}`.

    A flag of the operation that a call cannot set here stays a flag, with ` (in a shell)`; an unknown flag is
    unchanged.

    Args:
        flag: such as `--top-k`.
        pair: such as `gate=off`; empty if none follows.
        row: the operation whose flag it is; None if that is not known.
        as_json: the text to return for `--json` on this surface.
        fields: returns the fields of an operation that a call can set on this surface, by JSON name.
    """
    if flag == JSON.flag:
        return as_json
    if row is not None and (field := _field_of_flag(flag, fields(row))):
        values = parse_pairs(field.name, field.info, [pair.replace("'", "")]) if pair else None
        return f'"{field.json_name}": {json.dumps(values)}' if values else f'"{field.json_name}"'
    if row is not None and _field_of_flag(flag, writable_fields(row)):
        return f"{flag} {pair}".rstrip() + " (in a shell)"
    names = {each.name for command in commands().values() for each in command.parameters if each.flag == flag}
    writable = {each.name for row in _operations() for each in writable_fields(row).values()}
    known = names & {*writable, NAMESPACE.name}
    snake_name = flag.removeprefix("--").replace("-", "_")
    return f'"{to_camel(snake_name if snake_name in known else min(known))}"' if known else f"{flag} {pair}".rstrip()


def _field_of_flag(flag: str, fields: Mapping[str, WritableField]) -> WritableField | None:
    """Return the field among `fields` that a flag such as `--top-k` sets; None if it sets none of them."""
    return next((each for each in fields.values() if flag_name(each.model, each.name) == flag), None)
