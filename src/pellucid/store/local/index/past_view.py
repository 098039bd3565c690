"""An admission in, the admissible rows of a view out: by their present or their past state.

For a question about the past, every row counts with its state at the instant: whether it was superseded, retracted,
archived, disputed, restored, undone or trusted otherwise since then changes nothing. Its validity is the one known (by
`known`, if given), so that a statement which turned out to hold from an earlier day holds from that day. A memory
without `validAt` holds from its creation on. Memories written down after `known` do not exist.

Past states come from the ledger, whose rows are undone from the newest back: all that are later than `known`, and, for
status and trust, those later than the instant asked about. For a memory that was written down after that instant (an
imported history) this leaves its first status. `superseded` with an `invalidAt` was in force until then. A state that
is in no row of the ledger, set by hand in the file, counts as if it had always been. A memory consolidated from others
repeats what they said before: it holds, at the earliest, from when it was written.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.clock import epoch_ms, in_utc
from pellucid.model.entity import FOREVER
from pellucid.model.ledger import LifecycleRow
from pellucid.store.index_port import Admission, Mask, MemoryStanding
from pellucid.store.local.database import Queries
from pellucid.store.local.index.columns import View

BEGINNING = -FOREVER  # the `valid_from` of what does not say since when it holds
_TEXTS, _INSTANTS = ("status", "trustZone"), ("validAt", "invalidAt", "expiresAt")
Fields = dict[str, Any]
Changes = list[tuple[int, Fields]]
"""The changes of one memory in the ledger, newest first: the instant, and the values of the changed fields before."""


def state_before(row: LifecycleRow) -> str:
    """Return status, trust zone and validity (as far as the row has them) before a ledger row's change, as a JSON
    object.

    Instants are epoch ms; malformed values are left out. Empty if none is left.
    """
    values = {name: _parsed_value(name, row.before[name]) for name in (*_TEXTS, *_INSTANTS) if name in row.before}
    known = {name: value for name, value in values.items() if value is not ...}
    return json.dumps(known) if known else ""


def _parsed_value(name: str, value: object) -> object:
    """Return the value of the field `name` of a ledger row: a text as it is, an instant in epoch ms (UTC if no zone is
    given).

    `...` if it is malformed. None stays None in an instant, and is malformed in a text.
    """
    if value is None:
        return ... if name in _TEXTS else None
    if not isinstance(value, str):
        return ...
    if name in _TEXTS:
        return value
    try:
        return epoch_ms(in_utc(datetime.fromisoformat(value)))
    except (ValueError, OverflowError):
        return ...


@dataclass(frozen=True, slots=True)
class PastView:
    """The state of every row of a view at an instant."""

    exists: Mask
    active: Mask
    trusted: Mask
    valid_from: NDArray[np.int64]
    valid_until: NDArray[np.int64]

    def valid(self, at: int) -> Mask:
        """Return a mask of the rows that were valid at the instant `at` (epoch ms)."""
        return (self.valid_from <= at) & (at < self.valid_until)


def is_past(admission: Admission) -> bool:
    """Whether an admission asks for an earlier instant (`past`), or for what was known at one (`known`)."""
    return admission.past or admission.known is not None


@dataclass(slots=True)
class RowsInView:
    """Decides which rows of one view of one snapshot are admissible."""

    queries: Queries
    view: View
    ns: int
    _pasts: dict[tuple[int, int | None], PastView] = field(default_factory=dict[tuple[int, int | None], PastView])
    _last: tuple[Admission, Mask] | None = None

    def admissible(self, admission: Admission) -> Mask:
        """Return a mask of the rows that are active, valid, trusted, in the caller's scopes, and fit filters and
        period.

        For an admission of the past (`is_past`), by their past state. The mask is cached and cannot be written to.
        """
        if self._last is None or self._last[0] is not admission:  # every leg of a recall asks the same
            mask = self._compute_admissible(admission)
            mask.flags.writeable = False
            self._last = admission, mask
        return self._last[1]

    def _compute_admissible(self, admission: Admission) -> Mask:
        """Compute the mask that `admissible` returns and caches."""
        if not is_past(admission):
            return self.view.admissible(admission)
        past = self.past(admission)
        return past.active & past.trusted & past.valid(admission.at) & self.view.fits_request(admission)

    def fits_filters(self, admission: Admission) -> Mask:
        """Return which rows fit the caller's filters, whatever their state."""
        return self.view.fits_filters(admission)

    def pretending(self, rows: Mapping[int, MemoryStanding]) -> "RowsInView":
        """Return the same view in which some rows (by row number) have hypothetical states; this one stays as it is."""
        positions = self.view.positions(np.array(list(rows), dtype=np.int64)).tolist()
        return Pretended(self.queries, self.view, self.ns, dict(zip(positions, rows.values(), strict=True)))

    def admissible_unfiltered(self, admission: Admission) -> Mask:
        """Return which rows are admissible, ignoring the caller's filters and the period of the query."""
        bounds = admission.since, admission.until, *admission.period
        if admission.only is None and admission.never is None and bounds == (None,) * 4:
            return self.admissible(admission)
        unfiltered = replace(admission, only=None, never=None, since=None, until=None, period=(None, None))
        return self._compute_admissible(unfiltered)

    def others(self, admission: Admission, admitted: Mask) -> Mask:
        """Return a mask of the rows outside of the mask `admitted`; for an admission of the past (`is_past`), without
        those recorded after `admission.known`.
        """
        return self.past(admission).exists & ~admitted if is_past(admission) else ~admitted

    def past(self, admission: Admission) -> PastView:
        """Return the states of all rows at the admission's instant, as recorded by `known`; cached."""
        key = admission.at, admission.known
        if key not in self._pasts:
            self._pasts[key] = self._past_view(*key)
        return self._pasts[key]

    def _past_view(self, at: int, known: int | None) -> PastView:
        """Compute the states of all rows at an instant, as recorded by `known` (None: as known now); rows recorded
        later neither exist nor are active.
        """
        light, limit = self.view.light, FOREVER if known is None else known
        since = np.where(light["valid_from"] == BEGINNING, light["created"], light["valid_from"])
        shut_later = light["closed"] & (light["valid_until"] > limit)
        recorded = _recorded_times(light["id"], light["created"])
        past = PastView(
            exists=recorded <= limit,
            active=light["active"] | light["closed"],
            trusted=light["trusted"].copy(),
            valid_from=since,
            valid_until=np.where(shut_later, FOREVER, light["valid_until"]),
        )
        for row, now, rows in self._changed_rows(min(at, limit) if known is None else BEGINNING):
            place = int(self.view.positions(np.array([row]))[0])
            past.active[place], past.trusted[place], since, until = _standing_at(now, rows, at, limit)
            past.valid_from[place], past.valid_until[place] = since, until
        past.active[~past.exists] = False
        # a merge takes over the beginning of its oldest part, and could not answer before it was made
        made = light["consolidated"]
        past.valid_from[made] = np.maximum(past.valid_from, recorded)[made]
        return past

    def _changed_rows(self, after: int) -> Iterator[tuple[int, Fields, Changes]]:
        """Yield each row of which the ledger has a change later than `after` (epoch ms), as (row number, its fields
        now, those changes, newest first).
        """
        found = self.queries.run("standings", self.ns, after)
        for row, group in groupby(found, key=lambda each: each[0]):
            changes = list(group)
            yield row, standing_now(*changes[0][3:]), [(at, json.loads(before)) for _, at, before, *_ in changes]


