"""A session in, what is known of it out: a summary, what was left out and why, and what became of its recalls.

Of what was left out only keyed hashes are stored. The sentence is looked up by its hash in the passages of the session.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.memory.erasure.tombstone import said_key
from pellucid.memory.ledger_rows import row_time, typed
from pellucid.model.ledger import FlushRow, UnkeptRow, VerdictRow
from pellucid.model.memory import BOUNDARY_SCOPES, MEMORY_ID, Memory
from pellucid.model.wire import Instant, Wire
from pellucid.observe.prose import blocks, sentences
from pellucid.operations.browsing import MemoryCitation, citation_view
from pellucid.operations.operation import Argument, Operation, Surfaces
from pellucid.operations.session.looking.briefing import SessionBrief, brief_of
from pellucid.operations.session.looking.sessions import AnsweringSessions, sessions_of
from pellucid.operations.session.looking.verdicts import is_forgotten, plain_reason
from pellucid.xray.words.headline import headline

_FEWEST_DIGITS = 8
"""Characters of a session's id by which it may be named."""


class SessionInput(Wire):
    """Which session."""

    namespace: str
    session_id: Annotated[str, Argument("A session's id, or its first eight characters or more.")]


class LeftOut(Wire):
    """A statement that became no memory, with the reason."""

    evidence: tuple[str, ...]
    """Where it was said: `session:first turn-last turn`."""
    at: Instant
    verdict: Literal["reject", "defer", "accept", "unkept"]
    """`unkept`: nothing in its words said that it is to last, so that nobody judged it."""
    code: str
    """The reason's name, such as `transient`."""
    reason: str
    """The same in words."""
    said: str | None = None
    """The sentence, where its turn is still kept word for word."""
    memory_id: str | None = None
    """The memory that says the same already."""


class SessionOutput(Wire):
    """What is known of one session."""

    namespace: str
    session_id: str
    session: SessionBrief | None = None
    """What was asked, done, decided and left open; None where nothing of it may answer today."""
    turns: int = 0
    """Turns that were read."""
    turns_by_role: dict[str, int] = Field(default_factory=dict)
    considered: int = 0
    """Statements that were judged."""
    left_out: tuple[LeftOut, ...] = ()
    """In the order in which they were said."""
    reasons: dict[str, int] = Field(default_factory=dict)
    """How many were left out by each reason, the most frequent first."""
    unborne: dict[str, int] = Field(default_factory=dict)
    """What a model claimed and its evidence did not bear out, by reason."""
    citations: tuple[MemoryCitation, ...] = ()
    """What became of the memories that its recalls gave, as it was said; `recall.list` names the recalls."""
    words: dict[str, str] = Field(default_factory=dict)
    """What the memories named here say, by id, as far as no scope keeps them in."""


def show_session(app: App, request: SessionInput) -> SessionOutput:
    """Return all that is known of a session.

    Raises:
        NotFoundError: nothing of such a session was kept, decided or asked in the namespace.
        InputError: several sessions begin so.
    """
    namespace = request.namespace
    kept = {each.id: each for each in sessions_of(app, namespace)}
    decided = dict[str, list[VerdictRow | UnkeptRow | FlushRow]]()
    for row in typed(app.ledger.rows(), namespace, ("verdict", "unkept", "flush")):
        if isinstance(row, VerdictRow | UnkeptRow | FlushRow):
            decided.setdefault(row.session_id, []).append(row)
    session_id = _complete_session_id(request.session_id, {*kept, *decided})
    if session_id not in (*kept, *decided) and app.receipts.latest(namespace, session_id) is None:
        raise NotFoundError(
            f"no session {session_id} in {namespace}", next_step="`pellucid brief` names the last sessions"
        )
    known = AnsweringSessions(app, namespace)
    rows = decided.get(session_id, [])
    left = sorted(_left_out(app, rows, known.of(session_id)), key=_first_turn)
    flushed = [row for row in rows if isinstance(row, FlushRow)]
    cited = tuple(map(citation_view, app.citations.on(namespace, session_id)))
    return SessionOutput(
        namespace=namespace,
        session_id=session_id,
        session=brief_of(kept[session_id], known) if session_id in kept and session_id in known.passages else None,
        turns=sum(row.turns for row in flushed),
        turns_by_role=dict(sum((Counter(row.by_role) for row in flushed), Counter[str]()).most_common()),
        considered=sum(isinstance(row, VerdictRow) for row in rows),
        left_out=tuple(left),
        reasons=dict(Counter(each.code for each in left).most_common()),
        unborne=dict(sum((Counter(row.dropped) for row in flushed), Counter[str]()).most_common()),
        citations=cited,
        words=_headlines(app, namespace, [*(each.memory_id for each in cited), *MEMORY_ID.findall(str(left))]),
    )


