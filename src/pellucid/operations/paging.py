"""A list in its order and the end of a page in, the next page out: nothing twice, whatever comes or goes meanwhile.

A page says its end by a cursor: where in the order it ended, with a mark that nobody else can make, of the home, the
list and its namespace. So it means nothing elsewhere, and can be neither guessed nor changed.
"""

import base64
import hmac
import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Annotated, Any, Protocol, TypeVar

from pellucid.app import App
from pellucid.errors import InputError, field_name
from pellucid.operations.operation import Flag

After = Annotated[str | None, Flag("Go on behind this page: its `next`.")]
Place = tuple[float | int | str, ...]
"""Where something stands in its order, which goes up; no two stand at one."""
T = TypeVar("T")
_MARK = 16


class Paged(Protocol):
    """A request for a page of a list."""

    @property
    def namespace(self) -> str: ...
    @property
    def limit(self) -> int: ...
    @property
    def after(self) -> str | None: ...


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
    data = json.dumps(place).encode()
    return base64.urlsafe_b64encode(_mark(app, request, data) + data).decode().rstrip("=")


def behind(app: App, request: Paged) -> Place | None:
    """Where the page before ended; None for the first.

    Raises:
        InputError: the cursor is of another list, or of nobody.
    """
    if request.after is None:
        return None
    try:
        raw = base64.b64decode(request.after + "=" * (-len(request.after) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raw = b""
    mark, data = raw[:_MARK], raw[_MARK:]
    if not hmac.compare_digest(mark, _mark(app, request, data)):
        raise InputError(
            f"{field_name('after')} expects the `next` of a page of the same list",
            code="invalid_after",
            next_step="leave it out for the first page",
        )
    found: list[Any] = json.loads(data)
    return tuple(found)


def _mark(app: App, request: Paged, data: bytes) -> bytes:
    of = "\0".join((type(request).__name__, request.namespace, getattr(request, "query", "")))
    return hmac.new(app.key, f"cursor\0{of}\0".encode() + data, sha256).digest()[:_MARK]
