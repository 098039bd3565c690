"""Events of sessions in, the new lines of their transcripts observed: each is read on from where reading stopped."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from pellucid.app import App
from pellucid.capture.transcripts.json_values import as_object, instant_at
from pellucid.errors import InputError, PellucidError
from pellucid.model.hooked import HookedSession
from pellucid.model.turn import Insistent
from pellucid.operations.hooks.hosts import HOSTS, Event, Moment, parse_event, transcript_of
from pellucid.operations.session.filing import SessionFiling
from pellucid.operations.session.observing import ObserveInput, Observer
from pellucid.operations.session.projects import app_in_project
from pellucid.plain_file import open_to_read
from pellucid.store.local.hooked import HookedSessions

_SIGNALS: Mapping[Moment, Insistent] = {"compact": "before_reset", "end": "session_end"}
_SETTLES = timedelta(minutes=2)
"""Silence after which a transcript is read without a new event: a program writes its last lines late."""
_FORGOTTEN = timedelta(days=30)
_BATCH = 4 * 1024 * 1024
"""Bytes of a transcript that are acknowledged together; a longer line is read alone."""


def with_event(session: HookedSession | None, event: Event, transcript: str | None, now: datetime) -> HookedSession:
    """Return the record of a session (a new one for None) with an event, and the path of its transcript if it may be
    read (None: the path known before stays). What was shown before is forgotten where the context was cut."""
    known = session or HookedSession(
        host=event.host.name, session_id=event.session_id, begun=now, heard=now, briefed=False
    )
    cut = event.moment == "start" and event.source in ("clear", "compact")
    begins = event.moment == "start" and now >= known.heard  # a queued event may be read late
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


def record_event(app: App, event: Event, at: datetime | None = None) -> HookedSession:
    """Write an event into the stored record of its session (a new record for its first), and return that record.

    `at` is the event's time, None for now; a time in the future counts as now.

    Raises:
        StoreError: it cannot be written down.
    """
    if event.folder and app.settings.hooks.capture and not app.settings.namespace_is_given:
        SessionFiling(app, app.settings.namespace).namespace_in(event.folder)  # what is asked meanwhile asks there, too
    now, transcript = app.clock.now(), transcript_of(event, app.settings.hooks)

    def with_namespace(session: HookedSession | None) -> HookedSession:
        """Return the record with the event, and with the namespace of the session's folder."""
        known = with_event(session, event, transcript, min(at or now, now))
        return known.model_copy(update={"namespace": app_in_project(app, known.folder).settings.namespace})

    return HookedSessions(app.settings.home).change(event.host.name, event.session_id, with_namespace)


def read_transcripts(app: App) -> int:
    """Read what was added to the transcripts of known sessions, and observe it; return how many were read, 0 if the
    settings switch hooks or capturing off.

    Raises:
        PellucidError: one could not be read or kept: it is read again the next time; the others were read.
    """
    if not (app.settings.hooks.enabled and app.settings.hooks.capture):
        return 0
    sessions = HookedSessions(app.settings.home)
    for queued in sessions.take_waiting():
        with suppress(InputError):
            event = parse_event(str(queued.get("host")), as_object(queued.get("event")))
            record_event(app, event, instant_at(queued, "at"))
    _find_unreported(app, sessions)
    read, failure = 0, None
    for session in sessions.known():
        try:
            read += _read_on(app, sessions, session)
        except PellucidError as error:
            failure = error
    if failure:
        raise failure
    return read


def _find_unreported(app: App, sessions: HookedSessions) -> None:
    """Find sessions whose events never came, as on a full disk, by transcripts that lie beside known ones.

    Only transcripts are taken that were written to since the first known session of their folder began.
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
                    event = {"hook_event_name": "Stop", "session_id": Path(path).stem, "transcript_path": path}
                    record_event(app, parse_event(host, as_object(event)))


def _written_since(folder: str, first: datetime) -> Iterator[str]:
    """Yield the paths of the transcripts (`*.jsonl`, no links) in a folder that were written to since an instant; none
    if the folder cannot be read."""
    with suppress(OSError), os.scandir(folder) as found:
        for each in found:
            with suppress(OSError):
                is_new = each.stat(follow_symlinks=False).st_mtime >= first.timestamp()
                if each.name.endswith(".jsonl") and each.is_file(follow_symlinks=False) and is_new:
                    yield each.path


def _read_on(app: App, sessions: HookedSessions, session: HookedSession) -> bool:
    """Observe what was added to a session's transcript, if it is time to read it; return whether it was read. A session
    that has been silent for very long, with nothing to read, is dropped from the records."""
    now, size = app.clock.now(), _size(session.transcript)
    if size is None or (size <= session.offset and not session.signal):
        if now - session.heard > _FORGOTTEN:
            sessions.drop(session)
        return False
    silent = now - session.heard > _SETTLES
    if not (session.due or silent):
        return False
    request = ObserveInput(
        namespace=app.settings.namespace,
        by_folder=not app.settings.namespace_is_given,
        session_id=session.session_id,
        agent=session.host,
        flush=session.signal,
        transcript_format=HOSTS[session.host].format,
    )
    observer = Observer(app, request, folder=session.folder)
    offset = session.offset if session.offset <= size else 0  # else it is another file; what is known is left out
    for lines, behind in _lines(session.transcript or "", offset, whole=silent or session.signal == "session_end"):
        observer.take(lines)
        offset = behind
    outcome = observer.finish()
    _store_offset(sessions, session, offset, kept=not outcome.extractor_problem)
    return True


def _store_offset(sessions: HookedSessions, session: HookedSession, offset: int, *, kept: bool) -> None:
    """Store how far a transcript was read; the session stays due unless that was `kept`, or if another event came
    meanwhile."""

    def after(now: HookedSession | None) -> HookedSession:
        """Return the session with its new offset, still due if an event came while its transcript was being read, or if
        not `kept`."""
        now = now or session
        is_new = now.heard != session.heard
        signal = now.signal if is_new or not kept else None
        return now.model_copy(update={"offset": offset, "due": is_new or not kept, "signal": signal})

    sessions.change(session.host, session.session_id, after)


def _size(path: str | None) -> int | None:
    """Return the size of a file in bytes; None if there is no such file, or no path."""
    try:
        return os.stat(path).st_size if path else None
    except OSError:
        return None


def _lines(path: str, offset: int, *, whole: bool) -> Iterator[tuple[list[str], int]]:
    """Yield batches of lines from a byte offset on, each with the offset behind it.

    A last line without a line end is still being written: it is left out unless `whole` is set.
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
