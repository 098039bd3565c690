"""Rows written past the program in: what the schema itself refuses out."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.graph_store import claim
from pellucid.model.entity import FOREVER, Claim, state_chain
from pellucid.store.local.database import connect, execute, immediate
from pellucid.store.local.graph.writer import state_row
from pellucid.store.local.index.local_index import LocalIndex

State = tuple[int, int | None, int | None]


@pytest.fixture
def empty() -> Iterator[apsw.Connection]:
    """An index with one namespace and the entity 7, a Thing whose chain begins at 10."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        index = LocalIndex(path)
        index.state()
        index.close()
        with closing(connect(path, synchronous="NORMAL")) as connection:
            execute(connection, "INSERT INTO namespaces (ns, name) VALUES (1, 'local/default')")
            with immediate(connection):
                put(connection, 7, [(10, None, None)])
            yield connection


def put(connection: apsw.Connection, node: int, states: list[State], since: int = 10, kind: str = "Thing") -> None:
    sql = "INSERT INTO nodes (node, ns, key, name, type, defined, since) VALUES (?, 1, ?, 'x', ?, 0, ?)"
    execute(connection, sql, (node, f"key-{node}", kind, since))
    add(connection, node, states)


def add(connection: apsw.Connection, node: int, states: list[State]) -> None:
    columns = "node, valid_from, valid_until, succeeds, props, event, cause"
    sql = f"INSERT INTO states ({columns}) VALUES (?, ?, ?, ?, '{{}}', 'x', '')"
    for state in states:
        execute(connection, sql, (node, *state))


def refused(connection: apsw.Connection, states: list[State], node: int = 8, **given: object) -> bool:
    try:
        with immediate(connection):
            put(connection, node, states, **given)  # type: ignore[arg-type]
    except apsw.ConstraintError:
        return True
    return False


@pytest.mark.parametrize(
    ("why", "states"),
    [
        ("no state at all", []),
        ("two that are open", [(10, None, None), (20, None, None)]),
        ("two first ones", [(10, 20, None), (20, None, None)]),
        ("a gap", [(10, 20, None), (25, None, 25)]),
        ("an overlap", [(10, 20, None), (15, None, 15)]),
        ("a successor that begins elsewhere", [(10, 20, None), (25, None, 20)]),
        ("an interval that ends before it begins", [(10, 5, None)]),
        ("an interval of nothing", [(10, 10, None)]),
        ("two that follow the same one", [(10, 20, None), (20, 30, 20), (20, None, 20)]),
        ("one that follows itself", [(10, None, None), (20, 20, 20)]),
        ("a chain that begins elsewhere than its entity", [(11, None, None)]),
        ("a predecessor of another entity's", [(10, 20, None), (30, None, 30)]),
    ],
)
def test_the_schema_refuses_a_chain_with(empty: apsw.Connection, why: str, states: list[State]) -> None:
    assert refused(empty, states), why


def test_the_schema_takes_a_chain_that_adjoins_open_or_ended(empty: apsw.Connection) -> None:
    assert not refused(empty, [(30, None, 30), (10, 20, None), (20, 30, 20)], node=8)
    assert not refused(empty, [(10, 20, None), (20, 30, 20)], node=9)


def test_an_entity_is_an_instance_of_exactly_one_type(empty: apsw.Connection) -> None:
    one = [(10, None, None)]
    assert refused(empty, one, kind="Nothing that is known")
    with pytest.raises(apsw.ConstraintError):
        execute(empty, "UPDATE nodes SET type = NULL WHERE node = 7")
    again = "INSERT INTO nodes (node, ns, key, name, type, defined, since) VALUES (9, 1, 'key-7', 'x', 'Person', 0, 10)"
    with pytest.raises(apsw.ConstraintError):
        execute(empty, again)
    with pytest.raises(apsw.ConstraintError):
        execute(empty, "UPDATE nodes SET type = 'Memory' WHERE node = 7")  # which have no states


def test_a_node_with_states_or_edges_cannot_go(empty: apsw.Connection) -> None:
    with pytest.raises(apsw.ConstraintError):
        execute(empty, "DELETE FROM nodes WHERE node = 7")
    with pytest.raises(apsw.ConstraintError), immediate(empty):
        execute(empty, "DELETE FROM states WHERE node = 7")


def test_whatever_the_schema_takes_is_one_adjoining_chain(empty: apsw.Connection) -> None:
    """Rows at random around four instants; what is taken is judged in plain Python."""
    instant, nodes = st.sampled_from([10, 20, 30, 40]), count(100)
    end = st.one_of(st.none(), instant)

    @settings(max_examples=300, deadline=None)
    @given(states=st.lists(st.tuples(instant, end, end), max_size=5))
    def check(states: list[State]) -> None:
        held = sorted(states, key=lambda state: state[0])
        ends = [state[1] for state in held]
        adjoining = (
            bool(held)
            and held[0][0] == 10
            and all(end is not None for end in ends[:-1])
            and [state[0] for state in held[1:]] == ends[:-1]
            and [state[2] for state in held] == [None, *ends[:-1]]
            and all(end is None or start < end for start, end, _ in held)
        )
        assert refused(empty, states, next(nodes)) != adjoining

    check()


_CLAIMS = st.lists(
    st.builds(
        lambda name, value, since, length, recorded, by: claim(
            "x", name, value, since, since + length if length else FOREVER, recorded=recorded, memory_id=f"mem_{by}"
        ),
        st.sampled_from(["status", "title", "version"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 50),
        st.integers(0, 30),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    max_size=12,
)


def test_every_chain_that_is_worked_out_fits_the_schema(empty: apsw.Connection) -> None:
    nodes = count(100)

    @settings(max_examples=200, deadline=None)
    @given(claims=_CLAIMS, since=st.integers(0, 60), length=st.one_of(st.none(), st.integers(0, 60)))
    def check(claims: list[Claim], since: int, length: int | None) -> None:
        states = [
            state_row(state) for state in state_chain(claims, since, FOREVER if length is None else since + length)
        ]
        before = [None, *(row[1] for row in states[:-1])]
        said = [(row[0], row[1], succeeds) for row, succeeds in zip(states, before, strict=True)]
        assert not refused(empty, said, next(nodes), since=states[0][0])

    check()
