"""An operation and its fields in, its answer out: run in a thread, cancelled if time is over or the client is gone."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pellucid.deadline import Deadline
from pellucid.errors import PellucidError, UnhealthyError
from pellucid.model.memory import SourceClass
from pellucid.operations.operation import Call
from pellucid.surfaces import inputs
from pellucid.surfaces.answers import Form, answer_text, error_fields, printable
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.forms import content_type
from pellucid.surfaces.http.refusals import WholeAnswer, error_answer, status_of
from pellucid.surfaces.http.routes import Route
from pellucid.surfaces.spelling import add_reference

Emit = Callable[[bytes], None]
"""Sends a piece of a streamed answer, and waits until the client takes more."""


class Work(Protocol):
    """The work of a request in a thread: an operation, or a page."""

    @property
    def asks(self) -> bool:
        """Whether it counts as a read: it gets a thread of those for reads, and the time limit is not extended."""
        ...

    @property
    def file(self) -> Path | None:
        """The upload that it reads, deleted afterwards; None if it reads none."""
        ...

    def run(self, host: Host, deadline: Deadline, emit: Emit, /) -> WholeAnswer | None:
        """Do the work and return the answer; None if `emit` streamed it."""
        ...


@dataclass(frozen=True, slots=True)
class OperationWork:
    """A request's operation with its fields, for a caller whose right was checked."""

    route: Route
    namespace: str
    values: dict[str, object]
    """Fields by their JSON names."""
    form: Form
    verbose: bool
    said_by: SourceClass
    """The source of what the caller writes, see `Caller.speaks_as`."""
    file: Path | None = None
    """The upload in place of a field that names files."""

    @property
    def asks(self) -> bool:
        """Whether it counts as a read: the operation takes only the right to read, as a recall does, though that
        records itself.
        """
        return self.route.row.access == "read"

    def run(self, host: Host, deadline: Deadline, emit: Emit) -> WholeAnswer | None:
        """Run the operation and return its answer in the request's form; None if `emit` streamed it as lines.

        A failure that the operation reports beside its outcome becomes an error response that has the outcome as
        `answer`; only an `UnhealthyError` leaves the answer as it is, with status 200. Such a failure is not looked at
        if the form is lines. What the operation raises is passed on.
        """
        if self.form == "lines" and self.file:
            return self._run_with_progress(host, deadline, emit)
        call = self._call(host, deadline)
        row, request = self.route.row, self._input(call)
        outcome = row.perform(call, request)
        if self.form == "lines":
            return _stream_lines(deadline.over(outcome), emit)
        failure = row.failure(outcome)
        if failure and not isinstance(failure, UnhealthyError):
            return error_answer(failure, answer=outcome.to_wire())
        text = printable(answer_text(row, outcome, request, call, self.form, verbose=self.verbose)).encode()
        headers = self._cache_headers(text)
        return WholeAnswer(status_of(failure) if failure else 200, text, content_type(self.form), headers)

    def _call(
        self, host: Host, deadline: Deadline, progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> Call:
        """Make the call that the operation runs in: of the whole home, or of the request's namespace. In a namespace,
        `said_by` is the source of what is written, and `progress` is called with two numbers: how much is done, and of
        how much.
        """
        if self.route.is_of_home:
            call = Call.over(host.app, deadline)
        else:
            call = host.call(self.namespace, deadline=deadline, progress=progress)
            call.said_by = self.said_by
        call.surface = "http"
        return call

    def _input(self, call: Call) -> Any:
        """Return the operation's input from the given fields and the upload; `InputError` if a value is not valid."""
        field = inputs.file_field(self.route.row)
        files = {field: (self.file,)} if field and self.file else {}
        return inputs.input_from_json(call, self.route.row, self.values, **files)

    def _cache_headers(self, text: bytes) -> tuple[tuple[str, str], ...]:
        """Return the response headers for caches. For a GET, if its operation only reads or its path has a field: an
        ETag (32 hex digits of the SHA-256 of `text`), `private, no-cache` and Vary; else `no-store`."""
        if self.route.has_body or (self.route.row.effect != "read" and not self.route.in_path):
            return (("Cache-Control", "no-store"),)
        tag = hashlib.sha256(text).hexdigest()[:32]
        return (("ETag", f'"{tag}"'), ("Cache-Control", "private, no-cache"), ("Vary", "Accept, Authorization"))

    def _run_with_progress(self, host: Host, deadline: Deadline, emit: Emit) -> None:
        """Run the operation and send lines of progress with `emit`, then a line `{"answer": …}` or one with the
        `PellucidError`. Such an error before the first line of progress is raised instead, and any other exception is
        always raised.
        """
        last_percent = [-1]

        def progress(done: int, total: int) -> None:
            """Send a line `{"done": …, "of": …}` at the first call, and whenever another per cent is done;
            `DeadlineError` if the time is over.
            """
            deadline.check()
            percent = 100 * done // total if total else 0
            if percent > last_percent[0]:
                last_percent[0] = percent
                emit(_line({"done": done, "of": total}))

        try:
            call = self._call(host, deadline, progress)
            request = self._input(call)
            emit(_line({"answer": self.route.row.perform(call, request).to_wire()}))
        except PellucidError as error:
            if last_percent[0] < 0:  # nothing was sent yet
                raise
            add_reference(error)
            emit(_line(error_fields(error)))


def _stream_lines(lines: Iterator[str], emit: Emit) -> WholeAnswer | None:
    """Send each line with `emit` as it is made, and return None. If there is no line, send nothing, and return an empty
    answer that must not be cached.
    """
    count = 0
    for count, each in enumerate(lines, start=1):  # noqa: B007
        emit(printable(each).encode())
    return None if count else WholeAnswer(200, b"", content_type("lines"), (("Cache-Control", "no-store"),))


def _line(value: dict[str, object] | dict[str, str] | dict[str, int]) -> bytes:
    """Return a JSON object as one line of a streamed answer, in UTF-8 and with its newline; control characters are
    spelled out.
    """
    return printable(json.dumps(value, ensure_ascii=False)).encode()
