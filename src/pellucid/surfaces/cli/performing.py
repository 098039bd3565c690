"""A command and the arguments typed in, its operation or its own code run out, with errors in the command's words."""

import gc
import shlex
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from pellucid.errors import InputError, PellucidError
from pellucid.model.wire import Wire
from pellucid.operations.operation import Operation, flag_name
from pellucid.surfaces.cli.running import Args, Own, Row, answer
from pellucid.surfaces.command_line import HOME, NAMESPACE, Command, find_command
from pellucid.surfaces.commands import Spelling, spell_commands, spelled_by


def perform(command: Command, args: Args) -> None:
    """Run a command with the arguments that Typer parsed; raise a `PellucidError` again, naming the command's flags."""
    row, own = _operation_row(command), _own_command(command)
    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    gc.freeze()
    gc.enable()
    with spelled_by(_shell_spelling(args)):
        try:
            if own:
                own.act(row, args)
            elif row:
                answer(row, args)
        except PellucidError as error:
            _spell_flags(error, inputs)
            error.next_step = spell_commands(error.next_step)
            if isinstance(error, InputError) and not error.next_step:
                error.next_step = f"`pellucid {command.words} --help` says what it takes"
            raise


def _shell_spelling(args: Args) -> Spelling:
    """Return the spelling of commands in texts: with the `--home` and `--namespace` typed, if they take them."""

    def spelled(words: str) -> str:
        """Return the shell command for `words`, such as `undo op_1`."""
        split_words = words.split()
        found = find_command(split_words)
        flags = [
            f"{each.flag} {shlex.quote(str(args[each.name]))}"
            for each in (found.parameters if found else ())
            if each in (HOME, NAMESPACE) and args.get(each.name) and each.flag not in split_words
        ]
        return " ".join(["pellucid", words, *flags])

    return Spelling(spelled)


def _operation_row(command: Command) -> Row | None:
    """Return the command's operation, None if it has none. It is read from its own module, as `table.py` loads every
    package.
    """
    values: list[Any] = list(vars(import_module(command.module)).values()) if command.module else []
    rows: list[Row] = [each for each in values if isinstance(each, Operation)]
    return next((row for row in rows if row.on.cli == command.words), None)


def _own_command(command: Command) -> Own | None:
    """Return the command's own code; None if it has only its row."""
    return import_module(command.own).OWN[command.words] if command.own else None


def _spell_flags(error: PellucidError, inputs: Sequence[type[Wire]]) -> None:
    """Rewrite the fields named in an error's texts as flags of a command with these inputs, such as `--top-k`."""

    def flag(name: str) -> str:
        """Return the flag of a field, such as `--top-k`."""
        model = next((each for each in inputs if name in each.model_fields), inputs[0] if inputs else None)
        return flag_name(model, name) if model else f"--{name}"

    error.spell(flag)
