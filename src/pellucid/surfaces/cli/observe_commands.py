"""Flags and a live stream in, the `observe` command's answer out: each line acknowledged before the next is read."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.errors import InputError
from pellucid.surfaces.cli import present_observe
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened

if TYPE_CHECKING:
    from pellucid.operations.observing import Observer

File = Annotated[Path | None, typer.Argument(help="JSON lines of turns; `-` or nothing: standard input.")]


@app.command()
def observe(
    file: File = None,
    session: Annotated[str | None, typer.Option("--session", help="The session of turns that name none.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="The agent of turns that name none.")] = None,
    flush: Annotated[
        str | None, typer.Option("--flush", help="before_reset or session_end: then keep all that waits.")
    ] = None,
    flush_due: Annotated[
        bool, typer.Option("--flush-due", help="Read nothing; flush the sessions that have been silent.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try at once again what failed lately.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Read nothing; show what waits.")] = False,
    transcript_format: Annotated[
        str | None, typer.Option("--format", help="claude-code, codex, openai-chat or plain-jsonl; else detected.")
    ] = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Take the turns of a live session, and keep what lasts.

    What came is looked at a stretch at a time: at a change of topic, after a while, at the end.
    """
    from pellucid.operations.observing import ObserveInput, Observer, spooled
    from pellucid.surfaces.cli.validate import checked

    if flush not in (None, "before_reset", "session_end"):
        raise InputError(f"--flush expects 'before_reset' or 'session_end'; got {flush!r}", code="invalid_flush")
    with opened(home, namespace, adopt=not status) as opened_app:
        here, by_folder = opened_app.settings.namespace, not opened_app.settings.namespace_is_given
        if status:
            waiting = spooled(opened_app, here, by_folder=by_folder)
            emit(waiting, lambda: present_observe.waiting(waiting), as_json=as_json)
            return
        request = checked(
            ObserveInput, namespace=here, by_folder=by_folder, session_id=session, agent=agent, flush=flush,
            retry=retry, transcript_format=transcript_format,
        )  # fmt: skip
        observer = Observer(opened_app, request)
        if not flush_due:
            _take(observer, file, unasked=bool(flush or retry))
        outcome = observer.finish()
    emit(outcome, lambda: present_observe.observed(outcome), as_json=as_json)


def _take(observer: "Observer", file: Path | None, *, unasked: bool) -> None:
    """Everything the file or the standard input brings, until its end or Ctrl-C; a terminal is read only if asked."""
    with _opened(file) as descriptor, suppress(KeyboardInterrupt):
        if not (unasked and file is None and os.isatty(descriptor)):
            observer.follow(lambda most: os.read(descriptor, most))


@contextmanager
def _opened(file: Path | None) -> Generator[int]:
    if file is None or str(file) == "-":
        yield sys.stdin.fileno()
        return
    try:
        stream = file.open("rb")
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}", code="invalid_file", next_step="check the path"
        ) from error
    with stream:
        yield stream.fileno()
