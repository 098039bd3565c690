"""Rows of the operations table in, commands out: their flags, and how what was typed becomes an operation's input.

What the commands look like stands in `commands.json`, written from the rows: so help and completion load no operation.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from inspect import Parameter as Taken
from inspect import Signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args, get_origin

import typer
import typer.main

from pellucid.errors import PellucidError, field_name

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from pellucid.model.wire import Wire
    from pellucid.operations.operation import Flag, Operation
    from pellucid.surfaces.cli.own import Own

INDEX = Path(__file__).with_name("commands.json")
Kind = Literal["text", "whole", "number", "switch", "file", "instant"]
_TYPES: Mapping[Kind, type] = {
    "text": str,
    "whole": int,
    "number": float,
    "switch": bool,
    "file": Path,
    "instant": datetime,
}
_KINDS: Mapping[object, Kind] = {bool: "switch", int: "whole", float: "number", Path: "file", datetime: "instant"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A flag of a command, or an argument (which has no flag)."""

    name: str
    help: str
    kind: Kind = "text"
    flag: str = ""
    default: str | int | float | None = None
    many: bool = False
    required: bool = False

    def taken(self) -> Taken:
        """As an argument of a function that Typer makes a command of."""
        kind: Any = list[_TYPES[self.kind]] if self.many else _TYPES[self.kind]
        said = typer.Option(self.flag, help=self.help) if self.flag else typer.Argument(help=self.help)
        default = self.default if self.default is not None or self.kind != "switch" else False
        return Taken(
            self.name,
            Taken.KEYWORD_ONLY,
            default=Taken.empty if self.required else default,
            annotation=Annotated[kind if default is not None or self.required else kind | None, said],
        )


HOME = Parameter("home", "Where everything is kept (PELLUCID_HOME, else ~/.pellucid).", "file", "--home")
NAMESPACE = Parameter("namespace", "The isolation unit, tenant/project.", flag="--namespace")
JSON = Parameter("as_json", "Print one JSON document instead of text.", "switch", "--json")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as its help shows it; `module` holds its row, or the function that it is."""

    words: str
    module: str
    help: str
    parameters: tuple[Parameter, ...]
    is_own: bool = False
    """There is more to it than its row says."""

    @property
    def summary(self) -> str:
        """What stands in lists of commands."""
        first, stop, _ = self.help.partition("\n")[0].partition(". ")
        return f"{first}." if stop else first

    def made(self) -> Any:
        """The command that Typer runs."""

        def act(**given: Any) -> None:
            from pellucid.surfaces.cli.performing import perform

            perform(self, given)

        taken = [each.taken() for each in self.parameters]
        act.__signature__ = Signature(taken)  # type: ignore[attr-defined]
        act.__annotations__ = {each.name: each.annotation for each in taken}
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.words.rpartition(" ")[2], help=self.help)(act)
        return typer.main.get_command(alone)


@cache
def commands() -> dict[str, Command]:
    """Every command by its words, as they are written down."""
    kept = json.loads(INDEX.read_text("utf-8"))
    return {
        words: Command(words, module, text, tuple(Parameter(**each) for each in parameters), is_own)
        for words, (module, text, is_own, parameters) in kept.items()
    }


def written() -> str:
    """What is to be written down: a line a command, from the rows."""
    said = {each.words: [each.module, each.help, each.is_own, list(map(_brief, each.parameters))] for each in derived()}
    return "{\n" + ",\n".join(f"{json.dumps(words)}: {json.dumps(rest)}" for words, rest in said.items()) + "\n}\n"


def _brief(parameter: Parameter) -> dict[str, object]:
    return {name: value for name, value in asdict(parameter).items() if value != _UNSAID.get(name, "")}


_UNSAID: Mapping[str, object] = {"kind": "text", "default": None, "many": False, "required": False}


def derived() -> Iterator[Command]:
    """Every command, from its row; one that is no operation, or more than one, from what it says itself."""
    from pellucid.surfaces.cli.own import OWN
    from pellucid.table import OPERATIONS

    rows = {row.on.cli: row for row in OPERATIONS if row.on.cli}
    for words in dict.fromkeys((*rows, *OWN)):
        row, own = rows.get(words), OWN.get(words)
        module = row.run.__module__ if row else own.act.__module__ if own else ""
        text = row.text if row else own.text if own else ""
        yield Command(words, module, text, tuple(_parameters(row, own)), own is not None)


def _parameters(row: "Operation[Any, Any] | None", own: "Own | None") -> Iterator[Parameter]:
    """A command's own, then those that many commands share."""
    from pellucid.operations.operation import context_of

    inputs: list[type[Wire]] = [*([row.input] if row else ()), *(own.inputs if own else ())]
    fields = [(shared, each) for kind in inputs for shared, each in _fields(kind)]
    instead = {each.name: each for each in own.more} if own else {}
    mine = [each for shared, each in fields if not shared and each.name not in (own.less if own else ())]
    mine = [*(instead.pop(each.name, each) for each in mine), *instead.values()]
    yield from sorted(mine, key=lambda each: bool(each.flag))  # what stands by its place stands first
    theirs = [each for shared, each in fields if shared]
    yield from (each for each in theirs if each.many)
    yield HOME
    if any("namespace" in context_of(kind) for kind in inputs):
        yield NAMESPACE
    yield from (each for each in theirs if not each.many)
    if own is None or own.as_json:
        yield JSON


