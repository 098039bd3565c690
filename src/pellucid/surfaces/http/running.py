"""A row and its fields in, its answer out: run in a thread, given up when its time is over or nobody waits."""

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
from pellucid.surfaces import asking
from pellucid.surfaces.answers import Form, answer_text, printed, problem, spell_wire
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.forms import content_type
from pellucid.surfaces.http.refusals import WholeAnswer, error_answer, status_of
from pellucid.surfaces.http.routes import Route

Emit = Callable[[bytes], None]
"""Sends a piece of an answer on its way, and waits until there is room for more."""


class Work(Protocol):
    """What is run in a thread: an operation, or a page."""

    @property
    def asks(self) -> bool:
        """Whether it asks or looks, and changes nothing."""
        ...

    @property
    def file(self) -> Path | None:
        """What a client sent in place of a file of the machine."""
        ...

    def run(self, host: Host, deadline: Deadline, emit: Emit, /) -> WholeAnswer | None:
        """The answer; None where it was sent piece by piece."""
        ...


@dataclass(frozen=True, slots=True)
class OperationWork:
    """The operation that a request asks for, once it may."""

    route: Route
    namespace: str
    given: dict[str, object]
    form: Form
    verbose: bool
    said_by: SourceClass
    """Whose words it brings: the owner's, or those of a program that the owner lets write."""
    file: Path | None = None
    """What a client sent in place of a file of the machine."""

    @property
    def asks(self) -> bool:
        """Whether it asks or looks, and changes nothing."""
        return self.route.row.access == "read"

    def run(self, host: Host, deadline: Deadline, emit: Emit) -> WholeAnswer | None:
        """The answer; None where it was sent piece by piece.

        Raises:
            PellucidError: it could not be run, and nothing was sent; of lines, some may have been.
        """
        if self.form == "lines" and self.file:
            return self._run_with_progress(host, deadline, emit)
        call = self._call(host, deadline)
        row, asked = self.route.row, self._input(call)
        outcome = row.perform(call, asked)
        if self.form == "lines":
            return _sent(deadline.over(outcome), emit)
        failure = row.failure(outcome)
        if failure and not isinstance(failure, UnhealthyError):
            return error_answer(failure, answer=outcome.to_wire())
        text = printed(answer_text(row, outcome, asked, call, self.form, verbose=self.verbose)).encode()
        return WholeAnswer(status_of(failure) if failure else 200, text, content_type(self.form), self._caching(text))

    def _call(
        self, host: Host, deadline: Deadline, progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> Call:
        """The call of the operation for who asks, in the namespace asked."""
        if self.route.is_of_home:
            call = Call.over(host.app, deadline)
        else:
            call = host.call(self.namespace, deadline=deadline, progress=progress)
            call.said_by = self.said_by
        call.surface = "http"
        return call

    def _input(self, call: Call) -> Any:
        field = asking.file_field(self.route.row)
        files = {field: (self.file,)} if field and self.file else {}
        return asking.input_of(call, self.route.row, self.given, **files)

    def _caching(self, text: bytes) -> tuple[tuple[str, str], ...]:
        """An answer about what is there can be told from another; a new recall is never an old one."""
        if self.route.has_body or (self.route.row.effect != "read" and not self.route.in_path):
            return (("Cache-Control", "no-store"),)
        tag = hashlib.sha256(text).hexdigest()[:32]
        return (("ETag", f'"{tag}"'), ("Cache-Control", "private, no-cache"), ("Vary", "Accept, Authorization"))

    def _run_with_progress(self, host: Host, deadline: Deadline, emit: Emit) -> None:
        """Lines: how far it is, as often as that shows, then the answer, or what went wrong."""
        shown = [-1]

        def progress(done: int, total: int) -> None:
            """Send a line when the whole per cent has changed."""
            deadline.check()
            percent = 100 * done // total if total else 0
            if percent > shown[0]:
                shown[0] = percent
                emit(_line({"done": done, "of": total}))

        try:
            call = self._call(host, deadline, progress)
            asked = self._input(call)
            emit(_line({"answer": self.route.row.perform(call, asked).to_wire()}))
        except PellucidError as error:
            if shown[0] < 0:
                raise
            spell_wire(error, "/openapi.json")
            emit(_line(problem(error)))


def _sent(lines: Iterator[str], emit: Emit) -> WholeAnswer | None:
    """Lines as they are made; an answer without any is whole at once."""
    count = 0
    for count, each in enumerate(lines, start=1):  # noqa: B007
        emit(printed(each).encode())
    return None if count else WholeAnswer(200, b"", content_type("lines"), (("Cache-Control", "no-store"),))


def _line(value: dict[str, object] | dict[str, str] | dict[str, int]) -> bytes:
    return printed(json.dumps(value, ensure_ascii=False)).encode()
