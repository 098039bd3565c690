"""A failure in, one exception out that says what happened, why, and what to do next.

    PellucidError            1  unexpected       something we did not foresee
    ├── InputError           2  invalid_request  the caller's words are off
    ├── NotFoundError        3  not_found        no such thing here (a foreign id is unknown, too)
    ├── ConflictError        4  conflict         somebody else changed it first
    │   └── NotYoursError    4  not_yours        a person said it, and who asks is none
    ├── StoreError           5  store_failed     a file or database could not be read or written
    │   ├── StoreBusyError   5  store_busy       another process held the store for too long
    │   └── NoRoomError      5  no_room          the disk is full
    ├── EncoderError         6  encoder_failed   no embedding model, or one that is not the one we expect
    ├── UnhealthyError       7  unhealthy        `doctor` found something that needs a person
    └── DeadlineError        8  deadline_over    there was no time left for it, or it was cancelled

The number is the exit code of the command line; the word is `code` on every surface.
"""

import json
import re
import traceback
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar

_RECORDED = re.compile(r"\x02([a-z_.]+)((?: \w+=\w+)*)\x03")


def _python_call(operation: str, fields: Mapping[str, object]) -> tuple[str, str]:
    """Return the call of the façade that runs an operation, such as `call("memory.list", status="any")`; and "", as it
    is made right here (see `Spelling.call`).
    """
    return f"call({', '.join([json.dumps(operation), *(_python_argument(*each) for each in fields.items())])})", ""


def _python_argument(name: str, value: object) -> str:
    """Return a keyword argument, such as `status="any"`: a text as JSON, any other value by its `repr`."""
    return f"{name}={json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)}"


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the surface in use writes calls and fields in its texts; these defaults are the Python façade's."""

    call: Callable[[str, Mapping[str, object]], tuple[str, str]] = _python_call
    """Takes an operation's name and fields. Returns the call, and where to make it if not here, such as `in a shell`.
    """
    field: Callable[[str], str] = str
    """Takes a field's name, such as `top_k`; `help` is the name of what documents the fields of a call."""
    assignment: Callable[[str, object], str] = _python_argument
    """Takes a field's name and the value that it is to have."""


_IN_PYTHON = Spelling()
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_IN_PYTHON)


@contextmanager
def spelled_by(spelling: Spelling) -> Generator[None]:
    """Have `step`, `bare_step`, `field_name` and `assignment` write as `spelling` says for the length of a `with`
    block, in this thread or task alone.
    """
    before = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(before)


def step(operation: str, **fields: object) -> str:
    """Return a call in backticks, as the surface in use writes it: `step("change.undo", target="op_1")` is `pellucid
    undo op_1` on the command line, and a request or a tool's call elsewhere. If it cannot be made on that surface, the
    place where it can follows the backticks, such as `in a shell`.

    `operation` is a name of the operations table; `fields` are fields of its input or parameters of its command, and
    `namespace`. A value that the reader is to fill in is a word in capitals, such as `ID`.
    """
    call, place = _SPELLING.get().call(operation, fields)
    return f"`{call}` {place}".rstrip()


def bare_step(operation: str, **fields: object) -> str:
    """Return a call as `step` does, without backticks; if it must be made elsewhere, the place follows in brackets."""
    call, place = _SPELLING.get().call(operation, fields)
    return f"{call} ({place})" if place else call


def field_name(field: str) -> str:
    """Return an input field's name, such as `top_k`, as the surface in use writes it: `top_k` in Python, `--top-k` on
    the command line, `"topK"` in JSON.
    """
    return _SPELLING.get().field(field)


def assignment(field: str, value: object) -> str:
    """Return the text that gives an input field a value, as the surface in use writes it: in Python `top_k=3`, on the
    command line `--top-k 3`.
    """
    return _SPELLING.get().assignment(field, value)


def recorded_step(operation: str, **fields: str | bool) -> str:
    """Return a mark for the call that `step` would write: operation and fields between the characters U+0002 and
    U+0003. It is for a text that is stored, such as a reason on record; whoever shows the text calls `spell_recorded`,
    which writes the call as the surface then in use does. A value in `fields` is a single word of letters, digits and
    underscores, or True.
    """
    return f"\x02{' '.join([operation, *(f'{name}={value}' for name, value in fields.items())])}\x03"


def spell_recorded(text: str) -> str:
    """Return a text in which each mark of `recorded_step` is replaced by the call that it stands for, in backticks, as
    `step` writes it on the surface in use."""

    def spell(found: re.Match[str]) -> str:
        """Return the call in backticks that a mark found in the text stands for, as `step` writes it."""
        pairs = (pair.split("=") for pair in found[2].split())
        return step(found[1], **{name: value == "True" or value for name, value in pairs})

    return _RECORDED.sub(spell, text)


def where_raised(error: Exception) -> list[str]:
    """Return the frames of an exception's traceback, the innermost last, each as `recall/pipeline.py:88 run` (outside
    of `pellucid/` with the whole path); empty if the exception was never raised.

    Its message is left out, since a message can quote memories.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{each.filename.rpartition('pellucid/')[2]}:{each.lineno} {each.name}" for each in frames]


class PellucidError(Exception):
    """Something went wrong that no narrower error describes."""

    code: str = "unexpected"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, next_step: str = "") -> None:
        self.message, self._next_step = message, next_step
        super().__init__(message)

    @property
    def next_step(self) -> str:
        """What to do, or "" if that is not known; each mark of `recorded_step` in it is replaced by the call, as the
        surface in use writes it.
        """
        return spell_recorded(self._next_step)

    @next_step.setter
    def next_step(self, text: str) -> None:
        self._next_step = text

    def __str__(self) -> str:
        """Return the message, followed by the next step in parentheses if there is one."""
        return f"{self.message} ({self.next_step})" if self.next_step else self.message


class InputError(PellucidError):
    """The request cannot be carried out as it is written. `code` may be narrowed per field, e.g. `invalid_budget`."""

    exit_code = 2

    def __init__(self, message: str, *, code: str = "invalid_request", next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.code = code


class NotFoundError(PellucidError):
    """Nothing of that name is readable here."""

    code = "not_found"
    exit_code = 3


class ConflictError(PellucidError):
    """The thing changed since it was read; nothing was overwritten."""

    code = "conflict"
    exit_code = 4


class NotYoursError(ConflictError):
    """A program would change or erase what a person said; nothing was changed."""

    code = "not_yours"


class StoreError(PellucidError):
    """A file or database of the store could not be read or written; what was acknowledged before is kept."""

    code = "store_failed"
    exit_code = 5


class StoreBusyError(StoreError):
    """Another process held the store's write lock for longer than the timeout."""

    code = "store_busy"


class NoRoomError(StoreError):
    """The disk is full: nothing of what was asked is kept, or what was acknowledged waits until there is space."""

    code = "no_room"


class UnhealthyError(PellucidError):
    """`pellucid doctor` found something that a person must see to; its report says what."""

    code = "unhealthy"
    exit_code = 7


class DeadlineError(PellucidError):
    """The call was given up before it was done: its time was over, or it was cancelled. Nothing of it is half there."""

    code = "deadline_over"
    exit_code = 8


class EncoderError(PellucidError):
    """A model (encoder, reranker, chat) that gave nothing usable."""

    code = "encoder_failed"
    exit_code = 6
