"""Events of sessions in, the new lines of their transcripts observed: each is read from where reading stopped."""

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
from pellucid.store.local.database import os_errors_explained
from pellucid.store.local.hooked import HookedSessions

_SIGNALS: Mapping[Moment, Insistent] = {"compact": "before_reset", "end": "session_end"}
_SETTLES = timedelta(minutes=2)
"""The silence after which a transcript is read without a new event, since programs write their last lines late."""
_FORGOTTEN = timedelta(days=30)
_BATCH = 4 * 1024 * 1024
"""Bytes of a transcript that are acknowledged together; a longer line is read alone."""


def with_event(session: HookedSession | None, event: Event, transcript: str | None, now: datetime) -> HookedSession:
    """Return the record of a session (a new record if `session` is None) with an event at the time `now`; nothing is
    stored.

    `transcript` is the path of its transcript (None: as before). Any event but a start makes the transcript due to be
    read, and a prompt is counted. A start, unless it is older than the last event heard, sets `briefed`: whether the
    agent still has its brief, as after a resumption or a compaction. Any start that cleared or compacted the context
    empties the list of shown memories."""
    record = session or HookedSession(
        host=event.host.name, session_id=event.session_id, begun=now, heard=now, briefed=False
    )
    is_cut = event.moment == "start" and event.source in ("clear", "compact")
    begins = event.moment == "start" and now >= record.heard  # a queued event can be read late
    return record.model_copy(
        update={
            "folder": record.folder or event.folder,
            "transcript": transcript or record.transcript,
            "due": record.due or event.moment != "start",
            "signal": _SIGNALS.get(event.moment, record.signal),
            "heard": now,
            "prompts": record.prompts + (event.moment == "prompt"),
            "briefed": event.source in ("resume", "compact") if begins else record.briefed,
            "shown": () if is_cut else record.shown,
        }
    )


def record_event(app: App, event: Event, at: datetime | None = None) -> HookedSession:
    """Add an event to the stored record of its session, or store a new record, and return the record.

    The folder's project is registered, too, if sessions are filed by folder (`hooks.capture` is on, and no namespace is
    given). `at` is the event's time, None for now; a time in the future counts as now.

    Raises:
        StoreError: the record cannot be written.
    """
    if event.folder and app.settings.hooks.capture and not app.settings.namespace_is_given:
        # registers the folder's project, so that questions asked in it meanwhile are asked of its namespace
        SessionFiling(app, app.settings.namespace).namespace_in(event.folder)
    now, transcript = app.clock.now(), transcript_of(event, app.settings.hooks)

    def with_namespace(session: HookedSession | None) -> HookedSession:
        """Return the record with the event, and with the namespace of the session's folder."""
        record = with_event(session, event, transcript, min(at or now, now))
        return record.model_copy(update={"namespace": app_in_project(app, record.folder).settings.namespace})

    return HookedSessions(app.settings.home).change(event.host.name, event.session_id, with_namespace)


def read_transcripts(app: App) -> int:
    """Record waiting events, then read and observe the lines added to the transcripts of known sessions.

    Return the number of transcripts read; 0 if the settings switch hooks or capturing off. Waiting events that are not
    valid are dropped. Sessions whose events never came are looked for, too (`_find_unreported`).

    Raises:
        PellucidError: a transcript could not be read or observed; it is read again next time, the others were read. Of
            several such errors, the last.
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
            read += _read_new_lines(app, sessions, session)
        except PellucidError as error:
            failure = error
    if failure:
        raise failure
    return read


def _find_unreported(app: App, sessions: HookedSessions) -> None:
    """Record sessions whose events never came, as on a full disk: those with transcripts in the folders of known ones.

    Only programs with a folder for each project, and transcripts that were written to since the first known session of
    their folder began, are considered.
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
    """Yield the paths of the transcripts (`*.jsonl`, no links) in a folder that were written to since the instant
    `first`; nothing if the folder cannot be read."""
    with suppress(OSError), os.scandir(folder) as found:
        for each in found:
            with suppress(OSError):
                is_new = each.stat(follow_symlinks=False).st_mtime >= first.timestamp()
                if each.name.endswith(".jsonl") and each.is_file(follow_symlinks=False) and is_new:
                    yield each.path


def _read_new_lines(app: App, sessions: HookedSessions, session: HookedSession) -> bool:
    """Observe the lines added to a session's transcript, and store how far it was read; return whether it was read.

    It is read if it grew or a flush is due (the session's `signal`), and an event made it due or none came for two
    minutes. The record of a session that has nothing to read and was silent for 30 days is deleted.
    """
    now, size = app.clock.now(), _size(session.transcript)
    if size is None or (size <= session.offset and not session.signal):
        if now - session.heard > _FORGOTTEN:
            sessions.drop(session)
        return False
    is_silent = now - session.heard > _SETTLES
    if not (session.due or is_silent):
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
    # a file that became shorter is another file; turns that were observed before are left out
    offset = session.offset if session.offset <= size else 0
    is_whole = is_silent or session.signal == "session_end"
    for lines, next_offset in _lines(session.transcript or "", offset, with_unfinished=is_whole):
        observer.take(lines)
        offset = next_offset
    outcome = observer.finish()
    _store_offset(sessions, session, offset, is_done=not outcome.extractor_problem)
    return True


def _store_offset(sessions: HookedSessions, session: HookedSession, offset: int, *, is_done: bool) -> None:
    """Store in the session's record how far its transcript was read (`offset`, in bytes). The session stays due, with
    its signal, if another event came meanwhile, or if `is_done` is false, as after a failed extraction."""

    def with_offset(stored: HookedSession | None) -> HookedSession:
        """Return the stored record of the session (None: the record before reading) with the new offset."""
        stored = stored or session
        is_due = stored.heard != session.heard or not is_done
        signal = stored.signal if is_due else None
        return stored.model_copy(update={"offset": offset, "due": is_due, "signal": signal})

    sessions.change(session.host, session.session_id, with_offset)


def _size(path: str | None) -> int | None:
    """Return the size of a file in bytes; None if there is no such file, or no path."""
    try:
        return os.stat(path).st_size if path else None
    except OSError:
        return None


def _lines(path: str, offset: int, *, with_unfinished: bool) -> Iterator[tuple[list[str], int]]:
    """Yield batches of a file's lines, as text, from a byte offset on, each with the offset in bytes at its end.

    A last line without a line end is possibly still being written: it is left out unless `with_unfinished` is set.
    StoreError if the file cannot be read, or is a symbolic link.
    """
    with os_errors_explained(path), open_to_read(path, follow=False) as file:
        file.seek(offset)
        while lines := file.readlines(_BATCH):
            is_cut = not (with_unfinished or lines[-1].endswith(b"\n"))
            if is_cut:
                lines.pop()
            if lines:
                offset += sum(map(len, lines))
                yield [line.decode("utf-8", "replace") for line in lines], offset
            if is_cut:
                return  # what was appended meanwhile is the rest of the line left out
