"""A class of plain calls in, the same calls out: a value that an input does not allow is an `InputError`."""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from pellucid.errors import InputError

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
_SHOWN_CHARS = 80


def checked_calls(kind: type[T]) -> type[T]:
    """Every public method of a class, raising `InputError` where pydantic would raise `ValidationError`."""
    for name, call in list(vars(kind).items()):
        if isinstance(call, FunctionType) and not name.startswith("_"):
            setattr(kind, name, _checked(call))
    return kind


def _checked(call: Callable[P, R]) -> Callable[P, R]:
    @wraps(call)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        try:
            return call(*given, **named)
        except ValidationError as error:
            if error.title.endswith("Input"):  # else what was stored is off, and not what was asked
                raise refusal(error) from error
            raise

    return checked


def refusal(error: ValidationError) -> InputError:
    """What is not allowed, by the name of its argument, with what that expects and what it got."""
    first = error.errors()[0]
    name = ".".join(to_snake(each) if isinstance(each, str) else str(each) for each in first["loc"]) or "the request"
    if first["type"] == "extra_forbidden":
        return InputError(f"{name} is no argument of this call", next_step="see the signature of the call")
    got = repr(first["input"])
    got = got if len(got) <= _SHOWN_CHARS else f"{got[:_SHOWN_CHARS]}…"
    said = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return InputError(
        f"{name} expects {said}; got {got}", code=f"invalid_{name.split('.')[0].replace(' ', '_')}",
        next_step="see the signature of the call",
    )  # fmt: skip
