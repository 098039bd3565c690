"""Decisions in, a durable record out: acknowledged in the journal, filed in the vault, folded into the index."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from pellucid.clock import Clock, isoformat
from pellucid.memory.fold import Drift, Folded, Folder, readable
from pellucid.model.memory import Episode, Memory, Moment
from pellucid.model.turn import Segment, Turn
from pellucid.store.records import FileWrite, Operation, OperationKind, Records, content_digest
from pellucid.vault.markdown import episode_path, memory_path, render_episode, render_memory

TOPIC_CHARS = 80
WAIT_S = 60.0
"""How long a writer waits for another one's turn: a commit of an import takes a few seconds."""

Exclusive = Callable[[float], AbstractContextManager[bool]]
"""The right to write, waited for so many seconds (0: not at all, and the block is told whether it has it)."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of one operation."""

    op_id: str
    folded: Folded


@dataclass(frozen=True, slots=True)
class Keeper:
    """Writes operations. `commit` returns once they are acknowledged, filed and searchable."""

    records: Records
    folder: Folder
    clock: Clock
    exclusive: Exclusive
    """Held from deciding what is new until it is searchable, so that two writers do not both find it new."""

    def commit(
        self,
        kind: OperationKind,
        writes: Iterable[FileWrite],
        ledger: Iterable[dict[str, object]] = (),
        seen: Iterable[bytes] = (),
    ) -> Kept:
        """Acknowledge one operation as a whole, then file it and fold it into the index."""
        op_id = self.clock.new_id("op")
        at = isoformat(self.clock.now())
        self.records.commit(Operation(op_id, kind, at, tuple(writes), tuple(ledger), tuple(seen)))
        return Kept(op_id, self.folder.catch_up())

    def adopt(self, paths: Collection[str] | None = None) -> tuple[Drift, Folded]:
        """Take over what somebody else did to the vault (or these paths): their files win, and it is on record."""
        with self.exclusive(0.0) as alone:
            if not alone:  # another process is writing: what it has not folded yet is no outside edit
                return Drift(), Folded()
            folded = self.folder.catch_up()
            drift = self.folder.drift(paths)
            if drift.paths:
                folded += self._adopt(drift)
                freed = self.folder.drift(paths)  # a file that went may have given its id to another
                folded += self._adopt(freed) if freed.paths else Folded()
            return drift, folded

    def _adopt(self, drift: Drift) -> Folded:
        heads, unreadable = readable(self.records, [*drift.added, *drift.edited])
        found = tuple((head.path, content_digest(head.data)) for head in heads if head.data is not None)
        if not found and not drift.deleted:
            return unreadable
        op_id = self.clock.new_id("op")
        self.records.commit(Operation(op_id, "external-edit", isoformat(self.clock.now()), adopted=found))
        return self.folder.catch_up(drift.paths, op_id)


def memory_write(memory: Memory) -> FileWrite:
    """The file of a new memory."""
    return FileWrite(memory_path(memory), render_memory(memory))


def episode_write(segment: Segment, namespace: str, clock: Clock) -> tuple[FileWrite, tuple[Moment, ...]]:
    """The file of a new episode that holds a segment's turns verbatim, and its moments."""
    moments = tuple(_moment(turn, clock) for turn in segment.turns)
    episode = _episode(segment, namespace, clock)
    return FileWrite(episode_path(episode), render_episode(episode, moments)), moments


def _moment(turn: Turn, clock: Clock) -> Moment:
    return Moment(id=clock.new_id("mem"), turn=turn.ordinal, role=turn.role, at=turn.at, content=spoken(turn))


def spoken(turn: Turn) -> str:
    """A turn as it is kept: with its speaker's name, where the transcript has one."""
    return f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content


def _episode(segment: Segment, namespace: str, clock: Clock) -> Episode:
    now, turns = clock.now(), segment.turns
    dated = [turn.at for turn in turns if turn.at]
    return Episode(
        id=clock.new_id("ep"), namespace=namespace, created=now, updated=now, session_id=segment.session_id,
        topic=topic(turns), started=min(dated, default=None), ended=max(dated, default=None),
        turns=f"{turns[0].ordinal}-{turns[-1].ordinal}", agent=turns[0].agent,
    )  # fmt: skip


def topic(turns: Sequence[Turn]) -> str:
    """A one-line name for a stretch of turns: how its first person's turn (or first turn) starts."""
    first = next((turn for turn in turns if turn.role == "user"), turns[0])
    line = " ".join(first.content.split())
    if len(line) <= TOPIC_CHARS:
        return line or "Untitled"
    return line[:TOPIC_CHARS].rsplit(" ", 1)[0] + " …"
