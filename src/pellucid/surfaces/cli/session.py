"""Common flags in, an open app out: what every command does before and after its work."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.settings import NAMESPACE_PATTERN, Settings, load, plain_terminal

if TYPE_CHECKING:
    from pellucid.app import App
    from pellucid.model.wire import Wire

Home = Annotated[
    Path | None, typer.Option("--home", help="Where everything is kept (PELLUCID_HOME, else ~/.pellucid).")
]
Namespace = Annotated[str | None, typer.Option("--namespace", help="The isolation unit, tenant/project.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Session = Annotated[str | None, typer.Option("--session", help="The session this belongs to.")]
Agent = Annotated[str | None, typer.Option("--agent", help="The agent that asks.")]
Scopes = Annotated[list[str] | None, typer.Option("--scope", help="A context scope of the caller; may be repeated.")]


@contextmanager
def opened(home: Path | None, namespace: str | None = None, *, adopt: bool = True) -> Generator["App"]:
    """An app over a home, with outside edits of its vault taken over first.

    Raises:
        InputError: a setting or the namespace is not allowed.
    """
    from pellucid.app import open_app

    app = open_app(settings(home, namespace), report=note)
    try:
        if adopt:
            drift, folded = app.keeper.adopt()
            for path in (*drift.edited, *drift.deleted, *drift.added):
                kind = "deleted" if path in drift.deleted else "edited" if path in drift.edited else "added"
                note(f"{kind} outside Pellucid, taken over: {path}")
            for _, problem in folded.unreadable:
                note(f"left out, because it could not be read: {problem}")
        yield app
    finally:
        app.close()


def settings(home: Path | None, namespace: str | None = None) -> Settings:
    """The settings of this command, checked."""
    import re

    from pellucid.errors import InputError

    given = namespace.strip() if namespace else None
    if given and not re.match(NAMESPACE_PATTERN, given):
        raise InputError(
            f'--namespace expects tenant/project; got "{given}"',
            code="invalid_namespace",
            next_step="lower-case letters, digits, dot, dash and underscore, e.g. local/default",
        )
    return load(home=home, namespace=given or None)


def emit(value: "Wire", text: Callable[[], str], *, as_json: bool) -> None:
    """Print an answer as JSON or as text."""
    write(json.dumps(value.to_wire(), indent=2, ensure_ascii=False) if as_json else text())


def write(text: str) -> None:
    """Print text whatever the terminal's encoding."""
    sys.stdout.buffer.write((text.rstrip("\n") + "\n").encode("utf-8", "replace"))
    sys.stdout.flush()


def note(text: str) -> None:
    """Say something on standard error, so that answers stay clean."""
    sys.stderr.write(f"pellucid: {text}\n")


@contextmanager
def progress(title: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar on standard error; silent where it is not a terminal."""
    if plain_terminal() or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
