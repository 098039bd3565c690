"""Memories that still hold in, the same with a new date of verification out, and nothing else."""

import pytest

from kits.intake import HERE, held, session, take
from kits.vault import keep
from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import Memory
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.undoing import UndoInput, undo


def _remembered(app: App, content: str) -> Memory:
    return keep(app, content).memory


def _verify(app: App, *ids: str) -> ReverifyInput:
    return ReverifyInput(namespace=HERE, memory_ids=ids)


def _events(app: App) -> list[LifecycleRow]:
    return [row for row in rows_of_type(app.ledger, LifecycleRow, HERE) if row.event_type == "reverified"]


@pytest.mark.requirement("TIME-5")
def test_a_verification_sets_its_date_and_nothing_else(whole: App) -> None:
    memory = _remembered(whole, "The staging database lives in eu-west-1")
    done = reverify(whole, _verify(whole, memory.id))
    now = held(whole)[memory.content]
    assert now.last_verified_at == done.verified_at
    assert now == memory.model_copy(update={"last_verified_at": done.verified_at})
    assert [each.memory for each in done.memories] == [now]


def test_it_is_on_record_without_a_word_of_the_memory_and_can_be_undone(whole: App) -> None:
    memory = _remembered(whole, "The staging database lives in eu-west-1")
    done = reverify(whole, _verify(whole, memory.id))
    (row,) = _events(whole)
    assert (row.memory_id, row.actor, row.correlation_id) == (memory.id, "user", done.op_id)
    assert set(row.before) == set(row.after) == {"lastVerifiedAt"}
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    assert held(whole)[memory.content] == memory


def test_several_are_verified_in_one_operation_each_once_by_any_of_their_names(whole: App) -> None:
    first, second = _remembered(whole, "The cache holds a day"), _remembered(whole, "The queue holds an hour")
    done = reverify(whole, _verify(whole, first.id, second.id[-10:], first.id[-10:]))
    assert [each.memory.id for each in done.memories] == [first.id, second.id]
    assert {row.correlation_id for row in _events(whole)} == {done.op_id}
    assert len(_events(whole)) == 2


def test_one_that_is_not_there_leaves_all_as_they_were(whole: App) -> None:
    memory = _remembered(whole, "The cache holds a day")
    with pytest.raises(NotFoundError):
        reverify(whole, _verify(whole, memory.id, "mem_" + "0" * 32))
    assert held(whole)[memory.content].last_verified_at is None
    assert _events(whole) == []


def test_a_turn_cannot_be_verified(whole: App) -> None:
    take(whole, session("The cache holds a day"), "verbatim")
    (moment,) = held(whole).values()
    with pytest.raises(InputError, match="as it was said"):
        reverify(whole, _verify(whole, moment.id))


def test_what_is_not_in_force_cannot_be_verified(whole: App) -> None:
    old = _remembered(whole, "The staging database lives in eu-west-1")
    new = update(whole, UpdateInput(namespace=HERE, memory_id=old.id, content="It lives in us-east-2")).memory
    with pytest.raises(InputError, match=f"superseded by {new.id}"):
        reverify(whole, _verify(whole, old.id))
    apply_verb(whole, "retract", VerbInput(namespace=HERE, memory_id=new.id))
    with pytest.raises(InputError, match="is retracted"):
        reverify(whole, _verify(whole, new.id))
