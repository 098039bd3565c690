"""A class of flags in, a command that takes them as one value out: flags that several commands share are said once."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, get_type_hints

Flags = TypeVar("Flags")


def flagged(kind: type[Flags]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command every field of a dataclass as a flag; it takes them together, as its argument `flags`."""
    hints = get_type_hints(kind, include_extras=True)
    shared = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name])
        for each in fields(kind)  # pyright: ignore[reportArgumentType]
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = get_type_hints(command, include_extras=True)
        mine = [
            each.replace(annotation=own[each.name], kind=Parameter.KEYWORD_ONLY)
            for each in signature(command).parameters.values()
            if each.name != "flags"
        ]

        @wraps(command)
        def run(**values: Any) -> None:
            given = {each.name: values.pop(each.name) for each in shared}
            command(flags=kind(**given), **values)

        every = [*mine, *shared]
        run.__signature__ = signature(command).replace(parameters=every)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in every}
        return run

    return decorate
