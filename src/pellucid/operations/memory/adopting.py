"""Other tools' memory files in, memories of ours out: first what would become of them, then, if wanted, just that."""

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
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces
from pellucid.operations.settling import require_settled

MEMORIES_A_COMMIT = 500
"""Memories that are acknowledged together: what a crash can make a repetition do again, and never lose."""
SOURCE_CLASS: SourceClass = "system_memory"
T = TypeVar("T")


class AdoptInput(Wire):
    """Which files to adopt, and where to."""

    paths: Annotated[tuple[Path, ...], Argument("Memory files of other tools, or folders of them.")]
    namespace: str
    memory_format: Annotated[
        MemoryFormat | None,
        Flag("claude-md, agents-md, memory-md, basic-memory, remnic, mem0 or chatgpt; else detected.", "--format"),
    ] = None
    preview: Annotated[bool, Flag("Keep the memories.", "--yes", opposite=True)] = False
    samples: Annotated[int, Flag("How many of the new memories to show.")] = Field(default=5, ge=0, le=1000)


class AdoptSample(Wire):
    """One memory that is new, as it is (or would be) kept."""

    category: Category
    content: str
    evidence: str
    status: Status
    entity_ref: str | None = None
    tags: tuple[str, ...] = ()


class AdoptOutput(Wire):
    """What became of other tools' memories, or would: `written` tells which.

    `read` = `new` + `known` + `repeated` + `adopted_before` + `forgotten`; what was no memory stands in `skipped`,
    by reason.
    """

    written: bool
    namespace: str
    files: int
    read: int
    new: int
    known: int
    """Some active memory of the namespace says so already."""
    repeated: int
    """Said twice in these files."""
    adopted_before: int
    """Adopted by an earlier call, whatever became of it since."""
    forgotten: int
    """Forgotten here: it does not come back."""
    formats: dict[str, int] = Field(default_factory=dict)
    categories: dict[str, int] = Field(default_factory=dict)
    statuses: dict[str, int] = Field(default_factory=dict)
    skipped: dict[str, int] = Field(default_factory=dict)
    redactions: dict[str, int] = Field(default_factory=dict)
    malformed: int = 0
    problems: tuple[str, ...] = ()
    samples: tuple[AdoptSample, ...] = ()
    operations: tuple[str, ...] = ()
    """What was written, a commit each; `undo` takes one back."""
    encoder_problem: str | None = None


def preview(app: App, request: AdoptInput) -> AdoptOutput:
    """What `adopt` would do now; no memory is written.

    Raises:
        InputError: a named file does not exist, is in no known format or cannot be read.
    """
    return _run(app, request, write=False)


def adopt(app: App, request: AdoptInput) -> AdoptOutput:
    """Keep the memories of other tools' files. What is known, was adopted before or was forgotten is left out.

    Raises:
        InputError: a named file does not exist, is in no known format or cannot be read.
        UnhealthyError: what was forgotten would not be known again; nothing is taken.
    """
    require_settled(app)
    return _run(app, request, write=True)


