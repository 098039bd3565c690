"""A document as it is kept and its file as it is in, what is to be kept out: what was said before stays, closed.

A section whose words are the same is the same section, wherever it moved; other words close it and open another one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from pellucid.clock import Clock
from pellucid.documents.files import FoundFile
from pellucid.documents.formats.suffixes import format_of
from pellucid.documents.history import FileCommits, HeaderHistory
from pellucid.documents.reading import CleanDocument, CleanSection
from pellucid.documents.versions import Said, history_up_to_now, said_by_versions, versions_of
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import node_key
from pellucid.model.memory import Memory
from pellucid.vault.documents import memories_of, section_text


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document that is kept, its vault file and the bytes of it."""

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
    """What the history of its checkout tells of it."""

    def dated(self, held: "KeptDocument | None", now: datetime) -> "SeenDocument":
        """The same, with no date of its history in the future."""
        history = self.history.dated(held.document.versions if held else (), now) if self.history else None
        return replace(self, history=history)

    @property
    def texts_since(self) -> datetime | None:
        """Since when its text has stood, if a history tells: since its last commit, where nobody edited it after."""
        return self.history.touched if self.history and self.history.clean else None


@dataclass(slots=True)
class DocumentDraft:
    """A document as it is to be kept. `fresh` are the ids that it did not have before."""

    document: Document
    sections: list[Section]
    held: KeptDocument | None = None
    fresh: set[str] = field(default_factory=set[str])
    closed: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything of it differs from what is kept."""
        return self.held is None or (self.document, tuple(self.sections)) != (self.held.document, self.held.sections)

    @property
    def opened(self) -> int:
        """How many sections are new."""
        return sum(each.id in self.fresh for each in self.sections)

    def memories(self) -> list[Memory]:
        """What is new of it, as memories."""
        return [memory for memory, _ in memories_of(self.document, self.sections) if memory.id in self.fresh]

    def redated(self) -> list[tuple[Section | HeaderVersion, Section | HeaderVersion]]:
        """Sections and versions whose interval a history moved, as (known, new); what merely ends now is left out."""
        was = {each.id: each for each in (*self.held.document.versions, *self.held.sections)} if self.held else {}
        both = [(was[each.id], each) for each in (*self.document.versions, *self.sections) if each.id in was]
        return [(old, new) for old, new in both if self._is_redated(old, new)]

    def _is_redated(self, old: Section | HeaderVersion, new: Section | HeaderVersion) -> bool:
        ends_now = old.valid_until is None and new.valid_until is not None and new.valid_until >= self.document.updated
        return old.valid_from != new.valid_from or (old.valid_until != new.valid_until and not ends_now)

    def leave_out(self, ids: Collection[str]) -> None:
        """Take memories that were to be added, of these ids, out of the draft again."""
        versions = tuple(each for each in self.document.versions if each.id not in ids)
        self.document = self.document.model_copy(update={"versions": versions})
        self.sections = [each for each in self.sections if each.id not in ids]
        self.fresh -= set(ids)

    def quarantine(self, ids: Collection[str]) -> None:
        """Mark sections as nothing that recalls may bring."""
        self.sections = [
            each.model_copy(update={"quarantined": True}) if each.id in ids else each for each in self.sections
        ]

    @property
    def empty(self) -> bool:
        """Whether nothing is left to keep."""
        return not self.document.versions and not self.sections


@dataclass(slots=True)
class Counts:
    """What became of documents so far; the names and their meaning are those of `IndexDocsOutput`."""

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
        """Add to the counts what becomes of one document: new, changed, removed or as it was, and its parts."""
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


def redefined(held: KeptDocument, seen_now: SeenDocument) -> bool:
    """Whether a file now defines another thing than it did: then what it was is closed, and something new begins.

    A file that defines nothing but itself, before and now, may stand elsewhere; one that gains or loses an id is not.
    """
    before, now = held.document.entity, seen_now.clean.entity
    moved = before == held.document.path and now == seen_now.path
    return not moved and node_key(before) != node_key(now)


def drafted(
    held: KeptDocument | None, seen_now: SeenDocument, namespace: str, now: datetime, clock: Clock
) -> DocumentDraft:
    """The document to keep: what is kept of it (`held`; None: nothing yet) brought to what its file says now."""
    seen_now = seen_now.dated(held, now)
    begins = seen_now.since if held is None else now
    document = _document(held, seen_now, namespace, now, clock)
    versions = _versions(held, seen_now, begins, clock)
    document = document.model_copy(update={"versions": tuple(versions)})
    begins = seen_now.texts_since if held is None and seen_now.texts_since else begins
    draft = DocumentDraft(document, _sections(held, document, seen_now, begins, clock), held)
    known = {each.id for each in (*held.document.versions, *held.sections)} if held else set[str]()
    draft.fresh = {each.id for each in (*draft.document.versions, *draft.sections)} - known
    if held:
        history = seen_now.history
        _close_sections(draft, held, now, history.changes if history and history.clean else None)
        _begin_earlier(draft, seen_now.texts_since)
    if draft.changed:
        draft.document = draft.document.model_copy(update={"updated": now})
    return draft


def reversioned(held: KeptDocument, versions: Iterable[HeaderVersion], now: datetime) -> DocumentDraft:
    """The document with other versions of its header, and nothing else changed."""
    known = {each.id for each in held.document.versions}
    document = held.document.model_copy(update={"versions": tuple(versions)})
    draft = DocumentDraft(document, list(held.sections), held, {each.id for each in document.versions} - known)
    if draft.changed:
        draft.document = document.model_copy(update={"updated": now})
    return draft


def removed(held: KeptDocument, now: datetime, changes: FileCommits | None = None) -> DocumentDraft:
    """The document closed (`removed_at`), because its file is gone or defines another thing.

    Since the commit of `changes` that took it away, if there is one, else since `now`.
    """
    stood = [each for each in (*held.document.versions, *held.sections) if each.valid_until is None]
    begun = max((each.valid_from for each in stood), default=now)
    left = changes.after(begun, now) if changes else now
    gone = changes.at[-1] if changes and left <= changes.at[-1] <= now else left
    document = held.document.model_copy(
        update={"removed_at": gone, "updated": now, "versions": tuple(_ended_versions(held.document.versions, left))}
    )
    draft = DocumentDraft(document, [], held)
    _close_sections(draft, held, left)
    return draft


def _document(
    held: KeptDocument | None, seen_now: SeenDocument, namespace: str, now: datetime, clock: Clock
) -> Document:
    """The document itself, without versions and sections; a known one keeps id and dates, and old paths as aliases."""
    clean, path = seen_now.clean, seen_now.path
    known = held.document if held else None
    moved = [known.path] if known and known.path not in {path, clean.entity} else []
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
        aliases=tuple(dict.fromkeys([*clean.aliases, *moved, *_former_paths(known, clean)])),
    )


def _former_paths(known: Document | None, clean: CleanDocument) -> list[str]:
    """Paths at which the document stood: other names of it for good."""
    if known is None:
        return []
    return [each for each in known.aliases if format_of(each) and each not in clean.aliases]


def _versions(held: KeptDocument | None, seen_now: SeenDocument, begins: datetime, clock: Clock) -> list[HeaderVersion]:
    """The versions of its header: as kept where it says the same, else with one more, or as its git history tells."""
    old = held.document.versions if held else ()
    values, history = seen_now.clean.values, seen_now.history
    if history:
        commit = history.said[-1].commit if history.said and history.clean else None
        now = Said(seen_now.texts_since or seen_now.since, values, commit)
        return versions_of(history_up_to_now(history.said, old, now), old, seen_now.clean.title, clock)
    if old and old[-1].valid_until is None and old[-1].values == values:
        return list(old)
    return versions_of([*said_by_versions(old), Said(begins, values)], old, seen_now.clean.title, clock)


def _sections(
    held: KeptDocument | None, document: Document, seen_now: SeenDocument, begins: datetime, clock: Clock
) -> list[Section]:
    """The sections of the file as it is now; one whose words are kept already stays that section, others are new."""
    known: dict[tuple[int, str], list[Section]] = defaultdict(list)
    for each in held.sections if held else ():
        if each.valid_until is None and held:
            known[each.level, section_text(held.document, each)].append(each)
    out: list[Section] = []
    for number, clean in enumerate(seen_now.clean.sections, start=1):
        new = _section(clean, number, begins)
        same = known.get((clean.level, section_text(document, new)))
        if same:
            out.append(same.pop(0).model_copy(update={"number": number, "lines": clean.lines}))
        else:
            out.append(new.model_copy(update={"id": clock.new_id("mem")}))
    return out


_NAMELESS = "mem_" + "0" * 32


def _section(clean: CleanSection, number: int, begins: datetime) -> Section:
    """A new section, which has no id yet."""
    return Section(
        id=_NAMELESS,
        number=number,
        heading=clean.heading,
        trail=clean.trail,
        level=clean.level,
        lines=clean.lines,
        valid_from=begins,
        content=clean.content,
    )


def _close_sections(
    draft: DocumentDraft, held: KeptDocument, now: datetime, changes: FileCommits | None = None
) -> None:
    """Append the kept sections that the file no longer has to the draft, closed; one that never held a moment goes.

    They end with the commit that left them, if `changes` of the file tell it, else `now`.
    """
    kept = {each.id for each in draft.sections}
    old = [each for each in held.sections if each.id not in kept]
    begun = [each.valid_from for each in old if each.valid_until is None]
    end = changes.after(max(begun), now) if changes and begun else now
    draft.closed += len(begun)
    for each in old:
        if each.valid_until is not None:
            draft.sections.append(each)
        elif each.valid_from < end:
            draft.sections.append(each.model_copy(update={"valid_until": end}))


def _ended_versions(versions: Iterable[HeaderVersion], now: datetime) -> Iterable[HeaderVersion]:
    """The versions with the open one ended now; one that has not begun yet is left out."""
    for each in versions:
        if each.valid_until is not None:
            yield each
        elif each.valid_from < now:
            yield each.model_copy(update={"valid_until": now})


def _begin_earlier(draft: DocumentDraft, since: datetime | None) -> None:
    """Let the open sections begin at the commit `since`, unless others stood in their place after it."""
    if since is None or any(each.valid_until and each.valid_until > since for each in draft.sections):
        return
    draft.sections = [
        each.model_copy(update={"valid_from": since}) if each.valid_until is None and each.valid_from > since else each
        for each in draft.sections
    ]
