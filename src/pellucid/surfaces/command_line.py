"""`commands.json` in, the commands of the command line and their parameters out: as data, for every surface.

The file is generated from the operations table (`cli/derived.py`), so that help and completion load no operation.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

INDEX = Path(__file__).with_name("commands.json")
Kind = Literal["text", "whole", "number", "switch", "file", "instant"]


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


HOME = Parameter("home", "Where everything is kept (PELLUCID_HOME, else ~/.pellucid).", "file", "--home")
NAMESPACE = Parameter("namespace", "The isolation unit, tenant/project.", flag="--namespace")
JSON = Parameter("as_json", "Print one JSON document instead of text.", "switch", "--json")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as its help shows it."""

    words: str
    operation: str
    """The name of its operation; empty if it has none."""
    module: str
    """The module that contains its operation's row; empty if it has none."""
    own: str
    """The module with its own code, see `cli.running.Own`; empty if it has none."""
    help: str
    parameters: tuple[Parameter, ...]

    @property
    def summary(self) -> str:
        """The first sentence of the help's first line, for lists of commands."""
        first, stop, _ = self.help.partition("\n")[0].partition(". ")
        return f"{first}." if stop else first


@cache
def sections() -> dict[str, tuple[Command, ...]]:
    """Map the headings of the help to the commands below them, read from `commands.json`, both in the order of the
    operations table. The result is kept, and is the same object for all callers.
    """
    return {
        title: tuple(
            Command(words, operation, module, own, text, tuple(Parameter(**each) for each in parameters))
            for words, (operation, module, own, text, parameters) in listed.items()
        )
        for title, listed in json.loads(INDEX.read_text("utf-8")).items()
    }


@cache
def commands() -> dict[str, Command]:
    """Map the words of every command, such as `graph show`, to the command."""
    return {each.words: each for listed in sections().values() for each in listed}
