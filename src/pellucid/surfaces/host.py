"""A home in, calls in it out, for a process that stays: any number at once, while a thread looks after it."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread
from types import TracebackType
from typing import Self

from pellucid.app import open_app
from pellucid.clock import Clock
from pellucid.deadline import Deadline
from pellucid.operations.operation import Call
from pellucid.operations.upkeep import IN_THE_BACKGROUND, Done, Upkeep, look_after
from pellucid.settings import Settings
from pellucid.telemetry.watcher import Watcher

_LOOKS_EVERY_S = 5.0
"""How long a job that is due waits at most until it begins."""


class Host:
    """One home, open for as long as the process serves it. Use it as a context manager, or close it."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        report: Callable[[str], None] = lambda _said: None,
        done: Callable[[Done], None] = lambda _done: None,
    ) -> None:
        """Open a home, do what may not wait, and begin to look after it.

        Args:
            settings: those of the process; a call names its own namespace.
            clock: where time and ids come from; tests bring their own.
            report: told about slow first-time work, such as fetching the model.
            done: told what came of each job of the upkeep, in the upkeep's thread.

        Raises:
            PellucidError: the home cannot be opened.
        """
        self.app = open_app(settings, clock=clock, report=report)
        self._stop, self._told = Event(), done
        try:
            look_after(self.app)
        except BaseException:
            self.app.close()
            raise
        self._upkeep = Thread(target=self._look_after, name="upkeep", daemon=True)
        self._upkeep.start()

    def call(
        self,
        namespace: str,
        *,
        deadline: Deadline | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        report: Callable[[str], None] = lambda _said: None,
    ) -> Call:
        """A call in a namespace. Whoever makes it has checked that the namespace may be asked.

        Raises:
            InputError: that is no name of a namespace.
        """
        settings = self.app.settings.naming(namespace)
        app = replace(self.app, settings=settings, project=None, also=())
        return Call(settings, lambda: app, deadline=deadline, progress=progress, report=report)

    def watch(self, watcher: Watcher) -> None:
        """Tell one more of what is done in calls that are made from now on."""
        self.app = replace(self.app, watchers=(*self.app.watchers, watcher))

    def close(self) -> None:
        """Let the job at hand end, settle, and let go of every file."""
        self._stop.set()
        self._upkeep.join()
        self.app.close()

    def _look_after(self) -> None:
        upkeep = Upkeep(self.app, IN_THE_BACKGROUND)
        while not self._stop.wait(_LOOKS_EVERY_S):
            for each in upkeep.run_due(self.app.clock.now()):
                self._told(each)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
