"""Nothing in, what is known of a session that a program tells of out: its transcript, and how far that is read."""

from pellucid.model.turn import Insistent
from pellucid.model.wire import Instant, Wire


class HookedSession(Wire):
    """One session of one program. None of its words are here."""

    host: str
    session_id: str
    namespace: str = ""
    """The namespace of the session, as far as its folder tells."""
    folder: str | None = None
    transcript: str | None = None
    offset: int = 0
    """Bytes of the transcript that are read."""
    due: bool = False
    """Whether there is something to read since."""
    signal: Insistent | None = None
    """What the turns are flushed for, once they are read."""
    begun: Instant
    heard: Instant
    """When the program last sent an event of the session."""
    prompts: int = 0
    shown: tuple[str, ...] = ()
    """The memories that the agent was shown, and still has in its context."""
    briefed: bool = True
    """Whether nothing is owed of the brief that a session begins with."""
    asked: bool = False
    """Whether the agent was asked what to keep."""
