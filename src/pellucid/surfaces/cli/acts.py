"""Nothing in, what a command of its own is out: what it does, and what it takes beside its row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.model.wire import Wire
from pellucid.operations.operation import Operation
from pellucid.surfaces.cli.derived import Parameter

Given = Mapping[str, Any]
Row = Operation[Any, Any]


@dataclass(frozen=True, slots=True)
class Own:
    """A command of its own: it takes what its row says, and `more`; `less` are fields that it works out itself."""

    act: Callable[[Any, Given], None]
    more: tuple[Parameter, ...] = ()
    less: tuple[str, ...] = ()
    inputs: tuple[type[Wire], ...] = ()
    """Further inputs whose fields are flags."""
    as_json: bool = True
    text: str = ""
    """Its help, where there is no row."""
