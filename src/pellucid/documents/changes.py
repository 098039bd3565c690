"""A stored document and its file as it is now in, the document to store out: what it said before stays, closed.

A section with the same words stays the same section, wherever it moved; other words close it and open another one.
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
    """A document as it is stored, with the path and the bytes of its vault file."""

    document: Document
    sections: tuple[Section, ...]
    path: str
    data: bytes

    @property
    def parts(self) -> "tuple[Section | HeaderVersion, ...]":
        """The header versions and then the sections of the document, those that have ended included."""
        return *self.document.versions, *self.sections


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """A file as it is now: its place, its digest, its content, and the time `since` when the content is taken to hold.

    `path` and `root` are those of `place`, as far as they are allowed to be stored.
    """

    place: FoundFile
    path: str
    root: str
    digest: str
    clean: CleanDocument
    since: datetime
    history: HeaderHistory | None = None
    """The git history of the file; None if it was not read."""

    def without_future_dates(self, stored: "KeptDocument | None", now: datetime) -> "SeenDocument":
        """Return a copy in which neither a state of the git history nor its last commit (`touched`) is dated after
        `now`; a commit's time can lie in the future.

        A later date becomes `now`, and a state's becomes the `valid_from` of its commit's header version in `stored`,
        if that is earlier. The times in `changes` stay. `stored` is the document as stored; None for a new one.
        """
        old = stored.document.versions if stored else ()
        return replace(self, history=self.history and self.history.without_future_dates(old, now))

    @property
    def text_since(self) -> datetime | None:
        """The time of the file's last commit; None if the file was edited since, or no git history of it was read."""
        return self.history.touched if self.history and self.history.clean else None


@dataclass(slots=True)
class DocumentDraft:
    """A document as it is to be stored.

    `stored` is the document as stored now, None for a new one. `fresh` has the ids of new sections and header versions,
    `closed` is the number of sections that end.
    """

    document: Document
    sections: list[Section]
    stored: KeptDocument | None = None
    fresh: set[str] = field(default_factory=set[str])
    closed: int = 0

    @property
    def changed(self) -> bool:
        """Whether the draft differs from the stored document; True if there is none."""
        return self.stored is None or (self.document, tuple(self.sections)) != (
            self.stored.document,
            self.stored.sections,
        )

    @property
    def opened(self) -> int:
        """The number of new sections."""
        return sum(each.id in self.fresh for each in self.sections)

    def memories(self) -> list[Memory]:
        """Return the new sections and header versions (those in `fresh`) as memories."""
        return [memory for memory, _ in memories_of(self.document, self.sections) if memory.id in self.fresh]

    def moved_periods(self) -> list[tuple[Section | HeaderVersion, Section | HeaderVersion]]:
        """Return the stored sections and header versions whose period (`valid_from` to `valid_until`) changes, each as
        (stored, new); those that only the stored document or only the draft has are in no pair.

        One that was open (without an end), and now ends at or after the `updated` of the draft's document, does not
        count unless its start changes."""
        was = {each.id: each for each in self.stored.parts} if self.stored else {}
        both = [(was[each.id], each) for each in (*self.document.versions, *self.sections) if each.id in was]
        return [(old, new) for old, new in both if self._is_redated(old, new)]

    def _is_redated(self, old: Section | HeaderVersion, new: Section | HeaderVersion) -> bool:
        """Whether the period of a section or header version differs from the stored one (`old`).

        An end that an open one gets, at or after the draft's `updated`, is no difference: this run closes it.
        """
        ends_now = old.valid_until is None and new.valid_until is not None and new.valid_until >= self.document.updated
        return old.valid_from != new.valid_from or (old.valid_until != new.valid_until and not ends_now)

    def leave_out(self, ids: Collection[str]) -> None:
        """Remove the sections and header versions with these ids from the draft, and from `fresh`; `closed` is not
        recounted. Other ids are ignored.
        """
        versions = tuple(each for each in self.document.versions if each.id not in ids)
        self.document = self.document.model_copy(update={"versions": versions})
        self.sections = [each for each in self.sections if each.id not in ids]
        self.fresh -= set(ids)

    def quarantine(self, ids: Collection[str]) -> None:
        """Mark the draft's sections with these ids as quarantined, each as a changed copy; ids of header versions, and
        others, are ignored.
        """
        self.sections = [
            each.model_copy(update={"quarantined": True}) if each.id in ids else each for each in self.sections
        ]

    @property
    def empty(self) -> bool:
        """Whether the draft has neither sections nor header versions."""
        return not self.document.versions and not self.sections


