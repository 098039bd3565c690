"""A live session's turns in, memories out: guarded, numbered, spooled as they arrive, flushed when they are due."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.capture.guard import Guard, OffTheRecord
from pellucid.capture.identity import turn_fingerprint
from pellucid.capture.live import UNNAMED, LiveTranscript, line_batches
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.detect import Format
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.memory import SourceClass
from pellucid.model.project import DEFAULT
from pellucid.model.turn import Insistent, Turn
from pellucid.model.wire import Wire
from pellucid.operations.extraction import open_extraction
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.session.filing import SessionFiling
from pellucid.operations.session.flushing import OFF_THE_RECORD, PLACE, Backlog, Flushed, Flusher, TopicShift, backlog
from pellucid.operations.session.intake import purpose_of
from pellucid.operations.session.tally import sum_tallies
from pellucid.store.local.lock import exclusive
from pellucid.store.spool_port import SpooledTurn, Waiting


class ObserveInput(Wire):
    """Turns as JSON lines or as objects `{role, content, ts?, session?, name?, id?, tool?}`, and what to do then."""

    namespace: str
    said_by: SourceClass = "manual"
    """The source of the call: turns that a program brings are not trusted as a person's words."""
    by_folder: bool = False
    """Whether sessions that name a folder are filed under its project, and only others in `namespace`."""
    session_id: Annotated[str | None, Flag("The session of turns that name none.", "--session")] = None
    lines: tuple[str, ...] = Field(default=(), description="Turns, each a line of JSON as a transcript has it.")
    turns: tuple[dict[str, object], ...] = Field(
        default=(),
        description="Turns as objects: role, content, and ts, session, name, id, tool, where they are known.",
    )
    agent: Annotated[str | None, Flag("The agent of turns that name none.")] = None
    flush: Annotated[Insistent | None, Flag("before_reset or session_end: then keep all that waits.")] = None
    """The signal with which the sessions concerned are flushed; None: only what is due."""
    transcript_format: Annotated[
        Format | None, Flag("claude-code, codex, cursor, openai-chat or plain-jsonl; else detected.", "--format")
    ] = None
    retry: Annotated[bool, Flag("Try at once again what failed lately.")] = False


class ObserveOutput(Wire):
    """The counts and problems of a call; each turn that was read waits, was flushed, or was dropped for a reason."""

    namespace: str
    """The namespace of the request; sessions with folders can be in others."""
    turns_read: int = 0
    turns_spooled: int = 0
    spooled_to: dict[str, int] = Field(default_factory=dict)
    """Maps namespaces to the number of turns spooled."""
    dropped: dict[str, int] = Field(default_factory=dict)
    redactions: dict[str, int] = Field(default_factory=dict)
    malformed: int = 0
    problems: tuple[str, ...] = ()
    """The first lines that could not be read: number and reason."""
    flushes: tuple[Flushed, ...] = ()
    backlog: tuple[Backlog, ...] = ()
    topic_shift: TopicShift = "meaning"
    """How changes of topic are found: by meaning, by words because there is no encoder, or not at all."""
    encoder_problem: str | None = None
    extractor_problem: str | None = None


class SpoolOutput(Wire):
    """The turns that wait in the spool of a namespace, or of all projects."""

    namespace: str
    turns: int
    backlog: tuple[Backlog, ...] = ()
    everywhere: bool = False
    """Whether the turns of all projects are shown, not of that namespace alone."""


class SpoolInput(Wire):
    """The namespace whose waiting turns to show; with `by_folder`, those of every project, too."""

    namespace: str
    by_folder: bool = False


def observe_turns(app: App, request: ObserveInput) -> ObserveOutput:
    """Spool turns of live sessions and flush the segments that they complete; then, as `Observer.finish` does, flush
    these sessions if the request has a signal, and all sessions in which no turn arrived for `observe.flushMinutes`.

    When this returns, every turn is acknowledged: it waits on disk, redacted, or was flushed or dropped for a reason.
    If extraction fails, turns wait, and the output says why.

    Raises:
        InputError: the format is one that cannot be read line by line.
        StoreError: the spool could not be written; what was not acknowledged must be sent again.
        DeadlineError: the time of the call was over; what was spooled before waits.
    """
    observer = Observer(app, request)
    observer.take([*request.lines, *(json.dumps(turn) + "\n" for turn in request.turns)])
    return observer.finish()


