"""Common flags in, a call and its home out: the steps of every command before and after its work.

Settings and stores are imported with the first call, so that help and completion do not wait for them.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import InputError, PellucidError
from pellucid.xray.words.visible import visible, visible_json

if TYPE_CHECKING:
    from pellucid.app import App
    from pellucid.operations.operation import Call
    from pellucid.settings import Settings

_NAMED = 3
"""The most namespaces that a hint names."""
_UNDECODED = re.compile("[\ud800-\udfff]")
"""The surrogates by which Python represents bytes of an argument that are not UTF-8."""


@contextmanager
def calling(
    home: Path | None,
    namespace: str | None,
    *,
    take_over_edits: bool = True,
    located: bool = True,
    title: str = "reading",
) -> Generator["Call"]:
    """Open a call for a `with` block, whose home is opened when it is first needed and closed at the end.

    Args:
        home: the value of `--home`, if given.
        namespace: the value of `--namespace`, if given.
        take_over_edits: whether opening the home indexes edits that others made in the vault; interrupted erasures are
            finished in either case.
        located: whether the project of the working folder is the namespace if none is given.
        title: the text beside the progress bar.

    Raises:
        InputError: a setting or the namespace is not allowed.
    """
    from pellucid.operations.operation import Call

    command_settings = settings(home, namespace)
    with ExitStack() as open_homes:

        def open_home() -> "App":
            """Open the home and return its app, if `located` in the namespace of the working folder's project; the home
            is closed at the end of the `with` block.
            """
            app = open_homes.enter_context(_opened_home(command_settings, take_over_edits=take_over_edits))
            return _in_project(app) if located else app

        with progress(title) as bar:
            call = Call(command_settings, open_home, progress=bar, report=note)
            call.surface = "cli"
            yield call


@contextmanager
def _opened_home(command_settings: "Settings", *, take_over_edits: bool) -> Generator["App"]:
    """Open a home for the length of a `with` block: finish interrupted erasures and, with `take_over_edits`, index
    edits of the vault. Note on standard error how many files were taken over, or could not be read, and whether the
    home may only be read.
    """
    from pellucid.app import open_app
    from pellucid.operations.upkeep import run_opening_jobs

    app = open_app(command_settings, report=note)
    try:
        if app.read_only:
            where = app.settings.home
            note(f"{where} may only be read: recalls are not kept, and changes of the vault are not taken over")
        outcome = run_opening_jobs(app, take_over_edits=take_over_edits)
        # counts only: file names hint at the content of memories, and the vault holds every namespace
        _note_count(outcome.count, "changed outside Pellucid and taken over")
        _note_count(outcome.unreadable, "could not be read and left out; `pellucid doctor` names them")
        yield app
    finally:
        app.close()


def _in_project(app: "App") -> "App":
    """Return the app with the namespace of the working folder's registered project, and with its `project` and `also`,
    the further namespaces that recalls ask (see `app_in_project`). Name that namespace and the project's root in a line
    on standard error. If the folder is in no project, the namespace stays and nothing is printed; if a namespace was
    given, the app is returned unchanged. Raises StoreError if the registry cannot be read.
    """
    from pellucid.model.project import DEFAULT
    from pellucid.operations.session.projects import app_in_project

    app_here = app_in_project(app)
    if app_here.project:
        # read anew, after `app_in_project`; not of `also`, in which the settings, too, may have put this namespace
        is_older = app_here.project.root in app.projects.known().earlier
        earlier = f"; its earlier sessions are in {DEFAULT}" if is_older else ""
        note(f"namespace {app_here.project.namespace}, the project of {app_here.project.root}{earlier}")
    return app_here


def namespace_hints(app: "App") -> list[str]:
    """Return lines to show below an answer about its namespace; empty if none is needed.

    One says that the namespace given was never used. If none was given, there are projects, and the working folder is
    in none of them, one says which namespace was asked, and names up to three of the projects' namespaces.
    """
    if app.settings.namespace_is_given:
        return _unknown_namespace_lines(app)
    # an app without a project keeps nothing of the registry, which few answers ask for
    if app.project or not (projects := app.projects.known().projects):
        return []
    names = list(dict.fromkeys(each.namespace for each in projects))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    others = f"{', '.join(names[:_NAMED])}{more}: `pellucid projects list`, --namespace"
    return [f"asked {app.settings.namespace}: this folder is in no project (there are {others})"]


def _unknown_namespace_lines(app: "App") -> list[str]:
    """Return one line which says that nothing was ever kept in the settings' namespace and suggests a similar one or,
    if none is similar, names up to three that exist; empty if the namespace was used.
    """
    namespace, used = app.settings.namespace, app.lookup.namespaces()
    if namespace in used:
        return []
    similar = get_close_matches(namespace, used, n=1)
    suggestion = f"did you mean {similar[0]}?" if similar else f"there are: {', '.join(used[:_NAMED]) or 'none yet'}"
    return [f"no such namespace: nothing was ever kept in {namespace}; {suggestion}"]


def _note_count(count: int, change: str) -> None:
    """Print a line such as `2 files could not be read …` on standard error, made of `count` and the words `change`;
    nothing if the count is 0.
    """
    if count:
        note(f"{count} {'file' if count == 1 else 'files'} {change}")


def settings(home: Path | None, namespace: str | None = None) -> "Settings":
    """Load and check the settings of this command, and print their notes on standard error. `home` is the value of
    `--home` (None: not given). `namespace` is stripped; None or blank: that of the settings. `InputError` if `home` is
    not UTF-8, `namespace` is not `tenant/project`, or a setting or its file is wrong.
    """
    from pellucid.settings import load
    from pellucid.settings.sections import NAMESPACE_PATTERN

    if home and re.search("[\ud800-\udfff\ufffd]", str(home)):
        raise InputError("--home expects a path in UTF-8", code="invalid_home", next_step="name another folder")
    trimmed = namespace.strip() if namespace else None
    if trimmed and not re.match(NAMESPACE_PATTERN, trimmed):
        raise InputError(
            f'--namespace expects tenant/project; got "{trimmed}"',
            code="invalid_namespace",
            next_step="lower-case letters, digits, dot, dash and underscore, e.g. local/default",
        )
    loaded = load(home=home, namespace=trimmed or None)
    for each in loaded.notes:
        note(each)
    return loaded


def decode_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the words of a command line in their order; in a word that is not the name of an existing file, bytes that
    are not UTF-8 become U+FFFD.
    """
    return [word if os.path.lexists(word) else _UNDECODED.sub("\ufffd", word) for word in arguments]