@dataclass(slots=True)
class Counts:
    """How many documents, sections and header versions a run added, changed or closed; see `IndexDocsOutput`."""

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
        """Count a draft once, as new, changed, removed or unchanged, and, unless it is unchanged, its new sections and
        header versions and its closed sections.

        A changed one also counts as renamed if its path or root changed, and as returned if it had been removed. A new
        draft that is empty does not count at all.
        """
        before, now = draft.stored.document if draft.stored else None, draft.document
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


def is_redefined(stored: KeptDocument, seen: SeenDocument) -> bool:
    """Whether a file now defines another entity (the thing a document is about: its own id, else its path) than its
    stored document does.

    A file whose entity is its own path, now and before, merely moved. Spellings that give the same node key are the
    same.
    """
    before, now = stored.document.entity, seen.clean.entity
    moved = before == stored.document.path and now == seen.path
    return not moved and node_key(before) != node_key(now)


def draft_document(
    stored: KeptDocument | None, seen: SeenDocument, namespace: str, now: datetime, clock: Clock
) -> DocumentDraft:
    """Draft the document to store for a file as it is now (`seen`); sections that it no longer has are kept, with an
    end.

    `stored` is what is stored of the file so far, None for a new document; `namespace` is the document's, and `clock`
    makes new ids. New sections and header versions begin at `now`, in a new document at `seen.since`. With a git
    history, header versions begin at their commits; if the file is as committed, sections of a new document, and open
    ones that began later (unless any section ended later), begin at the last commit. `updated` becomes `now` if
    anything changed.
    """
    seen = seen.without_future_dates(stored, now)
    start = seen.since if stored is None else now
    document = _document_record(stored, seen, namespace, now, clock)
    versions = _header_versions(stored, seen, start, clock)
    document = document.model_copy(update={"versions": tuple(versions)})
    start = seen.text_since if stored is None and seen.text_since else start
    draft = DocumentDraft(document, _current_sections(stored, document, seen, start, clock), stored)
    stored_ids = {each.id for each in stored.parts} if stored else set[str]()
    draft.fresh = {each.id for each in (*draft.document.versions, *draft.sections)} - stored_ids
    if stored:
        history = seen.history
        _close_sections(draft, stored, now, history.changes if history and history.clean else None)
        _move_starts(draft, seen.text_since)
    if draft.changed:
        draft.document = draft.document.model_copy(update={"updated": now})
    return draft


def draft_with_versions(stored: KeptDocument, versions: Iterable[HeaderVersion], now: datetime) -> DocumentDraft:
    """Draft a stored document with `versions` instead of its own header versions; its sections stay.

    Versions with new ids are `fresh`. `updated` becomes `now` if the document changes.
    """
    stored_ids = {each.id for each in stored.document.versions}
    document = stored.document.model_copy(update={"versions": tuple(versions)})
    draft = DocumentDraft(document, list(stored.sections), stored, {each.id for each in document.versions} - stored_ids)
    if draft.changed:
        draft.document = document.model_copy(update={"updated": now})
    return draft


def draft_removal(stored: KeptDocument, now: datetime, changes: FileCommits | None = None) -> DocumentDraft:
    """Draft a stored document as removed, because its file is gone or now defines another entity; nothing of it stays
    open (without an end).

    Open sections and header versions get an end: when a commit in `changes` replaced the stored text, else `now`; those
    that begin at this end or later are dropped. `removed_at` is the last commit of `changes`, if that is not before
    this end nor after `now`, else this end. `changes` is None if no commits are known.
    """
    open_parts = [each for each in stored.parts if each.valid_until is None]
    newest_start = max((each.valid_from for each in open_parts), default=now)
    end = changes.end_after(newest_start, now) if changes else now
    removed_at = changes.at[-1] if changes and end <= changes.at[-1] <= now else end
    document = stored.document.model_copy(
        update={
            "removed_at": removed_at,
            "updated": now,
            "versions": tuple(_ended_versions(stored.document.versions, end)),
        }
    )
    draft = DocumentDraft(document, [], stored)
    _close_sections(draft, stored, end)
    return draft


