"""Values that are not allowed in, an `InputError` that names the argument out: of whichever method of the façade."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import ValidationError

from pellucid import Pellucid
from pellucid.errors import InputError
from pellucid.facade_options import (
    ListOptions,
    LookOptions,
    PurgeOptions,
    RecallOptions,
    RememberOptions,
    UpdateOptions,
)
from pellucid.model.wire import Wire
from pellucid.operations.browsing import ListInput
from pellucid.operations.graph.graphing import GraphShowInput
from pellucid.operations.memory.changing import UpdateInput
from pellucid.operations.memory.forgetting import PurgeInput
from pellucid.operations.memory.remembering import RememberInput
from pellucid.operations.operation import flag_of
from pellucid.operations.recall.request import RecallInput


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
    ("session_id", lambda memory: memory.home.explain(3)),
    ("limit", lambda memory: memory.home.episodes(limit=-1)),
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


OPTIONS: list[tuple[type, type[Wire], set[str]]] = [
    (RecallOptions, RecallInput, {"query"}),
    (RememberOptions, RememberInput, {"content"}),
    (ListOptions, ListInput, set()),
    (LookOptions, GraphShowInput, {"name"}),
    (UpdateOptions, UpdateInput, {"memory_id", "content"}),
    (PurgeOptions, PurgeInput, {"preview"}),
]


@pytest.mark.parametrize(("options", "kind", "named"), OPTIONS, ids=[kind.__name__ for _, kind, _ in OPTIONS])
def test_the_options_of_a_call_are_the_fields_of_its_operation(
    options: type, kind: type[Wire], named: set[str]
) -> None:
    """`named` are those that the call takes by name; a field that may be absent need not be None in Python."""
    fields = {name: field for name, field in kind.model_fields.items() if flag_of(field) and name not in named}
    assert set(get_type_hints(options)) == set(fields)
    for name, hint in get_type_hints(options).items():
        assert plain(hint) == plain(fields[name].annotation), name


def plain(hint: Any) -> set[Any]:
    """The types that a hint allows, without what is checked of them, and without None."""
    if get_origin(hint) is Annotated:
        return plain(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return set().union(*(plain(each) for each in get_args(hint) if each is not NoneType))
    return {str(hint).replace("typing.Any", "object").replace("<class 'object'>", "object")}