def _fields(kind: "type[Wire]") -> Iterator[tuple[bool, Parameter]]:
    """The parameters that an input's fields become, and whether each is one that commands share."""
    from pellucid.operations.operation import Argument, Words, flag_of, spelled

    for name, field in kind.model_fields.items():
        said = flag_of(field)
        if said is None:
            continue
        plain, many = _plain(field.annotation)
        default: Any = None if many or said.opposite or isinstance(said, Words) else field.get_default()
        yield (
            said.shared,
            Parameter(
                name,
                _told(said.text, field, is_flag=not isinstance(said, Argument)),
                "text" if said.reads or said.as_words else plain,
                "" if isinstance(said, Argument) else spelled(kind, name),
                default if isinstance(default, str | int | float) and default is not False else None,
                many or isinstance(said, Words),
                field.is_required(),
            ),
        )


def _told(text: str, field: "FieldInfo", *, is_flag: bool) -> str:
    """A field's text, with how it is typed where it takes more than one value, or a file in its place."""
    is_table = dict in map(get_origin, (field.annotation, *get_args(field.annotation)))
    many = _plain(field.annotation)[1]
    typed = [*(["name=value"] if is_table else []), *(["may be repeated"] if many and is_flag else [])]
    return f"{text.removesuffix('.')}; {', '.join(typed)}." if typed else text


def _plain(annotation: Any) -> tuple[Kind, bool]:
    """What a type is on a command line, and whether it may be given several times."""
    parts = [each for each in get_args(annotation) if each is not NoneType]
    if get_origin(annotation) in (tuple, list):
        return _plain(parts[0])[0], True
    if get_origin(annotation) is dict:
        return "text", True
    if get_origin(annotation) is Literal or not parts:
        return _KINDS.get(annotation, "text"), False
    return _plain(parts[0])


def values(kind: "type[Wire]", given: Mapping[str, Any], now: Callable[[], datetime]) -> dict[str, object]:
    """What was typed as the fields of an input; what was not is left out.

    Raises:
        InputError: words cannot be read as their field; names it.
    """
    from pellucid.operations.operation import flag_of

    found: dict[str, object] = {}
    for name, field in kind.model_fields.items():
        said = flag_of(field)
        if said and name in given and given[name] not in (None, []):
            found[name] = _value(name, field, said, given[name], now)
    return found


def _value(name: str, field: "FieldInfo", said: "Flag", typed: Any, now: Callable[[], datetime]) -> object:
    """What was typed for one field as that field's value."""
    from pellucid.operations.operation import Words
    from pellucid.surfaces.asking import pairs

    if said.reads:
        return said.reads(typed, now(), field_name(name))
    if isinstance(said, Words):
        return " ".join(typed)
    if isinstance(typed, datetime) and typed.tzinfo is None:
        return typed.replace(tzinfo=UTC)
    if isinstance(typed, list):
        each = cast("Sequence[str]", typed)
        return pairs(name, field, each) if "dict" in str(field.annotation) else tuple(each)
    return not typed if said.opposite else typed


def spell(error: PellucidError, inputs: "Sequence[type[Wire]]") -> None:
    """Spell the fields that an error names as the flags of a command."""
    from pellucid.operations.operation import spelled

    def flag(name: str) -> str:
        kind = next((each for each in inputs if name in each.model_fields), inputs[0] if inputs else None)
        return spelled(kind, name) if kind else f"--{name}"

    error.spell(flag)
