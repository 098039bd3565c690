"""The operations table in, `commands.json` out: every command with its flags, derived from its row and its own code.

Only `make docs` runs this; the command line reads the file, see `surfaces/command_line.py`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Operation, Words, context_fields, flag_name, flag_of
from pellucid.surfaces.cli import hooks, own, questions
from pellucid.surfaces.cli.running import Own, Row
from pellucid.surfaces.command_line import HOME, JSON, NAMESPACE, Command, Kind, Parameter
from pellucid.table import SECTIONS

_OWN_MODULES = (own, hooks, questions)
_KINDS: Mapping[type, Kind] = {bool: "switch", int: "whole", float: "number", Path: "file", datetime: "instant"}


def commands_json(sections: Mapping[str, tuple[Operation[Any, Any] | str, ...]] = SECTIONS) -> str:
    """Return the content of `commands.json` for the sections of the operations table: a line for each command. It maps
    each section to its commands by their words; each is a list: operation, its module, the module of its own code,
    help, parameters.
    """
    texts = (f"{json.dumps(title)}: {{\n{_commands_json(listed)}\n}}" for title, listed in sections.items())
    return "{\n" + ",\n".join(texts) + "\n}\n"


def _commands_json(listed: tuple[Operation[Any, Any] | str, ...]) -> str:
    """Return the commands of the operations in `listed` as lines of JSON, each
    `words: [operation, module, own, help, parameters]`; an operation without a command is left out. A text in `listed`
    is the words of a command without an operation.
    """
    return ",\n".join(
        f"{json.dumps(each.words)}: "
        + json.dumps([each.operation, each.module, each.own, each.help, list(map(_without_defaults, each.parameters))])
        for each in map(_derived_command, listed)
        if each.words
    )


def _without_defaults(parameter: Parameter) -> dict[str, object]:
    """Return by name those attributes of a parameter that differ from the defaults of `Parameter`."""
    values = ((each.name, getattr(parameter, each.name), each.default) for each in fields(parameter))
    return {name: value for name, value, default in values if value != default}


def _derived_command(entry: Operation[Any, Any] | str) -> Command:
    """Return the command of an operation or, if `entry` is a text, of the command with these words, which has no
    operation. What a command has of its own is looked up by its words in the `OWN` of the modules `own`, `hooks` and
    `questions`. The result's words are empty for an operation that has no command.
    """
    row, words = (None, entry) if isinstance(entry, str) else (entry, entry.on.cli)
    module = next((each for each in _OWN_MODULES if words in each.OWN), None)
    own = module.OWN[words] if module else None
    return Command(
        words,
        row.name if row else "",
        row.run.__module__ if row else "",  # the operation's own module: `in_home` wraps it by `functools.wraps`
        module.__name__ if module else "",
        row.help if row else own.text if own else "",
        tuple(_parameters(row, own)),
    )


def _parameters(row: Row | None, own: Own | None) -> Iterator[Parameter]:
    """Yield the parameters of a command: its positional ones, its flags, and then what many commands share: repeatable
    flags, `--home`, `--namespace` if an input has a namespace, other flags, and `--json` unless the command has none.

    The first two come from the fields of the inputs of `row` and `own` (None: the command has no such part), without
    those named in `own.less`; a parameter in `own.more` replaces the one of its name, or is added.
    """
    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    parameters = [(shared, each) for model in inputs for shared, each in _field_parameters(model)]
    replacements = {each.name: each for each in own.more} if own else {}
    own_parameters = [each for shared, each in parameters if not shared and each.name not in (own.less if own else ())]
    own_parameters = [*(replacements.pop(each.name, each) for each in own_parameters), *replacements.values()]
    yield from sorted(own_parameters, key=lambda each: bool(each.flag))
    shared_parameters = [each for shared, each in parameters if shared]
    yield from (each for each in shared_parameters if each.many)
    yield HOME
    if any("namespace" in context_fields(model) for model in inputs):
        yield NAMESPACE
    yield from (each for each in shared_parameters if not each.many)
    if own is None or own.as_json:
        yield JSON


def _field_parameters(model: type[Wire]) -> Iterator[tuple[bool, Parameter]]:
    """Yield for each field of an input class a pair: whether many commands share the parameter, and the parameter. A
    field without a `Flag` is left out.
    """
    for name, field in model.model_fields.items():
        flag = flag_of(field)
        if flag is None:
            continue
        kind, many = _kind_of(field.annotation)
        default: Any = None if many or flag.opposite or isinstance(flag, Words) else field.get_default()
        yield (
            flag.shared,
            Parameter(
                name,
                _help_text(flag.text, field, is_flag=not isinstance(flag, Argument)),
                "text" if flag.reads or flag.as_words else kind,
                "" if isinstance(flag, Argument) else flag_name(model, name),
                default if isinstance(default, str | int | float) and default is not False else None,
                many or isinstance(flag, Words),
                field.is_required(),
            ),
        )


def _help_text(text: str, field: FieldInfo, *, is_flag: bool) -> str:
    """Return `text`, the help of a field's parameter, with hints added to its end: `name=value` for a mapping,
    `may be repeated` for a field with several values if the parameter is a flag and not positional (`is_flag`).
    """
    is_table = dict in map(get_origin, (field.annotation, *get_args(field.annotation)))
    many = _kind_of(field.annotation)[1]
    hints = [*(["name=value"] if is_table else []), *(["may be repeated"] if many and is_flag else [])]
    return f"{text.removesuffix('.')}; {', '.join(hints)}." if hints else text


def _kind_of(annotation: Any) -> tuple[Kind, bool]:
    """Return the kind of parameter for a field's type, such as `whole` for `int | None`, and whether it is repeatable.
    A type without a kind of its own, such as a `Literal` or a mapping, is `text`.
    """
    parts = [each for each in get_args(annotation) if each is not NoneType]
    if get_origin(annotation) in (tuple, list):
        return _kind_of(parts[0])[0], True
    if get_origin(annotation) is dict:
        return "text", True
    if get_origin(annotation) is Literal or not parts:
        return _KINDS.get(annotation, "text"), False
    return _kind_of(parts[0])