def show_waiting(app: App, request: SpoolInput) -> SpoolOutput:
    """Return the number of waiting turns of each session in the namespace; with `by_folder`, of every project, too."""
    backlogs = _backlogs(
        app, SessionFiling(app, request.namespace).namespaces if request.by_folder else {request.namespace}
    )
    turns = sum(each.turns for each in backlogs)
    return SpoolOutput(namespace=request.namespace, turns=turns, backlog=backlogs, everywhere=request.by_folder)


def _backlogs(app: App, namespaces: Collection[str]) -> tuple[Backlog, ...]:
    """Return the backlogs of the sessions with waiting turns in any of these namespaces, sorted by namespace; in each,
    the session that waits longest comes first."""
    waiting = {each.namespace for each in app.spool.waiting()}
    return tuple(each for namespace in sorted(waiting.intersection(namespaces)) for each in backlog(app, namespace))


class Observer:
    """Observes one stream of transcript lines, chunk by chunk."""

    def __init__(self, app: App, request: ObserveInput, *, folder: str | None = None) -> None:
        """Prepare to observe; nothing is written yet. `folder` is the folder of turns that do not name one.

        Raises:
            InputError: the format is one that cannot be read line by line.
        """
        self._app = app
        self._request, self._folder = request, folder
        self._report = CaptureReport()
        self._transcript = LiveTranscript(self._report, request.session_id, request.transcript_format)
        self._guard = Guard(app.settings.capture, self._report)
        self._filing = SessionFiling(app, request.namespace) if request.by_folder else None
        self._flushers: dict[str, Flusher] = {}
        self._extracting = cache(partial(open_extraction, app.settings, app.deadline))
        self._sessions: dict[str, None] = {}
        self._spooled = Counter[str]()

    def follow(self, read: Callable[[int], bytes]) -> None:
        """Take lines as they arrive, until `read(max_bytes)` returns no bytes; all are acknowledged before more are
        read. StoreError if the spool cannot be written, DeadlineError if the time of the call is over; what was
        acknowledged before stays."""
        for lines in line_batches(read):
            self.take(lines)

    def take(self, lines: Sequence[str]) -> int:
        """Spool the turns of some lines, flush the segments that they complete, and return the number of new turns.
        StoreError if the spool cannot be written, DeadlineError if the time of the call is over; if extraction fails,
        the turns wait, and the output of `finish` says why."""
        before = self._spooled.total()
        by_session: dict[str, list[Turn]] = {}
        for turn in self._transcript.turns(lines):
            session_id = redact(turn.session_id).text
            cleaned = replace(turn, session_id=session_id, folder=turn.folder or self._folder)
            by_session.setdefault(session_id, []).append(cleaned)
        namespaces = {
            session: self._filing.choose_namespace(turns) if self._filing else self._request.namespace
            for session, turns in by_session.items()
        }
        # two processes must not give out the same number
        with exclusive(self._app.settings.home / "spool.lock", WAIT_S, self._app.deadline):
            for session_id, turns in by_session.items():
                self._spool_turns(namespaces[session_id], session_id, turns)
        self._sessions |= dict.fromkeys(by_session)
        for session_id, namespace in namespaces.items():
            self._flusher_of(namespace).flush(session_id)
        return self._spooled.total() - before

    def _spool_turns(self, namespace: str, session_id: str, turns: Iterable[Turn]) -> None:
        """Add those turns of one session that are to be kept to the spool of its namespace; count in the report and in
        `_spooled` how many were read, dropped and spooled."""
        request = self._request.model_copy(update={"namespace": namespace})
        writer = SpoolWriter(self._app, request, session_id, self._guard, self._report)
        for turn in turns:
            self._report.turns_read += 1
            writer.admit(turn)
        self._spooled[namespace] += writer.close()

    def _flusher_of(self, namespace: str) -> Flusher:
        """Return the flusher of a namespace, which is made when first needed."""
        if namespace not in self._flushers:
            elsewhere = (DEFAULT,) if self._filing else ()
            self._flushers[namespace] = Flusher(
                self._app, namespace, self._request.retry, extracting=self._extracting, forgotten_in=elsewhere
            )
        return self._flushers[namespace]

    def finish(self) -> ObserveOutput:
        """Flush the sessions concerned (`_sessions_concerned`), if the request has a signal, and all sessions in which
        no turn arrived for `observe.flushMinutes`; return the output of the whole stream."""
        if self._request.flush:
            for namespace, session_id in self._sessions_concerned():
                self._flusher_of(namespace).flush(session_id, self._request.flush)
        for namespace in sorted({each.namespace for each in self._waiting()}):
            self._flusher_of(namespace).flush_silent()
        return self._outcome()

    def _waiting(self) -> list[Waiting]:
        """Return a row of the spool for each session with waiting turns in the namespaces of this stream."""
        namespaces = self._namespaces()
        return [each for each in self._app.spool.waiting() if each.namespace in namespaces]

    def _namespaces(self) -> frozenset[str]:
        """Return the namespaces that sessions of this stream can be in: those of all projects if sessions are filed by
        folder, else the request's."""
        return self._filing.namespaces if self._filing else frozenset({self._request.namespace})

    def _sessions_concerned(self) -> list[tuple[str, str]]:
        """Return (namespace, session id) of the waiting sessions to flush: the request's session, the sessions of the
        lines, and those of their sub-agents; if there are none, the sessions without a name."""
        request_session = self._request.session_id
        concerned = {redact(request_session).text, *self._sessions} if request_session else set(self._sessions)
        ending = concerned or {UNNAMED}
        waiting = [(each.namespace, each.session_id) for each in self._waiting()]
        return [pair for pair in waiting if any(f"{pair[1]}/".startswith(f"{end}/") for end in ending)]

    def _outcome(self) -> ObserveOutput:
        """Return the output: counts of the lines, the flushed segments and the backlog."""
        report, flushers = self._report, [*self._flushers.values()] or [self._flusher_of(self._request.namespace)]
        tally = sum_tallies(each.tally for each in flushers)
        dropped = report.dropped + Counter({"already-imported": tally.overtaken, "forgotten": tally.forgotten})
        spooled_to = {namespace: count for namespace, count in sorted(self._spooled.items()) if count}
        by_words = next((each for each in flushers if each.shift_problem), flushers[0])
        return ObserveOutput(
            namespace=self._request.namespace,
            turns_read=report.turns_read,
            turns_spooled=self._spooled.total(),
            spooled_to=spooled_to,
            dropped=dict(dropped.most_common()),
            redactions=dict(report.redactions.most_common()),
            malformed=report.malformed,
            problems=tuple(f"line {each.line}: {each.reason}" for each in report.problems),
            flushes=tuple(each for flusher in flushers for each in flusher.flushed),
            backlog=_backlogs(self._app, self._namespaces()),
            topic_shift=by_words.shift,
            encoder_problem=tally.encoder_problem or by_words.shift_problem or None,
            extractor_problem=next((each.problem for each in flushers if each.problem), None),
        )


