"""A sentence or a row of the ledger in, why it became no memory out, in words that need no knowledge of the parts."""

from pellucid.app import App
from pellucid.memory.erasure.tombstone import said_key, turn_keys, words_key
from pellucid.memory.ledger_rows import row_time, typed
from pellucid.model.ledger import UnkeptRow, VerdictRow

_PLAINLY = {
    "below-importance": "it did not seem important enough to keep",
    "speculative": "whoever said it did not seem sure of it",
    "cap-reached": "its part of the session said more important things, and only so many are kept",
    "duplicate-in-segment": "the same was said twice there",
}
"""For reasons that are told in numbers, or in terms of how sessions are cut."""


def never_kept(app: App, namespace: str, text: str) -> str | None:
    """Return why a sentence with these words became no memory, by the last decision about it; None where none is on
    record.

    The ledger holds keyed hashes of words only. What was forgotten, or said in turns that were, is left out.
    """
    key = said_key(app.key, namespace, text)
    found = [
        row
        for row in typed(app.ledger.rows(), namespace, ("verdict", "unkept"))
        if isinstance(row, VerdictRow | UnkeptRow) and key in row.said and not is_forgotten(app, row, text)
    ]
    return _verdict_words(max(found, key=row_time)) if found else None


def is_forgotten(app: App, row: VerdictRow | UnkeptRow, text: str) -> bool:
    """Whether these words, or the turns in which a row's statement was said, were forgotten since."""
    keys = [words_key(app.key, row.namespace, text, None), *turn_keys(app.key, row.namespace, row.evidence)]
    return bool(app.lookup.tombstones(keys))


def plain_reason(row: VerdictRow | UnkeptRow) -> tuple[str, str]:
    """Return the code of a row's reason (`transient`), and the reason in plain words, or the code again if there are
    none."""
    code, _, words = row.reason.partition(": ")
    return code, _PLAINLY.get(code, words) or code


def _verdict_words(row: VerdictRow | UnkeptRow) -> str:
    """Return why a statement became no memory, or which one it was kept as or stands for, as a sentence with its place
    and date."""
    code, words = plain_reason(row)
    said_at = row.observed_at if isinstance(row, VerdictRow) else row.at
    where = f"{', '.join(row.evidence) or row.session_id}, {said_at:%Y-%m-%d}"
    if isinstance(row, VerdictRow) and row.resulting_primitive_id:
        verb = "It was kept as" if row.verdict == "accept" else "It was not kept again, but stands for"
        return f"{verb} {row.resulting_primitive_id}: {words} ({where})."
    return f"Never kept, because {words} ({code}; {where})."