class Pretended(RowsInView):
    """A view in which some rows have hypothetical states; the period of a query does not exclude these rows."""

    def __init__(self, queries: Queries, view: View, ns: int, standings: Mapping[int, MemoryStanding]) -> None:
        """`standings` are the hypothetical states by position in the view."""
        light = dict(view.light)
        for name in ("active", "trusted", "valid_from", "valid_until", "pinned"):
            light[name] = light[name].copy()
        for place, each in standings.items():
            light["active"][place], light["trusted"][place] = each.active, each.trusted
            light["valid_from"][place], light["valid_until"][place] = each.since, each.until
            light["pinned"][place] = light["pinned"][place] if each.pinned is None else each.pinned
        super().__init__(queries, replace(view, light=light), ns)
        self._standings = standings

    def _compute_admissible(self, admission: Admission) -> Mask:
        """Compute which rows are admissible, for rows with a hypothetical state by that state and the filters alone.

        Neither boundary scopes nor the query's period keep such a row out. All others as in `RowsInView`.
        """
        mask, wanted = super()._compute_admissible(admission), self.fits_filters(admission)
        for place, each in self._standings.items():
            valid = each.since <= admission.at < each.until
            mask[place] = each.active and each.trusted and valid and wanted[place]
        return mask

    def fits_filters(self, admission: Admission) -> Mask:
        """Return which rows fit the caller's filters, by the hypothetical state where it says so (`wanted`)."""
        mask = super().fits_filters(admission)
        for place, each in self._standings.items():
            mask[place] = mask[place] if each.wanted is None else each.wanted
        return mask

    def _past_view(self, at: int, known: int | None) -> PastView:
        """Compute past states as in `RowsInView`, with the hypothetical states at every instant."""
        past = super()._past_view(at, known)
        for place, each in self._standings.items():
            past.active[place], past.trusted[place] = each.active, each.trusted
            past.valid_from[place], past.valid_until[place] = each.since, each.until
        return past


