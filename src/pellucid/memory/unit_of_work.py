"""Decisions in, a durable record out: acknowledged in the journal, filed in the vault, folded into the index."""

import re
from collections.abc import Collection, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol, cast

from pellucid.clock import Clock, isoformat
from pellucid.deadline import Deadline
from pellucid.errors import NoRoomError
from pellucid.memory.indexer import Drift, Folded, Indexer, readable
from pellucid.store.records import FileRemoval, FileWrite, JournalOperation, OperationKind, Records

WAIT_S = 60.0
"""Seconds that a writer waits for others to finish: a commit of an import takes a few."""

VAULT = "vault"
"""The place that is named for changes that could not be taken over."""


class Exclusive(Protocol):
    """Gives the right to write in one namespace or, without one, alone in all of them: `store.local.lock.WriteLock`."""

    def __call__(
        self, wait_s: float, namespace: str | None = None, deadline: Deadline | None = None
    ) -> AbstractContextManager[bool]:
        """Return a context that has the right to write; its value is whether it was obtained.

        Entering it waits for `wait_s` seconds at most, then raises StoreBusyError; DeadlineError at an earlier
        deadline, StoreError if the home is read-only. With a `wait_s` of 0 it does not wait: the value is then False if
        another writes or the home is read-only.
        """
        ...


_TELLS_NOTHING = re.compile(r"[a-z]{2,8}_[0-9a-f]{32}|[0-9a-f]{16,128}|[0-9T:.Z-]{10,30}")
"""An id, a digest or an instant: no secret, and no words."""


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The id of a committed operation, and the outcome of its fold."""

    op_id: str
    folded: Folded


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """Writes operations. `commit` returns when they are acknowledged, filed and searchable."""

    records: Records
    indexer: Indexer
    clock: Clock
    exclusive: Exclusive
    """Used from the decision about what is new until it is searchable, so that two writers do not both find it new."""
    deadline: Deadline = field(default_factory=Deadline)
    """When the calling operation is given up: until then the right to write is waited for."""

    @contextmanager
    def deciding(self, namespace: str | None, texts: Iterable[str] = ()) -> Generator[None]:
        """Hold the right to write in a namespace (None: alone in all) for the block, with an index that is up to date.

        `texts` are contents of memories that will probably be kept; they are encoded before, while nobody waits.

        Raises:
            DeadlineError: the call was given up before others had written.
            StoreBusyError: others have been writing there for 60 seconds.
            NoRoomError: the index could not be written.
            StoreError: the home is read-only, or the index could not be brought up to date.
        """
        self.indexer.encode_ahead(texts)
        with self.exclusive(WAIT_S, namespace, self.deadline):
            self.indexer.catch_up(deadline=self.deadline)
            yield

    def commit(
        self,
        kind: OperationKind,
        writes: Iterable[FileWrite],
        ledger: Iterable[dict[str, object]] = (),
        seen: Iterable[bytes] = (),
        removals: Iterable[FileRemoval] = (),
    ) -> CommitResult:
        """Write one operation as a whole to the journal, where it is durable; then write its files to the vault and
        fold it into the index. Return its new id and the outcome of the fold.

        Lifecycle rows get the operation's id as their `correlationId`. Secrets are removed from all texts of rows but
        the namespace, since every row of the ledger is written here. `seen` are keys of transcript turns that are not
        to be imported again.

        Raises:
            ConflictError: a file changed since it was read, or a new one exists already; nothing is kept.
            InputError: a path is not allowed in the vault or occurs twice; nothing is kept.
            StoreError: the journal could not be written, and nothing is kept; or files or the index, and it is
                kept.
        """
        op_id = self.clock.new_id("op")
        instant = isoformat(self.clock.now())
        cleaned = ({key: each if key == "namespace" else _cleaned(each) for key, each in row.items()} for row in ledger)
        rows = tuple({**row, "correlationId": op_id} if row.get("kind") == "lifecycle" else row for row in cleaned)
        self.records.commit(
            JournalOperation(op_id, kind, instant, tuple(writes), rows, tuple(seen), removals=tuple(removals))
        )
        # `deciding` folded what others had written; this files and folds the operation itself. It heeds no deadline:
        # what is acknowledged must not be reported as failed
        return CommitResult(op_id, self.indexer.catch_up())

    def take_over_edits(self, paths: Collection[str] | None = None, *, wait_s: float = 0.0) -> tuple[Drift, Folded]:
        """Index what others changed in the vault (or at these paths); return what differed and the outcome of indexing
        it.

        Their files win, and the journal records that. If the disk is full or, with a `wait_s` of 0, others are writing
        or the home is read-only, it is left for later and no difference is returned: what is indexed stays readable.
        With another `wait_s`, files are encoded before.

        Raises:
            DeadlineError: the call was given up before other threads had finished indexing.
            NoRoomError: the index still has what was forgotten, or a file of `paths` that is gone, so it must not
                answer.
            StoreBusyError: others have been writing for `wait_s` seconds, if that is not 0.
        """
        if wait_s:
            self.indexer.encode_edits(paths)
        with self.exclusive(wait_s, deadline=self.deadline) as is_alone:
            if not is_alone:  # another process is writing: what it has not folded yet is no outside edit
                return Drift(), Folded()
            try:
                return self._take_over(paths)
            except NoRoomError as error:
                if self.indexer.holds_removed() or (paths and self.indexer.drift(paths).deleted):
                    raise
                return Drift(), Folded(unreadable=((VAULT, f"there was no room to take over changes: {error}"),))

    def _take_over(self, paths: Collection[str] | None) -> tuple[Drift, Folded]:
        """Do the work of `take_over_edits`: index what waits, then the changes of others (at `paths`, or everywhere if
        None); return what differed and the outcome. The caller has the right to write alone in all namespaces.
        """
        folded = self.indexer.catch_up(deadline=self.deadline)
        drift = self.indexer.drift(paths)
        if drift.paths:
            folded += self._adopt_drift(drift)
            next_drift = self.indexer.drift(paths)  # a file that went may have given its id to another
            folded += self._adopt_drift(next_drift) if next_drift.paths else Folded()
        return drift, folded

    def _adopt_drift(self, drift: Drift) -> Folded:
        """Record others' changes in the journal as one operation of kind `external-edit`, index them, and return the
        outcome.

        Nothing is recorded if no file that differs can be read, and none is gone; the outcome then tells the unreadable
        ones.
        """
        # read for their digests here, and whole in `catch_up`, which takes what is there then: an editor may write on
        heads, unreadable = readable(self.records, [*drift.added, *drift.edited])
        adopted = tuple((head.path, head.digest) for head in heads if head.data is not None)
        if not adopted and not drift.deleted:
            return unreadable
        op_id = self.clock.new_id("op")
        self.records.commit(JournalOperation(op_id, "external-edit", isoformat(self.clock.now()), adopted=adopted))
        return self.indexer.catch_up(drift.paths, op_id)


def _cleaned(value: object) -> object:
    """Return a value with secrets removed from every text in it, at any depth; keys of objects and texts that are just
    an id, a digest or an instant stay. Tuples become lists.
    """
    from pellucid.capture.secrets.redact import redact  # only writing needs its many patterns

    match value:
        case str():
            return value if _TELLS_NOTHING.fullmatch(value) else redact(value).text
        case dict():
            return {key: _cleaned(each) for key, each in cast("dict[str, object]", value).items()}
        case list() | tuple():
            return [_cleaned(each) for each in cast("list[object]", value)]
        case _:
            return value
