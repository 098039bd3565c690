"""A home and the time in, its due jobs done: edits indexed, erasures finished, passes run.

A command runs the jobs of `AT_OPENING` when it opens the home; a long-running process calls `run_due` in a thread.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pellucid.app import App
from pellucid.errors import PellucidError
from pellucid.operations.remains import finish_erasures_if_possible
from pellucid.recall.recaller import trim_history

_WAIT_S = 5.0
"""Seconds that the job `edits` waits for the write lock in the background; it runs again a minute later."""


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The outcome of one job: how many items it handled and could not read, and the error if it failed."""

    job: str
    count: int = 0
    unreadable: int = 0
    problem: PellucidError | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A periodic maintenance job: it runs at most once per `every` in one process; `work` finds what there is to do."""

    name: str
    every: timedelta
    work: Callable[[App], JobOutcome]


@dataclass(slots=True)
class Upkeep:
    """Runs the due maintenance jobs of one home. It is for one thread; other threads can use the home meanwhile."""

    app: App
    jobs: Sequence[Job]
    _last: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def due(self, now: datetime) -> list[str]:
        """Return the names of the jobs that are due at `now`, in the order of `jobs`; all of them if none has run."""
        return [job.name for job in self.jobs if self._is_due(job, now)]

    def run_due(self, now: datetime) -> list[JobOutcome]:
        """Run the due jobs and return their outcomes, in order; DeadlineError if the app's deadline is over before a
        job begins. The outcome of a job that raises a PellucidError has it as `problem`; the job runs again when it is
        next due."""
        outcomes: list[JobOutcome] = []
        for job in [each for each in self.jobs if self._is_due(each, now)]:
            self.app.deadline.check()
            self._last[job.name] = now
            try:
                outcomes.append(job.work(self.app))
            except PellucidError as error:
                outcomes.append(JobOutcome(job.name, problem=error))
        return outcomes

    def _is_due(self, job: Job, now: datetime) -> bool:
        """Whether a job was not run here yet, or its last run began at least `job.every` ago."""
        last = self._last.get(job.name)
        return last is None or now - last >= job.every


def run_opening_jobs(app: App, *, take_over_edits: bool = True) -> JobOutcome:
    """Run the jobs of `AT_OPENING` (finishing interrupted erasures, then indexing edits of the vault), and return the
    outcome of the last job. If jobs failed, raise the error of the first of them, after all have run. With
    `take_over_edits=False`, only erasures are finished."""
    jobs = AT_OPENING if take_over_edits else AT_OPENING[:1]
    last = JobOutcome("")
    # by the scheduler of a server, which has one more run of the same jobs: each is tried, whatever became of another
    for last in Upkeep(app, jobs).run_due(app.clock.now()):
        if last.problem:
            raise last.problem
    return last


def _finish_erasures(app: App) -> JobOutcome:
    """Finish interrupted erasures, if that is possible now; the outcome has no count."""
    finish_erasures_if_possible(app)
    return JobOutcome("erasures")


def _take_over_edits(app: App, wait_s: float = 0.0) -> JobOutcome:
    """Index files of the vault that were edited by others, waiting up to `wait_s` seconds for the write lock (then
    StoreBusyError; with 0 the edits are left for later). The outcome counts the files, and those that cannot be read.
    """
    drift, folded = app.unit_of_work.take_over_edits(wait_s=wait_s)
    return JobOutcome("edits", len(drift.paths), len(folded.unreadable))


def _flush_silent_sessions(app: App) -> JobOutcome:
    """Flush the sessions of every namespace that have been silent long enough, and count the flushed segments."""
    from pellucid.operations.session.flushing import Flusher

    flushed = 0
    for namespace in sorted({each.namespace for each in app.spool.waiting()}):
        flusher = Flusher(app, namespace)
        flusher.flush_silent()
        flushed += len(flusher.flushed)
    return JobOutcome("turns", flushed)


def _read_transcripts(app: App) -> JobOutcome:
    """Observe the turns that were added to the transcripts of sessions with hooks, and count the sessions read."""
    from pellucid.operations.hooks.transcripts import read_transcripts

    return JobOutcome("transcripts", read_transcripts(app))


def _trim_history(app: App) -> JobOutcome:
    """Delete events and citations that are past their retention, reduce receipts that are past theirs to their results,
    and count all of these."""
    return JobOutcome("receipts", trim_history(app.history, app.settings.history, app.clock.now()))


def _compute_lifts(app: App) -> JobOutcome:
    """Compute and store leg lifts that are due, of at most 200 recalls in each namespace, and count the recalls."""
    from pellucid.operations.telemetry.lifts import compute_lifts

    names = app.lookup.namespaces()
    return JobOutcome("lifts", sum(compute_lifts(app, namespace) for namespace in names))


def _run_due_passes(app: App) -> JobOutcome:
    """Run the lifecycle and consolidation passes (not reports) that are due in every namespace, and count them."""
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
    return JobOutcome("passes", ran)


_AT_ONCE, _MINUTE, _HOUR = timedelta(), timedelta(minutes=1), timedelta(hours=1)
AT_OPENING = (Job("erasures", _MINUTE, _finish_erasures), Job("edits", _MINUTE, _take_over_edits))
"""The jobs that cannot wait: finishing interrupted erasures, and indexing edits of the vault, which a recall must not
miss. Edits come last, since `run_opening_jobs` returns the last outcome.
"""
IN_THE_BACKGROUND = (
    AT_OPENING[0],
    Job("edits", _MINUTE, lambda app: _take_over_edits(app, _WAIT_S)),
    Job("transcripts", _AT_ONCE, _read_transcripts),
    Job("turns", _MINUTE, _flush_silent_sessions),
    Job("receipts", _HOUR, _trim_history),
    Job("lifts", _MINUTE, _compute_lifts),
    Job("passes", _HOUR, _run_due_passes),
)
"""The jobs of a long-running process."""
