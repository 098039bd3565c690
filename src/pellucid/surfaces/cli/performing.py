"""A command and the arguments typed in, an operation run and its answer printed out."""

import gc
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pellucid.errors import InputError, spelled_by
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Operation, context_fields
from pellucid.surfaces.cli.derived import HOME, NAMESPACE, Command, Parameter, field_values
from pellucid.surfaces.cli.session import calling, namespace_hints, write
from pellucid.surfaces.commands import shell_spelling

Args = Mapping[str, Any]
"""The arguments that Typer parsed, by the names of the parameters."""
Row = Operation[Any, Any]


@dataclass(frozen=True, slots=True)
class Own:
    """The code of a command that needs more than its operation's row, or that has no row."""

    act: Callable[[Any, Args], None]
    """Runs the command: takes its row (None if it has none) and the arguments typed."""
    more: tuple[Parameter, ...] = ()
    """Parameters that it takes beside the row's; a parameter of the same name replaces the row's."""
    less: tuple[str, ...] = ()
    """Fields of the row that are not parameters, since the command fills them in itself."""
    inputs: tuple[type[Wire], ...] = ()
    """Further inputs whose fields are parameters."""
    as_json: bool = True
    """Whether it takes `--json`."""
    text: str = ""
    """Its help, if it has no row."""


def perform(command: Command, args: Args) -> None:
    """Run a command with the arguments that Typer parsed; texts name commands and flags, and an `InputError` without a
    next step names the command's help.
    """
    row, own = _operation_row(command), _own_command(command)
    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    gc.freeze()
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
    """Return the command's operation, None if it has none. It is read from its own module, as `table.py` loads every
    package.
    """
    values: list[Any] = list(vars(import_module(command.module)).values())
    rows: list[Row] = [each for each in values if isinstance(each, Operation)]
    return next((row for row in rows if row.on.cli == command.words), None)


def _own_command(command: Command) -> Own | None:
    """Return the command's own code; None if it has only its row."""
    if not command.is_own:  # `own.py` is slow to load
        return None
    from pellucid.surfaces.cli.own import OWN

    return OWN[command.words]


def answer(row: Row, args: Args, fields: Callable[[Call], Mapping[str, object]] | None = None) -> None:
    """Run an operation with the arguments typed, or with `fields`, and print its answer. Then raise the failure that
    the operation reports, if any.
    """
    fields = fields or (lambda call: field_values(row.input, args, call.now))
    if failure := row.failure(run_and_print(row, args, fields)):
        raise failure


def run_and_print(
    row: Row, args: Args, fields: Callable[[Call], Mapping[str, object]], *, verbose: bool = False
) -> Any:
    """Run an operation with the `fields` of its input, print its answer as text or JSON, and return the answer."""
    with open_call(row, args) as call:
        request = call.input_of(row.input, fields(call))
        outcome = row.perform(call, request)
        print_answer(row, outcome, request, call, as_json=args["as_json"], verbose=verbose)
    return outcome


def print_answer(row: Row, outcome: Any, request: Any, call: Call, *, as_json: bool, verbose: bool = False) -> None:
    """Print an operation's answer as JSON or text; `request` is the input that it answers."""
    from pellucid.surfaces.answers import answer_text
    from pellucid.surfaces.columns import fitting_terminal
    from pellucid.surfaces.texts import TEXTS

    footer = namespace_hints(call.app) if not as_json and TEXTS[row.name].hints_namespace else ()
    with fitting_terminal():
        write(answer_text(row, outcome, request, call, "json" if as_json else "text", verbose=verbose, footer=footer))


@contextmanager
def open_call(row: Row, args: Args, *, title: str = "reading") -> Generator[Call]:
    """Open a call of an operation for a `with` block, in the home and the namespace that the flags name. Without a
    namespace it is that of the working folder's project. `title` is beside its progress bar.
    """
    home: Path | None = args["home"]
    is_placed = "namespace" in context_fields(row.input)
    namespace = args["namespace"] if is_placed else None
    with calling(home, namespace, take_over_edits=not row.as_it_stands, located=is_placed, title=title) as call:
        yield call
