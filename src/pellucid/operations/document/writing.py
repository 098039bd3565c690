"""Drafts of documents in, one acknowledged operation out: without forgotten texts, suspicious texts quarantined."""

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
    """The number of new sections and header versions left out as forgotten, and of sections put into quarantine."""

    withheld: int
    quarantined: int


def withhold_and_quarantine(app: App, drafts: Sequence[DocumentDraft]) -> WithheldCounts:
    """Remove sections and header versions whose text was forgotten (there is a tombstone) from the drafts and, if trust
    is on, quarantine their new sections that read as instructions to an assistant, by themselves or only with the
    sections next to them. Return how many were removed, and how many quarantined. The drafts are changed, nothing is
    written."""
    fresh = [(memory, keys) for draft in drafts for memory, keys in _new_memories(app, draft)]
    gone = app.lookup.tombstones({key for _, keys in fresh for key in keys})
    forgotten = {memory.id for memory, keys in fresh if not gone.isdisjoint(keys)}
    remaining = [memory for memory, _ in fresh if memory.id not in forgotten] if app.settings.trust.enabled else []
    sections = {each.id for draft in drafts for each in draft.sections}  # headers were checked when they were cleaned
    suspicious = {memory.id for memory in remaining if memory.id in sections and looks_injected(memory.content)}
    if app.settings.trust.enabled:
        suspicious |= {each for draft in drafts for each in _split_instruction_ids(draft)}
    quarantined = 0
    for draft in drafts:
        draft.leave_out(forgotten & draft.fresh)
        suspicious_new = suspicious & draft.fresh  # known sections keep their trust zone
        draft.quarantine(suspicious_new)
        quarantined += len(suspicious_new)
    return WithheldCounts(len(forgotten), quarantined)


def _new_memories(app: App, draft: DocumentDraft) -> Iterator[tuple[Memory, list[bytes]]]:
    """Yield the new memories of a draft, each with the keys of the tombstones that it would have if it had been
    forgotten."""
    document = draft.document
    whole = [file_key(app.key, document.namespace, document.digest)] if draft.stored is None else []
    for memory in draft.memories():
        yield memory, own_text_keys(app.key, memory) + whole


def _split_instruction_ids(draft: DocumentDraft) -> Iterator[str]:
    """Yield the ids of the present sections of which two to four neighbouring ones read as an instruction to an
    assistant together, though not alone."""
    current = [each for each in draft.sections if each.valid_until is None]
    yield from (current[at].id for at in split_injections([f"{each.heading}\n{each.content}" for each in current]))


def vault_path(draft: DocumentDraft) -> str:
    """Return the vault path of a draft's file; for a new document, the path that the file will have."""
    return draft.stored.path if draft.stored else document_path(draft.document)


def commit_drafts(app: App, drafts: Sequence[DocumentDraft]) -> CommitResult:
    """Write the drafts' vault files and ledger rows as one operation, and return its result, with the operation's id;
    the documents are searchable when this returns. ConflictError if a vault file changed since it was read; then
    nothing is written."""
    rows = [row for draft in drafts for row in _ledger_rows(app, draft)]
    return app.unit_of_work.commit("index", [_file_write(draft) for draft in drafts], rows)


def _ledger_rows(app: App, draft: DocumentDraft) -> Iterator[dict[str, object]]:
    """Yield a ledger row of the event `redated` for each section or header version whose dates a history (git's, or the
    rows of a history file) corrected."""
    document = draft.document
    for old, new in draft.moved_periods():
        before, after = _validity_state(old), _validity_state(new)
        row = LifecycleRow(
            event_id=app.clock.new_id("evt"),
            memory_id=new.id,
            namespace=document.namespace,
            event_type="redated",
            timestamp=document.updated,
            actor="import",
            reason_code="history",
            before=before,
            after={name: after[name] for name in ("validAt", "invalidAt")},
        )
        yield row.to_wire()


def _validity_state(dated: Section | HeaderVersion) -> dict[str, object]:
    """Return the status and the validity of a section or header version, as in the ledger's `before` and `after`."""
    return {
        "status": "superseded" if dated.valid_until else "active",
        "validAt": isoformat(dated.valid_from),
        "invalidAt": isoformat(dated.valid_until) if dated.valid_until else None,
    }


def _file_write(draft: DocumentDraft) -> FileWrite:
    """Return the write of a draft's vault file, which fails if the file changed meanwhile; unknown header keys in the
    file are kept."""
    # parsed again: a `Document` has no place for keys that are not ours
    unknown = unknown_keys(draft.stored.data) if draft.stored else None
    base = content_digest(draft.stored.data) if draft.stored else None
    return FileWrite(vault_path(draft), render_document(draft.document, draft.sections, unknown), base)
