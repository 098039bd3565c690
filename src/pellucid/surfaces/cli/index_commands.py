"""Flags in, the `index` commands' answers out: documents taken in, listed, shown, closed."""

import json
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.errors import InputError
from pellucid.surfaces.cli import present_index
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened, progress, write

if TYPE_CHECKING:
    from pellucid.app import App
    from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput

index_app = typer.Typer(
    help="Take documents in by section, and keep in step with them.", no_args_is_help=True,
    rich_markup_mode=None,
)  # fmt: skip
app.add_typer(index_app, name="index")

Names = Annotated[list[str], typer.Argument(help="Paths, entities such as SPEC-054, or ids of documents.")]


@index_app.command("docs")
def index_docs(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Markdown and reStructuredText files, or folders of them.")
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Turn the git history of their headers into states over time.")
    ] = False,
    history_file: Annotated[
        Path | None,
        typer.Option("--history-file", help="JSON lines {doc, date, commit, field, old, new} that tell it."),
    ] = None,
    glob: Annotated[
        str | None, typer.Option("--glob", help="Of folders, only files whose path fits; * matches across /.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on indexing what changes, until Ctrl-C.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Take documents in by heading, or what changed in them. What is gone is closed."""
    from pellucid.operations.document.indexing import IndexDocsInput
    from pellucid.operations.document.indexing import index_docs as take_in
    from pellucid.surfaces.cli.validate import checked

    _check_watch(paths, watch=watch, dry_run=dry_run)
    with opened(home, namespace) as opened_app:
        request = checked(
            IndexDocsInput, namespace=opened_app.settings.namespace, paths=tuple(paths or ()), glob=glob,
            history=history, history_file=history_file, dry_run=dry_run,
        )  # fmt: skip
        if watch:
            _watch(opened_app, request, as_json=as_json)
            return
        with progress("indexing") as told:
            outcome = take_in(opened_app, request, told)
    _emit(outcome, rows_alone=not paths, as_json=as_json)
    if outcome.problems and not outcome.files:
        raise typer.Exit(InputError.exit_code)


def _emit(outcome: "IndexDocsOutput", *, rows_alone: bool, as_json: bool) -> None:
    """What became of the files; of the rows of a history, where no file was named."""
    if rows_alone and (loaded := outcome.loaded):
        emit(loaded, lambda: present_index.history(loaded), as_json=as_json)
    else:
        emit(outcome, lambda: present_index.indexed(outcome), as_json=as_json)


def _check_watch(paths: list[Path] | None, *, watch: bool, dry_run: bool) -> None:
    if watch and dry_run:
        raise InputError("--watch and --dry-run exclude each other", next_step="leave one of them out")
    if watch and not paths:
        raise InputError("--watch needs something to watch", code="missing_path", next_step="name files or folders")


def _watch(opened_app: "App", request: "IndexDocsInput", *, as_json: bool) -> None:
    from pellucid.operations.document.watching import watch_docs

    def report(outcome: "IndexDocsOutput") -> None:
        write(json.dumps(outcome.to_wire(), ensure_ascii=True) if as_json else present_index.indexed(outcome))

    with _interrupted() as stop:
        watch_docs(opened_app, request, report, stop.wait)


@contextmanager
def _interrupted() -> Generator[Event]:
    """An event that Ctrl-C sets, so that what is under way is finished; a second Ctrl-C ends at once."""
    stop = Event()

    def end(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, end)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@index_app.command("list")
def index_list(
    gone: Annotated[bool, typer.Option("--gone", help="Those whose file is gone, too.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """List the documents that are indexed. Of each: what it defines, its title, path, sections and edges."""
    from pellucid.operations.document.listing import list_documents

    with opened(home, namespace) as opened_app:
        outcome = list_documents(opened_app, opened_app.settings.namespace, gone=gone)
    emit(outcome, lambda: present_index.documents(outcome), as_json=as_json)


@index_app.command("show")
def index_show(
    name: Annotated[str, typer.Argument(help="A document's path, its entity such as SPEC-054, or its id.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show one document: its header over time, and its sections.

    And the edges it says, and what stood in it before.
    """
    from pellucid.operations.document.listing import show_document

    with opened(home, namespace) as opened_app:
        outcome = show_document(opened_app, opened_app.settings.namespace, name)
    emit(outcome, lambda: present_index.document(outcome), as_json=as_json)


@index_app.command("remove")
def index_remove(
    names: Names,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Close documents as if their files were gone. What they said stays for questions about the past."""
    from pellucid.operations.document.listing import remove_documents

    with opened(home, namespace) as opened_app:
        outcome = remove_documents(opened_app, opened_app.settings.namespace, names)
    emit(outcome, lambda: present_index.removed(outcome), as_json=as_json)
