"""A command as it is typed in, the same request as a program makes it out, and back: by the rows of the table alone."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic.alias_generators import to_camel

from pellucid.clock import isoformat
from pellucid.model.wire import Wire
from pellucid.operations.operation import Words, flag_of, spelled
from pellucid.surfaces.asking import Row, WritableField, pairs, writable
from pellucid.surfaces.cli.derived import HOME, JSON, NAMESPACE, Command, Parameter, commands

_READS: dict[str, Callable[[str], Any]] = {"whole": int, "number": float}


@dataclass(frozen=True, slots=True)
class Request:
    """What a command asks: an operation, its fields by their JSON names, and the namespace, where it names one."""

    row: Row
    fields: dict[str, Any]
    namespace: str | None


def request_of(words: str) -> Request | None:
    """The request of a command, without the program's name; None where a program cannot make all of it."""
    try:
        typed = shlex.split(words)
    except ValueError:
        return None
    found = next((known for n in (2, 1) if (known := commands().get(" ".join(typed[:n])))), None)
    row = next((row for row in _rows() if found and row.on.cli == found.words), None)
    if not (found and row):
        return None
    given = _given(found, typed[len(found.words.split()) :])
    known = {each.name: (wire, each) for wire, each in writable(row).items()}
    if given is None or given.keys() - known.keys() - {HOME.name, NAMESPACE.name, JSON.name}:
        return None
    fields = {
        known[name][0]: " ".join(value)
        if isinstance(known[name][1].flag, Words)
        else value is not True
        if known[name][1].flag.opposite
        else value
        for name, value in given.items()
        if name in known
    }
    return Request(row, fields, given.get(NAMESPACE.name))


def _rows() -> Sequence[Row]:
    from pellucid.table import OPERATIONS  # it loads every room, which no command waits for

    return OPERATIONS


def _given(command: Command, typed: list[str]) -> dict[str, Any] | None:
    """What was typed, by the names of the command's parameters; None where there is no such flag."""
    flags = {each.flag: each for each in command.parameters if each.flag}
    placed = [each for each in command.parameters if not each.flag]
    found: dict[str, Any] = {}
    rest = iter(typed)
    for word in rest:
        taken = flags.get(word) if word.startswith("--") else placed[0] if placed else None
        if taken is None:
            return None
        text = word if not taken.flag else "" if taken.kind == "switch" else next(rest, "")
        value = True if taken.kind == "switch" else _READS.get(taken.kind, str)(text)
        found[taken.name] = [*found.get(taken.name, ()), value] if taken.many else value
        if not (taken.flag or taken.many):
            placed.pop(0)
    return found


def words_of(words: str, asked: Wire, **changed: object) -> str:
    """The command that makes a request, without the program's name; `changed` are fields that are to differ."""
    said = asked.model_copy(update=changed)
    parts = [part for each in commands()[words].parameters for part in _typed(each, said)]
    return " ".join([words, *map(shlex.quote, parts)])


def _typed(parameter: Parameter, asked: Wire) -> list[str]:
    field = type(asked).model_fields.get(parameter.name)
    value: Any = getattr(asked, parameter.name, None)
    if field is None or parameter == NAMESPACE or value == field.get_default(call_default_factory=True):
        return []
    said = flag_of(field)
    if parameter.kind == "switch":
        return [parameter.flag] if value is not (said is not None and said.opposite) else []
    values: list[Any] = [*value] if isinstance(value, tuple) else [value]
    texts = [isoformat(each) if isinstance(each, datetime) else str(each) for each in values]
    return [part for text in texts for part in ([parameter.flag, text] if parameter.flag else [text])]


def wire_flag(
    flag: str, pair: str, row: Row | None, as_json: str, fields: Callable[[Row], Mapping[str, WritableField]]
) -> str:
    """The field that a flag sets, as JSON has it, with the `name=value` behind it; what a call cannot set stays a flag.

    Args:
        flag: such as `--top-k`.
        pair: such as `gate=off`; empty where none follows.
        row: the operation that is asked, whose flag it is; None where that is not known.
        as_json: what stands for `--json`.
        fields: those of an operation that a call may write here.
    """
    if flag == JSON.flag:
        return as_json
    if row is not None and (own := _field_of(flag, fields(row))):
        values = pairs(own.name, own.info, [pair.replace("'", "")]) if pair else None
        return f'"{own.wire}": {json.dumps(values)}' if values else f'"{own.wire}"'
    if row is not None and _field_of(flag, writable(row)):
        return f"{flag} {pair}".rstrip() + " (in a shell)"
    names = {each.name for command in commands().values() for each in command.parameters if each.flag == flag}
    known = names & {each.name for row in _rows() for each in writable(row).values()} | names & {NAMESPACE.name}
    plain = flag.removeprefix("--").replace("-", "_")
    return f'"{to_camel(plain if plain in known else min(known))}"' if known else f"{flag} {pair}".rstrip()


def _field_of(flag: str, fields: Mapping[str, WritableField]) -> WritableField | None:
    return next((each for each in fields.values() if spelled(each.kind, each.name) == flag), None)
