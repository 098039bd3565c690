"""Parsed JSON of unknown shape in, typed pieces out."""

from datetime import UTC, datetime
from typing import cast

from pellucid.clock import truncate

JsonObject = dict[str, object]


def as_object(value: object) -> JsonObject:
    """The value if it is a JSON object, else an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value if it is a JSON array, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def text_at(container: JsonObject, *keys: str) -> str | None:
    """The first non-empty string under one of the keys."""
    return next((value for key in keys if isinstance(value := container.get(key), str) and value), None)


def instant_at(container: JsonObject, *keys: str) -> datetime | None:
    """The first readable time under one of the keys: ISO 8601 text, or seconds or milliseconds since 1970."""
    found = (as_instant(container.get(key)) for key in keys)
    return next((at for at in found if at), None)


def as_instant(value: object) -> datetime | None:
    """A time given as text or a number, in UTC if it names no zone; None for what is not a time."""
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return truncate(at.replace(tzinfo=UTC) if at.tzinfo is None else at)
        # 10¹¹ seconds lie in the year 5138: anything larger was counted in milliseconds
        return truncate(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None
