"""A command and what was typed in, an operation run and its answer told out."""

import gc
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import PellucidError
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Operation, context_of
from pellucid.surfaces.cli.derived import HOME, NAMESPACE, Command, commands, spell, values
from pellucid.surfaces.cli.session import astray, calling, write
from pellucid.surfaces.commands import Spelling, respelled, spelled_by

if TYPE_CHECKING:
    from pellucid.surfaces.cli.own import Own

Row = Operation[Any, Any]


def perform(command: Command, given: Mapping[str, Any]) -> None:
    """Do what a command says.

    Raises:
        PellucidError: in the words of this command's flags.
    """
    row, own = _operation_row(command), _own_command(command)
    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    gc.freeze()
    gc.enable()
    with spelled_by(_spelling(given)):
        try:
            if own:
                own.act(row, given)
            elif row:
                answer(row, given)
        except PellucidError as error:
            spell(error, inputs)
            error.next_step = respelled(error.next_step)
            raise


def _spelling(given: Mapping[str, Any]) -> Spelling:
    """Commands with the home and the namespace that were typed, as far as each takes them."""

    def spelled(words: str) -> str:
        """A command with the flags that were typed and that it takes."""
        named = words.split()
        known = next((found for n in (2, 1) if (found := commands().get(" ".join(named[:n])))), None)
        taken = [each for each in known.parameters if each in (HOME, NAMESPACE)] if known else []
        said = [
            f"{each.flag} {shlex.quote(str(given[each.name]))}"
            for each in taken
            if given.get(each.name) and each.flag not in named
        ]
        return " ".join(["pellucid", words, *said])

    return Spelling(spelled)


def _operation_row(command: Command) -> Row | None:
    """The row of a command, from the one module that `commands.json` names: `table.py` would load every operation."""
    known: list[Any] = list(vars(import_module(command.module)).values())
    rows: list[Row] = [each for each in known if isinstance(each, Operation)]
    return next((row for row in rows if row.on.cli == command.words), None)


def _own_command(command: Command) -> "Own | None":
    """The code of a command that a row alone does not say in full; None of any other."""
    if not command.is_own:  # then what such commands need is not waited for
        return None
    from pellucid.surfaces.cli.own import OWN

    return OWN[command.words]


def answer(row: Row, given: Mapping[str, Any]) -> None:
    """Run an operation and tell its answer, as text or as JSON.

    Raises:
        PellucidError: it could not be run, or its answer amounts to a failure.
    """
    with opened_for(row, given) as call:
        asked = call.input_of(row.input, values(row.input, given, call.now))
        outcome = row.perform(call, asked)
        print_answer(row, outcome, asked, call, as_json=given["as_json"])
    if failure := row.failure(outcome):
        raise failure


def print_answer(row: Row, outcome: Any, asked: Any, call: Call, *, as_json: bool, verbose: bool = False) -> None:
    """Print an answer as JSON, or as its operation's text."""
    from pellucid.surfaces.answers import answer_text
    from pellucid.surfaces.columns import fitting_terminal
    from pellucid.surfaces.texts import TEXTS

    beneath = astray(call.app) if TEXTS[row.name].places and not as_json else ()
    with fitting_terminal():
        write(answer_text(row, outcome, asked, call, "json" if as_json else "text", verbose=verbose, beneath=beneath))


@contextmanager
def opened_for(row: Row, given: Mapping[str, Any], *, title: str = "reading") -> Generator[Call]:
    """A call of an operation in the home, and in the namespace or project, that the flags name."""
    home: Path | None = given["home"]
    is_placed = "namespace" in context_of(row.input)
    namespace = given["namespace"] if is_placed else None
    with calling(home, namespace, take_over_edits=not row.as_it_stands, located=is_placed, title=title) as call:
        yield call
