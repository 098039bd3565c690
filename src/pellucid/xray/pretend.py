"""A reader and states that some memories lack in, a reader as if they had them out: a what-if without a write."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pellucid.clock import epoch_ms
from pellucid.encoders.port import Vector
from pellucid.model.entity import FOREVER
from pellucid.model.memory import Memory, unpack_id
from pellucid.store.index_port import Admission, Columns, Filters, IndexReader, LegHits, Mask, Rows

_MILLIS_A_DAY = 86_400_000
_NO_ROWS, _NO_SCORES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a memory's state a recall reads. Instants are epoch milliseconds, half-open."""

    active: bool = True
    trusted: bool = True
    since: int = -FOREVER
    until: int = FOREVER
    pinned: bool | None = None
    """None: as it is."""
    wanted: bool | None = None
    """Whether it fits the caller's filters; None: as it does."""


def standing(memory: Memory) -> Standing:
    """The state of a memory, as the index reads it from its file."""
    ends = [epoch_ms(end) for end in (memory.invalid_at, memory.expires_at) if end]
    return Standing(
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


class Pretending:
    """An `IndexReader` in which some rows stand otherwise than they do. Statistics of words are as they are."""

    def __init__(self, inner: IndexReader, standings: Mapping[int, Standing], total: int) -> None:
        self._inner = inner
        self._standings = standings
        self._rows = np.array(sorted(standings), dtype=np.int64)
        self._total = total
        self.episodes = inner.episodes
        self.graph = inner.graph
        self.survey = inner.survey
        self.select = inner.select
        self.neighbours = inner.neighbours
        self.beside = inner.beside
        self.features = inner.features
        self.codes = inner.codes
        self.memories = inner.memories

    def vector(self, query: Vector, admission: Admission, pool: int, open_pool: int) -> LegHits:
        """See `IndexReader.vector`."""
        return self._arms(lambda p, o: self._inner.vector(query, admission, p, o), admission, pool, open_pool)

    def lexical(
        self, stems: Sequence[str], admission: Admission, pool: int, open_pool: int, *, passages: bool = False
    ) -> LegHits:
        """See `IndexReader.lexical`."""
        return self._arms(
            lambda p, o: self._inner.lexical(stems, admission, p, o, passages=passages), admission, pool, open_pool
        )

    def mentioning(self, paths: Sequence[str], admission: Admission, pool: int, open_pool: int) -> LegHits:
        """See `IndexReader.mentioning`."""
        return self._arms(lambda p, o: self._inner.mentioning(paths, admission, p, o), admission, pool, open_pool)

    def recent(self, admission: Admission, pool: int) -> LegHits:
        """See `IndexReader.recent`."""
        found = np.union1d(self._inner.recent(admission, pool + len(self._rows)).rows, self._rows)
        found = found[self._stands(found, np.ones(len(found), dtype=np.bool_), admission)]
        columns = self._inner.columns(found, admission)
        newest = np.lexsort((columns.ids, -columns.created))[:pool]
        days = (columns.created[newest] / _MILLIS_A_DAY).astype(np.float32)
        return LegHits(found[newest], days, _NO_ROWS, _NO_SCORES)

    def columns(self, rows: Rows, admission: Admission) -> Columns:
        """See `IndexReader.columns`."""
        held = self._inner.columns(rows, admission)
        active, trusted = held.active.copy(), held.trusted.copy()
        valid, pinned, wanted = held.valid.copy(), held.pinned.copy(), held.wanted.copy()
        for place in np.flatnonzero(np.isin(rows, self._rows)).tolist():
            said = self._standings[int(rows[place])]
            active[place], trusted[place], valid[place] = said.active, said.trusted, _valid(said, admission)
            pinned[place] = pinned[place] if said.pinned is None else said.pinned
            wanted[place] = wanted[place] if said.wanted is None else said.wanted
        return replace(held, active=active, trusted=trusted, valid=valid, pinned=pinned, wanted=wanted)

    def _arms(self, ask: Callable[[int, int], LegHits], admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Both arms of a leg, each row in the one it would be in: as many more are asked for as may change sides."""
        hits = ask(pool + len(self._rows), self._total)
        rows, scores = np.r_[hits.rows, hits.open_rows], np.r_[hits.scores, hits.open_scores]
        stands = self._stands(rows, np.arange(len(rows)) < len(hits.rows), admission)
        columns = self._inner.columns(rows, admission)
        order = np.lexsort((columns.ids, -columns.created, -scores))
        rows, scores, stands = rows[order], scores[order], stands[order]
        return LegHits(
            rows[stands][:pool], scores[stands][:pool], rows[~stands][:open_pool], scores[~stands][:open_pool]
        )

    def _stands(self, rows: Rows, stands: Mask, admission: Admission) -> Mask:
        """Who may answer, given who may as things are."""
        out = stands.copy()
        changed = np.flatnonzero(np.isin(rows, self._rows))
        now = self.columns(rows[changed], admission)
        out[changed] = now.active & now.valid & now.trusted & now.wanted
        return out


def _valid(said: Standing, admission: Admission) -> bool:
    return said.since <= admission.at < said.until
