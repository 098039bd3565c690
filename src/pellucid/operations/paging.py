"""A sorted list and a cursor in, the next page out: nothing twice, whatever comes or goes meanwhile.

A cursor holds where the page before ended, signed for the home, the list, its namespace and its filters: it can be
neither guessed nor changed, and means nothing elsewhere.
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
SortKey = tuple[float | int | str, ...]
"""Where something stands in its order, which goes up; no two stand at one."""
T = TypeVar("T")
_MARK = 16
_SAME_S = 60.0
"""How far an instant that moves with the clock, such as a week ago, may be from where it should be by now."""


class Paged(Protocol):
    """A request for one page of a list."""

    @property
    def namespace(self) -> str: ...
    @property
    def limit(self) -> int: ...
    @property
    def after(self) -> str | None: ...
    def model_dump_json(self, *, exclude: set[str]) -> str: ...


def page(app: App, request: Paged, found: Sequence[T], place: Callable[[T], SortKey]) -> tuple[Sequence[T], str | None]:
    """Return the page of `found` that the request asks for, and the cursor of the next page (None if this is the last).
    `place` gives an item's sort key; `found` is in its order. InputError for a cursor of another list."""
    begun = decode_cursor(app, request)
    left = found if begun is None else [each for each in found if place(each) > begun]
    shown = left[: request.limit]
    return shown, encode_cursor(app, request, place(shown[-1])) if len(left) > len(shown) else None


def encode_cursor(app: App, request: Paged, place: SortKey) -> str:
    """Make the cursor that says a page ended at the item with this sort key; signed for this home, list and filters."""
    now = app.clock.now()
    ages = {name: [(now - at).total_seconds(), at.isoformat()] for name, at in _datetime_filters(request).items()}
    data = json.dumps([place, ages]).encode()
    return base64.urlsafe_b64encode(_signature(app, request, data) + data).decode().rstrip("=")


def decode_cursor(app: App, request: Paged) -> SortKey | None:
    """Return the sort key at which the previous page ended, or None for the first; InputError for a foreign cursor."""
    if request.after is None:
        return None
    try:
        raw = base64.b64decode(request.after + "=" * (-len(request.after) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raw = b""
    mark, data = raw[:_MARK], raw[_MARK:]
    if not hmac.compare_digest(mark, _signature(app, request, data)) or not _has_same_instants(app, request, data):
        raise InputError(
            f"{field_name('after')} expects the `next` of a page of the same list, asked with the same filters",
            code="invalid_after",
            next_step="leave it out for the first page",
        )
    return tuple(json.loads(data)[0])


def _has_same_instants(app: App, request: Paged, data: bytes) -> bool:
    """Whether the datetime filters equal those in a cursor's `data`, or moved with the clock ("a week ago")."""
    now, before, given = app.clock.now(), json.loads(data)[1], _datetime_filters(request)
    return before.keys() == given.keys() and all(
        at.isoformat() == before[name][1] or abs((now - at).total_seconds() - before[name][0]) < _SAME_S
        for name, at in given.items()
    )


def _datetime_filters(request: Paged) -> dict[str, datetime]:
    """Return the request's fields that are datetimes, by name; fields that are None are left out."""
    return {name: at for name, at in vars(request).items() if isinstance(at, datetime)}


def _signature(app: App, request: Paged, data: bytes) -> bytes:
    """Return the HMAC of a cursor's data, bound to the home's key, the type of the request and its filters."""
    filters = request.model_dump_json(exclude={"limit", "after", *_datetime_filters(request)})
    of = f"{type(request).__name__}\0{filters}"
    return hmac.new(app.key, f"cursor\0{of}\0".encode() + data, sha256).digest()[:_MARK]
