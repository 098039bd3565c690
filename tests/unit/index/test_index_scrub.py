"""Memories that are gone in; not a byte of them in the index, its log or its warm columns out."""

import random
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import apsw
import numpy as np
import pytest

from kits.vault import HERE, Opener, a_memory, ask, contents, file_memories, keep, salad_memories
from pellucid.app import App
from pellucid.errors import StoreBusyError
from pellucid.store.local.database import connect, execute, immediate
from pellucid.store.local.erasing import erase_remains
from pellucid.store.local.index.columns import View
from pellucid.store.local.index.local_index import LocalIndex

CANARY = "Ottilie stores the vermilion kayak beneath staircase 7734"
SEED = 11


def on_disk(home: Path, name: str = "index.db") -> bytes:
    return b"".join(path.read_bytes() for path in (home / name, home / f"{name}-wal") if path.exists())


def traces(app: App) -> dict[str, bytes]:
    """Bytes by which the row of the canary would be known again."""
    with closing(apsw.Connection(str(app.settings.home / "index.db"))) as index:
        sql = "SELECT f.vec, f.codes, f.terms, m.record, m.path, m.stance FROM features f JOIN memories m USING (row)"
        found = index.execute(f"{sql} WHERE m.record LIKE '%kayak%'").fetchall()
    vec, codes, terms, record, path, said = cast("tuple[bytes, bytes, bytes, str, str, str]", found[0])
    return {
        "vector": vec,
        "part of the vector": vec[100:132],
        "codes": codes,
        "terms": terms,
        "record": record.encode(),
        "text": CANARY.encode(),
        "path": path.encode(),
        "stance": said.encode(),
        "attribute": b"ottilie::boat",
    }


def forget(app: App, path: str) -> None:
    (app.settings.home / "vault" / path).unlink()
    app.unit_of_work.take_over_edits()


def with_canary(app: App) -> str:
    """A home among whose memories one is the canary; its path."""
    file_memories(app, salad_memories(random.Random(SEED), 60))
    file_memories(app, [a_memory(7, CANARY, entity_ref="Ottilie", structured_attributes={"boat": "kayak"})])
    file_memories(app, salad_memories(random.Random(SEED + 1), 60))
    return next(each.path for each in app.index.memories(HERE) if each.memory.content == CANARY)


def test_no_byte_of_a_memory_that_is_gone_stays_in_the_index_or_its_log(app: App, tmp_path: Path) -> None:
    path = with_canary(app)
    known = traces(app)
    before = on_disk(tmp_path)
    assert [what for what, data in known.items() if data not in before] == []
    forget(app, path)
    assert known["vector"] in on_disk(tmp_path), "the log holds the row until it is emptied"
    app.scrubber.scrub()
    after = on_disk(tmp_path)
    assert [what for what, data in known.items() if data in after] == []
    assert len(app.index.memories(HERE)) == 120
    assert CANARY not in contents(ask(app, CANARY))
    app.scrubber.scrub()


def test_words_of_an_older_version_go_too(app: App, tmp_path: Path) -> None:
    file = tmp_path / "vault" / keep(app, CANARY).path
    file.write_bytes(file.read_bytes().replace(CANARY.encode(), b"nothing of the kind"))
    app.unit_of_work.take_over_edits()
    app.scrubber.scrub()
    assert CANARY.encode() not in on_disk(tmp_path)


def views(index: LocalIndex) -> Iterator[View]:
    return (warm.columns._view for warm in index._warm.held.values() if warm.columns._view is not None)


def warm(index: LocalIndex) -> list[list[float]]:
    with index.reading(HERE) as reader:
        reader.survey("kayak")
    return [row.tolist() for view in views(index) for block in view.blocks for row in block.vectors]


def test_warm_columns_of_every_process_hold_only_what_is_live(house: Opener) -> None:
    app, other = house(), house()
    path = with_canary(app)
    vector = next(iter(app.embedder.encode([CANARY]))).vector.astype(np.float16).astype(np.float32).tolist()
    assert vector in warm(app.index)
    assert vector in warm(other.index)
    forget(app, path)
    app.scrubber.scrub()
    assert list(views(app.index)) == []
    for index in (app.index, other.index):
        assert vector not in warm(index)
        with index.reading(HERE) as reader:
            assert reader.survey("kayak").terms[0].frequency == 0


def test_a_scrub_that_a_reader_blocks_says_so_and_can_be_repeated(house: Opener, tmp_path: Path) -> None:
    app, other = house(), house()
    path = with_canary(app)
    with other.index.reading(HERE):
        forget(app, path)
        with pytest.raises(StoreBusyError, match="still holds what was deleted") as refused:
            app.scrubber.scrub(wait_s=0.05)
        assert refused.value.next_step
        assert CANARY.encode() in on_disk(tmp_path)
    app.scrubber.scrub(wait_s=0.05)
    assert CANARY.encode() not in on_disk(tmp_path)
    keep(app, "and it goes on as before")


def test_a_scrub_waits_no_longer_than_it_was_told_for_a_writer(app: App, tmp_path: Path) -> None:
    keep(app, CANARY)
    writer = connect(tmp_path / "index.db", synchronous="NORMAL")
    with immediate(writer), pytest.raises(StoreBusyError, match=r"in use for 0\.05 seconds"):
        app.scrubber.scrub(wait_s=0.05)
    writer.close()
    app.scrubber.scrub()


def test_rows_that_moved_between_pages_leave_no_copy(tmp_path: Path) -> None:
    """`secure_delete` alone leaves two such copies here."""
    connection, rng, live = connect(tmp_path / "t.db", synchronous="NORMAL"), random.Random(SEED), list[str]()
    execute(connection, "CREATE TABLE t (name TEXT PRIMARY KEY, data TEXT); CREATE INDEX u ON t(data)")
    for _ in range(60):
        with immediate(connection):
            for _ in range(rng.randrange(30)):
                live.append(f"<{rng.getrandbits(40):010x}>")
                execute(connection, "INSERT INTO t VALUES (?, ?)", (live[-1], live[-1] * rng.randint(1, 250)))
            for name in [live.pop(rng.randrange(len(live))) for _ in range(min(rng.randrange(28), len(live)))]:
                execute(connection, "DELETE FROM t WHERE name = ?", (name,))
    erase_remains(connection, 1)
    found = set(re.findall(rb"<[0-9a-f]{10}>", on_disk(tmp_path, "t.db")))
    assert found == {name.encode() for name in live}
    connection.close()
