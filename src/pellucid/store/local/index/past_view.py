"""An admission in, which rows of a view may answer out: as they stand, or as they stood.

For a question about the past every row stands as it did at the instant: what was superseded, retracted, archived,
disputed, restored or undone since then changes nothing, and neither does a change of its trust. Its validity is what is
known of it (by `known`, if that is asked), so that a statement which turned out to hold from an earlier day holds from
that day. A memory without `validAt` holds from its creation on. What was written down after `known` does not exist.

How a memory stood comes from the ledger, whose rows are undone from the newest back: all that are later than `known`,
and, for its status and trust, those later than the instant asked about. Of a memory that was written down after that
instant (an imported history) this leaves the first status it had. `superseded` with an `invalidAt` held until then.
A state that no row of the ledger tells of, set by hand in the file, counts as if it had always been.
What was consolidated out of others says what they said before it: it holds, at the earliest, from when it was written.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby, pairwise
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.clock import epoch_ms
from pellucid.model.entity import FOREVER
from pellucid.model.ledger import LifecycleRow
from pellucid.store.index_port import Admission, Mask, MemoryStanding
from pellucid.store.local.database import execute
from pellucid.store.local.index.columns import View

BEGINNING = -FOREVER
"""The `valid_from` of what does not say since when it holds."""
_TEXTS, _INSTANTS = ("status", "trustZone"), ("validAt", "invalidAt", "expiresAt")
Fields = dict[str, Any]
Changed = list[tuple[int, Fields]]
"""What rows of the ledger changed of one memory, and when, newest first: the values before."""


def state_before(row: LifecycleRow) -> str:
    """What a row of the ledger changed of how a memory stands, as it was before (JSON); empty where it changed none."""
    held = {name: row.before[name] for name in (*_TEXTS, *_INSTANTS) if name in row.before}
    read = {name: _row_value(name, value) for name, value in held.items()}
    known = {name: value for name, value in read.items() if value is not ...}
    return json.dumps(known) if known else ""


def _row_value(name: str, value: object) -> object:
    """A value of a row; instants in epoch milliseconds; `...` for what cannot be read."""
    if value is None:
        return ... if name in _TEXTS else None
    if not isinstance(value, str):
        return ...
    if name in _TEXTS:
        return value
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return ...
    return epoch_ms(at if at.tzinfo else at.replace(tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class PastView:
    """How every row of a view stood."""

    exists: Mask
    active: Mask
    trusted: Mask
    valid_from: NDArray[np.int64]
    valid_until: NDArray[np.int64]

    def valid(self, at: int) -> Mask:
        """Which rows held at an instant."""
        return (self.valid_from <= at) & (at < self.valid_until)


def is_past(admission: Admission) -> bool:
    """Whether rows are asked for as they stood."""
    return admission.past or admission.known is not None


@dataclass(slots=True)
class RowsInView:
    """Who may answer, of the rows of one view of one snapshot."""

    connection: apsw.Connection
    queries: dict[str, str]
    view: View
    ns: int
    _pasts: dict[tuple[int, int | None], PastView] = field(default_factory=dict[tuple[int, int | None], PastView])
    _last: tuple[Admission, Mask] | None = None

    def admissible(self, admission: Admission) -> Mask:
        """Active, valid at the instant, not quarantined, within the caller's scopes, and what the caller asks for."""
        if self._last is None or self._last[0] is not admission:  # every leg of a recall asks the same
            mask = self._admissible(admission)
            mask.flags.writeable = False
            self._last = admission, mask
        return self._last[1]

    def _admissible(self, admission: Admission) -> Mask:
        if not is_past(admission):
            return self.view.admissible(admission)
        past = self.past(admission)
        return past.active & past.trusted & past.valid(admission.at) & self.view.fits_request(admission)

    def fits_filters(self, admission: Admission) -> Mask:
        """The rows that fit the caller's filters."""
        return self.view.fits_filters(admission)

    def pretending(self, rows: Mapping[int, MemoryStanding]) -> "RowsInView":
        """The same, as if some rows stood otherwise."""
        places = self.view.positions(np.array(list(rows), dtype=np.int64)).tolist()
        return Pretended(
            self.connection, self.queries, self.view, self.ns, dict(zip(places, rows.values(), strict=True))
        )

    def speaking(self, admission: Admission) -> Mask:
        """The rows that may answer whatever is asked: the filters and the period of the query aside."""
        bounds = admission.since, admission.until, *admission.period
        if admission.only is None and admission.never is None and bounds == (None,) * 4:
            return self.admissible(admission)
        return self._admissible(replace(admission, only=None, never=None, since=None, until=None, period=(None, None)))

    def others(self, admission: Admission, admitted: Mask) -> Mask:
        """The rows that may not answer; what was not yet written down is none of them."""
        return self.past(admission).exists & ~admitted if is_past(admission) else ~admitted

    def past(self, admission: Admission) -> PastView:
        """How the rows stood at an instant, by what was then, or is, known."""
        key = admission.at, admission.known
        if key not in self._pasts:
            self._pasts[key] = self._past_view(*key)
        return self._pasts[key]

    def _past_view(self, at: int, known: int | None) -> PastView:
        """How the rows stood at an instant, by what was written down by `known` (None: by what is known now)."""
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

    def _changed_rows(self, after: int) -> Iterator[tuple[int, Fields, Changed]]:
        """Rows with how they stand now, and what the ledger changed of them later than an instant, newest first."""
        found = execute(self.connection, self.queries["standings"], (self.ns, after))
        for row, changes in groupby(found, key=lambda each: each[0]):
            each = list(changes)
            _, _, _, status, trusted, created, since, invalid, expires = each[0]
            now = standing_now(status, trusted, created, since, invalid, expires)
            yield row, now, [(at, json.loads(before)) for _, at, before, *_ in each]


