"""Exact questions to the index, and who may be in the answers."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pellucid.language.spelling import attribute_key
from pellucid.language.statements.negation import polarity
from pellucid.model.ledger import FoldRow, TombstoneRow
from pellucid.model.memory import Episode, Memory
from pellucid.store.index_changes import IndexRecord, IndexState, LedgerChange, PathChange
from pellucid.store.local.index.local_index import LocalIndex

HERE, ELSEWHERE = "local/default", "other/place"
PAST, FUTURE = datetime(2001, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
TTL = attribute_key("the cache", "ttl")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LocalIndex]:
    opened = LocalIndex(tmp_path / "index.db")
    yield opened
    opened.close()


def a_memory(number: int, **given: Any) -> Memory:
    known = {
        "id": f"mem_{number:032x}",
        "category": "fact",
        "namespace": HERE,
        "created": PAST,
        "updated": PAST,
        "source": "manual",
        "content": f"the cache keeps entries, says {number}",
        "entity_ref": "the cache",
        "structured_attributes": {"ttl": str(number)},
    }
    return Memory(**{**known, **given})


def an_episode(number: int, **given: Any) -> Episode:
    known = {
        "id": f"ep_{number:032x}",
        "namespace": HERE,
        "created": PAST,
        "updated": PAST,
        "session_id": "s",
        "topic": f"topic {number}",
        "turns": "1-2",
    }
    return Episode(**{**known, **given})


def fold(index: LocalIndex, *memories: Memory, ledger: tuple[LedgerChange, ...] = (), seq: int = 0) -> None:
    records = ((each, (IndexRecord(each, 0, b"x" * 16, None),)) for each in memories)
    changes = [PathChange(f"{each.id}.md", "d", 1, 1, "op_1", found) for each, found in records]
    assert index.apply(changes, IndexState(1, "", "", seq), ledger) == {}


def tell(index: LocalIndex, path: str, episode: Episode | None, op_id: str = "op_1") -> None:
    """Fold a file that holds this episode, or is gone."""
    index.apply([PathChange(path, "d" if episode else "", 1, 1, op_id, (), episode)], IndexState(1, "", ""))


def stating(index: LocalIndex, key: str = TTL, namespace: str = HERE) -> list[int]:
    return [int(each.memory.id[4:], 16) for each in index.lookup.stating(namespace, [key]).get(key, [])]


def test_memories_are_found_by_what_they_state_of_an_entity(index: LocalIndex) -> None:
    fold(
        index,
        a_memory(1, entity_ref="The  Cache", structured_attributes={"TTL": "300", "max size": "9"}),
        a_memory(2, entity_ref="another cache"),
        a_memory(3, entity_ref=None),
        a_memory(4, namespace=ELSEWHERE),
    )
    assert stating(index) == [1]
    assert stating(index, namespace=ELSEWHERE) == [4]
    size = attribute_key("the cache", "Max-Size")
    found = index.lookup.stating(HERE, [TTL, size, attribute_key("no", "body")])
    path = f"mem_{1:032x}.md"
    assert {key: [each.path for each in rows] for key, rows in found.items()} == {TTL: [path], size: [path]}
    assert found[TTL][0].op_id == "op_1"


def test_an_attribute_that_was_retired_is_stated_no_longer_and_the_others_are(index: LocalIndex) -> None:
    both = {"ttl": "300", "size": "9"}
    fold(index, a_memory(1, structured_attributes=both, retired_attributes={"TTL": f"mem_{2:032x}"}))
    assert stating(index) == []
    assert stating(index, attribute_key("the cache", "size")) == [1]
    fold(index, a_memory(1, structured_attributes=both))
    assert stating(index) == [1]


def test_only_what_is_active_and_not_over_answers_and_quarantine_is_for_the_caller_to_judge(index: LocalIndex) -> None:
    fold(
        index,
        a_memory(1),
        a_memory(2, status="superseded"),
        a_memory(3, status="pending_review"),
        a_memory(4, invalid_at=PAST + DAY),
        a_memory(5, expires_at=PAST),
        a_memory(6, trust_zone="quarantine"),
        a_memory(7, invalid_at=FUTURE),
        a_memory(8, valid_at=FUTURE),
    )
    assert stating(index) == [8, 1, 6, 7]


def test_the_newest_valid_comes_first_and_equal_ones_go_by_id(index: LocalIndex) -> None:
    fold(
        index,
        a_memory(1, created=PAST + 9 * DAY, valid_at=PAST + 2 * DAY),
        a_memory(2, created=PAST + 3 * DAY),
        a_memory(5, valid_at=PAST + DAY),
        a_memory(4, created=PAST + DAY),
        a_memory(3, created=PAST + DAY),
        a_memory(6, valid_at=datetime(1960, 1, 1, tzinfo=UTC)),
    )
    assert stating(index) == [2, 1, 3, 4, 5, 6]


def test_a_memory_that_is_gone_states_nothing(index: LocalIndex) -> None:
    fold(index, a_memory(1), a_memory(2))
    index.apply([PathChange(f"mem_{1:032x}.md", "", -1, -1, None, ())], IndexState(1, "", ""))
    assert stating(index) == [2]
    key = polarity(a_memory(1).content, "the cache").key
    assert index.lookup.polarities(HERE, [key]) == {}


def test_a_statement_and_its_denial_are_found_together(index: LocalIndex) -> None:
    says, denies = "The scheduler uses Redis.", "The scheduler does not use Redis."
    fold(
        index,
        a_memory(1, content=says, entity_ref=None),
        a_memory(2, content=denies, entity_ref=None, created=PAST + DAY, trust_zone="quarantine"),
        a_memory(3, content=denies, entity_ref=None, status="retracted"),
        a_memory(4, content=says, entity_ref=None, namespace=ELSEWHERE),
        a_memory(5, content=says, entity_ref="another scheduler"),
    )
    key = polarity(says).key
    found = index.lookup.polarities(HERE, [key, "no such stance"])
    assert [each.memory.content for each in found[key]] == [denies, says]
    assert list(found) == [key]


def test_episodes_are_listed_newest_first_and_found_by_id(index: LocalIndex) -> None:
    tell(index, "episodes/a.md", an_episode(1, started=PAST + DAY), op_id="op_7")
    tell(index, "episodes/b.md", an_episode(2, created=PAST + 2 * DAY))
    tell(index, "episodes/c.md", an_episode(3, started=PAST + DAY, created=FUTURE))
    tell(index, "episodes/d.md", an_episode(4, namespace=ELSEWHERE))
    lookup = index.lookup
    assert [each.episode.topic for each in lookup.episodes(HERE)] == ["topic 2", "topic 1", "topic 3"]
    asked = [f"ep_{n:032x}" for n in (3, 9, 1, 4)]
    found = lookup.episodes(HERE, asked)
    assert [(each.episode.topic, each.path) for each in found] == [
        ("topic 3", "episodes/c.md"),
        ("topic 1", "episodes/a.md"),
    ]
    assert found[1].op_id == "op_7"
    assert found[1].episode == an_episode(1, started=PAST + DAY)


def test_an_episode_in_two_files_is_one_the_same_whoever_came_first(index: LocalIndex) -> None:
    for path in ("episodes/b.md", "episodes/a.md"):
        tell(index, path, an_episode(1))
    assert [each.path for each in index.lookup.episodes(HERE)] == ["episodes/a.md"]
    assert [each.path for each in index.lookup.episodes(HERE, [f"ep_{1:032x}"])] == ["episodes/a.md"]
    tell(index, "episodes/a.md", None)
    assert [each.path for each in index.lookup.episodes(HERE)] == ["episodes/b.md"]
    tell(index, "episodes/b.md", None)
    assert index.lookup.episodes(HERE) == []


def a_fold(seq: int, number: int, heat: float, namespace: str = HERE) -> LedgerChange:
    row = FoldRow(memory_id=f"mem_{number:032x}", namespace=namespace, at=PAST, heat=heat, decay=0, tier_value=heat)
    return LedgerChange(seq, row)


def test_the_last_fold_of_a_memory_is_the_one(index: LocalIndex) -> None:
    fold(index, ledger=(a_fold(1, 1, 0.5), a_fold(2, 2, 0.5, ELSEWHERE), a_fold(3, 1, 0.25)), seq=3)
    fold(index, ledger=(a_fold(1, 1, 0.5), a_fold(4, 3, 1.0)), seq=4)
    folds = index.lookup.folds(HERE)
    assert {memory_id: row.heat for memory_id, row in folds.items()} == {f"mem_{1:032x}": 0.25, f"mem_{3:032x}": 1.0}
    assert list(index.lookup.folds(ELSEWHERE)) == [f"mem_{2:032x}"]
    assert index.lookup.folds("no/body") == {}


def test_the_ledger_number_of_an_index_never_goes_back(index: LocalIndex) -> None:
    fold(index, ledger=(a_fold(9, 1, 0.5),), seq=9)
    fold(index)
    assert index.state().ledger_seq == 9


def test_a_key_is_a_tombstone_once_a_row_said_so(index: LocalIndex) -> None:
    keys = (b"k" * 16, b"l" * 16)
    row = TombstoneRow(
        memory_id=f"mem_{1:032x}", namespace=HERE, at=PAST, keys=tuple(key.hex() for key in (*keys, keys[0]))
    )
    fold(index, a_memory(1), ledger=(LedgerChange(1, row), LedgerChange(2, row)), seq=2)
    assert index.lookup.tombstones([*keys, b"m" * 16]) == set(keys)
    assert index.lookup.tombstones([]) == set()
    assert stating(index) == [1], "what is forgotten goes with its file"
