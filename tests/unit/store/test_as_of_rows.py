"""Memories and what the ledger tells of them in; who may answer at an instant, by what was known, out.

Days are counted from the first of June 2026.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.clock import epoch_ms, isoformat, uuid7
from pellucid.encoders.port import Encoding
from pellucid.model.entity import FOREVER, Claim, EntityFact, GraphFacts
from pellucid.model.ledger import LifecycleRow, TombstoneRow
from pellucid.model.memory import Memory, unpack_id
from pellucid.store.index_changes import IndexRecord, IndexState, LedgerChange, PathChange
from pellucid.store.index_port import EVERY_SCOPE, Admission, IndexReader
from pellucid.store.local.index.local_index import LocalIndex

HERE = "local/default"
JUNE = datetime(2026, 6, 1, tzinfo=UTC)
VECTOR = np.zeros(384, dtype=np.float32)
VECTOR[0] = 1


def day(number: float) -> datetime:
    return JUNE + timedelta(days=number)


def at(number: float, known: float | None = None, *, past: bool = True) -> Admission:
    told = None if known is None else epoch_ms(day(known))
    return Admission(epoch_ms(day(number)), past=past, known=told, granted=EVERY_SCOPE)


def mem(number: int, recorded: float = 0) -> str:
    return f"mem_{uuid7(day(recorded), number).hex}"


def a_memory(number: int = 1, recorded: float = 0, **given: Any) -> Memory:
    known = {
        "id": mem(number, recorded),
        "category": "fact",
        "namespace": HERE,
        "created": day(recorded),
        "updated": day(recorded),
        "source": "manual",
        "content": "the crane lifts forty tonnes",
        "session_id": "s",
    }
    return Memory(**{**known, **given})


def change(memory_id: str, on: float, before: dict[str, Any], after: dict[str, Any] | None = None) -> LifecycleRow:
    def wire(said: dict[str, Any]) -> dict[str, object]:
        return {key: isoformat(value) if isinstance(value, datetime) else value for key, value in said.items()}

    return LifecycleRow(
        event_id=f"evt_{on}",
        memory_id=memory_id,
        namespace=HERE,
        event_type="superseded",
        timestamp=day(on),
        actor="user",
        before=wire(before),
        after=wire(after or {}),
    )


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LocalIndex]:
    opened = LocalIndex(tmp_path / "index.db")
    yield opened
    opened.close()


def fold(
    index: LocalIndex, *memories: Memory, rows: tuple[LifecycleRow | TombstoneRow, ...] = (), begin: int = 1
) -> None:
    encoding = Encoding(VECTOR, np.zeros((1, 16), dtype=np.uint8))
    changes = [
        PathChange(f"{each.id}.md", "d", 1, 1, "op_1", (IndexRecord(each, turn, b"x" * 16, encoding),))
        for turn, each in enumerate(memories)
    ]
    ledger = [LedgerChange(seq, row) for seq, row in enumerate(rows, start=begin)]
    index.apply(changes, IndexState(1, "", "", ledger[-1].seq if ledger else 0), ledger)


def ids(reader: IndexReader, rows: np.ndarray, admission: Admission) -> list[str]:
    return [unpack_id(raw) for raw in reader.columns(rows, admission).ids.tolist()]


def answering(index: LocalIndex, admission: Admission) -> set[str]:
    """Who may answer, on which every leg agrees."""
    with index.reading(HERE) as reader:
        legs = [
            reader.recent(admission, 50),
            reader.vector(VECTOR, admission, 50, 50),
            reader.lexical(["crane"], admission, 50, 50),
            reader.lexical(["crane"], admission, 50, 50, passages=True),
        ]
        found = [set(ids(reader, leg.rows, admission)) for leg in legs]
        assert found == found[:1] * 4
        rest = [set(ids(reader, leg.open_rows, admission)) for leg in legs[1:]]
        assert rest == rest[:1] * 3
        assert not rest[0] & found[0]
        rows = np.concatenate((legs[1].rows, legs[1].open_rows))
        columns = reader.columns(rows, admission)
        free = columns.active & columns.valid & columns.trusted
        assert (
            columns.admitted.tolist() == free.tolist() == [True] * len(legs[1].rows) + [False] * len(legs[1].open_rows)
        )
        return found[0]


def held(index: LocalIndex, memory_id: str, *days: float, known: float | None = None) -> list[bool]:
    return [memory_id in answering(index, at(number, known)) for number in days]


STATES = ["retracted", "archived", "disputed", "rejected"]


@pytest.mark.parametrize("status", STATES)
def test_what_was_set_aside_since_stands_for_the_days_before(index: LocalIndex, status: str) -> None:
    memory = a_memory(status=status)
    fold(index, memory, rows=(change(memory.id, 10, {"status": "active"}, {"status": status}),))
    assert held(index, memory.id, -1, 0, 5, 9.999, 10, 11) == [False, True, True, True, False, False]
    assert memory.id not in answering(index, at(5, past=False)), "a question about today reads what stands today"


def test_what_was_superseded_since_stands_for_the_days_before(index: LocalIndex) -> None:
    old = a_memory(1, status="superseded", invalid_at=day(10), superseded_by=mem(2, 10))
    new = a_memory(2, 10, valid_at=day(10), supersedes=(old.id,))
    before = {"status": "active", "invalidAt": None, "supersededBy": None}
    fold(index, old, new, rows=(change(old.id, 10, before, {"status": "superseded", "invalidAt": day(10)}),))
    assert [answering(index, at(number)) for number in (5, 10, 11)] == [{old.id}, {new.id}, {new.id}]


def test_what_was_superseded_from_an_earlier_day_on_held_until_then_and_by_then_known_longer(index: LocalIndex) -> None:
    old = a_memory(1, status="superseded", invalid_at=day(4))
    new = a_memory(2, 10, valid_at=day(4))
    fold(index, old, new, rows=(change(old.id, 10, {"status": "active", "invalidAt": None}),))
    assert [answering(index, at(number)) for number in (3, 5, 11)] == [{old.id}, {new.id}, {new.id}]
    assert [answering(index, at(number, known=9)) for number in (3, 5, 11)] == [{old.id}] * 3
    assert [answering(index, at(number, known=10)) for number in (3, 5, 11)] == [{old.id}, {new.id}, {new.id}]


def test_what_was_superseded_from_a_later_day_on_holds_until_then(index: LocalIndex) -> None:
    old = a_memory(1, status="superseded", invalid_at=day(20))
    new = a_memory(2, 10, valid_at=day(20))
    fold(index, old, new, rows=(change(old.id, 10, {"status": "active", "invalidAt": None}),))
    assert [answering(index, at(number)) for number in (5, 15, 20)] == [{old.id}, {old.id}, {new.id}]


def test_an_undo_changes_no_answer_about_the_days_before_it(index: LocalIndex) -> None:
    memory = a_memory()
    over = {"status": "superseded", "invalidAt": day(5)}
    rows = (change(memory.id, 5, {"status": "active", "invalidAt": None}, over), change(memory.id, 8, over))
    fold(index, memory, rows=rows)
    assert held(index, memory.id, 4, 6, 7.999, 8, 9) == [True, False, False, True, True]


def test_trust_counts_as_it_was(index: LocalIndex) -> None:
    memory = a_memory(trust_zone="quarantine")
    rows = (
        change(memory.id, 3, {"trustZone": "quarantine"}, {"trustZone": "working"}),
        change(memory.id, 7, {"trustZone": "working"}, {"trustZone": "quarantine"}),
    )
    fold(index, memory, rows=rows)
    assert held(index, memory.id, 2, 3, 6, 7) == [False, True, True, False]


def test_a_backdated_memory_stands_on_the_days_it_tells_of_as_it_was_first_written(index: LocalIndex) -> None:
    imported = a_memory(1, 30, created=day(2), valid_at=day(2), status="retracted")
    fold(index, imported, rows=(change(imported.id, 40, {"status": "active"}),))
    assert held(index, imported.id, 1, 2, 35, 40) == [False, True, True, False]
    assert held(index, imported.id, 1, 2, 35, 40, known=29) == [False] * 4
    assert held(index, imported.id, 1, 2, 35, 40, known=30) == [False, True, True, True]


def test_a_memory_that_says_no_day_holds_from_its_creation_on(index: LocalIndex) -> None:
    memory = a_memory(recorded=5)
    fold(index, memory)
    assert held(index, memory.id, 4, 5) == [False, True]
    assert memory.id in answering(index, at(4, past=False))


def test_what_ends_by_itself_ends(index: LocalIndex) -> None:
    memory = a_memory(valid_at=day(3), expires_at=day(8))
    fold(index, memory, rows=(change(memory.id, 6, {"expiresAt": day(5)}),))
    assert held(index, memory.id, 2, 3, 6, 8) == [False, True, True, False]
    assert held(index, memory.id, 2, 3, 6, 8, known=5) == [False, True, False, False]


def test_a_state_that_no_row_tells_of_counts_as_if_it_had_always_been(index: LocalIndex) -> None:
    by_hand = a_memory(1, status="archived")
    closed = a_memory(2, status="superseded", invalid_at=day(6))
    fold(index, by_hand, closed)
    assert [answering(index, at(number)) for number in (5, 6)] == [{closed.id}, set()]
    assert answering(index, at(7, known=5)) == {closed.id}, "that it would be closed was not yet known"


def test_what_was_not_yet_written_down_is_in_no_leg_beside_nothing_and_nobodys_neighbour(index: LocalIndex) -> None:
    early, late = a_memory(1), a_memory(2, 20, created=day(1))
    fold(index, early, late)
    admission = at(5, known=10)
    with index.reading(HERE) as reader:
        both = np.sort(reader.vector(VECTOR, at(5), 50, 50).rows)
        assert len(both) == 2
        for leg in (
            reader.vector(VECTOR, admission, 50, 50),
            reader.lexical(["crane"], admission, 50, 50),
            reader.recent(admission, 50),
        ):
            assert len(leg.rows) == 1
            assert len(leg.open_rows) == 0
        first = both[:1]
        assert ids(reader, first, admission) == [early.id]
        assert [each.tolist() for each in reader.beside(first, at(5))] == [[-1], [both[1]]]
        assert [each.tolist() for each in reader.beside(first, admission)] == [[-1], [-1]]
        assert reader.neighbours(first, 2, at(5)).tolist() == both[1:].tolist()
        assert reader.neighbours(first, 2, admission).tolist() == []
        columns = reader.columns(both, admission)
        assert columns.admitted.tolist() == columns.active.tolist() == [True, False]


def test_what_was_known_counts_also_for_a_question_about_today(index: LocalIndex) -> None:
    memory = a_memory(status="retracted")
    fold(index, memory, rows=(change(memory.id, 10, {"status": "active"}),))
    assert memory.id in answering(index, at(20, known=5, past=False))
    assert memory.id not in answering(index, at(20, known=10, past=False))


def test_a_forgotten_memory_leaves_nothing_of_how_it_stood(index: LocalIndex, tmp_path: Path) -> None:
    memory = a_memory(status="archived")
    fold(index, memory, rows=(change(memory.id, 10, {"status": "active"}),))
    index.scrub()
    assert (tmp_path / "index.db").read_bytes().count(memory.id.encode()) >= 3
    gone = TombstoneRow(memory_id=memory.id, namespace=HERE, at=day(11), keys=("00" * 16,))
    index.apply(
        [PathChange(f"{memory.id}.md", "", -1, -1, "op_2", ())], IndexState(2, "", "", 2), [LedgerChange(2, gone)]
    )
    index.scrub()
    assert memory.id.encode() not in (tmp_path / "index.db").read_bytes()


def test_a_ledger_that_is_read_anew_says_it_again_and_nothing_twice(index: LocalIndex) -> None:
    memory = a_memory(status="archived")
    row = LedgerChange(1, change(memory.id, 10, {"status": "active"}))
    fold(index, memory)
    index.apply([], IndexState(1, "", "", 1), [row])
    assert held(index, memory.id, 5) == [True]
    index.apply([], IndexState(1, "", "", 1), [row], anew=True)
    assert held(index, memory.id, 5) == [True]
    index.apply([], IndexState(1, "", "", 1), [], anew=True)
    assert held(index, memory.id, 5) == [False]


@pytest.mark.parametrize(
    "before",
    [
        {"status": None},
        {"status": 7},
        {"invalidAt": "never"},
        {"trustZone": ["working"]},
        {"pinned": True},
        {"status": []},
    ],
)
def test_a_row_that_cannot_be_read_says_nothing(index: LocalIndex, before: dict[str, Any]) -> None:
    memory = a_memory()
    fold(index, memory, rows=(change(memory.id, 10, before),))
    assert held(index, memory.id, -1, 5, 11) == [False, True, True]


def test_the_ledger_of_another_namespace_says_nothing_of_a_memory(index: LocalIndex) -> None:
    memory = a_memory(status="archived")
    row = change(memory.id, 10, {"status": "active"}).model_copy(update={"namespace": "other/place"})
    fold(index, memory, rows=(row,))
    assert held(index, memory.id, 5) == [False]


_MOVES: dict[str, dict[str, Any]] = {
    "retract": {"status": "retracted"},
    "archive": {"status": "archived"},
    "restore": {"status": "active", "invalid_at": None},
    "supersede": {"status": "superseded", "invalid_at": "now"},
    "supersede from tomorrow": {"status": "superseded", "invalid_at": "later"},
    "distrust": {"trust_zone": "quarantine"},
    "trust": {"trust_zone": "working"},
}
_WIRE = {"status": "status", "invalid_at": "invalidAt", "trust_zone": "trustZone"}


def _moved(memory: Memory, move: str, number: int) -> tuple[Memory, LifecycleRow]:
    shift = {"now": day(number), "later": day(number + 0.5)}
    fields = {name: shift.get(value, value) for name, value in _MOVES[move].items()}
    before = {_WIRE[name]: getattr(memory, name) for name in fields}
    after = {_WIRE[name]: value for name, value in fields.items()}
    return memory.model_copy(update=fields), change(memory.id, number, before, after)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(moves=st.lists(st.sampled_from(sorted(_MOVES)), min_size=1, max_size=6), seed=st.integers(0, 99))
@pytest.mark.requirement("TIME-2")
def test_what_happens_to_a_memory_changes_no_answer_about_the_days_before(
    tmp_path_factory: pytest.TempPathFactory, moves: list[str], seed: int
) -> None:
    """But for validity that is corrected for the past: nothing here does."""
    index = LocalIndex(tmp_path_factory.mktemp("house") / "index.db")
    memory = a_memory(seed)
    told: dict[float, bool] = {}
    fold(index, memory)
    for number, move in enumerate(moves, start=1):
        told |= {each: memory.id in answering(index, at(each)) for each in (number - 0.7, number - 0.2)}
        memory, row = _moved(memory, move, number)
        fold(index, memory, rows=(row,), begin=number)
        asked = random.Random(seed).sample(sorted(told), min(3, len(told)))
        assert {each: memory.id in answering(index, at(each)) for each in asked} == {each: told[each] for each in asked}
        known = {each: memory.id in answering(index, at(each, known=each)) for each in asked}
        assert known == {each: told[each] for each in asked}
    index.close()


def test_what_was_consolidated_holds_at_the_earliest_from_when_it_was_written_down(index: LocalIndex) -> None:
    parts = (a_memory(1), a_memory(2))
    made = a_memory(
        3, 10, created=day(0), valid_at=day(0), source="consolidation", derived_from=tuple(each.id for each in parts)
    )
    alone = a_memory(4, 10, created=day(0), valid_at=day(0), structured_attributes={"source": "consolidation"})
    fold(index, *parts, made, alone)
    assert held(index, made.id, 5, 9.999, 10, 11) == [False, False, True, True]
    assert held(index, alone.id, 5) == [True]
    assert made.id in answering(index, at(5, past=False)), "a question about today reads what stands today"


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    moves=st.lists(st.sampled_from(sorted(_MOVES)), min_size=1, max_size=6),
    known=st.one_of(st.none(), st.integers(0, 6)),
)
def test_a_claim_is_in_force_exactly_when_its_memory_may_answer(
    tmp_path_factory: pytest.TempPathFactory, moves: list[str], known: int | None
) -> None:
    """Whether the rows of the ledger come with the file, later, or with a ledger that is read anew."""
    index = LocalIndex(tmp_path_factory.mktemp("house") / "index.db")
    memory, rows = a_memory(), list[LifecycleRow]()
    for number, move in enumerate(moves, start=1):
        memory, row = _moved(memory, move, number)
        rows.append(row)
    until = FOREVER if memory.invalid_at is None else epoch_ms(memory.invalid_at)
    begun = epoch_ms(memory.created)
    facts = GraphFacts(
        (EntityFact("crane", "Crane", since=begun),),
        claims=(Claim("crane", "lifts", "forty", memory.id, begun, until, begun),),
    )
    record = IndexRecord(memory, 0, b"x" * 16, Encoding(VECTOR, np.zeros((1, 16), dtype=np.uint8)))
    path = PathChange("a.md", "d", 1, 1, "op_1", (record,), facts=facts)
    ledger = [LedgerChange(seq, row) for seq, row in enumerate(rows, start=1)]
    index.apply([path], IndexState(1, "", "", 0))
    index.apply([], IndexState(1, "", "", len(rows)), ledger)
    limit = None if known is None else epoch_ms(day(known))
    for _ in range(2):
        for each in (number / 4 for number in range(4 * len(moves) + 4)):
            instant = epoch_ms(day(each))
            states = index.graph.states(HERE, "crane", limit)
            says = any(state.valid_from <= instant < state.valid_until and state.props for state in states)
            assert says == (memory.id in answering(index, at(each, known))), each
        index.apply([], IndexState(1, "", "", 0), [], anew=True)
        index.apply([], IndexState(1, "", "", len(rows)), ledger, anew=True)
    index.close()
