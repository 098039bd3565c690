"""A memory and the request that found it in, its provenance out: where it comes from and whether it is safe to use."""

from datetime import datetime, timedelta

from pellucid.clock import isoformat
from pellucid.model.entity import is_superseded
from pellucid.model.memory import BOUNDARY_SCOPES, TRANSCRIBED, Memory
from pellucid.model.snapshot import CorrectionState, Provenance, Safety, ServedBy, Staleness
from pellucid.recall.as_of_view import as_stood, by_known
from pellucid.recall.state import Request
from pellucid.xray.words.headline import KEPT_BACK

STALE_AFTER_DAYS = 180.0
_STALE = ("superseded", "archived", "forgotten", "retracted")


def provenance(memory: Memory, request: Request, served_by: ServedBy) -> Provenance:
    """Return the provenance of a result, as the memory was, and was known, at the instant that `request` asks about.

    `served_by` names what served it: a leg, several (`hybrid`), its neighbours (`episode`), or `direct-answer`.
    """
    memory = as_stood(memory, request)
    stale = is_stale(memory, request.instant)
    reasons = _safety_reasons(memory, request, stale=stale)
    safety = _safety(memory, request, reasons)
    state = _correction_state(memory)
    return Provenance(
        source=memory.source,
        category=memory.category,
        created=isoformat(memory.created),
        updated=isoformat(memory.updated),
        namespace=memory.namespace,
        scope=f"namespace:{memory.namespace}",
        user_context_scopes=memory.scopes,
        retrieval_reason=f"served-by={served_by}",
        confidence=memory.confidence,
        confidence_tier=memory.confidence_tier,
        importance_level=memory.importance_level,
        stale=stale,
        corrected=state != "none",
        correction_state=state,
        safe_to_use=safety == "safe",
        safety=safety,
        safety_reasons=reasons,
    )


def is_stale(memory: Memory, at: datetime) -> bool:
    """Whether a memory had ceased to hold by `at`: expired, ended, retired with its document, or stale by its status. A
    status such as `superseded` or `archived` counts whatever `at` is.
    """
    ends = [end for end in (memory.expires_at, memory.invalid_at) if end is not None]
    return memory.status in _STALE or retired_at(memory, at) or any(end <= at for end in ends)


def retired_at(memory: Memory, at: datetime) -> bool:
    """Whether a memory belongs to a document (as section or header version) whose header had declared the document
    retired by `at`.
    """
    return memory.retired is not None and memory.retired.since <= at


def staleness(
    memory: Memory, at: datetime, after_days: float = STALE_AFTER_DAYS, known_by: datetime | None = None
) -> Staleness:
    """Return how old a memory's last verification was at the instant `at`, and whether another is due.

    A verification after `at` does not count, nor a verification or successor not written down by `known_by` (None: all
    count); a successor counts whatever `at` is. Without a verification, the age (whole days, at least 0) runs from when
    the memory began to hold. It is due once older than `after_days`, superseded or retired. Turns of a session and
    sections of a document do not become due by age. Both instants must have a time zone.
    """
    memory = by_known(memory, known_by)
    verified = memory.last_verified_at
    if verified and verified > at:
        verified = None
    began = memory.valid_at or memory.created
    fresh_since = max(began, verified) if verified else began
    age = max(at - fresh_since, timedelta())
    retired = memory.retired.said if memory.retired and retired_at(memory, at) else None
    superseded = memory.status == "superseded" or memory.superseded_by is not None or is_superseded(retired or "")
    old = memory.category not in TRANSCRIBED and age > timedelta(days=after_days)
    return Staleness(
        last_verified_at=isoformat(verified) if verified else None,
        age_days=age.days,
        superseded=superseded,
        retired=retired,
        due=superseded or old or retired is not None,
    )


def _safety_reasons(memory: Memory, request: Request, *, stale: bool) -> tuple[str, ...]:
    """Return the reasons against using a memory, in this order; empty if there is none.

    `status=…` if it is not active, `document=…` if its document is retired, `stale=true`, and `boundary-blocked=…` for
    each of its scopes that the caller did not name.
    """
    return (
        *([f"status={memory.status}"] if memory.status != "active" else []),
        *([f"document={memory.retired.said}"] if memory.retired and retired_at(memory, request.instant) else []),
        *(["stale=true"] if stale else []),
        *(f"boundary-blocked={scope}" for scope in _unmet_scopes(memory, request)),
    )


def _unmet_scopes(memory: Memory, request: Request) -> list[str]:
    """Return the boundary scopes (`temporary`, `private`, `do-not-use-outside-this-context`) of a memory that the
    caller did not name.
    """
    return [scope for scope in BOUNDARY_SCOPES if scope in memory.scopes and scope not in request.scopes]


def _safety(memory: Memory, request: Request, reasons: tuple[str, ...]) -> Safety:
    """Return `blocked` for a status of `KEPT_BACK` (forgotten, rejected, quarantined) or an unmet boundary scope, else
    `requires-review` if there are reasons, else `safe`.
    """
    if memory.status in KEPT_BACK or _unmet_scopes(memory, request):
        return "blocked"
    return "requires-review" if reasons else "safe"


def _correction_state(memory: Memory) -> CorrectionState:
    """Return a memory's status if it is `forgotten`, `superseded` or `disputed`; `disputed` also if others dispute it.

    Else `correction` for a memory of that category, or `none`.
    """
    if memory.status in ("forgotten", "superseded", "disputed"):
        return memory.status
    if memory.disputed_with:
        return "disputed"
    return "correction" if memory.category == "correction" else "none"
