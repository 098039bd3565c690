"""A memory and its use in, its lifecycle fold out: heat, decay and tier as sums of named shares.

A fold is a pure function of the memory, its use, the fold before, the time and the settings. A recall reads only the
last fold on the ledger, so a recall never changes the next one. docs/lifecycle.md gives a reason for each number; none
is fitted to data.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from pellucid.memory.ledger_rows import Sessions
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import Category, Memory, Status
from pellucid.settings.sections import LifecycleSettings
from pellucid.store.history.uses_port import Times

HEAT = {"confidence": 0.25, "access": 0.30, "recency": 0.20, "importance": 0.15, "feedback": 0.10, "causal": 0.05}
HEAT_DISPUTED = -0.20
DECAY = {"age": 0.30, "disuse": 0.25, "doubt": 0.20, "coldness": 0.15, "feedback": 0.10}
TIER = {"confidence": 0.24, "access": 0.26, "recency": 0.20, "importance": 0.20, "feedback": 0.10}
TIER_CORRECTION, TIER_CONFIRMED, TIER_DISPUTED = 0.08, 0.05, -0.50
RECENCY_DAYS, DISUSE_DAYS, AGE_DAYS = 90.0, 120.0, 180.0
FULL_ACCESS = 20
"""The number of uses beyond which more do not count: 20 are two a week over ten weeks."""
STALE_AT, ARCHIVE_AT = 0.65, 0.85
"""The decay from which a memory is called stale, and that from which archiving is proposed."""
SPECULATIVE_DAYS = 30.0
"""Days after which archiving is proposed for an unused, unserved memory with a confidence below .40."""
NOTICEABLE = 0.05
"""The least change of a value for which a new fold is written, if tier and counts are equal."""
PROTECTED: frozenset[Category] = frozenset(
    {"decision", "principle", "commitment", "preference", "procedure", "rule", "correction"}
)
AGING: frozenset[Status] = frozenset({"active", "disputed"})
_HORIZON_DAYS = 3650
_DAY = timedelta(days=1)

Tier = Literal["hot", "cold"]
Archival = Literal["decayed", "speculative"]
Why = Literal["protected", "young", "at_or_below_demote", "at_or_above_promote", "between", "above_demote"]


@dataclass(frozen=True, slots=True)
class Signs:
    """The use of a memory. `feedback` sums up citations, from -1 to 1; nothing feeds it yet.

    `served` counts recalls that returned the memory. Serving makes nothing hotter, or a memory served often would be
    served more often for it; it only keeps a speculation from being proposed for the archive.
    """

    used: int = 0
    sessions: int = 0
    """The sessions, or days outside of any, in which the memory was used."""
    last_used: datetime | None = None
    recurred: int = 0
    last_recurred: datetime | None = None
    feedback: float = 0.0
    served: int = 0
    last_served: datetime | None = None


@dataclass(frozen=True, slots=True)
class Worth:
    """A value in [0, 1] and the named shares that sum to it, to four decimals; shares of 0 are left out."""

    value: float
    shares: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Aged:
    """One fold of a memory, with the shares of its values and the reason for its tier."""

    row: FoldRow
    heat: Worth
    decay: Worth
    tier_value: Worth
    why: Why


@dataclass(frozen=True, slots=True)
class Condition:
    """The state of a memory and its use at an instant; each number is in [0, 1], `feedback` in [-1, 1]."""

    memory: Memory
    access: float
    recency: float
    age: float
    disuse: float
    feedback: float


def age_memory(
    memory: Memory, signs: Signs, previous: FoldRow | None, now: datetime, settings: LifecycleSettings
) -> Aged:
    """Compute heat, decay and tier of a memory at `now`, as a row for the ledger (its fold row, `FoldRow`) with
    reasons; nothing is written.

    `signs` sum up the memory's use. `previous` is its last fold row; without one, the memory counts as hot before.
    """
    state = condition(memory, signs, now)
    heat_worth, tier_worth = heat(state), tier_value(state)
    decay_worth = decay(state, heat_worth.value)
    tier, why = next_tier(memory, tier_worth.value, previous.tier if previous else "hot", now, settings)
    # a fold without a count of uses counted sessions in which the memory was only served
    earlier_count = previous.reinforcement_count if previous and previous.use_count is not None else 0
    row = FoldRow(
        memory_id=memory.id,
        namespace=memory.namespace,
        at=now,
        heat=heat_worth.value,
        decay=decay_worth.value,
        tier=tier,
        tier_value=tier_worth.value,
        access_count=signs.served,
        last_accessed=signs.last_served,
        use_count=signs.used,
        last_used=signs.last_used,
        reinforcement_count=max(signs.sessions + signs.recurred, earlier_count),
    )
    return Aged(row, heat_worth, decay_worth, tier_worth, why)


def signs_of(
    memory: Memory,
    use: Times | None,
    exposure: Times | None,
    repeats: Sessions | None,
    previous: FoldRow | None,
) -> Signs:
    """Sum up a memory's use from the history, the ledger and its last fold row (`FoldRow`); None: nothing on record.

    Args:
        use: how often it was used, by the history.
        exposure: how often it was served, by the history.
        repeats: the sessions in which it was said again; its own does not count.
        previous: its last fold row; its counts of use and serving stand in for those of a lost history.
    """
    used, last_used = _count_and_last(use, previous and previous.use_count, previous and previous.last_used)
    served, last_served = _count_and_last(
        exposure, previous and previous.access_count, previous and previous.last_accessed
    )
    repeat_times = [at for session, at in (repeats or {}).items() if session != memory.session_id]
    return Signs(
        used=used,
        sessions=use.sessions if use else 0,
        last_used=last_used,
        recurred=len(repeat_times),
        last_recurred=max(repeat_times, default=None),
        served=served,
        last_served=last_served,
    )


def _count_and_last(now: Times | None, count: int | None, last: datetime | None) -> tuple[int, datetime | None]:
    """Return how often something happened, and when last (None: never), by the history's counts `now` (None: it has
    none) and by the earlier `count` and `last`: the greater count, and the later instant.
    """
    latest = datetime.fromtimestamp(now.last / 1000, UTC) if now else None
    return max(now.times if now else 0, count or 0), max((at for at in (latest, last) if at), default=None)


def condition(memory: Memory, signs: Signs, now: datetime) -> Condition:
    """Compute the numbers that heat, decay and tier are made of, each cut to [0, 1], feedback to [-1, 1].

    access = ln(1 + n) / ln(21) · (1 - days unused / 120), n = uses + sessions that said it again, 20 at most; recency =
    1 - days unused / 90; disuse = days unused / 120; age = days kept / 180. Days unused count from the last use or
    repetition, or from when the memory was kept, if that is later.
    """
    unused = _days(kept_since(memory), now)
    for at in (signs.last_used, signs.last_recurred):
        unused = min(unused, _days(at, now)) if at else unused
    disuse = min(unused / DISUSE_DAYS, 1.0)
    uses = min(signs.used + signs.recurred, FULL_ACCESS)
    return Condition(
        memory,
        access=math.log1p(uses) / math.log1p(FULL_ACCESS) * (1 - disuse),
        recency=max(1 - unused / RECENCY_DAYS, 0.0),
        age=min(_days(kept_since(memory), now) / AGE_DAYS, 1.0),
        disuse=disuse,
        feedback=min(max(signs.feedback, -1.0), 1.0),
    )


def heat(state: Condition) -> Worth:
    """Return the heat of a memory, 0 to 1, with its shares: how much it is in use, which later recalls can prefer.

    It is the sum, with the weights of `HEAT`, of confidence, access, recency, importance and feedback, and of `causal`
    if it supersedes or derives from others, less .2 if it is disputed, cut to that range.
    """
    memory = state.memory
    shares = {
        "confidence": HEAT["confidence"] * memory.confidence,
        "access": HEAT["access"] * state.access,
        "recency": HEAT["recency"] * state.recency,
        "importance": HEAT["importance"] * memory.importance_score,
        "feedback": HEAT["feedback"] * state.feedback,
        "causal": HEAT["causal"] * bool(memory.supersedes or memory.derived_from),
        "disputed": HEAT_DISPUTED * (memory.status == "disputed"),
    }
    return _summed_worth(shares)


def decay(state: Condition, heat_value: float) -> Worth:
    """Return the decay of a memory, 0 to 1, with its shares: the sum, with the weights of `DECAY`, of age, disuse,
    doubt (1 - confidence), coldness (1 - `heat_value`) and negative feedback.
    """
    shares = {
        "age": DECAY["age"] * state.age,
        "disuse": DECAY["disuse"] * state.disuse,
        "doubt": DECAY["doubt"] * (1 - state.memory.confidence),
        "coldness": DECAY["coldness"] * (1 - heat_value),
        "feedback": DECAY["feedback"] * max(-state.feedback, 0.0),
    }
    return _summed_worth(shares)


def tier_value(state: Condition) -> Worth:
    """Return the value, 0 to 1, by which a memory's tier is decided (see `next_tier`), with its shares.

    It is the sum, with the weights of `TIER`, of confidence, access, recency, importance and feedback, plus .08 for a
    correction, .05 if it was written or verified by hand, less .5 if it is disputed.
    """
    memory = state.memory
    confirmed = memory.source == "manual" or memory.last_verified_at is not None
    shares = {
        "confidence": TIER["confidence"] * memory.confidence,
        "access": TIER["access"] * state.access,
        "recency": TIER["recency"] * state.recency,
        "importance": TIER["importance"] * memory.importance_score,
        "feedback": TIER["feedback"] * state.feedback,
        "correction": TIER_CORRECTION * (memory.category == "correction"),
        "confirmed": TIER_CONFIRMED * confirmed,
        "disputed": TIER_DISPUTED * (memory.status == "disputed"),
    }
    return _summed_worth(shares)


def next_tier(
    memory: Memory, worth: float, previous_tier: Tier, now: datetime, settings: LifecycleSettings
) -> tuple[Tier, Why]:
    """Return the tier of a memory with this tier value (`worth`, 0 to 1), and the reason.

    A protected memory is hot, and so is one whose value is `promote_at` or more. Below that the tier stays while the
    value is above `demote_at`; at or below it a memory is cold, unless it was hot and last written fewer than
    `demote_after_days` ago. If the settings make the thresholds equal or crossed, promotion wins, so that no memory
    goes to and fro.
    """
    if protection(memory):
        return "hot", "protected"
    if worth >= settings.promote_at:
        return "hot", "at_or_above_promote"
    if previous_tier == "cold":
        return "cold", "between" if worth > settings.demote_at else "at_or_below_demote"
    if worth > settings.demote_at:
        return "hot", "above_demote"
    if _days(kept_since(memory), now) < settings.demote_after_days:
        return "hot", "young"
    return "cold", "at_or_below_demote"


def protection(memory: Memory) -> str | None:
    """Return what keeps a memory hot whatever its value: `pinned`, `axiom`, or its category if that is in `PROTECTED`
    (decisions, rules, preferences, procedures and the like); None if nothing does.
    """
    if memory.pinned:
        return "pinned"
    if memory.asserted_by == "axiom":
        return "axiom"
    return memory.category if memory.category in PROTECTED else None


def ages(memory: Memory, now: datetime) -> bool:
    """Whether a memory still ages at `now`: it is active or disputed, and neither invalid nor expired by then."""
    ends = (memory.invalid_at, memory.expires_at)
    return memory.status in AGING and all(end is None or end > now for end in ends)


def moved(fold: FoldRow, previous: FoldRow | None) -> bool:
    """Whether a new fold row (heat, decay and tier of a memory) differs so much from the previous one that it is to be
    written.

    It does without a previous one, with another tier or count, or if heat, decay or tier value changed by .05 or more.
    """
    if previous is None:
        return True
    values = ((fold.heat, previous.heat), (fold.decay, previous.decay), (fold.tier_value, previous.tier_value))
    return (
        fold.tier != previous.tier
        or _counts(fold) != _counts(previous)
        or any(round(abs(new - old), 4) >= NOTICEABLE for new, old in values)
    )


def _counts(row: FoldRow) -> tuple[int, int | None, int]:
    """Return a fold row's counts: times served, times used (None in old rows), sessions of use or repetition."""
    return row.access_count, row.use_count, row.reinforcement_count


