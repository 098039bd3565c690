"""A namespace in, its sessions out, the newest first, and what of each may answer today."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.model.memory import Episode, Memory, unpack_id
from pellucid.operations.paging import Place
from pellucid.store.index_port import Admission, Filters


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session of which something was kept."""

    id: str
    episodes: Sequence[Episode]
    """The newest first."""

    @property
    def started(self) -> datetime | None:
        """When it began, where that is known."""
        return min((each.started for each in self.episodes if each.started), default=None)

    @property
    def ended(self) -> datetime | None:
        """When it ended, where that is known."""
        return max((each.ended for each in self.episodes if each.ended), default=None)

    @property
    def day(self) -> str:
        """The day on which it began, in UTC; else the day on which it was kept."""
        return f"{self.started or self.episodes[0].created:%Y-%m-%d}"

    @property
    def place(self) -> Place:
        """Where it stands among the sessions of its namespace: by its newest episode."""
        newest = self.episodes[0]
        return -epoch_ms(newest.started or newest.created), self.id


def sessions_of(app: App, namespace: str) -> list[KeptSession]:
    """The sessions of a namespace, the one with the newest episode first."""
    found = dict[str, list[Episode]]()
    for filed in app.lookup.episodes(namespace):
        found.setdefault(filed.episode.session_id, []).append(filed.episode)
    return sorted((KeptSession(name, episodes) for name, episodes in found.items()), key=lambda each: each.place)


class AnsweringSessions:
    """What may answer now of the sessions of a namespace, no scope granted: counted for all, read for those asked for.

    So what is told of a few sessions takes no longer for the thousands beside them.
    """

    def __init__(self, app: App, namespace: str) -> None:
        """Read the namespace once: which memories may answer today, by the session they came from."""
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
        """How many came of a session, passages of its turns apart."""
        return len(self._ids[session_id]) - self.passages[session_id]

    def of(self, session_id: str) -> list[Memory]:
        """Everything of a session, passages too, in the order in which it was said."""
        found = self._app.index.memories(self._namespace, self._ids.get(session_id, ()))
        return sorted((each.memory for each in found), key=lambda each: (turn_of(each), each.id))


def turn_of(memory: Memory) -> int:
    """The turn a memory rests on last; 0 where its evidence names none."""
    last = memory.evidence[-1].rpartition("-")[2] if memory.evidence else ""
    return int(last) if last.isdigit() else 0
