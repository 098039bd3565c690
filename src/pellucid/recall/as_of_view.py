"""A memory and a question about the past in, the memory as it was then, or was known then, out: from its file alone.

Who may answer is exact (`store.local.standing`); this is what is *shown* of those who do. A file says who replaced a
memory or restated an attribute of it, and an id says since when that was known; what was replaced and put back since
is told as if it had never been. `operations.as_known` reads the ledger and knows that, too.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from pellucid.model.memory import Memory, recorded_at

if TYPE_CHECKING:  # looking around waits for no NumPy
    from pellucid.recall.state import Request


def by_known(memory: Memory, known: datetime | None) -> Memory:
    """The memory as it was known at the instant `known`: without later replacement, restatements and verification.

    As it is, if that is None.
    """
    if known is None:
        return memory
    by, end, verified = memory.superseded_by, memory.invalid_at, memory.last_verified_at
    replaced = by is not None or memory.status == "superseded"
    if replaced and (_since(by, memory) > known if by else end is not None and end > known):
        status = "active" if memory.status == "superseded" else memory.status
        memory = memory.model_copy(update={"status": status, "superseded_by": None, "invalid_at": None})
    if memory.retired and recorded_at(memory.retired.by, memory.created) > known:
        memory = memory.model_copy(update={"retired": None})
    if verified and verified > known:
        memory = memory.model_copy(update={"last_verified_at": None})
    if memory.updated > known:
        memory = memory.model_copy(update={"updated": memory.created})
    return _restated_by(memory, known)


def as_stood(memory: Memory, request: "Request") -> Memory:
    """The memory as it was at the past instant that the request asks about; unchanged for a question about the present.

    It is shown as active, whatever became of it since. Of an imported history, its attributes are those of today.
    """
    if request.as_of is None and request.as_known_at is None:
        return memory
    memory = by_known(memory, request.as_known_at)
    over = {
        name: None for name in ("invalid_at", "expires_at") if (end := getattr(memory, name)) and end <= request.instant
    }
    memory = memory.model_copy(update={"status": "active", **over})
    imported = recorded_at(memory.id, memory.created) > request.instant
    return memory if imported else _restated_by(memory, request.instant)


def _restated_by(memory: Memory, limit: datetime) -> Memory:
    """The memory with only those retired attributes that were known to be restated at the instant `limit`."""
    left = {name: by for name, by in memory.retired_attributes.items() if _since(by, memory) <= limit}
    return memory if left == memory.retired_attributes else memory.model_copy(update={"retired_attributes": left})


def _since(by: str, memory: Memory) -> datetime:
    """The earliest instant at which the memory with the id `by` can have been known to replace this one."""
    return recorded_at(by, memory.created)
