"""Other tools' memory files in, memories of ours out, or a preview of them."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from pellucid.app import App
from pellucid.capture.memories.adopted import CONFIDENCE, AdoptedMemory, MemoryFormat
from pellucid.capture.memories.reader import read_memories
from pellucid.capture.report import CaptureReport
from pellucid.language.spelling import content_hash
from pellucid.memory.changes import ChangeSet
from pellucid.memory.erasure.tombstone import words_key
from pellucid.memory.trust.zones import first_zone
from pellucid.model.memory import TRANSCRIBED, Category, Memory, SourceClass, Status
from pellucid.model.observation import ExtractedFact
from pellucid.model.wire import Wire
from pellucid.observe.extract.classify import classify
from pellucid.observe.importance import score_importance
from pellucid.observe.language import detect_language
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.settling import require_settled

MEMORIES_A_COMMIT = 500
"""Memories that are committed together: a repeated call after a crash does at most this many again."""
SOURCE_CLASS: SourceClass = "system_memory"
T = TypeVar("T")


class AdoptInput(Wire):
    """The files to adopt, and the namespace for their memories."""

    paths: Annotated[tuple[Path, ...], Argument("Memory files of other tools, or folders of them.")]
    namespace: str
    memory_format: Annotated[
        MemoryFormat | None,
        Flag("claude-md, agents-md, memory-md, basic-memory, remnic, mem0 or chatgpt; else detected.", "--format"),
    ] = None
    preview: Annotated[bool, Flag("Keep the memories.", "--yes", opposite=True)] = False
    samples: Annotated[int, Flag("How many of the new memories to show.")] = Field(default=5, ge=0, le=1000)


class AdoptSample(Wire):
    """One new memory, as it is (or would be) written."""

    category: Category
    content: str
    evidence: str
    status: Status
    entity_ref: str | None = None
    tags: tuple[str, ...] = ()


class AdoptOutput(Wire):
    """Counts of other tools' memories by outcome; if `written` is false, by the outcome that they would have.

    `read` = `new` + `known` + `repeated` + `adopted_before` + `forgotten`; `skipped` maps reasons to counts of texts
    that are not memories.
    """

    written: bool
    namespace: str
    files: int
    read: int
    new: int
    known: int
    """Memories whose content an active memory of the namespace has already."""
    repeated: int
    """Memories whose content occurred earlier in these files."""
    adopted_before: int
    """Memories that an earlier call adopted, whatever happened to them since."""
    forgotten: int
    """Memories that were forgotten here, and do not come back."""
    formats: dict[str, int] = Field(default_factory=dict)
    categories: dict[str, int] = Field(default_factory=dict)
    statuses: dict[str, int] = Field(default_factory=dict)
    skipped: dict[str, int] = Field(default_factory=dict)
    redactions: dict[str, int] = Field(default_factory=dict)
    malformed: int = 0
    problems: tuple[str, ...] = ()
    samples: tuple[AdoptSample, ...] = ()
    operations: tuple[str, ...] = ()
    """The ids of the operations that wrote the memories, one for each commit; `undo` reverts one."""
    encoder_problem: str | None = None


def preview(app: App, request: AdoptInput) -> AdoptOutput:
    """Return the counts and samples of what `adopt` would import now; nothing is written. InputError if a file of the
    request does not exist, has an unknown format or cannot be read."""
    return _adopt(app, request, write=False)


def adopt(app: App, request: AdoptInput) -> AdoptOutput:
    """Import memories from other tools' files, except those that repeat another, are known, were adopted before or were
    forgotten. They are written in commits of up to 500; a repeated call after a crash continues.

    Raises:
        InputError: a file of the request does not exist, has an unknown format or cannot be read.
        UnhealthyError: the vault's key or the ledger is lost, so that forgotten memories would not be recognised;
            nothing is written.
    """
    require_settled(app)
    return _adopt(app, request, write=True)


def _adopt(app: App, request: AdoptInput, *, write: bool) -> AdoptOutput:
    """Read other tools' memories and count them by outcome; with `write`, write the new memories."""
    report = CaptureReport()
    read = read_memories(request.paths, app.settings.capture, report, memory_format=request.memory_format)
    adoption = _Adoption(app, request.namespace, write=write, samples=request.samples)
    adoption.adopt_all(read)
    return adoption.outcome(report, request.paths)


