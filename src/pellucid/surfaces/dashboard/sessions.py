"""Who may look in, the cookie of a browser out: links that let one browser in once, and what each session is.

Nothing of it is kept on disk: when the server ends, every session does.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from threading import Lock
from time import monotonic

from pellucid.surfaces.http.gate import Caller

COOKIE = "pellucid"
_LINK_S, _SESSION_S = 300.0, 12 * 3600.0
"""How long a link waits to be opened, and how long a browser may look without asking again."""
_MOST = 1_000
"""Links and sessions that are remembered at most; the oldest make room."""


@dataclass(frozen=True, slots=True)
class Said:
    """What came of an action, and what would take it back."""

    text: str
    namespace: str = ""
    undo: tuple[str, ...] = ()
    """Operations that can be undone, the last one first."""


@dataclass(slots=True)
class Session:
    """One browser that was let in."""

    caller: Caller
    until: float
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """What every form of its pages sends back: a page of another site cannot know it."""
    said: list[Said] = field(default_factory=list[Said])
    """What came of the last action, told by the next page."""

    def made(self, csrf: str) -> bool:
        """Whether a form came from a page of this session."""
        return compare_digest(self.csrf.encode(), csrf.encode())

    def take_said(self) -> list[Said]:
        """What is to be told now, once."""
        said, self.said = self.said, []
        return said


class Sessions:
    """Links and sessions of one process. Secrets are held as their hashes, so that none is compared by its bytes."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._links = dict[str, Session]()
        self._open = dict[str, Session]()

    def link(self, caller: Caller) -> str:
        """The code of a link that lets one browser in as this caller, once, within five minutes."""
        with self._lock:
            return self._put(self._links, Session(caller, self._now() + _LINK_S))

    def enter(self, code: str) -> str | None:
        """The cookie for a code; None where no link has it (any more)."""
        with self._lock:
            found = self._links.pop(_print(code), None)
            return self._begun(found.caller) if found and found.until > self._now() else None

    def begin(self, caller: Caller) -> str:
        """The cookie of a new session of a caller who has shown who it is."""
        with self._lock:
            return self._begun(caller)

    def of(self, cookie: str) -> Session | None:
        """The session of a cookie, as long as it holds."""
        with self._lock:
            found = self._open.get(_print(cookie))
            return found if found and found.until > self._now() else None

    def end(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(_print(cookie), None)

    def _begun(self, caller: Caller) -> str:
        return self._put(self._open, Session(caller, self._now() + _SESSION_S))

    def _put(self, kept: dict[str, Session], session: Session) -> str:
        """Keep a session and return the secret by which it is found."""
        while len(kept) >= _MOST:
            del kept[next(iter(kept))]
        secret = secrets.token_urlsafe(32)
        kept[_print(secret)] = session
        return secret


def _print(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
