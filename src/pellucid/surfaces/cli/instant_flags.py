"""`--as-of` and `--as-known-at` as somebody wrote them in, instants out: said once for every command about the past."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from datetime import datetime

    from pellucid.app import App

AsOf = Annotated[
    str | None,
    typer.Option("--as-of", help="As it was then: an ISO date (the end of that day in UTC) or date-time."),
]
AsKnownAt = Annotated[
    str | None, typer.Option("--as-known-at", help="By what was written down by then: an ISO date or date-time.")
]


def instants(app: App, as_of: str | None, as_known_at: str | None) -> dict[str, datetime | None]:
    """Both as the fields of an operation's input.

    Raises:
        InputError: one is no date (an empty one, too), or lies in the future; names the flag.
    """
    from pellucid.operations.instants import instant

    now = app.clock.now()
    return {
        "as_of": instant(as_of, now, "--as-of") if as_of is not None else None,
        "as_known_at": instant(as_known_at, now, "--as-known-at") if as_known_at is not None else None,
    }
