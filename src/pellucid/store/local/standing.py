"""An admission in, which rows of a view may answer out: as they stand, or as they stood.

For a question about the past every row stands as it did at the instant: what was superseded, retracted, archived,
disputed, restored or undone since then changes nothing, and neither does a change of its trust. Its validity is what is
known of it (by `known`, if that is asked), so that a statement which turned out to hold from an earlier day holds from
that day. A memory without `validAt` holds from its creation on. What was written down after `known` does not exist.

How a memory stood comes from the ledger, whose rows are undone from the newest back: all that are later than `known`,
and, for its status and trust, those later than the instant asked about. Of a memory that was written down after that
instant (an imported history) this leaves the first status it had. `superseded` with an `invalidAt` held until then.
A state that no row of the ledger tells of, set by hand in the file, counts as if it had always been.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.clock import epoch_ms
from pellucid.model.entity import FOREVER
from pellucid.model.ledger import LifecycleRow
from pellucid.store.index_port import Admission, Mask
from pellucid.store.local.columns import View
from pellucid.store.local.database import execute

BEGINNING = -FOREVER
"""The `valid_from` of what does not say since when it holds."""
_TEXTS, _INSTANTS = ("status", "trustZone"), ("validAt", "invalidAt", "expiresAt")
Fields = dict[str, Any]


def stood(row: LifecycleRow) -> str:
    """What a row of the ledger changed of how a memory stands, as it was before (JSON); empty where it changed none."""
    held = {name: row.before[name] for name in (*_TEXTS, *_INSTANTS) if name in row.before}
    read = {name: _value(name, value) for name, value in held.items()}
    known = {name: value for name, value in read.items() if value is not ...}
    return json.dumps(known) if known else ""


def _value(name: str, value: object) -> object:
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
class Past:
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
class Standings:
    """Who may answer, of the rows of one view of one snapshot."""

    connection: apsw.Connection
    queries: dict[str, str]
    view: View
    ns: int
    _pasts: dict[tuple[int, int | None], Past] = field(default_factory=dict[tuple[int, int | None], Past])

    def admissible(self, admission: Admission) -> Mask:
        """Active, valid at the instant, not quarantined, within the caller's scopes, and what the caller asks for."""
        if not is_past(admission):
            return self.view.admissible(admission)
        past = self.past(admission)
        return past.active & past.trusted & past.valid(admission.at) & self.view.asked(admission)

    def speaking(self, admission: Admission) -> Mask:
        """The rows that may answer whatever is asked: the filters and the period of the query aside."""
        return self.admissible(replace(admission, only=None, since=None, until=None, period=(None, None)))

    def others(self, admission: Admission, admitted: Mask) -> Mask:
        """The rows that may not answer; what was not yet written down is none of them."""
        return self.past(admission).exists & ~admitted if is_past(admission) else ~admitted

    def past(self, admission: Admission) -> Past:
        """How the rows stood at an instant, by what was then, or is, known."""
        key = admission.at, admission.known
        if key not in self._pasts:
            self._pasts[key] = self._past(*key)
        return self._pasts[key]

    def _past(self, at: int, known: int | None) -> Past:
        light, limit = self.view.light, FOREVER if known is None else known
        since = np.where(light["valid_from"] == BEGINNING, light["created"], light["valid_from"])
        shut_later = light["closed"] & (light["valid_until"] > limit)
        past = Past(
            exists=_recorded(light["id"], light["created"]) <= limit,
            active=light["active"] | light["closed"],
            trusted=light["trusted"].copy(),
            valid_from=since,
            valid_until=np.where(shut_later, FOREVER, light["valid_until"]),
        )
        for row, now, rows in self._changed(min(at, limit) if known is None else BEGINNING):
            place = int(self.view.positions(np.array([row]))[0])
            past.active[place], past.trusted[place], since, until = _undone(now, rows, at, limit)
            past.valid_from[place], past.valid_until[place] = since, until
        past.active[~past.exists] = False
        return past

    def _changed(self, after: int) -> Iterator[tuple[int, Fields, list[tuple[int, Fields]]]]:
        """Rows with how they stand now, and what the ledger changed of them later than an instant, newest first."""
        found = execute(self.connection, self.queries["standings"], (self.ns, after))
        for row, changes in groupby(found, key=lambda each: each[0]):
            each = list(changes)
            _, _, _, status, trusted, created, since, invalid, expires = each[0]
            now = {
                "status": status, "trustZone": "working" if trusted else "quarantine", "created": created,
                "validAt": None if since == BEGINNING else since, "invalidAt": invalid, "expiresAt": expires,
            }  # fmt: skip
            yield row, now, [(at, json.loads(before)) for _, at, before, *_ in each]


def _undone(now: Fields, rows: list[tuple[int, Fields]], at: int, limit: int) -> tuple[bool, bool, int, int]:
    """Active, trusted, valid from and until, of a memory whose ledger rows (newest first) are undone."""
    known = dict(now)
    for when, before in rows:
        if when > limit:
            known |= before
    then = dict(known)
    for when, before in rows:
        if min(at, limit) < when <= limit:
            then |= before
    closed = then["status"] == "superseded" and then["invalidAt"] is not None and at < then["invalidAt"]
    ends = [end for end in (known["invalidAt"], known["expiresAt"]) if end is not None]
    since = known["created"] if known["validAt"] is None else known["validAt"]
    return then["status"] == "active" or closed, then["trustZone"] != "quarantine", since, min(ends, default=FOREVER)


def _recorded(ids: NDArray[np.bytes_], created: NDArray[np.int64]) -> NDArray[np.int64]:
    """When each row was written down: see `model.memory.recorded_at`."""
    raw = np.ascontiguousarray(ids).view(np.uint8).reshape(-1, 16).astype(np.int64)
    millis = raw[:, :6] @ (np.int64(1) << np.arange(40, -1, -8, dtype=np.int64))
    return np.where(raw[:, 6] >> 4 == 7, millis, created)
