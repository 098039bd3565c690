"""A key that a client made up in, the answer of the same request before out: so that it may ask again without harm.

Answers hold words of memories: they are kept in memory alone, for a day, and go when anything is forgotten.
"""

from dataclasses import dataclass
from time import monotonic

from pellucid.errors import ConflictError
from pellucid.surfaces.http.refusals import WholeAnswer

_DAY_S = 86_400.0
_KEYS = 10_000
_LONGEST = 255


@dataclass(slots=True)
class _Kept:
    print: str
    at: float
    reply: WholeAnswer | None = None


class Repeats:
    """The requests of a day that named a key, by who asked."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}

    def before(self, who: str, key: str, print_: str) -> WholeAnswer | None:
        """The answer to the same request before; None to the first, which is under way from now on.

        Raises:
            ConflictError: the key was another request's, or its request is still under way.
        """
        now = monotonic()
        while self._kept:
            oldest = next(iter(self._kept))
            if len(self._kept) < _KEYS and now - self._kept[oldest].at < _DAY_S:
                break
            del self._kept[oldest]
        found = self._kept.get((who, key))
        if found is None:
            self._kept[who, key] = _Kept(print_, now)
            return None
        if found.print != print_:
            raise ConflictError("this Idempotency-Key was of another request", next_step="make up a new one")
        if found.reply is None:
            raise ConflictError("the request of this Idempotency-Key is under way", next_step="ask again in a second")
        return found.reply

    def keep(self, who: str, key: str, reply: WholeAnswer | None) -> None:
        """Keep an answer that did what was asked; of one that failed nothing is kept, so that it may be repeated."""
        if reply is None or reply.status >= 300:
            self._kept.pop((who, key), None)
        elif found := self._kept.get((who, key)):
            found.reply = reply

    def forget(self) -> None:
        """Let go of every answer."""
        for each in [at for at, kept in self._kept.items() if kept.reply]:
            del self._kept[each]


def is_key(text: str) -> bool:
    """Whether a client may call a request so."""
    return 0 < len(text) <= _LONGEST and text.isprintable()
