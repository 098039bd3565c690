"""Common flags in, a call and its home out: what every command does before and after its work.

Help and completion go through here, too, and wait for no settings: those are loaded with the first call.
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
"""Namespaces named to a folder in no project, at most."""
_UNDECODED = re.compile("[\ud800-\udfff]")
"""What Python makes of an argument's bytes that are not UTF-8."""


@contextmanager
def calling(
    home: Path | None,
    namespace: str | None,
    *,
    take_over_edits: bool = True,
    located: bool = True,
    title: str = "reading",
) -> Generator["Call"]:
    """A call whose home is opened when it is needed, and closed in the end.

    Args:
        home: where the home is, if that was said.
        namespace: the isolation unit, if that was said.
        take_over_edits: outside edits of the vault are taken over when it is opened.
        located: where no namespace was said, the project of the working folder decides it.
        title: what is said of the work under way.

    Raises:
        InputError: a setting or the namespace is not allowed.
    """
    from pellucid.operations.operation import Call

    known = settings(home, namespace)
    with ExitStack() as open_ones:

        def opens() -> "App":
            app = open_ones.enter_context(_opened_home(known, take_over_edits=take_over_edits))
            return _in_project(app) if located else app

        with progress(title) as bar:
            call = Call(known, opens, progress=bar, report=note)
            call.surface = "cli"
            yield call


@contextmanager
def _opened_home(known: "Settings", *, take_over_edits: bool) -> Generator["App"]:
    """A home for the length of the block; says on standard error what its opening took over."""
    from pellucid.app import open_app
    from pellucid.operations.upkeep import look_after

    app = open_app(known, report=note)
    try:
        if app.read_only:
            where = app.settings.home
            note(f"{where} may only be read: recalls are not kept, and changes of the vault are not taken over")
        done = look_after(app, take_over_edits=take_over_edits)
        # a namespace's slugs tell what its memories say, and the vault holds every namespace: counts only
        _note_count(done.count, "changed outside Pellucid and taken over")
        _note_count(done.unreadable, "could not be read and left out; `pellucid doctor` names them")
        yield app
    finally:
        app.close()


def _in_project(app: "App") -> "App":
    """The app asking the project of the working folder, which is said on standard error."""
    from pellucid.model.project import DEFAULT
    from pellucid.operations.session.projects import located

    found = located(app)
    if found.project:
        is_older = found.project.root in app.projects.known().earlier
        earlier = f"; its earlier sessions are in {DEFAULT}" if is_older else ""
        note(f"namespace {found.project.namespace}, the project of {found.project.root}{earlier}")
    return found


def astray(app: "App") -> list[str]:
    """Lines that say the named namespace is empty, or, in a folder of no project, which namespace was asked."""
    if app.settings.namespace_is_given:
        return _unknown_namespace(app)
    if app.project or not (known := app.projects.known().projects):
        return []
    names = list(dict.fromkeys(each.namespace for each in known))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    others = f"{', '.join(names[:_NAMED])}{more}: `pellucid projects list`, --namespace"
    return [f"asked {app.settings.namespace}: this folder is in no project (there are {others})"]


def _unknown_namespace(app: "App") -> list[str]:
    """That nothing was ever kept in the namespace, and which one has a name like it."""
    asked, known = app.settings.namespace, app.lookup.namespaces()
    if asked in known:
        return []
    close = get_close_matches(asked, known, n=1)
    meant = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known[:_NAMED]) or 'none yet'}"
    return [f"no such namespace: nothing was ever kept in {asked}; {meant}"]


def _note_count(count: int, what: str) -> None:
    if count:
        note(f"{count} {'file' if count == 1 else 'files'} {what}")


def settings(home: Path | None, namespace: str | None = None) -> "Settings":
    """The settings of this command, checked; what is to be said of where they came from is said."""
    from pellucid.settings import load
    from pellucid.settings.sections import NAMESPACE_PATTERN

    if home and re.search("[\ud800-\udfff\ufffd]", str(home)):
        raise InputError("--home expects a path in UTF-8", code="invalid_home", next_step="name another folder")
    given = namespace.strip() if namespace else None
    if given and not re.match(NAMESPACE_PATTERN, given):
        raise InputError(
            f'--namespace expects tenant/project; got "{given}"',
            code="invalid_namespace",
            next_step="lower-case letters, digits, dot, dash and underscore, e.g. local/default",
        )
    found = load(home=home, namespace=given or None)
    for each in found.notes:
        note(each)
    return found


def text_words(arguments: Sequence[str]) -> list[str]:
    """The words of a command line as text: what is not UTF-8 becomes U+FFFD, save in the name of a file there is."""
    return [word if os.path.lexists(word) else _UNDECODED.sub("\ufffd", word) for word in arguments]


def write(text: str) -> None:
    """Print lines whatever the terminal's encoding, nothing in them reaching it as a command."""
    from pellucid.surfaces.answers import printed

    sys.stdout.buffer.write(printed(text).encode())
    sys.stdout.flush()


def note(text: str) -> None:
    """Say one line on standard error, so that answers stay clean."""
    sys.stderr.write(f"pellucid: {visible(text)}\n")


def complain(error: PellucidError, *, as_json: bool) -> None:
    """Say on standard error what went wrong: one line of text or of JSON."""
    if not as_json:
        note(str(error))
        return
    from pellucid.surfaces.answers import problem

    sys.stderr.write(visible_json(json.dumps(problem(error))) + "\n")


@contextmanager
def progress(title: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar on standard error, from the first word of progress on; silent where it is not a terminal."""
    with ExitStack() as shown:
        bars: list[Callable[[int, int], None]] = []

        def show(done: int, total: int) -> None:
            if not bars:
                bars.append(shown.enter_context(_progress_bar(title)))
            bars[0](done, total)

        yield show


@contextmanager
def _progress_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar for the length of the block; what it yields takes done and total."""
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
