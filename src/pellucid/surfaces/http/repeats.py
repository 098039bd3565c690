"""An Idempotency-Key in, the answer that the same request got before out: so that a client may safely ask again.

Answers quote memories, so they are kept in memory only, for a day, and are dropped when anything is forgotten.
"""

from dataclasses import dataclass
from time import monotonic

from pellucid.errors import ConflictError
from pellucid.surfaces.http.refusals import WholeAnswer

_DAY_S = 86_400.0
_KEYS = 10_000


@dataclass(slots=True)
class _Kept:
    """A request that came with a key: its digest, when it came, and its answer, None while it runs."""

    digest: str
    at: float
    reply: WholeAnswer | None = None


class Repeats:
    """The requests of the last day that came with an Idempotency-Key, by caller and key."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}

    def earlier_answer(self, caller: str, key: str, digest: str) -> WholeAnswer | None:
        """The answer that the same request got under this key within a day; None the first time, which is noted.

        `digest` identifies the request. `ConflictError` if the key was used for another request, or its request is
        still running.
        """
        now = monotonic()
        while self._kept:
            oldest = next(iter(self._kept))
            if len(self._kept) < _KEYS and now - self._kept[oldest].at < _DAY_S:
                break
            del self._kept[oldest]
        found = self._kept.get((caller, key))
        if found is None:
            self._kept[caller, key] = _Kept(digest, now)
            return None
        if found.digest != digest:
            raise ConflictError("this Idempotency-Key was of another request", next_step="make up a new one")
        if found.reply is None:
            raise ConflictError("the request of this Idempotency-Key is under way", next_step="ask again in a second")
        return found.reply

    def keep(self, caller: str, key: str, reply: WholeAnswer | None) -> None:
        """Keep the answer of a request that succeeded; None or a status from 300 on drops it, so that it may be
        repeated.
        """
        if reply is None or reply.status >= 300:
            self._kept.pop((caller, key), None)
        elif found := self._kept.get((caller, key)):
            found.reply = reply

    def forget(self) -> None:
        """Drop every answer; requests that still run stay noted."""
        for each in [at for at, kept in self._kept.items() if kept.reply]:
            del self._kept[each]