def standing_now(
    status: str, trusted: int, created: int, since: int, invalid: int | None, expires: int | None
) -> Fields:
    """Return the columns of a memory's row that make up its state (instants in epoch milliseconds), under the field
    names of the ledger.

    `trustZone` is `working` for all that is not in quarantine; `validAt` is None if the row does not say.
    """
    return {
        "status": status,
        "trustZone": "working" if trusted else "quarantine",
        "created": created,
        "validAt": None if since == BEGINNING else since,
        "invalidAt": invalid,
        "expiresAt": expires,
    }


def in_force(now: Fields, changes: Changes, span: tuple[int, int], known: int | None = None) -> list[tuple[int, int]]:
    """Return the intervals, oldest first, in which a statement of a memory is in force, as recorded by `known`.

    In force is what is valid, active (or superseded only later) and not in quarantine. `now` are the memory's fields
    (`standing_now`), `changes` those on the ledger, `span` is the statement's validity as the file has it; where
    another validity of the memory was recorded by `known` (None: now), that counts. Instants are epoch ms.
    """
    limit = FOREVER if known is None else known
    recorded = _undo_between(now, changes, limit)
    # without rows of the ledger, a memory whose end lies after `limit` was not known to be closed then
    if not changes and _is_closed(now) and _validity(now)[1] > limit:
        recorded, span = recorded | {"status": "active"}, (span[0], FOREVER)
    (since, until), (since_now, until_now) = _validity(recorded), _validity(now)
    since, until = span[0] if since == since_now else since, span[1] if until == until_now else until
    instants = sorted({at for at, _ in changes if at <= limit})
    out: list[tuple[int, int]] = []
    for start, end in pairwise([BEGINNING, *instants, FOREVER]):
        begin, stop = max(start, since), min(end, until, _active_until(_undo_between(recorded, changes, start, limit)))
        if begin < stop:
            joins = bool(out) and out[-1][1] == begin
            out[-1 if joins else len(out) :] = [(out[-1][0] if joins else begin, stop)]
    return out


def _undo_between(fields: Fields, changes: Changes, after: int, until: int = FOREVER) -> Fields:
    """Return a copy of a memory's fields in which the changes after `after`, up to and including `until`, are undone.
    `changes` are pairs, newest first, of an instant (epoch ms) and the values of the fields before it."""
    out = dict(fields)
    for at, before in changes:
        if after < at <= until:
            out |= before
    return out


def _is_closed(fields: Fields) -> bool:
    """Whether a memory was superseded at a known instant, up to which it was valid."""
    return fields["status"] == "superseded" and fields["invalidAt"] is not None


def _active_until(fields: Fields) -> int:
    """Return the instant until which a memory in this state is in force: BEGINNING if not at all, FOREVER if active.

    A superseded memory is until its `invalidAt`, if that is known.
    """
    if fields["trustZone"] == "quarantine":
        return BEGINNING
    if _is_closed(fields):
        return int(fields["invalidAt"])
    return FOREVER if fields["status"] == "active" else BEGINNING


def _validity(fields: Fields) -> tuple[int, int]:
    """Return from when (its creation, if it does not say) until when (FOREVER, if it does not) a memory is valid."""
    ends = [end for end in (fields["invalidAt"], fields["expiresAt"]) if end is not None]
    return fields["created"] if fields["validAt"] is None else fields["validAt"], min(ends, default=FOREVER)


def _standing_at(now: Fields, changes: Changes, at: int, limit: int) -> tuple[bool, bool, int, int]:
    """Return (active, trusted, valid from, valid until) of a memory at the instant `at`, as recorded by `limit`.

    `now` are its fields (`standing_now`), `changes` those on the ledger, newest first; instants are epoch ms. Active is
    also what was superseded later than `at`.
    """
    known = _undo_between(now, changes, limit)
    then = _undo_between(known, changes, min(at, limit), limit)
    closed_later = _is_closed(then) and at < then["invalidAt"]
    return then["status"] == "active" or closed_later, then["trustZone"] != "quarantine", *_validity(known)


def _recorded_times(ids: NDArray[np.bytes_], created: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return when each row was recorded, in epoch ms: the time in its id, or `created` if the id is no UUIDv7."""
    raw = np.ascontiguousarray(ids).view(np.uint8).reshape(-1, 16).astype(np.int64)
    millis = raw[:, :6] @ (np.int64(1) << np.arange(40, -1, -8, dtype=np.int64))
    return np.where(raw[:, 6] >> 4 == 7, millis, created)
