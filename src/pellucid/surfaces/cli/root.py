"""Nothing in, the Typer application out, with what stands before any command: each `…commands` module adds its own."""

from importlib import metadata
from typing import Annotated

import typer

app = typer.Typer(
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
