"""A caller in, the cookie of a browser out: links that let one browser in once, and the sessions of browsers.

Nothing of it is on disk: when the server ends, every session does.
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
"""Seconds that a link is valid, and that a session lasts."""
_MOST = 1_000
"""The most links, and the most sessions, that are stored; beyond that the oldest are dropped."""


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of an action, and the operations that would undo it."""

    text: str
    namespace: str = ""
    undo: tuple[str, ...] = ()
    """Operations that can be undone, the last one first."""


@dataclass(slots=True)
class SignedInSession:
    """A browser that was let in."""

    caller: Caller
    until: float
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """A secret that every form of its pages sends back, and that a page of another site cannot know."""
    said: list[Notice] = field(default_factory=list[Notice])
    """The outcome of the last action, which the next page shows."""

    def owns_form(self, csrf: str) -> bool:
        """Whether a form's secret is that of this session's pages."""
        return compare_digest(self.csrf.encode(), csrf.encode())

    def take_notices(self) -> list[Notice]:
        """Return the notices that were not shown yet, oldest first, and remove them from the session."""
        notices, self.said = self.said, []
        return notices


class SignedInSessions:
    """The links and sessions of one process, by the hashes of their secrets."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._links = dict[str, SignedInSession]()
        self._open = dict[str, SignedInSession]()

    def link(self, caller: Caller) -> str:
        """Make and return a code that lets one browser in as this caller, once, within five minutes (see `enter`). Of
        more than 1,000 links the oldest stop working.
        """
        with self._lock:
            return self._store(self._links, SignedInSession(caller, self._now() + _LINK_S))

    def enter(self, code: str) -> str | None:
        """Start a session of twelve hours for a link's code, as `begin` does, and return its cookie; None for an
        unknown, used or expired code.
        """
        with self._lock:
            link = self._links.pop(_hash(code), None)
            return self._new_session(link.caller) if link and link.until > self._now() else None

    def begin(self, caller: Caller) -> str:
        """Start a session of twelve hours for a caller who showed a token, and return its cookie. Of more than 1,000
        sessions the oldest end.
        """
        with self._lock:
            return self._new_session(caller)

    def find(self, cookie: str) -> SignedInSession | None:
        """Return the session of a cookie; None if it has ended, its twelve hours are over, or it never was."""
        with self._lock:
            session = self._open.get(_hash(cookie))
            return session if session and session.until > self._now() else None

    def end(self, cookie: str) -> None:
        """End the session of a cookie, if there is one."""
        with self._lock:
            self._open.pop(_hash(cookie), None)

    def _new_session(self, caller: Caller) -> str:
        """Store a new session, of twelve hours, and return its cookie."""
        return self._store(self._open, SignedInSession(caller, self._now() + _SESSION_S))

    def _store(self, sessions: dict[str, SignedInSession], session: SignedInSession) -> str:
        """Store a session in `sessions`, which is the map of links or that of open sessions, and return its new secret.
        The oldest are dropped, so that there are 1,000 at most.
        """
        while len(sessions) >= _MOST:
            del sessions[next(iter(sessions))]
        secret = secrets.token_urlsafe(32)
        sessions[_hash(secret)] = session
        return secret


def _hash(secret: str) -> str:
    """Return the SHA-256 digest of a secret, in hex."""
    return sha256(secret.encode()).hexdigest()
