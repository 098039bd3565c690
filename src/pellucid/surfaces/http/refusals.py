"""An error in, the HTTP status and the JSON body that report it out."""

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
from pellucid.surfaces.answers import error_fields
from pellucid.surfaces.spelling import add_reference
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
    """A request that is refused before an operation runs, with its HTTP status and headers (`_` stands for `-`)."""

    def __init__(self, status: int, code: str, message: str, next_step: str = "", **headers: str) -> None:
        super().__init__(message, next_step=next_step)
        self.status, self.code = status, code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """A response that is sent at once, unlike one that is streamed."""

    status: int
    body: bytes
    media: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


def status_of(error: PellucidError) -> int:
    """Return the HTTP status of an error: an `HttpError`'s own, else that of its kind, such as 404 for `NotFoundError`.

    200 for `UnhealthyError`, since that something is not well is the answer; 500 for a kind that has none.
    """
    if isinstance(error, HttpError):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def safe_error(error: Exception, trace: str) -> PellucidError:
    """Return the error to report: a `PellucidError` unchanged, for any other exception a plain `PellucidError` without
    details. Such an exception is logged on standard error as a line of JSON with the id `trace`, its type and place,
    without its message.
    """
    if isinstance(error, PellucidError):
        return error
    sys.stderr.write(json.dumps({"trace": trace, "error": type(error).__name__, "at": where_raised(error)}) + "\n")
    return PellucidError("something went wrong that was not foreseen", next_step="the log has its trace")


def is_unexpected(error: PellucidError) -> bool:
    """Whether the error is a plain `PellucidError`, as `safe_error` makes of an unexpected exception."""
    return type(error) is PellucidError


def error_answer(error: PellucidError, **further_fields: object) -> WholeAnswer:
    """Return the JSON response that reports an error: its status by `status_of`, its fields and `further_fields` in the
    body, the headers of an `HttpError`, and `Retry-After: 1` with status 503. An input error without a next step is
    given one, in place (`add_reference`).
    """
    add_reference(error)
    status = status_of(error)
    headers = dict(error.headers) if isinstance(error, HttpError) else {}
    if status == 503:
        headers["Retry-After"] = "1"
    body = json.dumps({**error_fields(error), **further_fields}, ensure_ascii=False, indent=2)
    return WholeAnswer(status, f"{visible_json(body)}\n".encode(), JSON, tuple(headers.items()))


def unknown_place() -> NotFoundError:
    """Return the error for a namespace that the caller cannot read, the same whether it exists or not."""
    return NotFoundError(
        "nothing of that name is readable here", next_step="check the id and the namespace, and what the token may read"
    )
