"""Flag values in, a checked operation input out; what is wrong is said in the words of the flags."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from pellucid.errors import InputError
from pellucid.model.wire import Wire

T = TypeVar("T", bound=Wire)


def checked(kind: type[T], **values: Any) -> T:
    """An operation's input.

    Raises:
        InputError: a value is not allowed; names the flag, what it expects and what it got.
    """
    try:
        return kind(**values)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]).replace("transcript_format", "format").replace("transcriptFormat", "format")
        said = first["msg"].removeprefix("Input should be ")
        raise InputError(f"--{field} expects {said}; got {first['input']!r}", code=f"invalid_{field}") from error


def aware(at: datetime | None) -> datetime | None:
    """A time without a zone is UTC."""
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def pairs(flag: str, given: Sequence[str]) -> dict[str, str]:
    """`name=value` texts as a mapping.

    Raises:
        InputError: one has no name, or no `=`.
    """
    out: dict[str, str] = {}
    for text in given:
        name, found, value = text.partition("=")
        if not found or not name.strip():
            raise InputError(f'{flag} expects name=value; got "{text}"', code="invalid_attribute")
        out[name.strip()] = value.strip()
    return out


def setting(text: str) -> tuple[str, object]:
    """`name=value` of `--set`, the value as JSON or as it stands.

    Raises:
        InputError: there is no `=`.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set expects name=value; got {text!r}", next_step="for example: --set maxIterations=2")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()
