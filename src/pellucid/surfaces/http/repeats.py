"""An Idempotency-Key in, the answer that the same request got before out, so that a client can safely repeat it.

Answers quote memories, so they are in working memory only, for a day, and are dropped when anything is forgotten.
"""

from dataclasses import dataclass
from time import monotonic

from pellucid.errors import ConflictError
from pellucid.surfaces.http.refusals import WholeAnswer

_DAY_S = 86_400.0
_KEYS = 10_000


@dataclass(slots=True)
class _Repeat:
    """A request that came with a key: its digest, when it came, and its answer, None while it runs."""

    digest: str
    at: float
    reply: WholeAnswer | None = None


class Repeats:
    """The requests of the last day that came with an Idempotency-Key, by caller and key."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, str], _Repeat] = {}

    def earlier_answer(self, caller: str, key: str, digest: str) -> WholeAnswer | None:
        """Return the answer that the same request got under this key; if the caller did not use the key before, note
        the request as running and return None.

        `digest` identifies the request: `ConflictError` if the key was used for another request, or its request is
        still running. First, requests of more than a day ago are dropped, and the oldest ones until fewer than 10,000
        are left.
        """
        now = monotonic()
        while self._by_key:
            oldest = next(iter(self._by_key))
            if len(self._by_key) < _KEYS and now - self._by_key[oldest].at < _DAY_S:
                break
            del self._by_key[oldest]
        earlier = self._by_key.get((caller, key))
        if earlier is None:
            self._by_key[caller, key] = _Repeat(digest, now)
            return None
        if earlier.digest != digest:
            raise ConflictError("this Idempotency-Key was of another request", next_step="make up a new one")
        if earlier.reply is None:
            raise ConflictError("the request of this Idempotency-Key is under way", next_step="ask again in a second")
        return earlier.reply

    def keep(self, caller: str, key: str, reply: WholeAnswer | None) -> None:
        """Store the answer of the request that `earlier_answer` noted for this caller and key. If `reply` is None (the
        answer was streamed, or there was an exception) or has a status from 300 on, drop the request instead, so that
        it runs again when it is repeated.
        """
        if reply is None or reply.status >= 300:
            self._by_key.pop((caller, key), None)
        elif earlier := self._by_key.get((caller, key)):
            earlier.reply = reply

    def forget(self) -> None:
        """Drop every answer; requests that still run stay noted."""
        for each in [key for key, request in self._by_key.items() if request.reply]:
            del self._by_key[each]
