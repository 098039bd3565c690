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
class Verdict:
    """How many new sections and header versions were left out as forgotten, and how many new sections quarantined."""

    withheld: int
    quarantined: int


def withhold_and_quarantine(app: App, drafts: Sequence[DocumentDraft]) -> Verdict:
    """Change the drafts: take out what was forgotten; mark what is new and reads as an instruction to an assistant."""
    fresh = [(memory, keys) for draft in drafts for memory, keys in _new_memories(app, draft)]
    gone = app.lookup.tombstones({key for _, keys in fresh for key in keys})
    forgotten = {memory.id for memory, keys in fresh if not gone.isdisjoint(keys)}
    left = [memory for memory, _ in fresh if memory.id not in forgotten] if app.settings.trust.enabled else []
    sections = {each.id for draft in drafts for each in draft.sections}  # headers were looked at when they were read
    doubted = {memory.id for memory in left if memory.id in sections and looks_injected(memory.content)}
    if app.settings.trust.enabled:
        doubted |= {each for draft in drafts for each in _split_instructions(draft)}
    quarantined = 0
    for draft in drafts:
        draft.leave_out(forgotten & draft.fresh)
        marked = doubted & draft.fresh  # sections beside a new one may be known, and keep the zone that they have
        draft.quarantine(marked)
        quarantined += len(marked)
    return Verdict(len(forgotten), quarantined)


def _new_memories(app: App, draft: DocumentDraft) -> Iterator[tuple[Memory, list[bytes]]]:
    """What is new of a document, with the keys by which it would be known again; a new one also as a whole."""
    document = draft.document
    whole = [file_key(app.key, document.namespace, document.digest)] if draft.held is None else []
    for memory in draft.memories():
        yield memory, own_text_keys(app.key, memory) + whole


def _split_instructions(draft: DocumentDraft) -> Iterator[str]:
    """The sections, new or known, that are plain each, and read as an instruction with those beside them."""
    there = [each for each in draft.sections if each.valid_until is None]
    yield from (there[at].id for at in split_injections([f"{each.heading}\n{each.content}" for each in there]))


def vault_path(draft: DocumentDraft) -> str:
    """Where a draft's vault file stands, or will stand."""
    return draft.held.path if draft.held else document_path(draft.document)


def keep(app: App, drafts: Sequence[DocumentDraft]) -> CommitResult:
    """Acknowledge these drafts as one operation; they are searchable when it returns.

    Raises:
        ConflictError: a vault file changed since it was read; nothing is kept.
    """
    rows = [row for draft in drafts for row in _ledger_rows(app, draft)]
    return app.unit_of_work.commit("index", [_file_write(draft) for draft in drafts], rows)


def _ledger_rows(app: App, draft: DocumentDraft) -> Iterator[dict[str, object]]:
    """What the ledger is told: a history gives what was known already another day, and it was not known before."""
    document = draft.document
    for old, new in draft.redated():
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


def _validity_state(said: Section | HeaderVersion) -> dict[str, object]:
    """The state of a section or a header version, as a ledger row says it."""
    return {
        "status": "superseded" if said.valid_until else "active",
        "validAt": isoformat(said.valid_from),
        "invalidAt": isoformat(said.valid_until) if said.valid_until else None,
    }


def _file_write(draft: DocumentDraft) -> FileWrite:
    unknown = unknown_keys(draft.held.data) if draft.held else None
    base = content_digest(draft.held.data) if draft.held else None
    return FileWrite(vault_path(draft), render_document(draft.document, draft.sections, unknown), base)
