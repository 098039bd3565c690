"""A memory and a question about the past in, the memory as it was then, or was known then, out: from its file alone.

`store.local.index.past_view` decides exactly who is allowed to answer; this module decides how such a memory is
*shown*. A memory's file names the memory that replaced it or restated one of its attributes, and the id of that other
memory says since when this was known. A replacement that was undone leaves no mark in the file, so it is shown as if it
had never been; `operations.as_known` reads the ledger and knows of it. A context is written by this module alone;
the memories handed out beside it, and those of an X-ray, are taken back by the ledger first.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from pellucid.model.memory import Memory, recorded_at

if TYPE_CHECKING:  # looking around waits for no NumPy
    from pellucid.recall.state import Request


def by_known(memory: Memory, known: datetime | None) -> Memory:
    """Return the memory as it was known at the instant `known`, a datetime with a time zone; unchanged if it is None.

    Replacements, restatements, verifications and ends of its document that were recorded later are taken back; a later
    `updated` becomes `created`.
    """
    if known is None:
        return memory
    successor_id, ended, verified = memory.superseded_by, memory.invalid_at, memory.last_verified_at
    replaced = successor_id is not None or memory.status == "superseded"
    since = _time_of_replacement(memory, successor_id) if successor_id else ended
    if replaced and since is not None and since > known:
        status = "active" if memory.status == "superseded" else memory.status
        memory = memory.model_copy(update={"status": status, "superseded_by": None, "invalid_at": None})
    if memory.retired and recorded_at(memory.retired.by, memory.created) > known:
        memory = memory.model_copy(update={"retired": None})
    if verified and verified > known:
        memory = memory.model_copy(update={"last_verified_at": None})
    if memory.updated > known:
        memory = memory.model_copy(update={"updated": memory.created})
    return _with_restatements_until(memory, known)


def as_stood(memory: Memory, request: "Request") -> Memory:
    """Return the memory as it was at the past instant that the request asks about; unchanged if it asks about none.

    It is shown as active, whatever became of it since, and without an end at or before that instant. The attributes of
    a memory that was imported after that instant are those of today.
    """
    if request.as_of is None and request.as_known_at is None:
        return memory
    memory = by_known(memory, request.as_known_at)
    later_ends = {
        name: None for name in ("invalid_at", "expires_at") if (end := getattr(memory, name)) and end <= request.instant
    }
    memory = memory.model_copy(update={"status": "active", **later_ends})
    imported = recorded_at(memory.id, memory.created) > request.instant
    return memory if imported else _with_restatements_until(memory, request.instant)


def _with_restatements_until(memory: Memory, limit: datetime) -> Memory:
    """Return the memory with only those of its `retired_attributes` that were known by the instant `limit` to have been
    restated by another memory."""
    left = {name: by for name, by in memory.retired_attributes.items() if _time_of_replacement(memory, by) <= limit}
    return memory if left == memory.retired_attributes else memory.model_copy(update={"retired_attributes": left})


def _time_of_replacement(memory: Memory, successor_id: str) -> datetime:
    """Return the earliest instant at which the memory `successor_id` can have been known to replace `memory`: the time
    in that id; if the id contains none, the creation of `memory`."""
    return recorded_at(successor_id, memory.created)
