"""Decisions in, a durable record out: acknowledged in the journal, filed in the vault, folded into the index."""

import re
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol, cast

from pellucid.clock import Clock, isoformat
from pellucid.deadline import Deadline
from pellucid.errors import NoRoomError
from pellucid.memory.indexer import Drift, Folded, Indexer, readable
from pellucid.store.records import FileRemoval, FileWrite, JournalOperation, OperationKind, Records, content_digest

WAIT_S = 60.0
"""How long a writer waits for another one's turn: a commit of an import takes a few seconds."""

VAULT = "vault"
"""Where what could not be taken over is said to stand."""


class Exclusive(Protocol):
    """The right to write in one namespace or, without one, alone in all of them."""

    def __call__(
        self, wait_s: float, namespace: str | None = None, deadline: Deadline | None = None
    ) -> AbstractContextManager[bool]:
        """A context that holds the right to write; its value is whether it has it.

        It is waited for `wait_s` seconds or until the deadline, and then raises; with 0 it is not waited for, and the
        value may be False.
        """
        ...


Clean = Callable[[str], str]
"""A text in, the same without its secrets out."""
_TELLS_NOTHING = re.compile(r"[a-z]{2,8}_[0-9a-f]{32}|[0-9a-f]{16,128}|[0-9T:.Z-]{10,30}")
"""An id, a digest or an instant: no secret, and no words."""


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The id of a committed operation, and what folding it into the index gave."""

    op_id: str
    folded: Folded


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """Writes operations. `commit` returns once they are acknowledged, filed and searchable."""

    records: Records
    indexer: Indexer
    clock: Clock
    clean: Clean
    exclusive: Exclusive
    """Held from deciding what is new until it is searchable, so that two writers do not both find it new."""
    deadline: Deadline = field(default_factory=Deadline)
    """When the call that this writes for is given up: the right to write is waited for no longer."""

    @contextmanager
    def deciding(self, namespace: str | None, texts: Iterable[str] = (), *, wait_s: float = WAIT_S) -> Generator[None]:
        """A context that holds the right to write, with an index that holds all that was acknowledged.

        `namespace` is where it is decided; None keeps everybody else from writing. `texts` are contents of memories
        that are likely to be kept: they are encoded before, so that nobody waits for that.

        Raises:
            DeadlineError: the call was given up before others had written.
            StoreBusyError: others have been writing there for `wait_s` seconds.
        """
        self.indexer.encode_ahead(texts)
        with self.exclusive(wait_s, namespace, self.deadline):
            self.indexer.catch_up()
            yield

    def commit(
        self,
        kind: OperationKind,
        writes: Iterable[FileWrite],
        ledger: Iterable[dict[str, object]] = (),
        seen: Iterable[bytes] = (),
        removals: Iterable[FileRemoval] = (),
    ) -> CommitResult:
        """Acknowledge one operation as a whole, then file it and fold it into the index.

        Lifecycle rows are given the operation's id as their `correlationId`. Rows lose what secrets their texts hold:
        all that is ever put on record comes through here.
        """
        op_id = self.clock.new_id("op")
        at = isoformat(self.clock.now())
        cleaned = (_without_secrets(row, self.clean) for row in ledger)
        rows = tuple({**row, "correlationId": op_id} if row.get("kind") == "lifecycle" else row for row in cleaned)
        self.records.commit(
            JournalOperation(op_id, kind, at, tuple(writes), rows, tuple(seen), removals=tuple(removals))
        )
        return CommitResult(op_id, self.indexer.catch_up())  # which begins by filing what the journal holds

    def take_over_edits(self, paths: Collection[str] | None = None, *, wait_s: float = 0.0) -> tuple[Drift, Folded]:
        """Index what somebody else changed in the vault (or at these paths); returns what differed and what was folded.

        Their files win, and it is on record. Where the disk has no space for that, or others write for longer than
        `wait_s`, it is left for later: what is indexed can still be read. With `wait_s`, files are encoded before.

        Raises:
            NoRoomError: the index still holds what was forgotten, or a file of `paths` that is gone: it may not answer.
            StoreBusyError: others have been writing for a longer `wait_s`.
        """
        if wait_s:
            self.indexer.encode_edits(paths)
        with self.exclusive(wait_s, deadline=self.deadline) as alone:
            if not alone:  # another process is writing: what it has not folded yet is no outside edit
                return Drift(), Folded()
            try:
                return self._take_over(paths)
            except NoRoomError as error:
                if self.indexer.holds_removed() or (paths and self.indexer.drift(paths).deleted):
                    raise
                return Drift(), Folded(unreadable=((VAULT, f"there was no room to take over changes: {error}"),))

    def _take_over(self, paths: Collection[str] | None) -> tuple[Drift, Folded]:
        """See `take_over_edits`; the right to write is held."""
        folded = self.indexer.catch_up()
        drift = self.indexer.drift(paths)
        if drift.paths:
            folded += self._adopt_drift(drift)
            freed = self.indexer.drift(paths)  # a file that went may have given its id to another
            folded += self._adopt_drift(freed) if freed.paths else Folded()
        return drift, folded

    def _adopt_drift(self, drift: Drift) -> Folded:
        """Put others' changes on record as one operation of kind `external-edit`, and fold them.

        No operation where every file that differs cannot be read.
        """
        heads, unreadable = readable(self.records, [*drift.added, *drift.edited])
        found = tuple((head.path, content_digest(head.data)) for head in heads if head.data is not None)
        if not found and not drift.deleted:
            return unreadable
        op_id = self.clock.new_id("op")
        self.records.commit(JournalOperation(op_id, "external-edit", isoformat(self.clock.now()), adopted=found))
        return self.indexer.catch_up(drift.paths, op_id)


def _without_secrets(row: dict[str, object], clean: Clean) -> dict[str, object]:
    """A row of the ledger with secrets taken out of all its texts but the namespace."""
    return {key: value if key == "namespace" else _cleaned_value(value, clean) for key, value in row.items()}


def _cleaned_value(value: object, clean: Clean) -> object:
    """The value with secrets taken out of every text in it, however deep it lies."""
    match value:
        case str():
            return value if _TELLS_NOTHING.fullmatch(value) else clean(value)
        case dict():
            return {key: _cleaned_value(each, clean) for key, each in cast("dict[str, object]", value).items()}
        case list() | tuple():
            return [_cleaned_value(each, clean) for each in cast("list[object]", value)]
        case _:
            return value