def stale(memory: Memory, decay_value: float) -> bool:
    """Whether a memory should be reviewed: its decay (0 to 1) is `STALE_AT` (.65) or more, and it is not protected."""
    return decay_value >= STALE_AT and not protection(memory)


def proposal(memory: Memory, aged: Aged, signs: Signs, now: datetime) -> Archival | None:
    """Return why archiving a memory is proposed; None if it is not. Only a person or a command archives.

    `decayed`: the decay in its new fold (`aged`) is .85 or more. `speculative`: confidence below .40, kept for 30 days,
    never used, served or said again (`signs`). None for a protected memory.
    """
    if protection(memory):
        return None
    if aged.decay.value >= ARCHIVE_AT:
        return "decayed"
    is_unused = signs.used + signs.served + signs.recurred == 0
    is_old = _days(kept_since(memory), now) >= SPECULATIVE_DAYS
    return "speculative" if memory.confidence_tier == "speculative" and is_unused and is_old else None


def days_until_cold(memory: Memory, signs: Signs, now: datetime, settings: LifecycleSettings) -> int | None:
    """Return the whole days until a memory, taken as hot now, goes cold if nobody uses it; 0 if it would at once.

    None if that takes over ten years, or never happens.
    """
    hot_fold = FoldRow(memory_id=memory.id, namespace=memory.namespace, at=now, heat=0, decay=0, tier_value=0)

    def cold(days: int) -> bool:
        """Whether the memory is cold in so many days."""
        return age_memory(memory, signs, hot_fold, now + days * _DAY, settings).row.tier == "cold"

    return bisect_left(range(_HORIZON_DAYS), True, key=cold) if cold(_HORIZON_DAYS) else None


