"""The Typer application: its groups and commands, each made when it is asked for."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from inspect import Parameter as FunctionParameter
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from pellucid.errors import InputError
from pellucid.surfaces.command_line import Command, Kind, Parameter, commands, sections

_TYPES: Mapping[Kind, type] = {
    "text": str,
    "switch": bool,
    "whole": int,
    "number": float,
    "file": Path,
    "instant": datetime,
}
SUBJECTS = {
    "data": "Export or erase all that is kept of a session or an agent.",
    "sessions": "Look at a session, and at what was left out of it.",
    "episodes": "Look at the stretches of sessions that memories came of.",
    "graph": "Look at things and how they hang together.",
    "hooks": "Have an agent's program remember by itself.",
    "index": "Take documents in by section, and keep in step with them.",
    "lab": "Measure recall on labelled data.",
    "ledger": "Read the record of what happened to memories.",
    "lifecycle": "Age memories, and report on them.",
    "projects": "Look at the projects that sessions are filed under.",
    "snapshots": "Look at earlier recalls, and keep their explanations.",
    "tier": "See which memories are hot or cold, and why.",
    "token": "Say who may ask over HTTP and MCP, and what.",
    "trust": "See and change how far memories are trusted.",
}
"""Groups of commands about one thing, and their help."""


def _typer_parameter(parameter: Parameter) -> FunctionParameter:
    """Return a command's parameter as the parameter of a function that Typer turns into that command: as a flag if it
    has one, else as a positional argument.
    """
    kind: Any = list[_TYPES[parameter.kind]] if parameter.many else _TYPES[parameter.kind]
    option = (
        typer.Option(parameter.flag, help=parameter.help) if parameter.flag else typer.Argument(help=parameter.help)
    )
    default = parameter.default if parameter.default is not None or parameter.kind != "switch" else False
    return FunctionParameter(
        parameter.name,
        FunctionParameter.KEYWORD_ONLY,
        default=FunctionParameter.empty if parameter.required else default,
        annotation=Annotated[kind if default is not None or parameter.required else kind | None, option],
    )


def click_command(about: Command) -> Any:
    """Return the command `about` as a Click command object, which parses its arguments and runs it with `perform`."""

    def act(**args: Any) -> None:
        """Run the command with the arguments that Typer parsed."""
        from pellucid.surfaces.cli.performing import perform

        perform(about, args)

    # by way of Typer, which reads a signature: its help, errors and completion are then those of its other commands
    parameters = [_typer_parameter(each) for each in about.parameters]
    act.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    act.__annotations__ = {each.name: each.annotation for each in parameters}
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(about.words.rpartition(" ")[2], help=about.help, cls=_NoEmptyWords)(act)
    command: Any = typer.main.get_command(alone)
    command.about = about
    return command


class _NoEmptyWords(typer.core.TyperCommand):
    """A command that checks the words before they are parsed: afterwards an empty path is the present folder."""

    about: Command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the typed words `args` as any command does, and return what Click's parser returns. Before that,
        `_check_words` is called, whose error is raised; for mere completion of words it is not.
        """
        if not ctx.resilient_parsing:
            self._check_words(self.make_parser(ctx).parse_args(args=list(args))[0])
        return super().parse_args(ctx, args)

    def _check_words(self, typed: Mapping[str, Any]) -> None:
        """Raise `InputError` if a path, or a required argument, is empty. `typed` maps parameters' names to typed
        words. An unset variable of a script is empty, and an empty path would mean the folder in which the script runs.
        """
        for each in self.about.parameters:
            typed_words = typed.get(each.name)
            is_checked = each.kind == "file" or (each.required and not each.flag)
            if is_checked and (typed_words == "" or (isinstance(typed_words, list | tuple) and "" in typed_words)):
                raise InputError(
                    f"{each.flag or f'<{each.name}>'} is empty",
                    code="empty_word",
                    next_step=f"`pellucid {self.about.words} --help` says what it takes",
                )


def headings() -> dict[str, tuple[str, ...]]:
    """Map the headings of the help to the first words of the commands below them, each once: a command, or a subject
    such as `graph`.
    """
    return {
        title: tuple(dict.fromkeys(each.words.split()[0] for each in listed)) for title, listed in sections().items()
    }


class _CommandMap(Mapping[str, Any]):
    """The commands of the application, or of a subject such as `graph`; each is made when it is looked up."""

    def __init__(self, subject: str = "") -> None:
        """List the commands `subject …` by their last word; without a subject, one-word commands and the subjects."""
        candidates = [words for words in commands() if " " not in words or words.startswith(f"{subject} ")]
        if subject:
            self._places = {words.removeprefix(f"{subject} "): words for words in candidates if " " in words}
        else:
            self._places = {**{words: words for words in candidates if " " not in words}, **dict.fromkeys(SUBJECTS, "")}

    def __getitem__(self, word: str) -> Any:
        """Make the command, or the group of a subject's commands; `KeyError` if there is neither."""
        if words := self._places[word]:
            return click_command(commands()[words])
        about = {"help": SUBJECTS[word], "no_args_is_help": True, "rich_markup_mode": None}
        return _CommandGroup(mapping=_CommandMap(word), name=word, **about)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def summary(self, word: str) -> str:
        """Return the one-line help of a command or a subject, for lists; `KeyError` if there is neither."""
        words = self._places[word]
        return commands()[words].summary if words else SUBJECTS[word]


class _CommandGroup(typer.core.TyperGroup):
    """A group whose help lists its commands under the headings of the operations table."""

    def __init__(self, *, mapping: _CommandMap | None = None, **attributes: Any) -> None:
        """Make a group of the commands in `mapping`; of all if None, as Typer makes the application's group."""
        super().__init__(**attributes)
        self.commands = _CommandMap() if mapping is None else mapping  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # whose types: as Typer's version has it
        """Return the words of the commands and subjects, without making any command."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with their one-line help: in the application's help under the headings of the table, in a
        subject's help as one list.
        """
        mapping: Any = self.commands
        is_root = ctx.parent is None
        width = max(map(len, mapping))
        for title, names in headings().items() if is_root else [("Commands", tuple(mapping))]:
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}" if is_root else name, mapping.summary(name)) for name in names])


app = typer.Typer(
    cls=_CommandGroup,
    help="Memory for AI agents that you can see through.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    """Print the version and exit, if `is_asked` (`--version` was given); else do nothing."""
    if is_asked:
        from importlib import metadata

        typer.echo(f"pellucid {metadata.version('pellucid')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Memory for AI agents that you can see through."""
