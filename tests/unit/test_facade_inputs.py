"""Values that are not allowed in, an `InputError` that names the argument out: of whichever method of the façade."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from pellucid import Pellucid
from pellucid.errors import InputError
from pellucid.validated import checked_calls


@pytest.fixture
def memory(tmp_path: Path, places: tuple[Path, Path]) -> Iterator[Any]:
    with Pellucid(tmp_path / "home") as opened:
        yield opened


WRONG: list[tuple[str, Callable[[Any], object]]] = [
    ("confidence", lambda memory: memory.remember("x", confidence=7)),
    ("category", lambda memory: memory.remember("x", category="bogus")),
    ("content", lambda memory: memory.remember(None)),
    ("limit", lambda memory: memory.list(limit=-1)),
    ("since", lambda memory: memory.list(since="never")),
    ("query", lambda memory: memory.recall(7)),
    ("nonsense", lambda memory: memory.recall("x", nonsense=1)),
    ("mode", lambda memory: memory.import_transcripts(["/x"], mode="bad")),
    ("status", lambda memory: memory.edit.purge(status="nope")),
    ("memory_ids", lambda memory: memory.edit.reverify(3)),
    ("target", lambda memory: memory.edit.undo(3)),
    ("hops", lambda memory: memory.graph.show("x", hops=-1)),
    ("glob", lambda memory: memory.graph.index_docs("x", glob=3)),
    ("session_id", lambda memory: memory.house.explain(3)),
    ("limit", lambda memory: memory.house.episodes(limit=-1)),
]


@pytest.mark.parametrize(("argument", "call"), WRONG, ids=[f"{at} {name}" for at, (name, _) in enumerate(WRONG)])
def test_a_value_that_is_not_allowed_is_an_input_error(
    memory: Any, argument: str, call: Callable[[Any], object]
) -> None:
    with pytest.raises(InputError, match=argument) as caught:
        call(memory)
    assert caught.value.exit_code == 2
    assert caught.value.next_step
    assert isinstance(caught.value.__cause__, ValidationError)


def test_a_stored_thing_that_is_off_is_not_blamed_on_the_caller() -> None:
    class Kept(BaseModel):
        number: int

    @checked_calls
    class Calls:
        def read(self) -> Kept:
            return Kept.model_validate({"number": "x"})

    with pytest.raises(ValidationError):
        Calls().read()
