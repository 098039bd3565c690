"""A list in its order and the end of a page in, the next page out: nothing twice, whatever comes or goes meanwhile.

A page says its end by a cursor: where in the order it ended, with a mark that nobody else can make, of the home, the
list, its namespace and its filters. So it means nothing elsewhere, and can be neither guessed nor changed.
"""

import base64
import hmac
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Protocol, TypeVar

from pellucid.app import App
from pellucid.errors import InputError, field_name
from pellucid.operations.operation import Flag

After = Annotated[str | None, Flag("Go on behind this page: its `next`.")]
Place = tuple[float | int | str, ...]
"""Where something stands in its order, which goes up; no two stand at one."""
T = TypeVar("T")
_MARK = 16
_SAME_S = 60.0
"""How far an instant that moves with the clock, such as a week ago, may be from where it should be by now."""


class Paged(Protocol):
    """A request for a page of a list."""

    @property
    def namespace(self) -> str: ...
    @property
    def limit(self) -> int: ...
    @property
    def after(self) -> str | None: ...
    def model_dump_json(self, *, exclude: set[str]) -> str: ...


def page(app: App, request: Paged, found: Sequence[T], place: Callable[[T], Place]) -> tuple[Sequence[T], str | None]:
    """The page that is asked for, and the cursor of its end; none where there is nothing behind it.

    Raises:
        InputError: the cursor is of another list, or of nobody.
    """
    begun = behind(app, request)
    left = found if begun is None else [each for each in found if place(each) > begun]
    shown = left[: request.limit]
    return shown, cursor(app, request, place(shown[-1])) if len(left) > len(shown) else None


def cursor(app: App, request: Paged, place: Place) -> str:
    """The end of a page."""
    now = app.clock.now()
    ages = {name: [(now - at).total_seconds(), at.isoformat()] for name, at in _instants(request).items()}
    data = json.dumps([place, ages]).encode()
    return base64.urlsafe_b64encode(_mark(app, request, data) + data).decode().rstrip("=")


def behind(app: App, request: Paged) -> Place | None:
    """Where the page before ended; None for the first.

    Raises:
        InputError: the cursor is of another list or other filters, or of nobody.
    """
    if request.after is None:
        return None
    try:
        raw = base64.b64decode(request.after + "=" * (-len(request.after) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raw = b""
    mark, data = raw[:_MARK], raw[_MARK:]
    if not hmac.compare_digest(mark, _mark(app, request, data)) or not _same_instants(app, request, data):
        raise InputError(
            f"{field_name('after')} expects the `next` of a page of the same list, asked with the same filters",
            code="invalid_after",
            next_step="leave it out for the first page",
        )
    return tuple(json.loads(data)[0])


def _same_instants(app: App, request: Paged, data: bytes) -> bool:
    """Whether the instants are those of the page before, or as long ago as they were then."""
    now, before, given = app.clock.now(), json.loads(data)[1], _instants(request)
    return before.keys() == given.keys() and all(
        at.isoformat() == before[name][1] or abs((now - at).total_seconds() - before[name][0]) < _SAME_S
        for name, at in given.items()
    )


def _instants(request: Paged) -> dict[str, datetime]:
    return {name: at for name, at in vars(request).items() if isinstance(at, datetime)}


def _mark(app: App, request: Paged, data: bytes) -> bytes:
    filters = request.model_dump_json(exclude={"limit", "after", *_instants(request)})
    of = f"{type(request).__name__}\0{filters}"
    return hmac.new(app.key, f"cursor\0{of}\0".encode() + data, sha256).digest()[:_MARK]
