"""Events of an agent's program in, the state of its session out: its transcript, and how far that is read."""

from pellucid.model.turn import Insistent
from pellucid.model.wire import Instant, Wire


class HookedSession(Wire):
    """A session of an agent's program, as its hooks report it. It contains no words of the session."""

    host: str
    session_id: str
    namespace: str = ""
    """The session's namespace, as far as its folder determines it; else empty."""
    folder: str | None = None
    transcript: str | None = None
    offset: int = 0
    """The number of bytes of the transcript that are read."""
    due: bool = False
    """Whether the transcript has something new to read."""
    signal: Insistent | None = None
    """The reason for which the turns are to be flushed, once they are read."""
    begun: Instant
    heard: Instant
    """When the program last sent an event of the session."""
    prompts: int = 0
    shown: tuple[str, ...] = ()
    """The ids of the memories that the agent was shown and still has in its context."""
    briefed: bool = True
    """Whether the agent has the whole brief that a session begins with."""
    asked: bool = False
    """Whether the agent was asked what to keep."""
