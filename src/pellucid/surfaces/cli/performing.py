"""A command and the arguments typed in, its operation or its own code run out, with errors in the command's words."""

import gc
from importlib import import_module
from typing import Any

from pellucid.errors import InputError, spelled_by
from pellucid.model.wire import Wire
from pellucid.operations.operation import Operation
from pellucid.surfaces.cli.running import Args, Own, Row, answer
from pellucid.surfaces.command_line import HOME, NAMESPACE, Command
from pellucid.surfaces.spelling import shell_spelling


def perform(command: Command, args: Args) -> None:
    """Run a command with the arguments that Typer parsed, by parameter name: by the command's own code if it has any,
    else as its operation. Enable garbage collection. During the run, texts write calls and fields as commands and
    flags. Errors are raised; an `InputError` without a next step gets one that names the command's help.
    """
    row, own = _operation_row(command), _own_command(command)
    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    gc.freeze()  # what was imported stays to the end: a search for garbage passes over it
    gc.enable()
    typed = {each.name: args[each.name] for each in (HOME, NAMESPACE) if args.get(each.name)}
    with spelled_by(shell_spelling(inputs, typed)):
        try:
            if own:
                own.act(row, args)
            elif row:
                answer(row, args)
        except InputError as error:
            error.next_step = error.next_step or f"`pellucid {command.words} --help` says what it takes"
            raise


def _operation_row(command: Command) -> Row | None:
    """Return the operation whose command this is; None if the command has no operation, or none is found. It is looked
    for only in the command's module, as loading the whole table (`table.py`) would load every package.
    """
    values: list[Any] = list(vars(import_module(command.module)).values()) if command.module else []
    rows: list[Row] = [each for each in values if isinstance(each, Operation)]
    return next((row for row in rows if row.on.cli == command.words), None)


def _own_command(command: Command) -> Own | None:
    """Return the code that the command has beside its operation, or in place of one; None if it has no code of
    its own.
    """
    return import_module(command.own).OWN[command.words] if command.own else None