class Pretended(RowsInView):
    """Those in which some rows, by position, stand as is said of them; the period of a query does not bar these."""

    def __init__(
        self,
        connection: apsw.Connection,
        queries: dict[str, str],
        view: View,
        ns: int,
        said: Mapping[int, MemoryStanding],
    ) -> None:
        light = dict(view.light)
        for name in ("active", "trusted", "valid_from", "valid_until", "pinned"):
            light[name] = light[name].copy()
        for place, each in said.items():
            light["active"][place], light["trusted"][place] = each.active, each.trusted
            light["valid_from"][place], light["valid_until"][place] = each.since, each.until
            light["pinned"][place] = light["pinned"][place] if each.pinned is None else each.pinned
        super().__init__(connection, queries, replace(view, light=light), ns)
        self._said = said

    def _admissible(self, admission: Admission) -> Mask:
        mask, wanted = super()._admissible(admission), self.fits_filters(admission)
        for place, each in self._said.items():
            holds = each.since <= admission.at < each.until
            mask[place] = each.active and each.trusted and holds and wanted[place]
        return mask

    def fits_filters(self, admission: Admission) -> Mask:
        """As there, but a row that stands otherwise here fits as that says (`None`: as it does)."""
        mask = super().fits_filters(admission)
        for place, each in self._said.items():
            mask[place] = mask[place] if each.wanted is None else each.wanted
        return mask

    def _past_view(self, at: int, known: int | None) -> PastView:
        """As there, but the rows that stand otherwise here stand so at every instant."""
        past = super()._past_view(at, known)
        for place, each in self._said.items():
            past.active[place], past.trusted[place] = each.active, each.trusted
            past.valid_from[place], past.valid_until[place] = each.since, each.until
        return past


def standing_now(
    status: str, trusted: int, created: int, since: int, invalid: int | None, expires: int | None
) -> Fields:
    """How a memory stands, as its row has it, by the names that the ledger uses."""
    return {
        "status": status,
        "trustZone": "working" if trusted else "quarantine",
        "created": created,
        "validAt": None if since == BEGINNING else since,
        "invalidAt": invalid,
        "expiresAt": expires,
    }


def in_force(now: Fields, rows: Changed, span: tuple[int, int], known: int | None = None) -> list[tuple[int, int]]:
    """When what a memory says over a span is in force, by what is, or was, known: intervals, oldest first.

    `now` is how it stands (`standing_now`), `rows` what the ledger changed of it, newest first; see the module. The
    span is its validity as its file says; where another was known, that counts.
    """
    limit = FOREVER if known is None else known
    told = _undo_between(now, rows, limit)
    if not rows and _closed(now) and _validity(now)[1] > limit:
        told, span = told | {"status": "active"}, (span[0], FOREVER)
    (since, until), held = _validity(told), _validity(now)
    since, until = span[0] if since == held[0] else since, span[1] if until == held[1] else until
    turns = sorted({when for when, _ in rows if when <= limit})
    out: list[tuple[int, int]] = []
    for start, end in pairwise([BEGINNING, *turns, FOREVER]):
        begin, stop = max(start, since), min(end, until, _stands_until(_undo_between(told, rows, start, limit)))
        if begin < stop:
            joins = bool(out) and out[-1][1] == begin
            out[-1 if joins else len(out) :] = [(out[-1][0] if joins else begin, stop)]
    return out


def _undo_between(stood: Fields, rows: Changed, after: int, until: int = FOREVER) -> Fields:
    """A standing with the rows later than an instant, and not later than another, undone."""
    out = dict(stood)
    for when, before in rows:
        if after < when <= until:
            out |= before
    return out


def _closed(stood: Fields) -> bool:
    return stood["status"] == "superseded" and stood["invalidAt"] is not None


def _stands_until(stood: Fields) -> int:
    """Until when a memory that stands so is in force; the beginning of time where it is not at all."""
    if stood["trustZone"] == "quarantine":
        return BEGINNING
    if _closed(stood):
        return int(stood["invalidAt"])
    return FOREVER if stood["status"] == "active" else BEGINNING


def _validity(stood: Fields) -> tuple[int, int]:
    ends = [end for end in (stood["invalidAt"], stood["expiresAt"]) if end is not None]
    return stood["created"] if stood["validAt"] is None else stood["validAt"], min(ends, default=FOREVER)


def _standing_at(now: Fields, rows: Changed, at: int, limit: int) -> tuple[bool, bool, int, int]:
    """Active, trusted, valid from and until, of a memory whose ledger rows (newest first) are undone."""
    known = _undo_between(now, rows, limit)
    then = _undo_between(known, rows, min(at, limit), limit)
    closed = _closed(then) and at < then["invalidAt"]
    return then["status"] == "active" or closed, then["trustZone"] != "quarantine", *_validity(known)


def _recorded_times(ids: NDArray[np.bytes_], created: NDArray[np.int64]) -> NDArray[np.int64]:
    """When each row was written down: see `model.memory.recorded_at`."""
    raw = np.ascontiguousarray(ids).view(np.uint8).reshape(-1, 16).astype(np.int64)
    millis = raw[:, :6] @ (np.int64(1) << np.arange(40, -1, -8, dtype=np.int64))
    return np.where(raw[:, 6] >> 4 == 7, millis, created)
