"""A failure in, one exception out that says what happened, why, and what to do next.

    PellucidError            1  unexpected       something we did not foresee
    ├── InputError           2  invalid_request  the caller's words are off
    ├── NotFoundError        3  not_found        no such thing here (a foreign id is unknown, too)
    ├── ConflictError        4  conflict         somebody else changed it first
    ├── StoreError           5  store_failed     a file or database could not be read or written
    │   ├── StoreBusyError   5  store_busy       another process held the store for too long
    │   └── NoRoomError      5  no_room          the disk is full
    ├── EncoderError         6  encoder_failed   no embedding model, or one that is not the one we expect
    └── UnhealthyError       7  unhealthy        `doctor` found something that needs a person

The number is the exit code of the command line; the word is `code` on every surface.
"""

from typing import ClassVar


class PellucidError(Exception):
    """Something went wrong that no narrower error describes."""

    code: str = "unexpected"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
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


class StoreError(PellucidError):
    """A file or database of the store could not be read or written; what was acknowledged before is kept."""

    code = "store_failed"
    exit_code = 5


class StoreBusyError(StoreError):
    """Another process held the store's write lock for longer than the timeout."""

    code = "store_busy"


class NoRoomError(StoreError):
    """The disk is full: nothing of what was asked is kept, or what was acknowledged waits until there is room."""

    code = "no_room"


class UnhealthyError(PellucidError):
    """`pellucid doctor` found something that a person must see to; its report says what."""

    code = "unhealthy"
    exit_code = 7


class EncoderError(PellucidError):
    """No usable embedding model."""

    code = "encoder_failed"
    exit_code = 6
