"""The waiting turns of a session in, memories out: which segments are complete, why, and each exactly once."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import Field

from pellucid.app import App
from pellucid.capture.segment import Cutter, cut_waiting, full, time_gap
from pellucid.capture.shift import WORDS_THRESHOLD, ApartInMeaning, apart_in_words, topic_shift
from pellucid.capture.signals import high_signal
from pellucid.clock import isoformat
from pellucid.encoders.chat.model import ChatError
from pellucid.errors import EncoderError, InputError, StoreBusyError, UnhealthyError
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.turn import FlushSignal, Segment, Turn
from pellucid.model.wire import Instant, Wire
from pellucid.operations.extraction import Extraction
from pellucid.operations.session.intake import Intake, Mode, SegmentCut
from pellucid.operations.session.tally import IntakeTally
from pellucid.store.local.hooked import HookedSessions
from pellucid.store.local.lock import exclusive, namespace_lock
from pellucid.store.spool_port import SpooledTurn, Waiting

OFF_THE_RECORD = "off-the-record"
"""The `key` of a placeholder without words: the session is off the record until the user says otherwise."""
PLACE = "place"
"""The `key` of one that remembers the number of a turn which was left out."""
LONGEST_PAUSE = timedelta(hours=1)
INSISTENT = frozenset({"before_reset", "session_end"})

TopicShift = Literal["meaning", "words", "off"]


class Flushed(Wire):
    """One segment that was flushed: why, how many of its turns were taken, and what came of them."""

    namespace: str
    session_id: str
    signal: FlushSignal
    turns: int
    memories: int
    memory_ids: tuple[str, ...] = ()
    verdicts: dict[str, int] = Field(default_factory=dict)
    unkept: dict[str, int] = Field(default_factory=dict)
    """Sentences that looked like statements and became no observation, by reason."""


class Backlog(Wire):
    """The turns of one session that wait, and why if a flush failed."""

    namespace: str
    session_id: str
    turns: int
    oldest: Instant
    newest: Instant
    attempts: int = 0
    problem: str | None = None
    next_attempt: Instant | None = None
    """Before this only `before_reset`, `session_end` or a retry tries again."""


@dataclass(slots=True)
class Flusher:
    """Flushes what is complete in one namespace. `insist` tries again at once what failed lately."""

    app: App
    namespace: str
    insist: bool = False
    flushed: list[Flushed] = field(default_factory=list["Flushed"])
    problem: str = ""
    shift: TopicShift = "meaning"
    shift_problem: str = ""
    tally: IntakeTally = field(default_factory=IntakeTally)
    extracting: Callable[[], Extraction] | None = None
    """Makes, at the first flush, who extracts and judges; several flushers may share it."""
    forgotten_in: tuple[str, ...] = ()
    """See `Intake`."""
    _intakes: dict[Mode, Intake] = field(default_factory=dict[Mode, Intake])
    _meaning: ApartInMeaning = field(init=False)
    _cutters: tuple[Cutter, ...] = ()

    def __post_init__(self) -> None:
        self._meaning = ApartInMeaning(lambda texts: (each.vector for each in self.app.embedder.encode(texts)))
        if not self.app.settings.observe.topic_shift:
            self.shift = "off"
        self._cutters = self._choose_cutters()

    def _choose_cutters(self) -> tuple[Cutter, ...]:
        """The rules by which waiting turns are cut into segments, as the settings say."""
        observe = self.app.settings.observe
        cutters = [time_gap(timedelta(minutes=observe.flush_minutes))]
        cutters += [high_signal()] if observe.high_signal else []
        cutters.append(full(observe.flush_turns))
        if self.shift == "meaning":
            cutters.append(topic_shift(self._meaning, observe.topic_shift))
        elif self.shift == "words":
            cutters.append(topic_shift(apart_in_words, WORDS_THRESHOLD))
        return tuple(cutters)

    def flush(self, session_id: str, signal: FlushSignal | None = None) -> None:
        """Flush the complete segments of a session; with a signal, what is left of it, too.

        While another process flushes, what is not urgent is left to it or to the next call. A signal waits, and then
        goes ahead: the intake keeps each turn once, whoever else reads it.
        """
        with ExitStack() as stack:
            lock = exclusive(namespace_lock(self.app.settings.home, self.namespace, "flush"), WAIT_S if signal else 0.0)
            try:
                alone = stack.enter_context(lock)
            except StoreBusyError:
                alone = True
            if alone:
                self._flush_session(session_id, signal)

    def flush_silent(self) -> None:
        """Flush the sessions from which nothing came for `flushMinutes`."""
        for each in self.app.spool.waiting(self.namespace):
            if self._is_silent(each.newest):
                self.flush(each.session_id)

    def _is_silent(self, newest: int) -> bool:
        minutes = (self.app.clock.now().timestamp() * 1000 - newest) / 60_000
        return minutes > self.app.settings.observe.flush_minutes

    def _flush_session(self, session_id: str, signal: FlushSignal | None) -> None:
        """Keep what is complete of a session; where a signal or a long silence ends it, the rest, too.

        Does nothing while the session pauses after a failure, unless the signal insists. After a segment that fails,
        those behind it wait with it, so that they are kept in order.
        """
        held = self._without_the_kept(session_id)
        turns = [each.turn for each in held if each.turn.content]
        keys = {id(each.turn): each.key for each in held}
        if turns and (signal in INSISTENT or self.insist or not self._is_pausing(session_id)):
            whole, rest = self._cut_turns(turns)
            signal = signal or ("time_elapsed" if self._is_silent(held[-1].spooled_at) else None)
            if rest and signal:
                whole.append(Segment(session_id, tuple(rest), signal))
            for segment in whole:
                if not self._keep_segment(segment, tuple(keys[id(turn)] for turn in segment.turns)):
                    return
            turns = [] if signal else rest
        if not turns:
            self._drop_places(held)

    def _without_the_kept(self, session_id: str) -> list[SpooledTurn]:
        """What waits, without the turns that were kept before a crash: their keys are in the journal."""
        held = self.app.spool.held(self.namespace, session_id)
        kept = self.app.records.already_seen(each.key for each in held if each.turn.content)
        if kept:
            self.app.spool.drop(kept)
        return [each for each in held if each.key not in kept]

    def _cut_turns(self, turns: Sequence[Turn]) -> tuple[list[Segment], list[Turn]]:
        """The complete segments of some turns, and the turns left over; by words where the encoder fails."""
        try:
            return cut_waiting(turns, self._cutters)
        except EncoderError as error:
            self.shift, self.shift_problem = "words", str(error)
            self._cutters = self._choose_cutters()
            return cut_waiting(turns, self._cutters)

    def _keep_segment(self, segment: Segment, keys: tuple[bytes, ...]) -> bool:
        """Extract and keep a segment, then let go of its turns; False if that failed, and they wait on."""
        tally = self.tally
        memories, turns = tally.memories, tally.turns
        verdicts, unkept = Counter(tally.verdicts), Counter(tally.unkept)
        try:
            made = self._opened_intake(segment.session_id).keep([SegmentCut(segment, keys)])
        except (EncoderError, InputError, StoreBusyError, UnhealthyError) as error:
            self.problem = f"{error}; nothing is lost: the turns wait"
            said = f"{isoformat(self.app.clock.now())} {error.lasting if isinstance(error, ChatError) else error}"
            self.app.spool.failed(self.namespace, segment.session_id, said)
            return False
        self.app.spool.drop(keys)
        if tally.turns > turns:
            self.flushed.append(
                Flushed(
                    namespace=self.namespace,
                    session_id=segment.session_id,
                    signal=segment.signal,
                    turns=tally.turns - turns,
                    memories=tally.memories - memories,
                    memory_ids=tuple(made),
                    verdicts=dict((tally.verdicts - verdicts).most_common()),
                    unkept=dict((tally.unkept - unkept).most_common()),
                )
            )
        return True

    def _opened_intake(self, session_id: str) -> Intake:
        """The intake, made at the first flush: an endpoint set up wrongly must not keep turns from the spool.

        Of a session whose program tells of its transcript, the turns are kept as an import of that file keeps them.
        """
        told = HookedSessions(self.app.settings.home).is_known(session_id.partition("/")[0])
        mode: Mode = "both" if told and self.app.settings.hooks.keep_turns else "extract"
        if mode not in self._intakes:
            self._intakes[mode] = Intake(
                self.app,
                self.namespace,
                mode,
                kind="observe",
                tally=self.tally,
                shared=self.extracting() if self.extracting else None,
                forgotten_in=self.forgotten_in,
            )
        return self._intakes[mode]

    def _drop_places(self, held: Sequence[SpooledTurn]) -> None:
        places = [each.key for each in held if each.turn.key == PLACE and not each.turn.content]
        if places:
            self.app.spool.drop(places)

    def _is_pausing(self, session_id: str) -> bool:
        waiting = self.app.spool.waiting(self.namespace)
        after = next((next_attempt(each) for each in waiting if each.session_id == session_id), None)
        return after is not None and self.app.clock.now() < after


def next_attempt(waiting: Waiting) -> datetime | None:
    """When a failed flush is tried again: 2ⁿ minutes after the nth failure in a row, an hour at most."""
    if not waiting.attempts:
        return None
    failed_at, _, _ = waiting.problem.partition(" ")
    return datetime.fromisoformat(failed_at) + min(timedelta(minutes=2 ** min(waiting.attempts, 6)), LONGEST_PAUSE)


def backlog(app: App, namespace: str) -> tuple[Backlog, ...]:
    """Per session of a namespace with turns waiting, what waits, the longest waiting first."""
    return tuple(
        found
        for each in app.spool.waiting(namespace)
        if (found := _backlog_of(each, app.spool.held(namespace, each.session_id)))
    )


def _backlog_of(waiting: Waiting, held: Collection[SpooledTurn]) -> Backlog | None:
    arrived = [each.spooled_at for each in held if each.turn.content]
    if not arrived:
        return None
    _, _, problem = waiting.problem.partition(" ")
    return Backlog(
        namespace=waiting.namespace,
        session_id=waiting.session_id,
        turns=len(arrived),
        oldest=_instant(min(arrived)),
        newest=_instant(max(arrived)),
        attempts=waiting.attempts,
        problem=problem or None,
        next_attempt=next_attempt(waiting),
    )


def _instant(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, UTC)
