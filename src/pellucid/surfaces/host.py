"""A home in, calls in it out, for a process that stays: any number at once, while a thread does the home's upkeep."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from threading import Event, Thread
from typing import Self

from pellucid.app import open_app
from pellucid.deadline import Deadline
from pellucid.errors import where_raised
from pellucid.operations.operation import Call
from pellucid.operations.upkeep import IN_THE_BACKGROUND, JobOutcome, Upkeep, run_opening_jobs
from pellucid.settings import Settings
from pellucid.telemetry.watcher import Watcher

_UPKEEP_EVERY_S = 5.0
"""Seconds between two checks for upkeep jobs that are due."""


class Host:
    """One home, kept open by a server process, with a background thread for its upkeep. A context manager."""

    def __init__(
        self,
        settings: Settings,
        *,
        report: Callable[[str], None] = lambda _said: None,
        on_job_done: Callable[[JobOutcome], None] = lambda _done: None,
    ) -> None:
        """Open the home, do the upkeep that cannot wait, and start the upkeep's thread.

        `report` is called with lines for the user, such as that the model is being downloaded; `on_job_done` with the
        outcome of each later upkeep job, in the upkeep's thread. There, `report` is told of each job that raised what
        nobody foresaw.
        """
        self.app = open_app(settings, report=report)
        self._stop, self._report, self._on_job_done = Event(), report, on_job_done
        try:
            run_opening_jobs(self.app)
        except BaseException:
            self.app.close()
            raise
        in_context = copy_context().run  # so that texts kept by its jobs name calls as this process does
        self._upkeep = Thread(target=in_context, args=(self._run_upkeep,), name="upkeep", daemon=True)
        self._upkeep.start()

    def call(
        self,
        namespace: str,
        *,
        deadline: Deadline | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        report: Callable[[str], None] = lambda _said: None,
    ) -> Call:
        """Make a call of an operation in a namespace; the caller's right to it must have been checked before.
        `progress` is called with how much is done and how much there is, `report` with lines for the user; `deadline`
        None means no time limit. `InputError` if the namespace is malformed.
        """
        settings = self.app.settings.naming(namespace)
        app = replace(self.app, settings=settings, project=None, also=())
        return Call(settings, lambda: app, deadline=deadline, progress=progress, report=report)

    def watch(self, watcher: Watcher) -> None:
        """Add a watcher, which is told of each recall and operation of calls that are made from now on."""
        self.app = replace(self.app, watchers=(*self.app.watchers, watcher))

    def close(self) -> None:
        """Wait for the current upkeep job, then close the home."""
        self._stop.set()
        self._upkeep.join()
        self.app.close()

    def _run_upkeep(self) -> None:
        """Run the upkeep jobs that are due, every 5 seconds, until the host is closed."""
        jobs = {each.name: Upkeep(self.app, (each,)) for each in IN_THE_BACKGROUND}
        while not self._stop.wait(_UPKEEP_EVERY_S):
            for name, upkeep in jobs.items():
                self._run_job(name, upkeep)

    def _run_job(self, name: str, upkeep: Upkeep) -> None:
        """Run the upkeep job `name`, which `upkeep` holds, if it is due, and pass its outcome to `on_job_done`. If it
        raises an exception, only the type and place of that are reported (`report`); the thread goes on with the other
        jobs.
        """
        try:
            for each in upkeep.run_due(self.app.clock.now()):
                self._on_job_done(each)
        except Exception as error:  # noqa: BLE001  # the edge of this thread
            what = " in ".join((type(error).__name__, *where_raised(error)[-1:]))
            with suppress(OSError):  # nobody reads what is reported any more
                self._report(f"the upkeep job {name} failed: {what}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
