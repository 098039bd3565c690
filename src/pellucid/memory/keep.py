"""Decisions in, a durable record out: acknowledged in the journal, filed in the vault, folded into the index."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pellucid.clock import Clock, isoformat
from pellucid.memory.fold import Drift, Folded, Folder
from pellucid.model.memory import Episode, Memory, Moment
from pellucid.model.turn import Segment, Turn
from pellucid.store.records import FileWrite, Operation, OperationKind, Records
from pellucid.vault.markdown import episode_path, memory_path, render_episode, render_memory

TOPIC_CHARS = 80


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
        drift = self.folder.drift(paths)
        if not drift.paths:
            return drift, self.folder.catch_up()
        op_id = self.clock.new_id("op")
        self.records.commit(Operation(op_id, "external-edit", isoformat(self.clock.now())))
        return drift, self.folder.catch_up(drift.paths, op_id)


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
