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

import re
import traceback
from collections.abc import Callable
from typing import ClassVar

_NAMED = re.compile("\x02(\\w+)\x03")


def field_name(field: str) -> str:
    """Return an input field's name, such as `top_k`, between two control characters that `PellucidError.spell` looks
    for, so that each surface spells the name in its own way: Python shows `top_k`, the command line `--top-k`.
    """
    return f"\x02{field}\x03"


def where_raised(error: Exception) -> list[str]:
    """Return the frames of an exception's traceback, the innermost last, each as `recall/pipeline.py:88 run`; empty if
    the exception was never raised. Its message is left out, since a message can quote memories.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{each.filename.rpartition('pellucid/')[2]}:{each.lineno} {each.name}" for each in frames]


class PellucidError(Exception):
    """Something went wrong that no narrower error describes."""

    code: str = "unexpected"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, next_step: str = "") -> None:
        self._words = message, next_step
        self.spell(str)
        super().__init__(self.message)

    def spell(self, spell_field: Callable[[str], str]) -> None:
        """Set `message` and `next_step` to the texts that the error was made with, with `spell_field(name)` in place of
        each field name (see `field_name`). A later call replaces an earlier call.
        """
        self.message, self.next_step = (_NAMED.sub(lambda found: spell_field(found[1]), each) for each in self._words)

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
