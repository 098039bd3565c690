"""The words that a caller names a recall by in, its id out: `last`, `last~1`, or the id itself."""

import re

from pellucid.app import App
from pellucid.errors import NotFoundError

_LAST = re.compile(r"last(?:~(\d{1,4}))?")
_RECALL = re.compile(rf"rec_[0-9a-f]{{32}}|{_LAST.pattern}")


def is_recall_name(words: str) -> bool:
    """Whether the words of an argument name a recall: `rec_` with 32 hexadecimal digits, `last`, or `last~N` with at
    most four digits. If not, they are a question."""
    return _RECALL.fullmatch(words) is not None


def resolve_recall_id(app: App, namespace: str, name: str) -> str:
    """Return the id of the newest recall of the namespace for `last`, of the one before for `last~1` and so on; any
    other name is returned unchanged, whether there is such a recall or not. NotFoundError if there are too few recalls.
    """
    matched = _LAST.fullmatch(name)
    if not matched:
        return name
    back = int(matched[1] or 0)
    rows = app.receipts.recalls(namespace, limit=back + 1)
    if len(rows) <= back:
        raise NotFoundError(f"no recall {name} in {namespace}: only {len(rows)} on record", next_step="ask something")
    return rows[back].recall_id
