"""The Typer application: its groups and commands, each made when it is asked for."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
import typer.core

from pellucid.surfaces.cli.derived import commands

_LISTED = {
    "Start": "init demo",
    "Take in": "import observe claim checkpoint wrap remember adopt index",
    "Ask and look around": "recall list show open copy brief sessions history episodes graph projects",
    "See why": "why xray explain diff replay ablate lift snapshots recalls audit cite feedback stats",
    "Change and forget": "update pin review reverify archive retract dispute trust undo forget purge data",
    "Serve": "serve dashboard token mcp hooks",
    "Look after a home": "lifecycle tier doctor rebuild models settings ledger lab",
}
GROUPS = {title: tuple(words.split()) for title, words in _LISTED.items()}
"""The commands as `--help` shows them, in the order in which a newcomer needs them."""
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
            return commands()[words].click_command()
        group = _CommandGroup(name=word, help=SUBJECTS[word], no_args_is_help=True, rich_markup_mode=None)
        group.commands = _CommandMap(word)  # type: ignore[assignment]
        return group

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def summary(self, word: str) -> str:
        """Return the one-line help of a command or a subject, for lists."""
        words = self._places[word]
        return commands()[words].summary if words else SUBJECTS[word]


class _CommandGroup(typer.core.TyperGroup):
    """A group whose help lists its commands under headings; a command that `GROUPS` does not name is under `Other`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _CommandMap()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # whose types: as Typer's version has it
        """Return the words of the commands and subjects, without making any command."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with their one-line help: under the headings of `GROUPS`, or a subject's as one list."""
        mapping: Any = self.commands
        is_root = ctx.parent is None
        grouped = {name for names in GROUPS.values() for name in names}
        others = tuple(name for name in mapping if name not in grouped)
        width = max(map(len, mapping))
        for title, names in {**GROUPS, "Other": others}.items() if is_root else [("Commands", tuple(mapping))]:
            rows = [
                (f"{name:<{width}}" if is_root else name, mapping.summary(name)) for name in names if name in mapping
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


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