def _run(app: App, request: AdoptInput, *, write: bool) -> AdoptOutput:
    """Read other tools' memories and say what becomes of them; with `write` they are kept."""
    report = CaptureReport()
    found = read_memories(request.paths, app.settings.capture, report, memory_format=request.memory_format)
    adoption = _Adoption(app, request.namespace, write=write, samples=request.samples)
    adoption.take(found)
    return adoption.outcome(report, request.paths)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A memory that is new, with the foreign names of its relations and the key that marks it as adopted."""

    memory: Memory
    given: AdoptedMemory
    key: bytes


@dataclass(slots=True)
class _Adoption:
    """Takes memories into one namespace, a commit at a time; or, without `write`, only says what it would take."""

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
    """The memories of this run, by status and content hash: what is said again is not new again."""
    _ours: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Our id for each foreign name that was met."""
    _kin: list[AdoptedMemory] = field(default_factory=list[AdoptedMemory])
    """Memories that replace others or were replaced: they wait until every name has its id."""

    def take(self, found: Iterable[AdoptedMemory]) -> None:
        """Plan and keep; returns when the last is acknowledged and searchable."""
        for batch in _batches(self._without_kin(found)):
            self._keep_batch(self._plan_batch(batch))
        related = [planned for batch in _batches(self._kin) for planned in self._plan_batch(batch)]
        for batch in _batches(related):
            self._keep_batch([replace(planned, memory=self._with_own_ids(planned)) for planned in batch])

    def outcome(self, report: CaptureReport, paths: Sequence[Path]) -> AdoptOutput:
        """What became of it all."""
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

    def _without_kin(self, found: Iterable[AdoptedMemory]) -> Iterator[AdoptedMemory]:
        """The memories that neither supersede nor are superseded; the others wait in `_kin` until all are known."""
        for each in found:
            if each.supersedes or each.superseded_by:
                self._kin.append(each)
            else:
                yield each

    def _plan_batch(self, batch: Sequence[AdoptedMemory]) -> list[_Planned]:
        """The new ones of a batch; the others are counted by why they are not."""
        hashes = [content_hash(each.content, each.entity_ref) for each in batch]
        keys = [self._adoption_key(each, digest) for each, digest in zip(batch, hashes, strict=True)]
        held = self._held(hashes)
        seen = self.app.records.already_seen(set(keys))
        tombstones = [self._tombstone_keys(each) for each in batch]
        gone = self.app.lookup.tombstones({key for keys in tombstones for key in keys})
        fresh: list[_Planned] = []
        for each, digest, key, known_by in zip(batch, hashes, keys, tombstones, strict=True):
            said = self._said.get((each.status, digest)) or self._said.get(("active", digest))
            ours = said or held.get(digest)
            why = (
                "forgotten"
                if gone & known_by
                else "repeated"
                if said
                else "known"
                if ours
                else "before"
                if key in seen
                else "new"
            )
            self.counts[why] += 1
            if why == "new":
                planned = _Planned(self._memory_of(each, digest), each, key)
                ours = self._said[each.status, digest] = planned.memory.id
                fresh.append(planned)
                self._count_and_sample(planned.memory)
            if ours and each.foreign_id:
                self._ours.setdefault((each.kind, each.foreign_id), ours)
        return fresh

    def _held(self, hashes: Iterable[str]) -> dict[str, str]:
        """Which of these words are kept where everybody sees them, as what is adopted is, and by which memory."""
        found = self.app.index.holding(self.namespace, set(hashes))
        return {digest: held[frozenset()] for digest, held in found.items() if frozenset() in held}

    def _tombstone_keys(self, each: AdoptedMemory) -> set[bytes]:
        """The keys under which the words would have been forgotten: alone, and within their entity."""
        names = {None, each.entity_ref}
        return {words_key(self.app.key, self.namespace, each.content, name) for name in names}

    def _adoption_key(self, each: AdoptedMemory, digest: str) -> bytes:
        """What marks a statement of one status as adopted; it says nothing to whoever lacks the vault's key."""
        said = f"{self.namespace}\0adopted\0{each.status}\0{digest}"
        return hashlib.blake2b(said.encode(), key=self.app.key, digest_size=16).digest()

    def _memory_of(self, each: AdoptedMemory, digest: str) -> Memory:
        now = self.app.clock.now()
        category = each.category or _category_of(each.content)
        confidence = CONFIDENCE[each.kind] if each.confidence is None else each.confidence
        created = _not_after(each.created, now)
        trust = self.app.settings.trust
        return Memory(
            id=self.app.clock.new_id("mem"),
            category=category,
            namespace=self.namespace,
            created=created,
            updated=max(created, _not_after(each.updated or created, now)),
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

    def _with_own_ids(self, planned: _Planned) -> Memory:
        """The memory with foreign names of others as ids of ours; of one that is not here, nothing is said."""
        given = planned.given
        older = [self._ours.get((given.kind, name)) for name in given.supersedes]
        newer = self._ours.get((given.kind, given.superseded_by)) if given.superseded_by else None
        links = {"supersedes": tuple(each for each in older if each), "superseded_by": newer}
        return planned.memory.model_copy(update=links)

    def _count_and_sample(self, memory: Memory) -> None:
        """Count a memory by category and status; the first few are shown in the answer."""
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

    def _keep_batch(self, batch: Sequence[_Planned]) -> None:
        """Keep one batch, alone: what another writer kept since it was planned is left out."""
        if not self.write or not batch:
            return
        with self.app.unit_of_work.deciding(self.namespace, [each.memory.content for each in batch]):
            held = self._held(str(each.memory.content_hash) for each in batch)
            seen = self.app.records.already_seen({each.key for each in batch})
            fresh = [each for each in batch if each.memory.content_hash not in held and each.key not in seen]
            overtaken = len(batch) - len(fresh)
            self.counts.update({"new": -overtaken, "known": overtaken})
            if not fresh:
                return
            changes = ChangeSet(self.app.records, self.namespace, "import", self.app.clock)
            for each in fresh:
                changes.create(each.memory, "created", "adopted")
            plan = changes.plan()
            kept = self.app.unit_of_work.commit("import", plan.writes, plan.rows, [each.key for each in fresh])
        self.operations.append(kept.op_id)
        self.encoder_problem = kept.folded.encoder_problem or self.encoder_problem


def _batches(found: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(found)
    while batch := list(islice(rest, MEMORIES_A_COMMIT)):
        yield batch


def _category_of(content: str) -> Category:
    """What the words say, where neither the file nor its form did."""
    first = content.partition("\n")[0][:1000]
    reading = classify(first, detect_language(first))
    return reading.category if reading and reading.category not in TRANSCRIBED else "fact"


def _importance(each: AdoptedMemory, category: Category, confidence: float) -> float:
    """How important a memory is, 0 to 1, as its tool says, else as its words and category score."""
    if each.importance is not None:
        return each.importance
    fact = ExtractedFact(category=category, content=each.content, confidence=confidence, tags=each.tags)
    return score_importance(fact).score


def _not_after(at: datetime | None, now: datetime) -> datetime:
    """A foreign time, or now if there is none, or if it lies ahead: another clock was wrong."""
    return min(at, now) if at else now


def _path_below(path: Path, roots: Sequence[Path]) -> str:
    """A path relative to what was given: no answer names a machine's folders."""
    for root in (given.expanduser().absolute() for given in roots):
        inside = root if root.is_dir() else root.parent
        if path.is_relative_to(inside):
            return os.path.relpath(path, inside)
    return path.name


ADOPT = Operation(
    "memory.adopt",
    """Bring memories along from other tools and agents' files.

Known: CLAUDE.md, AGENTS.md, MEMORY.md, basic-memory, Remnic, mem0 and ChatGPT.
""",
    AdoptInput,
    AdoptOutput,
    lambda call, asked: (preview if asked.preview else adopt)(call.app, asked),
    "append",
    Surfaces("adopt"),
    span="upsert_memory",
)
