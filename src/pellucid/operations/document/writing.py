"""Drafts of documents in, one acknowledged operation out: what was forgotten left out, what is doubtful quarantined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.documents.changes import DocumentDraft
from pellucid.memory.erasure.plan import file_key, own_text_keys
from pellucid.memory.trust.injection import looks_injected, split_injections
from pellucid.memory.unit_of_work import CommitResult
from pellucid.model.document import HeaderVersion, Section
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import Memory
from pellucid.store.records import FileWrite, content_digest
from pellucid.vault.documents import document_path, render_document, unknown_keys


@dataclass(frozen=True, slots=True)
class WithheldCounts:
    """How many new sections and header versions were left out as forgotten, and how many sections quarantined."""

    withheld: int
    quarantined: int


def withhold_and_quarantine(app: App, drafts: Sequence[DocumentDraft]) -> WithheldCounts:
    """Take what was forgotten out of the drafts and, if trust is on, mark new sections that read as instructions to an
    assistant; return how many of each."""
    fresh = [(memory, keys) for draft in drafts for memory, keys in _new_memories(app, draft)]
    gone = app.lookup.tombstones({key for _, keys in fresh for key in keys})
    forgotten = {memory.id for memory, keys in fresh if not gone.isdisjoint(keys)}
    left = [memory for memory, _ in fresh if memory.id not in forgotten] if app.settings.trust.enabled else []
    sections = {each.id for draft in drafts for each in draft.sections}  # headers were looked at when they were read
    doubted = {memory.id for memory in left if memory.id in sections and looks_injected(memory.content)}
    if app.settings.trust.enabled:
        doubted |= {each for draft in drafts for each in _split_instruction_ids(draft)}
    quarantined = 0
    for draft in drafts:
        draft.leave_out(forgotten & draft.fresh)
        marked = doubted & draft.fresh  # sections beside a new one may be known, and keep the zone that they have
        draft.quarantine(marked)
        quarantined += len(marked)
    return WithheldCounts(len(forgotten), quarantined)


def _new_memories(app: App, draft: DocumentDraft) -> Iterator[tuple[Memory, list[bytes]]]:
    """The new memories of a draft, each with the keys of the tombstones it would have had it been forgotten."""
    document = draft.document
    whole = [file_key(app.key, document.namespace, document.digest)] if draft.stored is None else []
    for memory in draft.memories():
        yield memory, own_text_keys(app.key, memory) + whole


def _split_instruction_ids(draft: DocumentDraft) -> Iterator[str]:
    """Yield the ids of sections that read as an instruction together with those beside them, harmless as each may be
    alone."""
    there = [each for each in draft.sections if each.valid_until is None]
    yield from (there[at].id for at in split_injections([f"{each.heading}\n{each.content}" for each in there]))


def vault_path(draft: DocumentDraft) -> str:
    """Return the path in the vault of a draft's file: the one it has, or the one that a new document gets."""
    return draft.stored.path if draft.stored else document_path(draft.document)


def commit_drafts(app: App, drafts: Sequence[DocumentDraft]) -> CommitResult:
    """Commit the drafts as one operation; they are searchable when it returns.

    Raises:
        ConflictError: a vault file changed since it was read; nothing is kept.
    """
    rows = [row for draft in drafts for row in _ledger_rows(app, draft)]
    return app.unit_of_work.commit("index", [_file_write(draft) for draft in drafts], rows)


def _ledger_rows(app: App, draft: DocumentDraft) -> Iterator[dict[str, object]]:
    """Yield a ledger row for each section or header version whose dates a history corrected."""
    document = draft.document
    for old, new in draft.moved_periods():
        before, after = _validity_state(old), _validity_state(new)
        row = LifecycleRow(
            event_id=app.clock.new_id("evt"),
            memory_id=new.id,
            namespace=document.namespace,
            event_type="corroborated",
            timestamp=document.updated,
            actor="import",
            reason_code="history",
            before=before,
            after={name: after[name] for name in ("validAt", "invalidAt")},
        )
        yield row.to_wire()


def _validity_state(dated: Section | HeaderVersion) -> dict[str, object]:
    """Return the status and the validity of a section or header version, in the form of a ledger row."""
    return {
        "status": "superseded" if dated.valid_until else "active",
        "validAt": isoformat(dated.valid_from),
        "invalidAt": isoformat(dated.valid_until) if dated.valid_until else None,
    }


def _file_write(draft: DocumentDraft) -> FileWrite:
    """Return the write of a draft's vault file, which fails if the file changed meanwhile; unknown keys somebody added
    stay."""
    unknown = unknown_keys(draft.stored.data) if draft.stored else None
    base = content_digest(draft.stored.data) if draft.stored else None
    return FileWrite(vault_path(draft), render_document(draft.document, draft.sections, unknown), base)
