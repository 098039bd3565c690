"""A document as it is kept and its file as it is in, what is to be kept out: what was said before stays, closed.

A section whose words are the same is the same section, wherever it moved; other words close it and open another one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime

from pellucid.clock import Clock
from pellucid.documents.files import FoundFile
from pellucid.documents.formats.suffixes import format_of
from pellucid.documents.history import FileCommits, HeaderHistory
from pellucid.documents.reading import CleanDocument
from pellucid.documents.versions import HeaderState, history_up_to_now, states_of_versions, versions_of
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import node_key
from pellucid.model.memory import Memory
from pellucid.vault.documents import memories_of, section_text

_NO_ID_YET = "mem_" + "0" * 32


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document as it is stored, with its vault file and the bytes of that."""

    document: Document
    sections: tuple[Section, ...]
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """A file as it is now: where it stands, its digest, what it says, and since when that has stood.

    `path` and `root` are those of `place` as they may be stored.
    """

    place: FoundFile
    path: str
    root: str
    digest: str
    clean: CleanDocument
    since: datetime
    history: HeaderHistory | None = None
    """The history of the file in git, if it was read."""

    def without_future_dates(self, held: "KeptDocument | None", now: datetime) -> "SeenDocument":
        """The same, with the dates of its git history that are after `now` moved to `now`, or to when they were first
        stored.

        `held` is the document as stored, None for a new one.
        """
        old = held.document.versions if held else ()
        return replace(self, history=self.history and self.history.without_future_dates(old, now))

    @property
    def text_since(self) -> datetime | None:
        """The time of the last commit, if the file is as committed; None if it was edited since, or has no git
        history."""
        return self.history.touched if self.history and self.history.clean else None


@dataclass(slots=True)
class DocumentDraft:
    """A document as it is to be stored; `fresh` are the ids of its new sections and header versions.

    `held` is the document as stored now, None for a new one; `closed` counts the sections that end.
    """

    document: Document
    sections: list[Section]
    held: KeptDocument | None = None
    fresh: set[str] = field(default_factory=set[str])
    closed: int = 0

    @property
    def changed(self) -> bool:
        """Whether the draft differs from what is stored; always true of a new document."""
        return self.held is None or (self.document, tuple(self.sections)) != (self.held.document, self.held.sections)

    @property
    def opened(self) -> int:
        """How many sections are new."""
        return sum(each.id in self.fresh for each in self.sections)

    def memories(self) -> list[Memory]:
        """The new sections and header versions, as memories."""
        return [memory for memory, _ in memories_of(self.document, self.sections) if memory.id in self.fresh]

    def moved_periods(self) -> list[tuple[Section | HeaderVersion, Section | HeaderVersion]]:
        """Sections and versions whose period a history moved, each as (stored, new); merely ending now is no move."""
        was = {each.id: each for each in (*self.held.document.versions, *self.held.sections)} if self.held else {}
        both = [(was[each.id], each) for each in (*self.document.versions, *self.sections) if each.id in was]
        return [(old, new) for old, new in both if self._is_redated(old, new)]

    def _is_redated(self, old: Section | HeaderVersion, new: Section | HeaderVersion) -> bool:
        """Whether the stored and the new period of a part differ; an open one that ends with this run is no move."""
        ends_now = old.valid_until is None and new.valid_until is not None and new.valid_until >= self.document.updated
        return old.valid_from != new.valid_from or (old.valid_until != new.valid_until and not ends_now)

    def leave_out(self, ids: Collection[str]) -> None:
        """Remove the sections and header versions of these ids from the draft."""
        versions = tuple(each for each in self.document.versions if each.id not in ids)
        self.document = self.document.model_copy(update={"versions": versions})
        self.sections = [each for each in self.sections if each.id not in ids]
        self.fresh -= set(ids)

    def quarantine(self, ids: Collection[str]) -> None:
        """Mark the sections of these ids as never to be recalled; header versions cannot be."""
        self.sections = [
            each.model_copy(update={"quarantined": True}) if each.id in ids else each for each in self.sections
        ]

    @property
    def empty(self) -> bool:
        """Whether the draft has neither sections nor header versions."""
        return not self.document.versions and not self.sections


