"""What went wrong in, a status and the body that says it out."""

import json
import sys
from dataclasses import dataclass

from pellucid.errors import (
    ConflictError,
    DeadlineError,
    EncoderError,
    InputError,
    NoRoomError,
    NotFoundError,
    NotYoursError,
    PellucidError,
    StoreBusyError,
    UnhealthyError,
    where_raised,
)
from pellucid.surfaces.answers import problem, spell_wire
from pellucid.xray.words.visible import visible_json

JSON = "application/json"
_STATUSES: tuple[tuple[type[PellucidError], int], ...] = (
    (InputError, 400),
    (NotYoursError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (StoreBusyError, 503),
    (NoRoomError, 507),
    (EncoderError, 503),
    (DeadlineError, 504),
    (UnhealthyError, 200),  # that something is not well is the answer
)
"""Any other error is 500."""


class HttpError(PellucidError):
    """A request that does not come to an operation."""

    def __init__(self, status: int, code: str, message: str, next_step: str = "", **headers: str) -> None:
        super().__init__(message, next_step=next_step)
        self.status, self.code = status, code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """A whole answer."""

    status: int
    body: bytes
    media: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


def status_of(error: PellucidError) -> int:
    """The status that an error has on this surface."""
    if isinstance(error, HttpError):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def foreseen(error: Exception, trace: str) -> PellucidError:
    """The error to tell: one of ours; of any other it says nothing, and the log has where it came from, by `trace`."""
    if isinstance(error, PellucidError):
        return error
    sys.stderr.write(json.dumps({"trace": trace, "error": type(error).__name__, "at": where_raised(error)}) + "\n")
    return PellucidError("something went wrong that was not foreseen", next_step="the log has its trace")


def is_unforeseen(error: PellucidError) -> bool:
    """Whether nobody foresaw it, so that its trace in the log is all that is known of it."""
    return type(error) is PellucidError


def error_answer(error: PellucidError, **more: object) -> WholeAnswer:
    """What is answered instead."""
    spell_wire(error, "/openapi.json")
    status = status_of(error)
    headers = dict(error.headers) if isinstance(error, HttpError) else {}
    if status == 503:
        headers["Retry-After"] = "1"
    body = json.dumps({**problem(error), **more}, ensure_ascii=False, indent=2)
    return WholeAnswer(status, f"{visible_json(body)}\n".encode(), JSON, tuple(headers.items()))


def unknown_place() -> NotFoundError:
    """What is said of a namespace that is not granted, whether it exists or not, and whatever was asked of it."""
    return NotFoundError(
        "nothing of that name is readable here", next_step="check the id and the namespace, and what the token may read"
    )
