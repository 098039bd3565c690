"""A row and the arguments typed in, the operation run and its answer printed out: the steps that commands share."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from pydantic.fields import FieldInfo

from pellucid.clock import in_utc
from pellucid.errors import field_name
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Flag, Operation, Words, context_fields, flag_of
from pellucid.surfaces.answers import answer_text
from pellucid.surfaces.cli.session import calling, namespace_hints, write
from pellucid.surfaces.columns import fitting_terminal
from pellucid.surfaces.command_line import Parameter
from pellucid.surfaces.inputs import parse_pairs

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


def answer(row: Row, args: Args, fields: Callable[[Call], Mapping[str, object]] | None = None) -> None:
    """Run an operation and print its answer. Then raise the failure that the answer reports, if any.

    `args` are the typed arguments, by name. The fields of the operation's input are taken from these or, if `fields` is
    given, are what that function returns for the opened call.
    """
    fields = fields or (lambda call: field_values(row.input, args, call.now))
    if failure := row.failure(run_and_print(row, args, fields)):
        raise failure


def run_and_print(
    row: Row, args: Args, fields: Callable[[Call], Mapping[str, object]], *, verbose: bool = False
) -> Any:
    """Run an operation with the `fields` of its input, print its answer as text or JSON, and return the answer.

    `fields` is a function of the opened call: a day such as `yesterday` is read by the home's clock. `args` say the
    home, the namespace and `as_json`; `verbose` includes details in a text that are usually left out.
    """
    with open_call(row, args) as call:
        request = call.input_of(row.input, fields(call))
        outcome = row.perform(call, request)
        print_answer(row, outcome, request, call, as_json=args["as_json"], verbose=verbose)
    return outcome


def print_answer(row: Row, outcome: Any, request: Any, call: Call, *, as_json: bool, verbose: bool = False) -> None:
    """Print an operation's answer as JSON or text; `request` is the input that it answers. Text is fitted to the
    terminal, followed by hints about the namespace if the row asks for them (`namespace_hints`), and with more details
    if `verbose`.
    """
    footer = namespace_hints(call.app) if not as_json and row.text.namespace_hints else ()
    with fitting_terminal():
        write(answer_text(row, outcome, request, call, "json" if as_json else "text", verbose=verbose, footer=footer))


@contextmanager
def open_call(row: Row, args: Args, *, title: str = "reading") -> Generator[Call]:
    """Open a call of the operation `row` for a `with` block, in the home and the namespace that `args` name. If `args`
    name no namespace, it is that of the working folder's project. Edits that others made in the vault are indexed when
    the home is opened, unless the row's `as_it_stands` is set. `title` is the text beside the call's progress bar.
    """
    home: Path | None = args["home"]
    is_placed = "namespace" in context_fields(row.input)
    namespace = args["namespace"] if is_placed else None
    with calling(home, namespace, take_over_edits=not row.as_it_stands, located=is_placed, title=title) as call:
        yield call


def field_values(model: type[Wire], args: Mapping[str, Any], now: Callable[[], datetime]) -> dict[str, object]:
    """Map the fields of an input class to the values typed for them. `args` are those that Typer parsed; `now` gives
    the time for words such as `yesterday`.

    A field is left out if it has no flag, or if its argument is missing, None or an empty list, as nothing was typed
    for it. A switch that was not typed is off: False, or True if the switch turns its field off. `InputError` if a text
    cannot be parsed.
    """
    values: dict[str, object] = {}
    for name, field in model.model_fields.items():
        flag = flag_of(field)
        if flag and name in args and args[name] not in (None, []):
            values[name] = _field_value(name, field, flag, args[name], now)
    return values


def _field_value(name: str, field: FieldInfo, flag: Flag, typed: Any, now: Callable[[], datetime]) -> object:
    """Return the value of the field `name` from what was typed for it. A flag with its own parser (`reads`) uses that,
    with the time that `now` gives; else words are joined, a date-time without zone is UTC, several values become a
    tuple or, for `name=value`, a mapping, and a switch that turns its field off is negated. `InputError` if a text
    cannot be parsed.
    """
    if flag.reads:
        return flag.reads(typed, now(), field_name(name))
    if isinstance(flag, Words):
        return " ".join(typed)
    if isinstance(typed, datetime):
        return in_utc(typed)
    if isinstance(typed, list):
        texts = cast("Sequence[str]", typed)
        return parse_pairs(name, field, texts) if "dict" in str(field.annotation) else tuple(texts)
    return not typed if flag.opposite else typed