def uses_until_hot(memory: Memory, signs: Signs, now: datetime, settings: LifecycleSettings) -> int | None:
    """Return how many uses now, 1 to 20, would give a cold memory the tier value at which it is hot again
    (`promote_at`); None if 20 would not.
    """

    def worth(extra_uses: int) -> float:
        """Return the tier value after so many more uses."""
        return tier_value(condition(memory, replace(signs, used=signs.used + extra_uses, last_used=now), now)).value

    return next((more for more in range(1, FULL_ACCESS + 1) if worth(more) >= settings.promote_at), None)


def kept_since(memory: Memory) -> datetime:
    """Return when a memory was last written: the later of `created` and `updated`.

    One extracted from an old transcript thus ages from its import on, one adopted from another tool from the date that
    the tool gave.
    """
    return max(memory.created, memory.updated)


def _days(since: datetime, now: datetime) -> float:
    """Return the days from one instant to another; 0 if `since` is later."""
    return max((now - since) / _DAY, 0.0)


def _summed_worth(shares: dict[str, float]) -> Worth:
    """Return the sum of the shares, to four decimals and cut to [0, 1], with all shares but those that are 0; a share
    `limit`, last, is what the cut added (or took away, then below 0).
    """
    rounded = {name: round(share, 4) for name, share in shares.items()}
    total = math.fsum(rounded.values())
    value = round(min(max(total, 0.0), 1.0), 4)
    rounded["limit"] = round(value - total, 4)
    return Worth(value, tuple((name, share) for name, share in rounded.items() if share))
