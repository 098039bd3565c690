"""A namespace or a memory in, tiers out: hot and cold memories, or why one is so and what would change that."""

from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.memory.lifecycle import (
    STALE_AT,
    Tier,
    Why,
    Worth,
    age_memory,
    ages,
    days_until_cold,
    protection,
    stale,
    uses_until_hot,
)
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import Category, Memory, Status
from pellucid.model.observation import Contribution
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import ShowInput, find_memory
from pellucid.operations.memory.lifecycle.aging import load_use_records
from pellucid.operations.operation import Flag, Limit, Operation, Surfaces, Text, in_home
from pellucid.operations.paging import After, SortKey, page
from pellucid.settings.sections import LifecycleSettings

_REASONS: dict[Why, str] = {
    "protected": "it is protected ({protected}): it stays hot whatever its value",
    "young": "its value {value} is at or below {demote_at}, but nothing goes cold before it is {days:g} days old",
    "at_or_below_demote": "its value {value} is at or below {demote_at}",
    "at_or_above_promote": "its value {value} is at or above {promote_at}",
    "between": "its value {value} is above {demote_at} but below {promote_at}, where a cold memory stays cold",
    "above_demote": "its value {value} is above {demote_at}, where a hot memory stays hot",
}


class TierListInput(Wire):
    """The tier to list; None for both."""

    namespace: str
    tier: Annotated[Tier | None, Flag("Only this tier: hot or cold.")] = None
    limit: Limit = Field(default=50, ge=1, le=10_000)
    after: After = None


class Tiered(Wire):
    """A memory and its values of the last lifecycle pass; before its first pass it is hot and has no values."""

    memory_id: str
    category: Category
    tier: Tier
    tier_value: float | None = None
    heat: float | None = None
    decay: float | None = None
    protected: str | None = None
    folded_at: Instant | None = None
    access_count: int = 0
    """How often recalls served it."""
    use_count: int = 0
    """How often it was used."""
    reinforcement_count: int = 0
    content: str


class TierListOutput(Wire):
    """A page of the memories of a tier, the highest tier value first, and counts of both tiers."""

    memories: tuple[Tiered, ...]
    total: int
    hot: int
    cold: int
    never_folded: int
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


class Weighed(Wire):
    """A value and the named contributions that sum to it."""

    value: float
    contributions: tuple[Contribution, ...]


class TierExplanation(Wire):
    """Why a memory is hot or cold. `tier` is that of the last lifecycle pass, which recalls read; the values are of
    now."""

    memory_id: str
    category: Category
    status: Status
    content: str
    tier: Tier
    folded_at: Instant | None = None
    """The time of its last lifecycle pass; None before the first, when it counts as hot."""
    aging: bool
    """Whether lifecycle passes include it: it is active or disputed, and neither invalid nor expired."""
    tier_now: Tier
    why: Why
    reason: str
    protected: str | None = None
    tier_value: Weighed
    heat: Weighed
    decay: Weighed
    stale: bool
    demote_at: float
    promote_at: float
    demote_after_days: float
    stale_at: float = STALE_AT
    used: int
    """How often somebody opened, verified or reworded it."""
    sessions: int
    """The number of sessions, or days outside of sessions, in which it was used."""
    last_used: Instant | None = None
    served: int
    """How often recalls served it, which does not make it hotter."""
    last_served: Instant | None = None
    recurred: int
    last_recurred: Instant | None = None
    days_until_cold: int | None = None
    uses_until_hot: int | None = None
    would_change: tuple[str, ...] = ()


def _sort_key(pair: tuple[Memory, FoldRow | None]) -> SortKey:
    """Return the key that sorts memories by the highest tier value first, those without a value last."""
    memory, row = pair
    return -(row.tier_value if row else -1.0), memory.id


def list_tiers(app: App, request: TierListInput) -> TierListOutput:
    """List the memories of a namespace that age (active or disputed, neither invalid nor expired), with their tiers of
    the last lifecycle pass (hot before the first), the highest tier value first, a page of `limit`. InputError for a
    cursor of another list."""
    now, folds = app.clock.now(), app.lookup.folds(request.namespace)
    aging = [each.memory for each in app.index.memories(request.namespace) if ages(each.memory, now)]
    rows = [(memory, folds.get(memory.id)) for memory in aging]
    cold = sum(row is not None and row.tier == "cold" for _, row in rows)
    wanted = [(memory, row) for memory, row in rows if request.tier in (None, row.tier if row else "hot")]
    wanted.sort(key=_sort_key)
    shown, next_page = page(app, request, wanted, _sort_key)
    return TierListOutput(
        memories=tuple(_tier_view(memory, row) for memory, row in shown),
        total=len(wanted),
        hot=len(rows) - cold,
        cold=cold,
        never_folded=sum(row is None for _, row in rows),
        next=next_page,
    )


