"""Drafts of documents in, how many are new, changed or gone out, and how much of them was opened and closed."""

from dataclasses import dataclass

from pellucid.operations.document_changes import Draft


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

    def take(self, draft: Draft) -> None:
        """Count what becomes of one document."""
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
