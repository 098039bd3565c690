"""Nothing in, the empty Typer application out: each `…commands` module adds its commands to it."""

import typer

app = typer.Typer(
    help="Memory for AI agents that you can see through.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
