"""Rows of the operations table in, commands out: their flags, and the operation's input made of the words typed.

The commands are in `commands.json`, generated from the rows, so that help and completion load no operation.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from inspect import Parameter as FunctionParameter
from inspect import Signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args, get_origin

import typer
import typer.core
import typer.main

from pellucid.errors import InputError, field_name

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from pellucid.model.wire import Wire
    from pellucid.operations.operation import Flag, Operation
    from pellucid.surfaces.cli.performing import Own

INDEX = Path(__file__).with_name("commands.json")
Kind = Literal["text", "whole", "number", "switch", "file", "instant"]
_KINDS: Mapping[type, Kind] = {bool: "switch", int: "whole", float: "number", Path: "file", datetime: "instant"}
_TYPES: Mapping[Kind, type] = {"text": str, **{kind: python_type for python_type, kind in _KINDS.items()}}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A flag of a command; or a positional argument, whose `flag` is empty."""

    name: str
    help: str
    kind: Kind = "text"
    flag: str = ""
    default: str | int | float | None = None
    many: bool = False
    required: bool = False

    def for_typer(self) -> FunctionParameter:
        """Return the parameter of a function that Typer turns into a command: a flag, else a positional argument."""
        kind: Any = list[_TYPES[self.kind]] if self.many else _TYPES[self.kind]
        option = typer.Option(self.flag, help=self.help) if self.flag else typer.Argument(help=self.help)
        default = self.default if self.default is not None or self.kind != "switch" else False
        return FunctionParameter(
            self.name,
            FunctionParameter.KEYWORD_ONLY,
            default=FunctionParameter.empty if self.required else default,
            annotation=Annotated[kind if default is not None or self.required else kind | None, option],
        )


HOME = Parameter("home", "Where everything is kept (PELLUCID_HOME, else ~/.pellucid).", "file", "--home")
NAMESPACE = Parameter("namespace", "The isolation unit, tenant/project.", flag="--namespace")
JSON = Parameter("as_json", "Print one JSON document instead of text.", "switch", "--json")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as its help shows it; `module` contains its operation's row, or the function that runs it."""

    words: str
    module: str
    help: str
    parameters: tuple[Parameter, ...]
    is_own: bool = False
    """Whether it has code of its own, see `performing.Own`."""
    operation: str = ""
    """The name of its operation; empty if it has none."""

    @property
    def summary(self) -> str:
        """The first sentence of the help's first line, for lists of commands."""
        first, stop, _ = self.help.partition("\n")[0].partition(". ")
        return f"{first}." if stop else first

    def click_command(self) -> Any:
        """Return the command as an object of Click's that parses its arguments and runs it."""

        def act(**args: Any) -> None:
            """Run the command with the arguments that Typer parsed."""
            from pellucid.surfaces.cli.performing import perform

            perform(self, args)

        parameters = [each.for_typer() for each in self.parameters]
        act.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        act.__annotations__ = {each.name: each.annotation for each in parameters}
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.words.rpartition(" ")[2], help=self.help, cls=_NoEmptyWords)(act)
        command: Any = typer.main.get_command(alone)
        command.about = self
        return command

    def check_words(self, typed: Mapping[str, Any]) -> None:
        """Raise `InputError` if a path, or a required argument, is empty. `typed` maps parameters' names to typed
        words. An unset variable of a script is empty, and an empty path would mean the folder in which the script runs.
        """
        for each in self.parameters:
            typed_words = typed.get(each.name)
            is_checked = each.kind == "file" or (each.required and not each.flag)
            if is_checked and (typed_words == "" or (isinstance(typed_words, list | tuple) and "" in typed_words)):
                raise InputError(
                    f"{each.flag or f'<{each.name}>'} is empty",
                    code="empty_word",
                    next_step=f"`pellucid {self.words} --help` says what it takes",
                )


class _NoEmptyWords(typer.core.TyperCommand):
    """A command that checks the words before they are parsed: afterwards an empty path is the present folder."""

    about: Command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words as any command does, if `Command.check_words` raises no error."""
        if not ctx.resilient_parsing:
            self.about.check_words(self.make_parser(ctx).parse_args(args=list(args))[0])
        return super().parse_args(ctx, args)


@cache
def commands() -> dict[str, Command]:
    """Map the words of every command, such as `graph show`, to the command, as read from `commands.json`."""
    return {
        words: Command(words, module, text, tuple(Parameter(**each) for each in parameters), is_own, operation)
        for words, (operation, module, text, is_own, parameters) in json.loads(INDEX.read_text("utf-8")).items()
    }


def commands_json() -> str:
    """Return the content of `commands.json`, generated from the rows: a line for each command."""
    lines = (
        f"{json.dumps(each.words)}: "
        + json.dumps(
            [each.operation, each.module, each.help, each.is_own, list(map(_without_defaults, each.parameters))]
        )
        for each in derived_commands()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _without_defaults(parameter: Parameter) -> dict[str, object]:
    """Return the fields of a parameter that differ from their defaults, by name."""
    values = ((each.name, getattr(parameter, each.name), each.default) for each in fields(parameter))
    return {name: value for name, value, default in values if value != default}


def derived_commands() -> Iterator[Command]:
    """Yield every command: first those of the operations' rows, then those of `OWN` that have no row."""
    from pellucid.surfaces.cli.own import OWN
    from pellucid.table import OPERATIONS

    rows = {row.on.cli: row for row in OPERATIONS if row.on.cli}
    for words in dict.fromkeys((*rows, *OWN)):
        row, own = rows.get(words), OWN.get(words)
        module = row.run.__module__ if row else own.act.__module__ if own else ""
        text = row.text if row else own.text if own else ""
        yield Command(words, module, text, tuple(_parameters(row, own)), own is not None, row.name if row else "")


def _parameters(row: "Operation[Any, Any] | None", own: "Own | None") -> Iterator[Parameter]:
    """Yield the parameters of a command: its own, positional ones first, then those of many commands (`--home` …)."""
    from pellucid.operations.operation import context_fields

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


def _field_parameters(model: "type[Wire]") -> Iterator[tuple[bool, Parameter]]:
    """Yield the parameters for an input's fields, each with whether many commands share it; nothing for a field without
    a `Flag`.
    """
    from pellucid.operations.operation import Argument, Words, flag_name, flag_of

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


def _help_text(text: str, field: "FieldInfo", *, is_flag: bool) -> str:
    """Return a field's text, with `name=value` for a mapping, and `may be repeated` for a flag with several values."""
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


def field_values(model: "type[Wire]", args: Mapping[str, Any], now: Callable[[], datetime]) -> dict[str, object]:
    """Map the fields of an input to the values typed for them; a field that was not typed is left out. `args` are
    those that Typer parsed; `InputError` if a text cannot be parsed.
    """
    from pellucid.operations.operation import flag_of

    values: dict[str, object] = {}
    for name, field in model.model_fields.items():
        flag = flag_of(field)
        if flag and name in args and args[name] not in (None, []):
            values[name] = _field_value(name, field, flag, args[name], now)
    return values


def _field_value(name: str, field: "FieldInfo", flag: "Flag", typed: Any, now: Callable[[], datetime]) -> object:
    """Return the value of a field from the typed one: words are joined, a date-time without zone is UTC. Several values
    become a tuple or a mapping.
    """
    from pellucid.clock import in_utc
    from pellucid.operations.operation import Words
    from pellucid.surfaces.inputs import parse_pairs

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