def explain_tier(app: App, request: ShowInput) -> TierExplanation:
    """Explain why a memory is hot or cold (cold ones rank lower in recalls) by today's records, and what would change
    that; nothing is written. NotFoundError if no memory fits the id, InputError if several do."""
    memory = find_memory(app, request.namespace, request.memory_id).memory
    now, settings = app.clock.now(), app.settings.lifecycle
    records = load_use_records(app, request.namespace)
    signs, before = records.signs(memory), records.folds.get(memory.id)
    aged = age_memory(memory, signs, before, now, settings)
    cools = days_until_cold(memory, signs, now, settings) if aged.row.tier == "hot" else None
    warms = uses_until_hot(memory, signs, now, settings) if aged.row.tier == "cold" else None
    return TierExplanation(
        memory_id=memory.id,
        category=memory.category,
        status=memory.status,
        content=memory.content,
        tier=before.tier if before else "hot",
        folded_at=before.at if before else None,
        aging=ages(memory, now),
        tier_now=aged.row.tier,
        why=aged.why,
        reason=_reason_for_tier(memory, aged.why, aged.row.tier_value, settings),
        protected=protection(memory),
        tier_value=_worth_view(aged.tier_value),
        heat=_worth_view(aged.heat),
        decay=_worth_view(aged.decay),
        stale=stale(memory, aged.decay.value),
        demote_at=settings.demote_at,
        promote_at=settings.promote_at,
        demote_after_days=settings.demote_after_days,
        used=signs.used,
        sessions=signs.sessions,
        last_used=signs.last_used,
        served=signs.served,
        last_served=signs.last_served,
        recurred=signs.recurred,
        last_recurred=signs.last_recurred,
        days_until_cold=cools,
        uses_until_hot=warms,
        would_change=_would_change(memory, aged.row.tier, cools, warms) if ages(memory, now) else (),
    )


def _would_change(memory: Memory, tier: Tier, cools: int | None, warms: int | None) -> tuple[str, ...]:
    """Return clauses, without full stops, that say what would move a memory of this tier to the other or keep it, or
    that nothing would. `cools` counts for a hot memory alone: the days until it is cold (None: not in ten years);
    `warms` for a cold one: the uses until it is hot (None: more than 20)."""
    if tier == "cold":
        uses = "no number of uses alone would make it hot"
        if warms is not None:
            more = "one more use" if warms == 1 else f"{warms} more uses"
            uses = f"{more} (opening or verifying it, each counted once a day) would make it hot"
        return uses, "a pin would make it hot and keep it so"
    if protection(memory):
        pinned = ", and no pin" if memory.pinned else ""
        return (f"nothing by itself; in a category that is not protected{pinned} it would age",)
    if cools is None:
        return ("nothing by itself: what it is keeps it hot without any use",)
    days = "one day" if cools == 1 else f"{cools} days"
    return (f"{days} without a use would make it cold", "a pin would keep it hot")


def _reason_for_tier(memory: Memory, why: Why, value: float, settings: LifecycleSettings) -> str:
    """Return a clause that says why a memory is in its tier, by `why`, its tier value (`value`) and the settings'
    thresholds."""
    return _REASONS[why].format(
        protected=protection(memory),
        value=f"{value:.4f}",
        demote_at=settings.demote_at,
        promote_at=settings.promote_at,
        days=settings.demote_after_days,
    )


def _tier_view(memory: Memory, row: FoldRow | None) -> Tiered:
    """Convert a memory into its output form, with its values of the last lifecycle pass; hot and without values if
    `row` is None."""
    plain = Tiered(
        memory_id=memory.id, category=memory.category, tier="hot", protected=protection(memory), content=memory.content
    )
    if row is None:
        return plain
    folded = {
        "tier": row.tier,
        "tier_value": row.tier_value,
        "heat": row.heat,
        "decay": row.decay,
        "folded_at": row.at,
        "access_count": row.access_count,
        "use_count": row.use_count or 0,
        "reinforcement_count": row.reinforcement_count,
    }
    return plain.model_copy(update=folded)


def _worth_view(worth: Worth) -> Weighed:
    """Convert a value and the named shares that sum to it into their output form."""
    return Weighed(value=worth.value, contributions=tuple(Contribution(name=n, value=v) for n, v in worth.shares))


TIERS = Operation(
    "tier.list",
    "List memories with their tiers, the most valued first. The tiers are those of the last fold.",
    TierListInput,
    TierListOutput,
    in_home(list_tiers),
    "read",
    Surfaces("tier list", http=("GET /v1/tiers",)),
    text=Text("memory.lifecycle.tier_list_text"),
)
TIER = Operation(
    "tier.explain",
    "Say why a memory is hot or cold, and what would change it. Each value is shown as a sum of shares.",
    ShowInput,
    TierExplanation,
    in_home(explain_tier),
    "read",
    Surfaces("tier explain", http=("GET /v1/tiers/{memory_id}",)),
    text=Text("memory.lifecycle.tier_text"),
)