def write(text: str) -> None:
    """Print a text as UTF-8 to standard output, with control characters spelled out and one newline at the end."""
    from pellucid.surfaces.answers import printable

    sys.stdout.buffer.write(printable(text).encode())
    sys.stdout.flush()


def note(text: str) -> None:
    """Print one line to standard error, after `pellucid: `; control characters are spelled out."""
    sys.stderr.write(f"pellucid: {visible(text)}\n")


def print_error(error: PellucidError, *, as_json: bool) -> None:
    """Print an error to standard error, as one line of text or of JSON."""
    if not as_json:
        note(str(error))
        return
    from pellucid.surfaces.answers import error_fields

    sys.stderr.write(visible_json(json.dumps(error_fields(error))) + "\n")


@contextmanager
def progress(title: str) -> Generator[Callable[[int, int], None]]:
    """Provide for a `with` block a function of (done, total) that shows a progress bar, with the text `title` beside
    it, from its first call on. It shows nothing where `_progress_bar` does nothing.
    """
    with ExitStack() as open_bars:
        bars: list[Callable[[int, int], None]] = []

        def show(done: int, total: int) -> None:
            """Update the bar, which the first call makes."""
            if not bars:
                bars.append(open_bars.enter_context(_progress_bar(title)))
            bars[0](done, total)

        yield show


@contextmanager
def _progress_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """Provide for a `with` block a function of (done, total) that updates a progress bar on standard error, shown from
    the beginning, with the text `title`. It does nothing if that is not a terminal, or a plain one (see
    `plain_terminal`).
    """
    from pellucid.settings import plain_terminal

    if plain_terminal() or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
