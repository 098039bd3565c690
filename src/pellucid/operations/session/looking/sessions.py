"""A namespace in, its sessions out, the newest first, and the admissible memories of each."""

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
    """A session with stored episodes."""

    id: str
    episodes: Sequence[Episode]
    """Its episodes, the newest first."""

    @property
    def started(self) -> datetime | None:
        """Return the time at which the session began; None if no episode has a start."""
        return min((each.started for each in self.episodes if each.started), default=None)

    @property
    def ended(self) -> datetime | None:
        """Return the time at which the session ended; None if no episode has an end."""
        return max((each.ended for each in self.episodes if each.ended), default=None)

    @property
    def day(self) -> str:
        """Return the day on which the session began (UTC), else the day on which its newest episode was stored, as
        `2026-02-10`."""
        return f"{self.started or self.episodes[0].created:%Y-%m-%d}"

    @property
    def sort_key(self) -> SortKey:
        """Return the key that sorts the sessions of a namespace newest first: by the newest episode, then by the id."""
        newest = self.episodes[0]
        return -epoch_ms(newest.started or newest.created), self.id


def sessions_of(app: App, namespace: str) -> list[KeptSession]:
    """Return the sessions of a namespace that have stored episodes, newest first."""
    by_session = dict[str, list[Episode]]()
    for filed in app.lookup.episodes(namespace):
        by_session.setdefault(filed.episode.session_id, []).append(filed.episode)
    return sorted((KeptSession(name, found) for name, found in by_session.items()), key=lambda each: each.sort_key)


class AnsweringSessions:
    """The admissible memories of each session: those that a recall without boundary scopes is allowed to return now.
    Their ids are read for all sessions at once, their texts when asked for."""

    def __init__(self, app: App, namespace: str) -> None:
        """Look up the ids of the namespace's memories that recalls are allowed to return now, grouped by session."""
        self._app, self._namespace = app, namespace
        with app.index.reading(namespace) as reader:
            rows = reader.select(Filters())
            columns = reader.columns(rows, Admission(epoch_ms(app.clock.now())))
            moments = set(reader.select(Filters(categories=("moment",))).tolist())
            fits = columns.admitted & (columns.session >= 0) & (columns.boundary == 0)
            ids = dict[int, list[str]]()
            passages = dict[int, int]()
            admissible = (rows[fits].tolist(), columns.session[fits].tolist(), columns.ids[fits].tolist())
            for row, session, raw in zip(*admissible, strict=True):
                ids.setdefault(session, []).append(unpack_id(raw))
                passages[session] = passages.get(session, 0) + (row in moments)
            # the columns number the sessions; a memory of each tells the session's id
            one_of_each = reader.memories([each[0] for each in ids.values()])
        names = {each.memory.id: each.memory.session_id or "" for each in one_of_each}
        self._ids = {names[each[0]]: each for each in ids.values()}
        self.passages = {names[each[0]]: passages[session] for session, each in ids.items()}
        """Maps session ids to numbers of passages; 0 for a session with memories alone."""

    def memories(self, session_id: str) -> int:
        """Return the number of a session's memories that recalls are allowed to return now, without passages; KeyError
        if there are neither such memories nor such passages."""
        return len(self._ids[session_id]) - self.passages[session_id]

    def of(self, session_id: str) -> list[Memory]:
        """Return the memories and passages of a session that recalls are allowed to return now, in the order in which
        they were said; empty if there are none."""
        found = self._app.index.memories(self._namespace, self._ids.get(session_id, ()))
        return sorted((each.memory for each in found), key=lambda each: (last_turn(each), each.id))


def last_turn(memory: Memory) -> int:
    """Return the number of the last turn in a memory's evidence; 0 if the evidence names no turn."""
    last = memory.evidence[-1].rpartition("-")[2] if memory.evidence else ""
    return int(last) if last.isdigit() else 0
