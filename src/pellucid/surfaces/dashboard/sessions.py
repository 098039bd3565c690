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
class Notice:
    """The outcome of an action, and the operations that would undo it."""

    text: str
    namespace: str = ""
    undo: tuple[str, ...] = ()
    """Operations that can be undone, the last one first."""


@dataclass(slots=True)
class Session:
    """A browser that was let in."""

    caller: Caller
    until: float
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """What every form of its pages sends back: a page of another site cannot know it."""
    said: list[Notice] = field(default_factory=list[Notice])
    """What came of the last action, told by the next page."""

    def owns_form(self, csrf: str) -> bool:
        """Whether a form's secret is that of this session's pages."""
        return compare_digest(self.csrf.encode(), csrf.encode())

    def take_notices(self) -> list[Notice]:
        """The notices that were not shown yet; they are removed from the session."""
        said, self.said = self.said, []
        return said


class Sessions:
    """The links and sessions of one process, kept by the hashes of their secrets."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._links = dict[str, Session]()
        self._open = dict[str, Session]()

    def link(self, caller: Caller) -> str:
        """A code that lets one browser in as this caller, once, within five minutes."""
        with self._lock:
            return self._store(self._links, Session(caller, self._now() + _LINK_S))

    def enter(self, code: str) -> str | None:
        """The cookie of a new session for a link's code; None for an unknown, used or expired code."""
        with self._lock:
            found = self._links.pop(_hash(code), None)
            return self._new_session(found.caller) if found and found.until > self._now() else None

    def begin(self, caller: Caller) -> str:
        """The cookie of a new session, of twelve hours, for a caller who showed a token."""
        with self._lock:
            return self._new_session(caller)

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie; None if it has ended or never was."""
        with self._lock:
            found = self._open.get(_hash(cookie))
            return found if found and found.until > self._now() else None

    def end(self, cookie: str) -> None:
        """End the session of a cookie, if there is one."""
        with self._lock:
            self._open.pop(_hash(cookie), None)

    def _new_session(self, caller: Caller) -> str:
        """Keep a new session, of twelve hours, and return its cookie."""
        return self._store(self._open, Session(caller, self._now() + _SESSION_S))

    def _store(self, kept: dict[str, Session], session: Session) -> str:
        """Keep a session and return the new secret by which it is found; the oldest of 1,000 make way."""
        while len(kept) >= _MOST:
            del kept[next(iter(kept))]
        secret = secrets.token_urlsafe(32)
        kept[_hash(secret)] = session
        return secret


def _hash(secret: str) -> str:
    """The SHA-256 digest of a secret, in hex."""
    return sha256(secret.encode()).hexdigest()
