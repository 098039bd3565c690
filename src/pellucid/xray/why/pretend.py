"""A memory in, how it stands out, as a what-if needs it: `IndexReader.pretending` reads as if it stood otherwise."""

from pellucid.clock import epoch_ms
from pellucid.model.entity import FOREVER
from pellucid.model.memory import Memory, unpack_id
from pellucid.store.index_port import Admission, Filters, IndexReader, MemoryStanding


def standing(memory: Memory) -> MemoryStanding:
    """The state of a memory that decides whether it may answer, read from the memory as the index would."""
    ends = [epoch_ms(end) for end in (memory.invalid_at, memory.expires_at) if end]
    return MemoryStanding(
        active=memory.status == "active",
        trusted=memory.trust_zone != "quarantine",
        since=epoch_ms(memory.valid_at) if memory.valid_at else -FOREVER,
        until=min(ends, default=FOREVER),
        pinned=memory.pinned,
    )


def rows_of(reader: IndexReader, admission: Admission) -> dict[str, int]:
    """Every row of the namespace by its memory's id."""
    rows = reader.select(Filters())
    ids = map(unpack_id, reader.columns(rows, admission).ids.tolist())
    return dict(zip(ids, rows.tolist(), strict=True))