@dataclass(frozen=True, slots=True)
class _NewMemory:
    """A memory to be created, its `original` in the other tool's file, and the key that marks it as adopted."""

    memory: Memory
    original: AdoptedMemory
    key: bytes


@dataclass(slots=True)
class _Adoption:
    """Imports memories into one namespace, a commit at a time; without `write`, only counts them."""

    app: App
    namespace: str
    write: bool
    samples: int
    counts: Counter[str] = field(default_factory=Counter[str])
    categories: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[str] = field(default_factory=Counter[str])
    shown: list[AdoptSample] = field(default_factory=list[AdoptSample])
    operations: list[str] = field(default_factory=list[str])
    encoder_problem: str = ""
    _said: dict[tuple[Status, str], str] = field(default_factory=dict[tuple[Status, str], str])
    """Maps (status, content hash) to the ids of the new memories of this run, so that repetitions are recognised."""
    _own_ids: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Maps (format, foreign id) to our ids."""
    _linked: list[AdoptedMemory] = field(default_factory=list[AdoptedMemory])
    """Memories that replace others or were replaced, which wait until every foreign id has one of ours."""

    def adopt_all(self, originals: Iterable[AdoptedMemory]) -> None:
        """Plan and (with `write`) write the memories. Those linked to others come last, when all ids are known."""
        for batch in _batched(self._without_links(originals)):
            self._write_batch(self._plan_batch(batch))
        linked = [planned for batch in _batched(self._linked) for planned in self._plan_batch(batch)]
        for batch in _batched(linked):
            self._write_batch([replace(planned, memory=self._with_own_ids(planned)) for planned in batch])

    def outcome(self, report: CaptureReport, paths: Sequence[Path]) -> AdoptOutput:
        """Build the output from the counts and the reader's report. Its `problems` name each file by its path below the
        one of `paths` (the files and folders of the request) that contains it."""
        counts = self.counts
        return AdoptOutput(
            written=self.write,
            namespace=self.namespace,
            files=report.files,
            read=report.turns_kept,
            new=counts["new"],
            known=counts["known"],
            repeated=counts["repeated"],
            adopted_before=counts["before"],
            forgotten=counts["forgotten"],
            formats=dict(report.formats.most_common()),
            categories=dict(self.categories.most_common()),
            statuses=dict(self.statuses.most_common()),
            skipped=dict(report.dropped.most_common()),
            redactions=dict(report.redactions.most_common()),
            malformed=report.malformed,
            samples=tuple(self.shown),
            operations=tuple(self.operations),
            encoder_problem=self.encoder_problem or None,
            problems=tuple(f"{_path_below(each.path, paths)}:{each.line}: {each.reason}" for each in report.problems),
        )

    def _without_links(self, originals: Iterable[AdoptedMemory]) -> Iterator[AdoptedMemory]:
        """Yield the memories without supersession links; append those with links to `_linked`."""
        for each in originals:
            if each.supersedes or each.superseded_by:
                self._linked.append(each)
            else:
                yield each

    def _plan_batch(self, batch: Sequence[AdoptedMemory]) -> list[_NewMemory]:
        """Return the memories of a batch that are new, and count each in `counts` by the first outcome that applies:
        `forgotten`, `repeated` (earlier in these files), `known`, `before` (adopted by an earlier call) or `new`.

        New ones are also sampled. The foreign ids of new, repeated and known ones are mapped to our ids in `_own_ids`.
        """
        hashes = [content_hash(each.content, each.entity_ref) for each in batch]
        keys = [self._adoption_key(each, digest) for each, digest in zip(batch, hashes, strict=True)]
        active_ids = self._active_ids(hashes)
        seen = self.app.records.already_seen(set(keys))
        tombstones = [self._tombstone_keys(each) for each in batch]
        gone = self.app.lookup.tombstones({key for keys in tombstones for key in keys})
        fresh: list[_NewMemory] = []
        for each, digest, key, own_tombstones in zip(batch, hashes, keys, tombstones, strict=True):
            said = self._said.get((each.status, digest)) or self._said.get(("active", digest))
            ours = said or active_ids.get(digest)
            reasons = {"forgotten": gone & own_tombstones, "repeated": said, "known": ours, "before": key in seen}
            outcome = next((name for name, applies in reasons.items() if applies), "new")
            self.counts[outcome] += 1
            if outcome == "new":
                planned = _NewMemory(self._make_memory(each, digest), each, key)
                ours = self._said[each.status, digest] = planned.memory.id
                fresh.append(planned)
                self._count_and_sample(planned.memory)
            if ours and each.foreign_id:
                self._own_ids.setdefault((each.kind, each.foreign_id), ours)
        return fresh

    def _active_ids(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return a map from content hashes to the ids of memories that have them; only of those that are active,
        trusted and valid now, and have none of the scopes that restrict who may recall a memory (`BOUNDARY_SCOPES`)."""
        found = self.app.index.holding(self.namespace, set(hashes))
        return {digest: by_scopes[frozenset()] for digest, by_scopes in found.items() if frozenset() in by_scopes}

    def _tombstone_keys(self, original: AdoptedMemory) -> set[bytes]:
        """Return the keys of the tombstones that a memory's content would have if it had been forgotten, with and
        without its entity."""
        names = {None, original.entity_ref}
        return {words_key(self.app.key, self.namespace, original.content, name) for name in names}

    def _adoption_key(self, original: AdoptedMemory, digest: str) -> bytes:
        """Return the key (a keyed hash) by which a later call recognises that a memory with this content hash
        (`digest`) and the status of `original` was adopted."""
        subject = f"{self.namespace}\0adopted\0{original.status}\0{digest}"
        return hashlib.blake2b(subject.encode(), key=self.app.key, digest_size=16).digest()

    def _make_memory(self, each: AdoptedMemory, digest: str) -> Memory:
        """Make a memory of ours from another tool's, with defaults for missing fields; `digest` is its content hash.

        It is not stored yet. A creation or an update in the future becomes now. Supersession links are left out.
        """
        now = self.app.clock.now()
        category = each.category or _guess_category(each.content)
        confidence = CONFIDENCE[each.kind] if each.confidence is None else each.confidence
        created = _capped_time(each.created, now)
        trust = self.app.settings.trust
        return Memory(
            id=self.app.clock.new_id("mem"),
            category=category,
            namespace=self.namespace,
            created=created,
            updated=max(created, _capped_time(each.updated or created, now)),
            source="import",
            asserted_by=each.asserted_by,
            source_class=SOURCE_CLASS,
            evidence=(each.evidence,),
            confidence=confidence,
            tags=each.tags,
            entity_ref=each.entity_ref,
            structured_attributes=each.attributes,
            importance_score=_importance(each, category, confidence),
            status=each.status,
            trust_zone=first_zone(SOURCE_CLASS, each.content, enabled=trust.enabled),
            valid_at=each.valid_at or created,
            invalid_at=each.invalid_at,
            expires_at=each.expires_at,
            content_hash=digest,
            content=each.content,
        )

    def _with_own_ids(self, planned: _NewMemory) -> Memory:
        """Return the memory with our ids in its supersession links; links to memories without an id of ours are left
        out."""
        original = planned.original
        older = [self._own_ids.get((original.kind, name)) for name in original.supersedes]
        newer = self._own_ids.get((original.kind, original.superseded_by)) if original.superseded_by else None
        links = {"supersedes": tuple(each for each in older if each), "superseded_by": newer}
        return planned.memory.model_copy(update=links)

    def _count_and_sample(self, memory: Memory) -> None:
        """Count a memory by category and status; append it to the samples in `shown` until there are enough."""
        self.categories[memory.category] += 1
        self.statuses[memory.status] += 1
        if len(self.shown) < self.samples:
            sample = AdoptSample(
                category=memory.category,
                content=memory.content,
                evidence=memory.evidence[0],
                status=memory.status,
                entity_ref=memory.entity_ref,
                tags=memory.tags,
            )
            self.shown.append(sample)

    def _write_batch(self, batch: Sequence[_NewMemory]) -> None:
        """With `write`, write a batch as one operation, and append the operation's id to `operations`. Memories whose
        content became known, or that were adopted, since they were planned are left out, and counted as known instead
        of new."""
        if not self.write or not batch:
            return
        with self.app.unit_of_work.deciding(self.namespace, [each.memory.content for each in batch]):
            active_ids = self._active_ids(str(each.memory.content_hash) for each in batch)
            seen = self.app.records.already_seen({each.key for each in batch})
            fresh = [each for each in batch if each.memory.content_hash not in active_ids and each.key not in seen]
            overtaken = len(batch) - len(fresh)
            self.counts.update({"new": -overtaken, "known": overtaken})
            if not fresh:
                return
            changes = ChangeSet(self.app.records, self.namespace, "import", self.app.clock)
            for each in fresh:
                changes.create(each.memory, "created", "adopted")
            plan = changes.plan()
            committed = self.app.unit_of_work.commit("import", plan.writes, plan.rows, [each.key for each in fresh])
        self.operations.append(committed.op_id)
        self.encoder_problem = committed.folded.encoder_problem or self.encoder_problem