class SpoolWriter:
    """Adds one chunk of a session's turns to the spool, each after a check by the guard, with a number and a key."""

    def __init__(self, app: App, request: ObserveInput, session_id: str, guard: Guard, report: CaptureReport) -> None:
        """Load the spool's state of the session: its keys, its next number, and whether it is off the record."""
        self._app, self._request, self._guard, self._report = app, request, guard, report
        self._session = session_id
        self._waiting = {each.key for each in app.spool.held(request.namespace, session_id)}
        self._first = self._next = app.spool.next_ordinal(request.namespace, session_id)
        self._new: list[SpooledTurn] = []
        self._now = app.clock.now()
        self._off = OffTheRecord(app.settings.capture)
        self._mark = self._placeholder(OFF_THE_RECORD, 0)
        if self._mark.key in self._waiting:  # go off the record, as if the user had just said so
            words = app.settings.capture.off_the_record
            self._off.drop_reason(Turn(session_id, 0, "user", words), words)

    def admit(self, turn: Turn) -> None:
        """Queue a turn for the spool, with the session's next number. A turn that must not be stored, because the
        session is off the record, the turn belongs to a prompt of Pellucid's own, or the guard refuses it, is only
        counted and uses up a number; for a turn that is in the spool or was imported see `_add_turn`."""
        turn = replace(
            turn,
            ordinal=self._next,
            at=turn.at or self._now,
            agent=turn.agent or self._request.agent,
            relayed=self._request.said_by != "manual",
        )
        if reason := self._off.drop_reason(turn, without_own_output(turn.content, CaptureReport())):
            self._report.drop(reason)
            self._next += 1
            return
        admitted = next(self._guard.admit(turn), None)
        if admitted is None:
            self._next += 1
        else:
            self._add_turn(admitted)

    def _add_turn(self, turn: Turn) -> None:
        """Queue a turn with its key until `close`. A turn that waits or was taken already is only counted; it uses up a
        number, too, if its transcript gave it no `key` or none of the session's turns was spooled before."""
        key = turn_fingerprint(turn, self._app.key, purpose_of(self._request.namespace, "extract"))
        if key in self._waiting or self._app.records.already_seen([key]):
            self._report.drop("already-observed" if key in self._waiting else "already-imported")
            # a repeated turn got its number when it first came, unless it came in an import, which numbers every turn
            self._next += turn.key is None or self._first == 1
            return
        self._waiting.add(key)
        self._report.turns_kept += 1
        self._new.append(SpooledTurn(replace(turn, fingerprint=key), self._millis()))
        self._next += 1

    def close(self) -> int:
        """Write the queued turns to the spool in one step, and return their number. Placeholders, which do not count,
        are written with them: one if the session is off the record now (removed once it no longer is), and one for the
        last number used up, if no queued turn has it."""
        off_record = self._off.drop_reason(Turn(self._session, 0, "assistant", "-"), "-")
        is_marked = self._mark.key in self._waiting
        added = [*self._new, self._mark] if off_record and not is_marked else self._new
        last = self._new[-1].turn.ordinal if self._new else self._first - 1
        if self._next - 1 > last:  # a placeholder reserves the last number of turns that were left out
            added = [*added, self._placeholder(PLACE, self._next - 1)]
        if added:
            self._app.spool.append(self._request.namespace, added)
        if is_marked and not off_record:
            self._app.spool.drop([self._mark.key])
        return len(self._new)

    def _placeholder(self, name: str, ordinal: int) -> SpooledTurn:
        """Return an empty turn that stores a fact about the session in the spool: that it is off the record (`name` is
        `OFF_THE_RECORD`), or that the number `ordinal` is used up (`PLACE`)."""
        turn = Turn(self._session, ordinal, "system", "", key=name)
        place = replace(turn, key=f"{name} {ordinal}")
        key = turn_fingerprint(place, self._app.key, f"{self._request.namespace} spool")
        return SpooledTurn(replace(turn, fingerprint=key), self._millis())

    def _millis(self) -> int:
        """Return the time at which this writer was made, in epoch milliseconds."""
        return int(self._now.timestamp() * 1000)


OBSERVE = Operation(
    "session.observe",
    """Take the turns of a live session, and keep what lasts.

What came is looked at a stretch at a time: at a change of topic, after a while, at the end.
""",
    ObserveInput,
    ObserveOutput,
    in_home(observe_turns),
    "append",
    Surfaces("observe", http=("POST /v1/turns",), mcp="memory_observe:turns"),
    text=Text("imports.observe_text"),
    span="upsert_memory",
)
WAITING = Operation(
    "session.waiting",
    "Show which turns of live sessions wait to be looked at.",
    SpoolInput,
    SpoolOutput,
    in_home(show_waiting),
    "read",
    Surfaces(),
    text=Text("imports.backlog_text"),
    as_it_stands=True,
)
