"""A sorted list and a cursor in, the next page out: no item twice, whatever is added or removed meanwhile.

A cursor contains the sort key at which the page before ended, signed for the home, the list, its namespace and its
filters, so that a cursor can be neither guessed nor changed, nor used for another list.
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
"""The key of an item in an ascending order; no two items have the same key."""
T = TypeVar("T")
_MARK = 16
_SAME_S = 60.0
"""Seconds by which a filter that moves with the clock, such as `a week ago`, can deviate from its expected instant."""


class Paged(Protocol):
    """A request for one page of a list."""

    @property
    def namespace(self) -> str:
        """The namespace of the list, which is part of what a cursor is signed for."""
        ...

    @property
    def limit(self) -> int:
        """The maximum number of items of the page."""
        ...

    @property
    def after(self) -> str | None:
        """The cursor that came with the page before; None for the first page."""
        ...

    def model_dump_json(self, *, exclude: set[str]) -> str:
        """Return the request's fields, without those in `exclude`, as JSON; a cursor is signed for it."""
        ...


def page(
    app: App, request: Paged, items: Sequence[T], sort_key: Callable[[T], SortKey]
) -> tuple[Sequence[T], str | None]:
    """Return the page of `items` that the request asks for, and the cursor of the next page (None if this is the last).
    `items` must be sorted by `sort_key`, ascending. InputError for an `after` that is no cursor of this list with these
    filters.
    """
    last_key = decode_cursor(app, request)
    left = items if last_key is None else [each for each in items if sort_key(each) > last_key]
    shown = left[: request.limit]
    return shown, encode_cursor(app, request, sort_key(shown[-1])) if len(left) > len(shown) else None


def encode_cursor(app: App, request: Paged, last_key: SortKey) -> str:
    """Make the cursor of the page after the item with this sort key, signed for this home, list and filters."""
    now = app.clock.now()
    ages = {name: [(now - at).total_seconds(), at.isoformat()] for name, at in _datetime_filters(request).items()}
    data = json.dumps([last_key, ages]).encode()
    return base64.urlsafe_b64encode(_signature(app, request, data) + data).decode().rstrip("=")


def decode_cursor(app: App, request: Paged) -> SortKey | None:
    """Return the sort key at which the page before ended; None if the request is for the first page. InputError if its
    `after` is no cursor, or one of another home, list or filters.
    """
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
    """Whether each datetime filter of the request equals that in a cursor's `data`, or moved with the clock since (to
    within 60 seconds), as "a week ago" does."""
    now, before, today = app.clock.now(), json.loads(data)[1], _datetime_filters(request)
    return before.keys() == today.keys() and all(
        at.isoformat() == before[name][1] or abs((now - at).total_seconds() - before[name][0]) < _SAME_S
        for name, at in today.items()
    )


def _datetime_filters(request: Paged) -> dict[str, datetime]:
    """Return a map from the names of the request's datetime fields to their values; fields that are None are left
    out."""
    return {name: at for name, at in vars(request).items() if isinstance(at, datetime)}


def _signature(app: App, request: Paged, data: bytes) -> bytes:
    """Return the first 16 bytes of the HMAC-SHA256 of a cursor's data, bound to the home's key, and to the type and
    filters of the request (no datetimes, limit or cursor)."""
    filters = request.model_dump_json(exclude={"limit", "after", *_datetime_filters(request)})
    prefix = f"cursor\0{type(request).__name__}\0{filters}\0"
    return hmac.new(app.key, prefix.encode() + data, sha256).digest()[:_MARK]