@dataclass(slots=True)
class Counts:
    """How many documents and parts were added, changed and so on; the fields mean what they do in `IndexDocsOutput`."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    returned: int = 0
    excluded: int = 0
    sections_opened: int = 0
    sections_closed: int = 0
    header_versions: int = 0
    quarantined: int = 0
    withheld: int = 0

    def take(self, draft: DocumentDraft) -> None:
        """Count a draft as new, changed, removed or unchanged, and the parts of a changed one; a new one that is empty
        does not count.

        A changed one may also count as renamed, and as returned after it was removed.
        """
        before, now = draft.held.document if draft.held else None, draft.document
        if not draft.changed:
            self.unchanged += 1
            return
        if before is None and draft.empty:
            return
        self.sections_opened += draft.opened
        self.sections_closed += draft.closed
        self.header_versions += len(draft.fresh) - draft.opened
        if before is None:
            self.new += 1
        elif now.removed_at is not None:
            self.removed += 1
        else:
            self.changed += 1
            self.renamed += (before.root, before.path) != (now.root, now.path)
            self.returned += before.removed_at is not None


def is_redefined(held: KeptDocument, seen_now: SeenDocument) -> bool:
    """Whether a file now defines another entity, so that its document is closed and a new one begins.

    A file that defines nothing but itself, before and now, may have moved; one that gains or loses an id has not.
    """
    before, now = held.document.entity, seen_now.clean.entity
    moved = before == held.document.path and now == seen_now.path
    return not moved and node_key(before) != node_key(now)


def draft_document(
    held: KeptDocument | None, seen_now: SeenDocument, namespace: str, now: datetime, clock: Clock
) -> DocumentDraft:
    """The document to store: what is stored of it (`held`; None for a new one) brought up to what its file says now.

    New parts begin at `now`, those of a new document at `seen_now.since`, or at the commits that git tells of.
    `updated` becomes `now` if anything changed.
    """
    seen_now = seen_now.without_future_dates(held, now)
    begins = seen_now.since if held is None else now
    document = _document_record(held, seen_now, namespace, now, clock)
    versions = _header_versions(held, seen_now, begins, clock)
    document = document.model_copy(update={"versions": tuple(versions)})
    begins = seen_now.text_since if held is None and seen_now.text_since else begins
    draft = DocumentDraft(document, _current_sections(held, document, seen_now, begins, clock), held)
    known = {each.id for each in (*held.document.versions, *held.sections)} if held else set[str]()
    draft.fresh = {each.id for each in (*draft.document.versions, *draft.sections)} - known
    if held:
        history = seen_now.history
        _close_sections(draft, held, now, history.changes if history and history.clean else None)
        _begin_earlier(draft, seen_now.text_since)
    if draft.changed:
        draft.document = draft.document.model_copy(update={"updated": now})
    return draft


def draft_with_versions(held: KeptDocument, versions: Iterable[HeaderVersion], now: datetime) -> DocumentDraft:
    """The stored document with these header versions instead of its own; `updated` becomes `now` if that changes it."""
    known = {each.id for each in held.document.versions}
    document = held.document.model_copy(update={"versions": tuple(versions)})
    draft = DocumentDraft(document, list(held.sections), held, {each.id for each in document.versions} - known)
    if draft.changed:
        draft.document = document.model_copy(update={"updated": now})
    return draft


def draft_removal(held: KeptDocument, now: datetime, changes: FileCommits | None = None) -> DocumentDraft:
    """The stored document closed (`removed_at`), because its file is gone or defines another entity.

    Its open parts end when `changes` has them replaced, and it is removed at the last commit of `changes`; each at
    `now` where no commit tells.
    """
    stood = [each for each in (*held.document.versions, *held.sections) if each.valid_until is None]
    begun = max((each.valid_from for each in stood), default=now)
    left = changes.end_after(begun, now) if changes else now
    gone = changes.at[-1] if changes and left <= changes.at[-1] <= now else left
    document = held.document.model_copy(
        update={"removed_at": gone, "updated": now, "versions": tuple(_ended_versions(held.document.versions, left))}
    )
    draft = DocumentDraft(document, [], held)
    _close_sections(draft, held, left)
    return draft


def _document_record(
    held: KeptDocument | None, seen_now: SeenDocument, namespace: str, now: datetime, clock: Clock
) -> Document:
    """The document's record, without its parts; a stored one keeps its id, `created` and `updated`, and has its old
    paths as aliases."""
    clean, path = seen_now.clean, seen_now.path
    known = held.document if held else None
    moved = [known.path] if known and known.path not in {path, clean.entity} else []
    former = [each for each in known.aliases if format_of(each) and each not in clean.aliases] if known else []
    return Document(
        id=known.id if known else clock.new_id("doc"),
        namespace=namespace,
        created=known.created if known else now,
        updated=known.updated if known else now,
        path=path,
        root=seen_now.root,
        format=clean.format,
        digest=seen_now.digest,
        title=clean.title,
        entity=clean.entity,
        entity_type=clean.entity_type,
        aliases=tuple(dict.fromkeys([*clean.aliases, *moved, *former])),
    )


def _header_versions(
    held: KeptDocument | None, seen_now: SeenDocument, begins: datetime, clock: Clock
) -> list[HeaderVersion]:
    """The header's versions: those stored if it is unchanged, else one more from `begins` on; with a git history, those
    it tells."""
    old = held.document.versions if held else ()
    values, history = seen_now.clean.values, seen_now.history
    if history:
        commit = history.said[-1].commit if history.said and history.clean else None
        now = HeaderState(seen_now.text_since or seen_now.since, values, commit)
        return versions_of(history_up_to_now(history.said, old, now), old, seen_now.clean.title, clock)
    if old and old[-1].valid_until is None and old[-1].values == values:
        return list(old)
    return versions_of([*states_of_versions(old), HeaderState(begins, values)], old, seen_now.clean.title, clock)


def _current_sections(
    held: KeptDocument | None, document: Document, seen_now: SeenDocument, begins: datetime, clock: Clock
) -> list[Section]:
    """The sections of the file now: one with the level and text of an open stored section stays it, others are new from
    `begins` on."""
    known: dict[tuple[int, str], list[Section]] = defaultdict(list)
    for each in held.sections if held else ():
        if each.valid_until is None and held:
            known[each.level, section_text(held.document, each)].append(each)
    out: list[Section] = []
    for number, clean in enumerate(seen_now.clean.sections, start=1):
        new = Section(id=_NO_ID_YET, number=number, valid_from=begins, **asdict(clean))
        same = known.get((clean.level, section_text(document, new)))
        if same:
            out.append(same.pop(0).model_copy(update={"number": number, "lines": clean.lines}))
        else:
            out.append(new.model_copy(update={"id": clock.new_id("mem")}))
    return out


def _close_sections(
    draft: DocumentDraft, held: KeptDocument, now: datetime, changes: FileCommits | None = None
) -> None:
    """Append the stored sections that the file no longer has to the draft; open ones end, or are dropped if they had
    not begun.

    They end with the commit of `changes` that replaced their text, if it tells one, else at `now`; `draft.closed`
    counts them.
    """
    kept = {each.id for each in draft.sections}
    old = [each for each in held.sections if each.id not in kept]
    begun = [each.valid_from for each in old if each.valid_until is None]
    end = changes.end_after(max(begun), now) if changes and begun else now
    draft.closed += len(begun)
    for each in old:
        if each.valid_until is not None:
            draft.sections.append(each)
        elif each.valid_from < end:
            draft.sections.append(each.model_copy(update={"valid_until": end}))


def _ended_versions(versions: Iterable[HeaderVersion], now: datetime) -> Iterable[HeaderVersion]:
    """The versions, with the open one ended at `now`, or left out if it has not begun by then."""
    for each in versions:
        if each.valid_until is not None:
            yield each
        elif each.valid_from < now:
            yield each.model_copy(update={"valid_until": now})


def _begin_earlier(draft: DocumentDraft, since: datetime | None) -> None:
    """Let open sections that begin after `since` begin then; nothing changes if it is None or a section ended after
    it."""
    if since is None or any(each.valid_until and each.valid_until > since for each in draft.sections):
        return
    draft.sections = [
        each.model_copy(update={"valid_from": since}) if each.valid_until is None and each.valid_from > since else each
        for each in draft.sections
    ]
