"""A command and what was typed in, an operation run and its answer printed out."""

import gc
import shlex
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pellucid.errors import InputError, PellucidError
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Operation, context_fields
from pellucid.surfaces.cli.derived import HOME, NAMESPACE, Command, Parameter, field_values, find_command, spell_flags
from pellucid.surfaces.cli.session import calling, namespace_hints, write
from pellucid.surfaces.commands import Spelling, spell_commands, spelled_by

Given = Mapping[str, Any]
"""What Typer parsed, by the names of the parameters."""
Row = Operation[Any, Any]


@dataclass(frozen=True, slots=True)
class Own:
    """A command with code of its own, beside or in place of what its operation's row says."""

    act: Callable[[Any, Given], None]
    """Runs the command: takes its row (None if it has none) and what was typed, by the names of the parameters."""
    more: tuple[Parameter, ...] = ()
    """Parameters that it takes beside the row's; one of the same name replaces the row's."""
    less: tuple[str, ...] = ()
    """Fields of the row that are no parameters, since the command fills them in itself."""
    inputs: tuple[type[Wire], ...] = ()
    """Further inputs whose fields are parameters."""
    as_json: bool = True
    """Whether it takes `--json`."""
    text: str = ""
    """Its help, if it has no row."""


def perform(command: Command, given: Given) -> None:
    """Run a command with the arguments that Typer parsed; a `PellucidError` is raised again, naming the command's
    flags.
    """
    row, own = _operation_row(command), _own_command(command)
    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    gc.freeze()
    gc.enable()
    with spelled_by(_shell_spelling(given)):
        try:
            if own:
                own.act(row, given)
            elif row:
                answer(row, given)
        except PellucidError as error:
            spell_flags(error, inputs)
            error.next_step = spell_commands(error.next_step)
            if isinstance(error, InputError) and not error.next_step:
                error.next_step = f"`pellucid {command.words} --help` says what it takes"
            raise


def _shell_spelling(given: Given) -> Spelling:
    """How texts name other commands: with the `--home` and `--namespace` that were typed, if they take them."""

    def spelled(words: str) -> str:
        """The shell command for `words`, such as `undo op_1`."""
        named = words.split()
        known = find_command(named)
        flags = [
            f"{each.flag} {shlex.quote(str(given[each.name]))}"
            for each in (known.parameters if known else ())
            if each in (HOME, NAMESPACE) and given.get(each.name) and each.flag not in named
        ]
        return " ".join(["pellucid", words, *flags])

    return Spelling(spelled)


def _operation_row(command: Command) -> Row | None:
    """The command's operation, from its own module, since `table.py` loads every package; None if it has none."""
    found: list[Any] = list(vars(import_module(command.module)).values())
    rows: list[Row] = [each for each in found if isinstance(each, Operation)]
    return next((row for row in rows if row.on.cli == command.words), None)


def _own_command(command: Command) -> Own | None:
    """The code of a command that has some beside its row, else None."""
    if not command.is_own:  # `own.py` is slow to load
        return None
    from pellucid.surfaces.cli.own import OWN

    return OWN[command.words]


def answer(row: Row, given: Given, fields: Callable[[Call], Mapping[str, object]] | None = None) -> None:
    """Run an operation with what was typed, or with `fields`, and print its answer; then raise the failure that it
    reports, if any.
    """
    fields = fields or (lambda call: field_values(row.input, given, call.now))
    if failure := row.failure(run_and_print(row, given, fields)):
        raise failure


def run_and_print(
    row: Row, given: Given, fields: Callable[[Call], Mapping[str, object]], *, verbose: bool = False
) -> Any:
    """Run an operation with the `fields` of its input, print its answer as text or JSON, and return the answer."""
    with open_call(row, given) as call:
        request = call.input_of(row.input, fields(call))
        outcome = row.perform(call, request)
        print_answer(row, outcome, request, call, as_json=given["as_json"], verbose=verbose)
    return outcome


def print_answer(row: Row, outcome: Any, request: Any, call: Call, *, as_json: bool, verbose: bool = False) -> None:
    """Print an operation's answer as JSON or text; `request` is the input that it answers."""
    from pellucid.surfaces.answers import answer_text
    from pellucid.surfaces.columns import fitting_terminal
    from pellucid.surfaces.texts import TEXTS

    footer = namespace_hints(call.app) if TEXTS[row.name].hints_namespace and not as_json else ()
    with fitting_terminal():
        write(answer_text(row, outcome, request, call, "json" if as_json else "text", verbose=verbose, footer=footer))


@contextmanager
def open_call(row: Row, given: Given, *, title: str = "reading") -> Generator[Call]:
    """A call of an operation for a `with` block, in the home and the namespace that the flags name.

    Without a namespace it is that of the working folder's project. `title` stands beside its progress bar.
    """
    home: Path | None = given["home"]
    is_placed = "namespace" in context_fields(row.input)
    namespace = given["namespace"] if is_placed else None
    with calling(home, namespace, take_over_edits=not row.as_it_stands, located=is_placed, title=title) as call:
        yield call
