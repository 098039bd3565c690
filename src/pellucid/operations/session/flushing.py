"""The waiting turns of a session in, memories of its complete segments out, each segment exactly once."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import Field

from pellucid.app import App
from pellucid.capture.segment import Cutter, count_reached, cut_waiting, high_signal, time_gap
from pellucid.capture.shift import WORDS_THRESHOLD, MeaningDistance, topic_shift, word_distance
from pellucid.clock import isoformat
from pellucid.encoders.chat.model import ChatError
from pellucid.errors import EncoderError, InputError, StoreBusyError, UnhealthyError
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.turn import FlushSignal, Segment, Turn
from pellucid.model.wire import Instant, Wire
from pellucid.operations.extraction import Extraction
from pellucid.operations.session.intake import Intake, Mode
from pellucid.operations.session.tally import IntakeTally
from pellucid.store.local.hooked import HookedSessions
from pellucid.store.local.lock import exclusive, namespace_lock
from pellucid.store.spool_port import SpooledTurn, Waiting

OFF_THE_RECORD = "off-the-record"
"""The `key` of an empty placeholder turn, which says that the session is off the record until the user ends that."""
PLACE = "place"
"""The `key` of an empty placeholder turn, which reserves the number of a turn that was left out."""
LONGEST_PAUSE = timedelta(hours=1)
INSISTENT = frozenset({"before_reset", "session_end"})

TopicShift = Literal["meaning", "words", "off"]


class Flushed(Wire):
    """One segment that was flushed: the signal, the number of its turns that were taken, and the memories made."""

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
    """The waiting turns of one session, and the problem if a flush failed."""

    namespace: str
    session_id: str
    turns: int
    oldest: Instant
    newest: Instant
    attempts: int = 0
    problem: str | None = None
    next_attempt: Instant | None = None
    """The time before which only `before_reset`, `session_end` or a retry tries again."""


@dataclass(slots=True)
class Flusher:
    """Makes memories of complete segments in one namespace; with `insist`, also if a flush failed lately."""

    app: App
    namespace: str
    insist: bool = False
    flushed: list[Flushed] = field(default_factory=list["Flushed"])
    problem: str = ""
    shift: TopicShift = "meaning"
    shift_problem: str = ""
    tally: IntakeTally = field(default_factory=IntakeTally)
    extracting: Callable[[], Extraction] | None = None
    """Opens the extractor and the judge at the first flush; several flushers can share it. None: each intake opens its
    own."""
    forgotten_in: tuple[str, ...] = ()
    """See `Intake`."""
    _intakes: dict[Mode, Intake] = field(default_factory=dict[Mode, Intake])
    _meaning: MeaningDistance = field(init=False)
    _cutters: tuple[Cutter, ...] = ()

    def __post_init__(self) -> None:
        """Choose the rules by which segments are cut, as the settings say."""
        self._meaning = MeaningDistance(lambda texts: (each.vector for each in self.app.embedder.encode(texts)))
        if not self.app.settings.observe.topic_shift:
            self.shift = "off"
        self._cutters = self._choose_cutters()

    def _choose_cutters(self) -> tuple[Cutter, ...]:
        """Return the rules that cut waiting turns into segments, in the order in which they are tried: time, strong
        signals (if `observe.highSignal` is on), length and, unless `shift` is `off`, topic."""
        observe = self.app.settings.observe
        cutters = [time_gap(timedelta(minutes=observe.flush_minutes))]
        cutters += [high_signal()] if observe.high_signal else []
        cutters.append(count_reached(observe.flush_turns))
        if self.shift == "meaning":
            cutters.append(topic_shift(self._meaning, observe.topic_shift))
        elif self.shift == "words":
            cutters.append(topic_shift(word_distance, WORDS_THRESHOLD))
        return tuple(cutters)

    def flush(self, session_id: str, signal: FlushSignal | None = None) -> None:
        """Flush the complete segments of a session, that is make memories of them; with a signal, also the turns after
        them. What prevents it is told in `problem` (see `_take_segment`).

        While another process flushes in the namespace, a call without a signal does nothing. A call with a signal waits
        `WAIT_S` (60) seconds at most for the other process, and then goes ahead, since the intake takes each turn only
        once.
        """
        with ExitStack() as stack:
            lock = exclusive(namespace_lock(self.app.settings.home, self.namespace, "flush"), WAIT_S if signal else 0.0)
            try:
                may_flush = stack.enter_context(lock)
            except StoreBusyError:
                may_flush = True
            if may_flush:
                self._flush_session(session_id, signal)

    def flush_silent(self) -> None:
        """Flush all turns of the sessions in which no turn arrived for `observe.flushMinutes`; unless `insist` is set,
        not of those that pause after a failure.
        """
        for each in self.app.spool.waiting(self.namespace):
            if self._is_silent(each.newest):
                self.flush(each.session_id)

    def _is_silent(self, newest_ms: int) -> bool:
        """Whether a session whose newest turn was spooled at `newest_ms` (epoch milliseconds) has been silent for
        `observe.flushMinutes`."""
        minutes = (self.app.clock.now().timestamp() * 1000 - newest_ms) / 60_000
        return minutes > self.app.settings.observe.flush_minutes

    def _flush_session(self, session_id: str, signal: FlushSignal | None) -> None:
        """Take in the complete segments of a session, and the turns after them if there is a signal or no turn arrived
        for `observe.flushMinutes`. Placeholders that reserve numbers are dropped once no turn waits.

        Does nothing while the session pauses after a failure (`next_attempt`), unless `insist` is set or the signal is
        `before_reset` or `session_end`. If a segment fails, the segments after it wait, too, so that they are taken in
        order."""
        spooled = self._load_spooled(session_id)
        turns = [each.turn for each in spooled if each.turn.content]
        if turns and (signal in INSISTENT or self.insist or not self._is_pausing(session_id)):
            segments, rest = self._cut_turns(turns)
            signal = signal or ("time_elapsed" if self._is_silent(spooled[-1].spooled_at) else None)
            if rest and signal:
                segments.append(Segment(session_id, tuple(rest), signal))
            for segment in segments:
                if not self._take_segment(segment):
                    return
            turns = [] if signal else rest
        places = [each.key for each in spooled if each.turn.key == PLACE and not each.turn.content]
        if places and not turns:  # no turn after them needs the numbers that they reserve
            self.app.spool.drop(places)

    def _load_spooled(self, session_id: str) -> list[SpooledTurn]:
        """Return the spooled turns of a session, after dropping from the spool those that were taken before a crash."""
        spooled = self.app.spool.held(self.namespace, session_id)
        taken = self.app.records.already_seen(each.key for each in spooled if each.turn.content)
        if taken:
            self.app.spool.drop(taken)
        return [each for each in spooled if each.key not in taken]

    def _cut_turns(self, turns: Sequence[Turn]) -> tuple[list[Segment], list[Turn]]:
        """Return the complete segments of some turns, and the turns after them. If the encoder fails, changes of topic
        are found by words instead of meaning from now on."""
        try:
            return cut_waiting(turns, self._cutters)
        except EncoderError as error:
            self.shift, self.shift_problem = "words", str(error)
            self._cutters = self._choose_cutters()
            return cut_waiting(turns, self._cutters)

    def _take_segment(self, segment: Segment) -> bool:
        """Make memories of a segment, drop its turns from the spool, append what was made to `flushed` (if a turn was
        taken), and return True. If a model, a setting, a busy store or a lost key or ledger prevents it, return False:
        the turns wait on, the spool counts the failure, and `problem` says why. Other errors, such as DeadlineError,
        are raised."""
        tally = self.tally
        memories, turns = tally.memories, tally.turns
        verdicts, unkept = Counter(tally.verdicts), Counter(tally.unkept)
        try:
            made = self._intake_of(segment.session_id).keep([segment])
        except (EncoderError, InputError, StoreBusyError, UnhealthyError) as error:
            self.problem = f"{error}; nothing is lost: the turns wait"
            failure = f"{isoformat(self.app.clock.now())} {error.storable if isinstance(error, ChatError) else error}"
            self.app.spool.failed(self.namespace, segment.session_id, failure)
            return False
        self.app.spool.drop([turn.fingerprint for turn in segment.turns])
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

    def _intake_of(self, session_id: str) -> Intake:
        """Return the intake for a session: in mode `both` if hooks know its transcript and `hooks.keepTurns` is on,
        else in mode `extract`. It is made at a flush, so that turns can be spooled even if the extractor's settings are
        wrong."""
        # with a transcript known by hooks, passages are kept as an import of that file keeps them
        is_hooked = HookedSessions(self.app.settings.home).is_known(session_id.partition("/")[0])
        mode: Mode = "both" if is_hooked and self.app.settings.hooks.keep_turns else "extract"
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

    def _is_pausing(self, session_id: str) -> bool:
        """Whether the last flush of the session failed and the time of its `next_attempt` has not come."""
        waiting = self.app.spool.waiting(self.namespace)
        after = next((next_attempt(each) for each in waiting if each.session_id == session_id), None)
        return after is not None and self.app.clock.now() < after


def next_attempt(waiting: Waiting) -> datetime | None:
    """Return when (UTC) the flush of a waiting session is tried again after a failure: 2ⁿ minutes after the nth failure
    in a row, but at most an hour; None if no flush failed."""
    if not waiting.attempts:
        return None
    failed_at, _, _ = waiting.problem.partition(" ")
    return datetime.fromisoformat(failed_at) + min(timedelta(minutes=2 ** min(waiting.attempts, 6)), LONGEST_PAUSE)


def backlog(app: App, namespace: str) -> tuple[Backlog, ...]:
    """Return the sessions of a namespace with waiting turns, with their numbers of turns and problems, the longest
    waiting first. Placeholders (empty turns that store a fact about a session, see `PLACE`) do not count as turns."""
    return tuple(
        found
        for each in app.spool.waiting(namespace)
        if (found := _backlog_of(each, app.spool.held(namespace, each.session_id)))
    )


def _backlog_of(waiting: Waiting, spooled: Collection[SpooledTurn]) -> Backlog | None:
    """Return the backlog of one session, from its row in the spool and its spooled turns; None if only placeholders
    wait, which are turns without content.
    """
    times = [each.spooled_at for each in spooled if each.turn.content]
    if not times:
        return None
    _, _, problem = waiting.problem.partition(" ")
    return Backlog(
        namespace=waiting.namespace,
        session_id=waiting.session_id,
        turns=len(times),
        oldest=_from_millis(min(times)),
        newest=_from_millis(max(times)),
        attempts=waiting.attempts,
        problem=problem or None,
        next_attempt=next_attempt(waiting),
    )


def _from_millis(millis: int) -> datetime:
    """Convert epoch milliseconds to a UTC time."""
    return datetime.fromtimestamp(millis / 1000, UTC)
