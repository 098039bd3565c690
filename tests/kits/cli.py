"""Arguments in, what one command said out: the shape of it, for every test of the command line."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Said(NamedTuple):
    """What one command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Said]