def _document_record(
    stored: KeptDocument | None, seen: SeenDocument, namespace: str, now: datetime, clock: Clock
) -> Document:
    """Make the document's record from the file, without header versions and sections; a new one is created at `now`,
    with an id from `clock`.

    A stored document keeps its id, `created` and `updated`, but not `removed_at`; its former paths become aliases. The
    namespace is always `namespace`.
    """
    clean, path = seen.clean, seen.path
    record = stored.document if stored else None
    old_path = [record.path] if record and record.path not in {path, clean.entity} else []
    old_aliases = [each for each in record.aliases if format_of(each) and each not in clean.aliases] if record else []
    return Document(
        id=record.id if record else clock.new_id("doc"),
        namespace=namespace,
        created=record.created if record else now,
        updated=record.updated if record else now,
        path=path,
        root=seen.root,
        format=clean.format,
        digest=seen.digest,
        title=clean.title,
        entity=clean.entity,
        entity_type=clean.entity_type,
        aliases=tuple(dict.fromkeys([*clean.aliases, *old_path, *old_aliases])),
    )


def _header_versions(
    stored: KeptDocument | None, seen: SeenDocument, start: datetime, clock: Clock
) -> list[HeaderVersion]:
    """Return the header versions to store, oldest first; a stored one with the same values and start keeps its id.

    Without a git history: the stored ones, and, unless the last is open and has the file's header, one more from
    `start` on. With a history, `start` does not count: the states of its commits, then stored ones after them that came
    from the file, then the file's header now.
    """
    stored_versions = stored.document.versions if stored else ()
    values, history = seen.clean.values, seen.history
    if history:
        commit = history.states[-1].commit if history.states and history.clean else None
        now = HeaderState(seen.text_since or seen.since, values, commit)
        return versions_of(
            history_up_to_now(history.states, stored_versions, now), stored_versions, seen.clean.title, clock
        )
    if stored_versions and stored_versions[-1].valid_until is None and stored_versions[-1].values == values:
        return list(stored_versions)
    return versions_of(
        [*states_of_versions(stored_versions), HeaderState(start, values)], stored_versions, seen.clean.title, clock
    )


def _current_sections(
    stored: KeptDocument | None, document: Document, seen: SeenDocument, start: datetime, clock: Clock
) -> list[Section]:
    """Return the sections of the file as it is now, in the file's order.

    One with the level and text of a stored section without an end (the first of several) keeps that one's id and
    period, with the number and lines that it has now; others are new from `start` on, with an id from `clock`.
    """
    open_sections: dict[tuple[int, str], list[Section]] = defaultdict(list)
    for each in stored.sections if stored else ():
        if each.valid_until is None and stored:
            open_sections[each.level, section_text(stored.document, each)].append(each)
    out: list[Section] = []
    for number, clean in enumerate(seen.clean.sections, start=1):
        new = Section(id=_NO_ID_YET, number=number, valid_from=start, **asdict(clean))
        matching = open_sections.get((clean.level, section_text(document, new)))
        if matching:
            out.append(matching.pop(0).model_copy(update={"number": number, "lines": clean.lines}))
        else:
            out.append(new.model_copy(update={"id": clock.new_id("mem")}))
    return out


def _close_sections(
    draft: DocumentDraft, stored: KeptDocument, now: datetime, changes: FileCommits | None = None
) -> None:
    """Append to the draft the stored sections that the file no longer has; add the number of those without an end to
    `draft.closed`.

    Those without an end get one: when a commit of `changes` replaced their text, else `now`; of these, one that begins
    at that end or later is not appended.
    """
    current_ids = {each.id for each in draft.sections}
    missing = [each for each in stored.sections if each.id not in current_ids]
    starts = [each.valid_from for each in missing if each.valid_until is None]
    end = changes.end_after(max(starts), now) if changes and starts else now
    draft.closed += len(starts)
    for each in missing:
        if each.valid_until is not None:
            draft.sections.append(each)
        elif each.valid_from < end:
            draft.sections.append(each.model_copy(update={"valid_until": end}))


def _ended_versions(versions: Iterable[HeaderVersion], end: datetime) -> Iterable[HeaderVersion]:
    """Yield the versions, the one without an end ended at `end`, or left out if it begins at or after `end`."""
    for each in versions:
        if each.valid_until is not None:
            yield each
        elif each.valid_from < end:
            yield each.model_copy(update={"valid_until": end})


def _move_starts(draft: DocumentDraft, start: datetime | None) -> None:
    """Let the draft's open sections (without an end) that begin after `start` begin at `start`.

    Do nothing if `start` is None, or if any section of the draft ends after it.
    """
    if start is None or any(each.valid_until and each.valid_until > start for each in draft.sections):
        return
    draft.sections = [
        each.model_copy(update={"valid_from": start}) if each.valid_until is None and each.valid_from > start else each
        for each in draft.sections
    ]
