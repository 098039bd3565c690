"""An index with a spoilt row in; which one it is out."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from pellucid.model.ledger import FoldRow
from pellucid.model.memory import Episode
from pellucid.store.index_changes import IndexState, LedgerChange, PathChange
from pellucid.store.local.health import integrity
from pellucid.store.local.index.local_index import LocalIndex

AT = "2026-06-01T12:00:00.000Z"
EPISODE = {
    "id": f"ep_{1:032x}",
    "namespace": "local/default",
    "created": AT,
    "updated": AT,
    "sessionId": "s",
    "topic": "t",
    "turns": "1-1",
}
FOLD = {
    "memoryId": f"mem_{1:032x}",
    "namespace": "local/default",
    "at": AT,
    "heat": 0.5,
    "decay": 0.5,
    "tierValue": 0.5,
}


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE episodes SET record = '{}'", "the episode of episodes/e.md is spoilt"),
        ("UPDATE episodes SET id = 'ep_2'", "the episode of episodes/e.md is spoilt"),
        ("UPDATE folds SET record = replace(record, '0.5', '5')", f"the fold of memory mem_{1:032x} is spoilt"),
        ("UPDATE folds SET memory_id = 'mem_2'", "the fold of memory mem_2 is spoilt"),
        ("UPDATE stories SET counts = x''", "the words of the episode of episodes/e.md are spoilt"),
        ("UPDATE meta SET value = 'x' WHERE key = 'ledgerSeq'", "the number of the last ledger row is no number"),
        ("DROP TABLE tombstones", "a table is missing, or has other columns"),
    ],
)
def test_what_no_fold_can_have_written_is_named(tmp_path: Path, sql: str, why: str) -> None:
    index = LocalIndex(tmp_path / "index.db")
    episode, row = Episode.model_validate(EPISODE), FoldRow.model_validate(FOLD)
    changes = [PathChange("episodes/e.md", "d", 1, 1, None, (), episode)]
    index.apply(changes, IndexState(1, "", "", 1), [LedgerChange(1, row)])
    index.close()
    assert list(integrity(tmp_path)) == []
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as connection:
        connection.execute(sql)
    assert list(integrity(tmp_path)) == [("index.db", why)]
