"""An operation and its fields in, the shell command or the program's request that runs it out, for texts."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

from pydantic.alias_generators import to_camel

from pellucid.clock import isoformat
from pellucid.errors import InputError, PellucidError, Spelling, field_name
from pellucid.model.wire import Wire
from pellucid.operations.operation import flag_name, flag_of
from pellucid.surfaces.command_line import HOME, JSON, NAMESPACE, Command, commands
from pellucid.surfaces.inputs import Row, agent_fields, writable_fields

_COMMON_FLAGS = {each.name: each.flag for each in (HOME, NAMESPACE, JSON)}


@dataclass(frozen=True, slots=True)
class SpelledRequest:
    """A call of an operation: its fields by their JSON names, and the namespace, if one is named."""

    row: Row
    fields: dict[str, Any]
    namespace: str | None


def shell_spelling(inputs: Sequence[type[Wire]], typed: Mapping[str, object]) -> Spelling:
    """Return the `Spelling` of the command line: how texts write commands and flags. `inputs` are the input classes in
    which the flags of fields are looked up; `typed` are the values of `--home` and `--namespace`, which commands in
    texts repeat.
    """

    def flag(name: str) -> str:
        """Return the flag of the field `name`, such as `--top-k`; if no input has such a field, a flag made from the
        name.
        """
        model = next((each for each in inputs if name in each.model_fields), inputs[0] if inputs else None)
        return _COMMON_FLAGS.get(name) or (flag_name(model, name) if model else f"--{name}")

    return Spelling(
        lambda operation, fields: (shell_command(operation, {**typed, **fields}), ""),
        flag,
        lambda name, value: " ".join(_argument_words(flag(name), value)),
    )


def shell_command(operation: str, fields: Mapping[str, object]) -> str:
    """Return the command that runs an operation with these fields, quoted for a shell. A field that is no parameter of
    the command is left out; a switch is given whatever its field's value.

    For a command without an operation, `operation` is its words, such as `hooks install`; any other unknown name is
    written after `pellucid` without the fields.
    """
    command = _commands_by_operation().get(operation)
    if command is None:  # a mark on record can come from another version
        return f"pellucid {operation}"
    words = [
        word
        for each in command.parameters
        if each.name in fields
        for word in ([each.flag] if each.kind == "switch" else _argument_words(each.flag, fields[each.name]))
    ]
    return " ".join(["pellucid", command.words, *words])


@cache
def _commands_by_operation() -> dict[str, Command]:
    """Map the operations' names to their commands; those without an operation by their words."""
    return {each.operation or words: each for words, each in commands().items()}


def _argument_words(flag: str, value: object) -> list[str]:
    """Return the words that give a parameter its value, quoted for a shell: the flag and the text, once for each item
    of a tuple or, as `name=value`, of a mapping. `flag` is "" for a positional one.
    """
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        texts = [f"{name}={shlex.quote(each if isinstance(each, str) else json.dumps(each))}" for name, each in pairs]
    else:
        values = cast("Sequence[object]", value) if isinstance(value, tuple) else (value,)
        texts = [shlex.quote(isoformat(each) if isinstance(each, datetime) else str(each)) for each in values]
    return [word for text in texts for word in ([flag, text] if flag else [text])]


def program_spelling(
    spell: Callable[[SpelledRequest], str | None], reference: str, as_json: str, row: Row | None = None
) -> Spelling:
    """Return the spelling of a surface for programs, which writes fields by their JSON names.

    Args:
        spell: returns the text of a request; None if the surface has none for it, which a shell command then replaces.
        reference: what documents the fields of a call.
        as_json: how a call asks for the whole answer as JSON.
        row: the operation that is asked, of whose fields those that no agent is offered are written as flags.
    """
    known = writable_fields(row) if row else {}
    hidden = known.keys() - agent_fields(row).keys() if row else set[str]()
    in_shell = shell_spelling(list({each.model: None for each in known.values()}), {})

    def call(operation: str, fields: Mapping[str, object]) -> tuple[str, str]:
        """Return how to write a call of this operation with these fields, and where to make it: the text that `spell`
        returns and "" or, if that is none or no program can make it, the shell command and `in a shell`."""
        request = _request_of(operation, fields)
        spelled = spell(request) if request else None
        return (spelled, "") if spelled else (shell_command(operation, fields), "in a shell")

    def field(name: str) -> str:
        """Return the field's JSON name in quotes, or its flag if the field is for a shell alone."""
        if to_camel(name) in hidden:
            return f"{in_shell.field(name)} (in a shell)"
        return {"help": reference, JSON.name: as_json}.get(name) or json.dumps(to_camel(name))

    def assignment(name: str, value: object) -> str:
        """Return the field with its value, as in a JSON object, or its flag if the field is for a shell alone."""
        if to_camel(name) in hidden:
            return f"{in_shell.assignment(name, value)} (in a shell)"
        return f"{field(name)}: {json.dumps(value, ensure_ascii=False)}"

    return Spelling(call, field, assignment)


def _request_of(operation: str, fields: Mapping[str, object]) -> SpelledRequest | None:
    """Return the request that runs an operation with these fields (by their Python names); None for an unknown
    operation, or if a field other than `namespace` is none that a program can write.
    """
    row = _rows().get(operation)
    named = {to_camel(name): value for name, value in fields.items() if name != NAMESPACE.name}
    if row is None or named.keys() - writable_fields(row).keys():
        return None
    values = {name: isoformat(value) if isinstance(value, datetime) else value for name, value in named.items()}
    return SpelledRequest(row, values, cast("str | None", fields.get(NAMESPACE.name)))


@cache
def _rows() -> dict[str, Row]:
    """Return all operations by name. They are imported at the first call, not with this module, since that loads every
    package.
    """
    from pellucid.table import OPERATIONS

    return {row.name: row for row in OPERATIONS}


def fields_of(request: Wire, **changes: object) -> dict[str, object]:
    """Return, by Python names, the fields of `request` that a caller can set (those with a `Flag`) and whose values are
    not their defaults. `changes` are fields that count with other values than in `request`, which is not changed.
    """
    changed = request.model_copy(update=changes)
    values = {name: (getattr(changed, name), field) for name, field in type(request).model_fields.items()}
    return {
        name: value
        for name, (value, field) in values.items()
        if flag_of(field) and value != field.get_default(call_default_factory=True)
    }


def add_reference(error: PellucidError) -> None:
    """Set the `next_step` of an `InputError` that has none: it names what documents the fields of a call. Other errors
    are left as they are.
    """
    if isinstance(error, InputError) and not error.next_step:
        error.next_step = f"{field_name('help')} says what it takes"
