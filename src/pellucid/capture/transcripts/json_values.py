"""Parsed JSON of unknown shape in, typed pieces out."""

import json
from datetime import UTC, datetime
from typing import cast

from pellucid.clock import truncate

JsonObject = dict[str, object]
YEARS = range(1000, 9999)
"""The possible years of a turn: of four digits, and with days before and after them to reckon with."""


def as_object(value: object) -> JsonObject:
    """Return the value if it is a JSON object, else an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return the value if it is a JSON array, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def text_at(container: JsonObject, *keys: str) -> str | None:
    """Return the first non-empty string under one of the keys, tried in order; None if there is none."""
    return next((value for key in keys if isinstance(value := container.get(key), str) and value), None)


def instant_at(container: JsonObject, *keys: str) -> datetime | None:
    """Return the first time under one of the keys, tried in order, that `as_instant` can read, in UTC; None if there is
    none.
    """
    found = (as_instant(container.get(key)) for key in keys)
    return next((at for at in found if at), None)


def object_in(text: str) -> JsonObject:
    """Parse a text as a JSON object; return an empty one if the text is not a JSON object."""
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def as_instant(value: object) -> datetime | None:
    """Parse a time as UTC, rounded down to the millisecond: ISO 8601 text (UTC if it has no zone), or a number since
    1970.

    A number above 10¹¹ is in milliseconds, any other in seconds. None for other values, and outside the years 1000 to
    9998.
    """
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        if isinstance(value, str):
            at = truncate(datetime.fromisoformat(value.strip()))
        else:  # 10¹¹ seconds lie in the year 5138: anything larger was counted in milliseconds
            at = truncate(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC))
        return at if at.year in YEARS else None
    except (ValueError, OverflowError, OSError):
        return None
