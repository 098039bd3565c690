"""A home and the time in, what it needs from time to time done: edits taken over, erasures ended, passes run.

A command does at its opening what may not wait (`AT_OPENING`). A process that stays calls `run_due` now and then, in a
thread of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pellucid.app import App
from pellucid.errors import PellucidError
from pellucid.operations.remains import finish_quietly
from pellucid.recall.recaller import trim_history

_WAIT_S = 5.0
"""How long edits are kept waiting for those who write; they are tried again."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one job: how many things it did, how many it could not read, and why it failed, if so."""

    job: str
    count: int = 0
    unreadable: int = 0
    problem: PellucidError | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is looked after: how often at most in one process, and how. It looks what there is to do."""

    name: str
    every: timedelta
    work: Callable[[App], Done]


@dataclass(slots=True)
class Upkeep:
    """Looks after one home. One thread at a time may use it; any number of others may use the home meanwhile."""

    app: App
    jobs: Sequence[Job]
    _last: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def due(self, now: datetime) -> list[str]:
        """The names of the jobs whose time has come; in a new process, of all."""
        return [job.name for job in self.jobs if self._is_due(job, now)]

    def run_due(self, now: datetime) -> list[Done]:
        """Do the jobs that are due. One that fails says so in its outcome, and is tried again when it is due.

        Raises:
            DeadlineError: the app's deadline was over before the last; what was begun is done.
        """
        out: list[Done] = []
        for job in [each for each in self.jobs if self._is_due(each, now)]:
            self.app.deadline.check()
            self._last[job.name] = now
            try:
                out.append(job.work(self.app))
            except PellucidError as error:
                out.append(Done(job.name, problem=error))
        return out

    def _is_due(self, job: Job, now: datetime) -> bool:
        last = self._last.get(job.name)
        return last is None or now - last >= job.every


def look_after(app: App, *, take_over_edits: bool = True) -> Done:
    """What every opening of a home begins with; with `take_over_edits`, files of the vault that others changed are
    indexed anew. Returns what the last of these jobs did.

    Raises:
        NoRoomError: the index still holds what is gone, and cannot be written: it may not answer.
    """
    jobs = AT_OPENING if take_over_edits else AT_OPENING[:1]
    last = Done("")
    for last in Upkeep(app, jobs).run_due(app.clock.now()):
        if last.problem:
            raise last.problem
    return last


def _erasures(app: App) -> Done:
    finish_quietly(app)
    return Done("erasures")


def _edits(app: App, wait_s: float = 0.0) -> Done:
    drift, folded = app.unit_of_work.take_over_edits(wait_s=wait_s)
    return Done("edits", len(drift.paths), len(folded.unreadable))


def _flush_silent_sessions(app: App) -> Done:
    """Flush the sessions that have fallen silent, of every namespace."""
    from pellucid.operations.session.flushing import Flusher

    flushed = 0
    for namespace in sorted({each.namespace for each in app.spool.waiting()}):
        flusher = Flusher(app, namespace)
        flusher.flush_silent()
        flushed += len(flusher.flushed)
    return Done("turns", flushed)


def _read_transcripts(app: App) -> Done:
    """Read on in the transcripts that hooks named; the next job flushes what waits of them."""
    from pellucid.operations.hooks.transcripts import read_transcripts

    return Done("transcripts", read_transcripts(app))


def _let_go_of_history(app: App) -> Done:
    return Done("receipts", trim_history(app.history, app.settings.history, app.clock.now()))


def _work_out_lifts(app: App) -> Done:
    """Work out what legs did for the memories that were worked with, in every namespace."""
    from pellucid.operations.telemetry.lifts import work_out_lifts

    names = app.lookup.namespaces()
    return Done("lifts", sum(work_out_lifts(app, namespace) for namespace in names))


def _run_due_passes(app: App) -> Done:
    """Run the passes that are due, in every namespace; a report is left to who reads it."""
    from pellucid.operations.memory.lifecycle.aging import LifecycleInput, due_passes, run_lifecycle
    from pellucid.operations.memory.lifecycle.consolidating import ConsolidateInput, consolidate

    ran = 0
    for namespace in app.lookup.namespaces():
        due = {each.name for each in due_passes(app, namespace, app.clock.now())}
        if "lifecycle" in due:
            run_lifecycle(app, LifecycleInput(namespace=namespace))
        if "consolidate" in due:
            consolidate(app, ConsolidateInput(namespace=namespace))
        ran += len(due & {"lifecycle", "consolidate"})
    return Done("passes", ran)


_AT_ONCE, _MINUTE, _HOUR = timedelta(), timedelta(minutes=1), timedelta(hours=1)
AT_OPENING = (Job("erasures", _MINUTE, _erasures), Job("edits", _MINUTE, _edits))
"""What may not wait: an erasure that was interrupted, and edits of the vault, which a recall must not miss.

Edits last: `look_after` answers with what came of them.
"""
IN_THE_BACKGROUND = (
    AT_OPENING[0],
    Job("edits", _MINUTE, lambda app: _edits(app, _WAIT_S)),
    Job("transcripts", _AT_ONCE, _read_transcripts),
    Job("turns", _MINUTE, _flush_silent_sessions),
    Job("receipts", _HOUR, _let_go_of_history),
    Job("lifts", _MINUTE, _work_out_lifts),
    Job("passes", _HOUR, _run_due_passes),
)
"""All that a process looks after which stays."""
