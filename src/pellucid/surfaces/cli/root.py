"""Nothing in, the Typer application out, with what stands before any command: each `…commands` module adds its own."""

from importlib import metadata
from typing import Annotated, Any

import typer
import typer.core

GROUPS = {
    "Start": ("init", "demo"),
    "Take in": ("import", "observe", "remember", "adopt", "index"),
    "Ask and look around": ("recall", "list", "show", "brief", "history", "episodes", "graph", "projects"),
    "See why": ("why", "xray", "explain", "diff", "replay", "ablate", "lift", "snapshots", "audit"),
    "Change and forget": (
        "update", "pin", "reverify", "archive", "retract", "dispute", "trust", "undo", "forget", "purge",
    ),
    "Look after a home": ("lifecycle", "tier", "doctor", "rebuild", "models", "ledger", "lab"),
}  # fmt: skip
"""The commands as `--help` shows them: what a newcomer does first stands first."""


class _Grouped(typer.core.TyperGroup):
    """Commands under headings. A command that no group names stands under `Other`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # whose types: as Typer's version has it
        """Write each group's commands with their summaries, wrapped where the terminal is narrow, never cut."""
        named = {name for names in GROUPS.values() for name in names}
        others = tuple(name for name in self.commands if name not in named)
        width = max(map(len, self.commands))
        for title, names in {**GROUPS, "Other": others}.items():
            shown = [(name, self.commands[name]) for name in names if name in self.commands]
            rows = [(f"{name:<{width}}", each.get_short_help_str(_WHOLE)) for name, each in shown if not each.hidden]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


_WHOLE = 1000
"""A length that cuts no summary."""

app = typer.Typer(
    cls=_Grouped,
    help="Memory for AI agents that you can see through.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"pellucid {metadata.version('pellucid')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Memory for AI agents that you can see through."""