def _batched(items: Iterable[T]) -> Iterator[list[T]]:
    """Split items into lists of `MEMORIES_A_COMMIT` (500), the last with what is left; no empty list."""
    rest = iter(items)
    while batch := list(islice(rest, MEMORIES_A_COMMIT)):
        yield batch


def _guess_category(content: str) -> Category:
    """Return the category of a memory without one, by the first line of its content, of which 1,000 characters are
    read; `fact` if that shows none, or one of verbatim texts (`TRANSCRIBED`).
    """
    first = content.partition("\n")[0][:1000]
    reading = classify(first, detect_language(first))
    return reading.category if reading and reading.category not in TRANSCRIBED else "fact"


def _importance(each: AdoptedMemory, category: Category, confidence: float) -> float:
    """Return a memory's importance, from 0 to 1: as its tool gives it, else scored from its content."""
    if each.importance is not None:
        return each.importance
    fact = ExtractedFact(category=category, content=each.content, confidence=confidence, tags=each.tags)
    return score_importance(fact).score


def _capped_time(at: datetime | None, now: datetime) -> datetime:
    """Return the timestamp `at`; `now` if it is missing or in the future."""
    return min(at, now) if at else now


def _path_below(path: Path, roots: Sequence[Path]) -> str:
    """Return an absolute path relative to the first of the roots that contains it (of a root that is no folder, to the
    folder around it), so that no output names the machine's folders; only the file's name if no root contains it."""
    for root in (each.expanduser().absolute() for each in roots):
        inside = root if root.is_dir() else root.parent
        if path.is_relative_to(inside):
            return os.path.relpath(path, inside)
    return path.name


ADOPT = Operation(
    "memory.adopt",
    "Bring memories along from other tools and agents' files.\n\n"
    "Known: CLAUDE.md, AGENTS.md, MEMORY.md, basic-memory, Remnic, mem0 and ChatGPT.\n",
    AdoptInput,
    AdoptOutput,
    in_home(adopt, preview=preview),
    "append",
    Surfaces("adopt"),
    text=Text("memory.adopt.adoption_text"),
    span="upsert_memory",
)
