"""Python values in, camelCase JSON-ready values out: the one base class and alias rule of everything that travels."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer
from pydantic.alias_generators import to_camel

from pellucid.clock import in_utc, isoformat


class Wire(BaseModel):
    """An immutable record: snake_case in Python, camelCase on disk and on the wire, unknown keys refused.

    Its validator is built when it is first used, since a process uses few of a hundred such records.
    """

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, extra="forbid", defer_build=True
    )

    def to_wire(self) -> dict[str, object]:
        """Return the record as a JSON-ready dict with camelCase keys; fields that are None are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def _valid_instant(at: datetime) -> datetime:
    """Return the instant in UTC, as which one without a zone counts; raise ValueError outside the years 1 to 9999."""
    try:
        return in_utc(at)
    except OverflowError as error:
        raise ValueError("the instant lies outside the years 1 to 9999 of UTC") from error


Instant = Annotated[datetime, AfterValidator(_valid_instant), PlainSerializer(isoformat, when_used="json")]
"""A UTC instant; a value without a zone is taken as UTC; serialised as `2026-04-20T17:30:00.000Z`."""