def _headlines(app: App, namespace: str, ids: Iterable[str]) -> dict[str, str]:
    """Return the headlines of these memories by id, without those that a boundary scope keeps in, or that are gone."""
    found = (each.memory for each in app.index.memories(namespace, list(dict.fromkeys(ids))))
    return {each.id: headline(each.content) for each in found if not set(each.scopes).intersection(BOUNDARY_SCOPES)}


def _complete_session_id(name: str, known: set[str]) -> str:
    """Return the one id in `known` that begins with `name`, if that is long enough; the name itself where none does. A
    session goes before its sub-agents; InputError if several begin so."""
    if name in known or len(name) < _FEWEST_DIGITS:
        return name
    fitting = [each for each in known if each.startswith(name)]
    if len(fitting) > 1 and (own := [each for each in fitting if "/" not in each.removeprefix(name)]):
        fitting = own  # the sessions below one are named after it
    if len(fitting) > 1:
        raise InputError(f"{len(fitting)} sessions begin with {name}", code="ambiguous_id", next_step="give a whole id")
    return fitting[0] if fitting else name


def _left_out(
    app: App, rows: Sequence[VerdictRow | UnkeptRow | FlushRow], memories: Sequence[Memory]
) -> Iterator[LeftOut]:
    """Yield the statements that became no memory, except those forgotten since; with their words, as far as passages
    have them."""
    spoken = _sentences_by_key(app, memories)
    for row in rows:
        if isinstance(row, FlushRow) or (isinstance(row, VerdictRow) and row.verdict == "accept"):
            continue
        words = next((spoken[key] for key in row.said if key in spoken), None)
        if is_forgotten(app, row, words or ""):
            continue
        code, reason = plain_reason(row)
        yield LeftOut(
            evidence=row.evidence,
            at=row_time(row),
            verdict=row.verdict if isinstance(row, VerdictRow) else "unkept",
            code=code,
            reason=reason,
            said=words,
            memory_id=row.resulting_primitive_id if isinstance(row, VerdictRow) else None,
        )


def _sentences_by_key(app: App, memories: Sequence[Memory]) -> Mapping[str, str]:
    """Return the sentences of a session's passages, by the keyed hash that ledger rows have of each."""
    return {
        said_key(app.key, each.namespace, sentence): sentence
        for each in memories
        if each.category == "moment"
        for block in blocks(each.content)
        for sentence in sentences(block.text)
    }


def _first_turn(left: LeftOut) -> int:
    """Return the number of the turn in which the statement begins; 0 if its evidence names none."""
    first = left.evidence[0].rpartition(":")[2].partition("-")[0] if left.evidence else ""
    return int(first) if first.isdigit() else 0


SESSION = Operation(
    "session.show",
    """Show one session in full, with what was left out and why.

What it asked, did, decided and left open, and what became of what its recalls gave.
""",
    SessionInput,
    SessionOutput,
    lambda call, asked: show_session(call.app, asked),
    "read",
    Surfaces("sessions show", http=("GET /v1/sessions/{session_id}",)),
)
