"""A sentence or a ledger row in, the reason why it did not become a memory out, in plain words."""

from pellucid.app import App
from pellucid.memory.erasure.tombstone import evidence_keys, said_key, words_key
from pellucid.memory.ledger_rows import row_time, typed
from pellucid.model.ledger import UnkeptRow, VerdictRow

_PLAINLY = {
    "below-importance": "it did not seem important enough to keep",
    "speculative": "whoever said it did not seem sure of it",
    "cap-reached": "its part of the session said more important things, and only so many are kept",
    "duplicate-in-segment": "the same was said twice there",
}
"""Maps codes to plain words, for reasons that the ledger gives in numbers or in technical terms."""


def never_kept(app: App, namespace: str, text: str) -> str | None:
    """Return a sentence that says why these words did not become a memory of their own, by the ledger's last decision
    about them: rejected, or kept as a memory, which is then named. None if there is no such decision; decisions about
    forgotten words or turns are left out.
    """
    key = said_key(app.key, namespace, text)
    found = [
        row
        for row in typed(app.ledger.rows(), namespace, ("verdict", "unkept"))
        if isinstance(row, VerdictRow | UnkeptRow) and key in row.said and not is_forgotten(app, row, text)
    ]
    return _verdict_words(max(found, key=row_time)) if found else None


def is_forgotten(app: App, row: VerdictRow | UnkeptRow, text: str) -> bool:
    """Whether the words `text` of a row's statement, or any turn in the row's evidence, were forgotten since."""
    keys = [words_key(app.key, row.namespace, text, None), *evidence_keys(app.key, row.namespace, row.evidence)]
    return bool(app.lookup.tombstones(keys))


def plain_reason(row: VerdictRow | UnkeptRow) -> tuple[str, str]:
    """Return the code of a row's reason, such as `transient`, and the reason in plain words; if it has no words, the
    code twice."""
    code, _, words = row.reason.partition(": ")
    return code, _PLAINLY.get(code, words) or code


def _verdict_words(row: VerdictRow | UnkeptRow) -> str:
    """Return a sentence on a statement's verdict, with its turns and date: the memory that it was kept as or that says
    the same, else the reason why it was never kept."""
    code, words = plain_reason(row)
    observed_at = row.observed_at if isinstance(row, VerdictRow) else row.at
    where = f"{', '.join(row.evidence) or row.session_id}, {observed_at:%Y-%m-%d}"
    if isinstance(row, VerdictRow) and row.resulting_primitive_id:
        verb = "It was kept as" if row.verdict == "accept" else "It was not kept again, but stands for"
        return f"{verb} {row.resulting_primitive_id}: {words} ({where})."
    return f"Never kept, because {words} ({code}; {where})."
