"""What was told of sessions in, their transcripts read as far as they go out: each from where it was left."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from pellucid.app import App
from pellucid.capture.transcripts.json_values import as_object, instant_at
from pellucid.errors import InputError, PellucidError
from pellucid.model.hooked import HookedSession
from pellucid.model.turn import Insistent
from pellucid.operations.hooks.hosts import HOSTS, Event, Moment, event_of, transcript_of
from pellucid.operations.session.filing import SessionFiling
from pellucid.operations.session.observing import ObserveInput, Observer
from pellucid.operations.session.projects import located
from pellucid.plain_file import open_to_read
from pellucid.store.local.hooked import HookedSessions

_SIGNALS: Mapping[Moment, Insistent] = {"compact": "before_reset", "end": "session_end"}
_SETTLES = timedelta(minutes=2)
"""Silence after which a transcript is read although nobody told of more: a program writes its last lines late."""
_FORGOTTEN = timedelta(days=30)
_BATCH = 4 * 1024 * 1024
"""Bytes of a transcript that are acknowledged together; a longer line is read alone."""


def noted(session: HookedSession | None, event: Event, transcript: str | None, now: datetime) -> HookedSession:
    """The record of a session, an event added to it; `transcript` is that of the event, if it may be read."""
    known = session or HookedSession(
        host=event.host.name, session_id=event.session_id, begun=now, heard=now, briefed=False
    )
    cut = event.moment == "start" and event.source in ("clear", "compact")
    begins = event.moment == "start" and now >= known.heard  # word that was left may be taken up late
    return known.model_copy(
        update={
            "folder": known.folder or event.folder,
            "transcript": transcript or known.transcript,
            "due": known.due or event.moment != "start",
            "signal": _SIGNALS.get(event.moment, known.signal),
            "heard": now,
            "prompts": known.prompts + (event.moment == "prompt"),
            "briefed": event.source in ("resume", "compact") if begins else known.briefed,
            "shown": () if cut else known.shown,
        }
    )


def note_event(app: App, event: Event, at: datetime | None = None) -> HookedSession:
    """Note an event of a session, that came now or at an earlier instant, and say what is known of the session now.

    Raises:
        StoreError: it cannot be written down.
    """
    if event.folder and app.settings.hooks.capture and not app.settings.namespace_is_given:
        SessionFiling(app, app.settings.namespace).namespace_in(event.folder)  # what is asked meanwhile asks there, too
    now, transcript = app.clock.now(), transcript_of(event, app.settings.hooks)
    how = partial(noted, event=event, transcript=transcript, now=min(at or now, now))

    def placed(session: HookedSession | None) -> HookedSession:
        known = how(session)
        return known.model_copy(update={"namespace": located(app, known.folder).settings.namespace})

    return HookedSessions(app.settings.home).change(event.host.name, event.session_id, placed)


def read_transcripts(app: App) -> int:
    """Read what has come to the transcripts of sessions since, and make memories of what is complete; how many.

    Raises:
        PellucidError: one could not be read or kept: it is read again the next time; the others were read.
    """
    if not (app.settings.hooks.enabled and app.settings.hooks.capture):
        return 0
    sessions = HookedSessions(app.settings.home)
    for said in sessions.waiting():
        with suppress(InputError):
            note_event(app, event_of(str(said.get("host")), as_object(said.get("event"))), instant_at(said, "at"))
    _find_untold(app, sessions)
    read, failure = 0, None
    for session in sessions.known():
        try:
            read += _read_on(app, sessions, session)
        except PellucidError as error:
            failure = error
    if failure:
        raise failure
    return read


def _find_untold(app: App, sessions: HookedSessions) -> None:
    """Sessions of a project whose events never came, as on a full disk: their transcripts lie beside the others.

    Only those are taken that were written to since the first session of that folder was told of.
    """
    known, since = set[str](), dict[tuple[str, str], datetime]()
    for each in sessions.known():
        if each.transcript:
            known.add(each.transcript)
            if HOSTS[each.host].a_folder_a_project:
                place = each.host, os.path.dirname(each.transcript)
                since[place] = min(each.begun, since.get(place, each.begun))
    for (host, folder), first in since.items():
        for path in _written_since(folder, first):
            if path not in known:
                with suppress(InputError):
                    said = {"hook_event_name": "Stop", "session_id": Path(path).stem, "transcript_path": path}
                    note_event(app, event_of(host, as_object(said)))


def _written_since(folder: str, first: datetime) -> Iterator[str]:
    """The transcripts (`*.jsonl`) of a folder that were written to since an instant."""
    with suppress(OSError), os.scandir(folder) as found:
        for each in found:
            with suppress(OSError):
                is_new = each.stat(follow_symlinks=False).st_mtime >= first.timestamp()
                if each.name.endswith(".jsonl") and each.is_file(follow_symlinks=False) and is_new:
                    yield each.path


def _read_on(app: App, sessions: HookedSessions, session: HookedSession) -> bool:
    """Read a session's transcript on, if there is more of it; whether there was."""
    now, size = app.clock.now(), _size(session.transcript)
    if size is None or (size <= session.offset and not session.signal):
        if now - session.heard > _FORGOTTEN:
            sessions.drop(session)
        return False
    silent = now - session.heard > _SETTLES
    if not (session.due or silent):
        return False
    observer = Observer(app, _request(app, session), folder=session.folder)
    offset = session.offset if session.offset <= size else 0  # else it is another file; what is known is left out
    for lines, behind in _lines(session.transcript or "", offset, whole=silent or session.signal == "session_end"):
        observer.take(lines)
        offset = behind
    outcome = observer.finish()
    _settle(sessions, session, offset, kept=not outcome.extractor_problem)
    return True


def _request(app: App, session: HookedSession) -> ObserveInput:
    """The request to observe the lines of a session's transcript, filed as the settings say."""
    settings = app.settings
    return ObserveInput(
        namespace=settings.namespace,
        by_folder=not settings.namespace_is_given,
        session_id=session.session_id,
        agent=session.host,
        flush=session.signal,
        transcript_format=HOSTS[session.host].format,
    )


def _settle(sessions: HookedSessions, read: HookedSession, offset: int, *, kept: bool) -> None:
    """Write down how far a transcript is read; an event that came meanwhile stays due."""

    def after(now: HookedSession | None) -> HookedSession:
        """The session with its new offset, still due if an event came while its transcript was being read."""
        now = now or read
        is_new = now.heard != read.heard
        signal = now.signal if is_new or not kept else None
        return now.model_copy(update={"offset": offset, "due": is_new or not kept, "signal": signal})

    sessions.change(read.host, read.session_id, after)


def _size(path: str | None) -> int | None:
    """The size of a file in bytes; None where there is none."""
    try:
        return os.stat(path).st_size if path else None
    except OSError:
        return None


def _lines(path: str, offset: int, *, whole: bool) -> Iterator[tuple[list[str], int]]:
    """Lines from an offset on, some at a time, each with the offset behind them.

    A last line without an end is still being written, unless the `whole` file is there.
    """
    with open_to_read(path, follow=False) as file:
        file.seek(offset)
        while lines := file.readlines(_BATCH):
            if not (whole or lines[-1].endswith(b"\n")):
                lines.pop()
            if not lines:
                return
            offset += sum(map(len, lines))
            yield [line.decode("utf-8", "replace") for line in lines], offset
