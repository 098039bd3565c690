"""A namespace in, its sessions out, the newest first, and what of each may answer today."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.model.memory import Episode, Memory, unpack_id
from pellucid.operations.paging import SortKey
from pellucid.store.index_port import Admission, Filters


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session of which episodes are kept."""

    id: str
    episodes: Sequence[Episode]
    """The newest first."""

    @property
    def started(self) -> datetime | None:
        """When it began; None if unknown."""
        return min((each.started for each in self.episodes if each.started), default=None)

    @property
    def ended(self) -> datetime | None:
        """When it ended; None if unknown."""
        return max((each.ended for each in self.episodes if each.ended), default=None)

    @property
    def day(self) -> str:
        """The day on which it began (UTC), else that on which it was stored: `2026-02-10`."""
        return f"{self.started or self.episodes[0].created:%Y-%m-%d}"

    @property
    def place(self) -> SortKey:
        """Its sort key among the sessions of its namespace: by its newest episode, then by its id."""
        newest = self.episodes[0]
        return -epoch_ms(newest.started or newest.created), self.id


def sessions_of(app: App, namespace: str) -> list[KeptSession]:
    """Return the sessions of a namespace of which episodes are kept, newest first."""
    found = dict[str, list[Episode]]()
    for filed in app.lookup.episodes(namespace):
        found.setdefault(filed.episode.session_id, []).append(filed.episode)
    return sorted((KeptSession(name, episodes) for name, episodes in found.items()), key=lambda each: each.place)


class AnsweringSessions:
    """The memories of each session that may be recalled now: counted for all sessions, read for those asked for."""

    def __init__(self, app: App, namespace: str) -> None:
        """Look up once which memories of the namespace may be recalled now, by the session they came from."""
        self._app, self._namespace = app, namespace
        with app.index.reading(namespace) as reader:
            rows = reader.select(Filters())
            columns = reader.columns(rows, Admission(epoch_ms(app.clock.now())))
            moments = set(reader.select(Filters(categories=("moment",))).tolist())
            fits = columns.admitted & (columns.session >= 0) & (columns.boundary == 0)
            ids = dict[int, list[str]]()
            passages = dict[int, int]()
            kept = (rows[fits].tolist(), columns.session[fits].tolist(), columns.ids[fits].tolist())
            for row, session, raw in zip(*kept, strict=True):
                ids.setdefault(session, []).append(unpack_id(raw))
                passages[session] = passages.get(session, 0) + (row in moments)
            named = reader.memories([each[0] for each in ids.values()])
        names = {each.memory.id: each.memory.session_id or "" for each in named}
        self._ids = {names[each[0]]: each for each in ids.values()}
        self.passages = {names[each[0]]: passages[session] for session, each in ids.items()}
        """Stretches of turns that are kept word for word, by session; 0 where there are memories alone."""

    def memories(self, session_id: str) -> int:
        """Return how many memories came of a session, without passages; KeyError if nothing of it may be recalled
        now."""
        return len(self._ids[session_id]) - self.passages[session_id]

    def of(self, session_id: str) -> list[Memory]:
        """Return the memories and passages of a session that may be recalled now, in the order in which they were said;
        empty if none may."""
        found = self._app.index.memories(self._namespace, self._ids.get(session_id, ()))
        return sorted((each.memory for each in found), key=lambda each: (last_turn(each), each.id))


def last_turn(memory: Memory) -> int:
    """Return the number of the last turn that a memory rests on; 0 where its evidence names none."""
    last = memory.evidence[-1].rpartition("-")[2] if memory.evidence else ""
    return int(last) if last.isdigit() else 0
