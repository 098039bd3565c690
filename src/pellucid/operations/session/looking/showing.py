"""A session in, its brief, the statements left out of it with reasons, and its citations out.

Of statements that were left out only keyed hashes are stored. The sentence is found by its hash in the session's
passages.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError, step
from pellucid.memory.erasure.tombstone import said_key
from pellucid.memory.ledger_rows import row_time, typed
from pellucid.model.ledger import FlushRow, UnkeptRow, VerdictRow
from pellucid.model.memory import BOUNDARY_SCOPES, MEMORY_ID, Memory
from pellucid.model.wire import Instant, Wire
from pellucid.observe.prose import blocks, sentences
from pellucid.operations.browsing import MemoryCitation, citation_view
from pellucid.operations.operation import Argument, Operation, Surfaces, Text, in_home
from pellucid.operations.session.looking.briefing import SessionBrief, brief_of
from pellucid.operations.session.looking.sessions import AnsweringSessions, sessions_of
from pellucid.operations.session.looking.verdicts import is_forgotten, plain_reason
from pellucid.xray.words.headline import headline

_FEWEST_DIGITS = 8
"""The minimum number of first characters of a session's id that can stand for the id."""


class SessionInput(Wire):
    """The session to show."""

    namespace: str
    session_id: Annotated[str, Argument("A session's id, or its first eight characters or more.")]


class LeftOut(Wire):
    """A statement that did not become a memory, with the reason."""

    evidence: tuple[str, ...]
    """Its turns, as `session:first turn-last turn`."""
    at: Instant
    verdict: Literal["reject", "defer", "accept", "unkept"]
    """`unkept`: extraction found no sign that it is durable, so it was not judged."""
    code: str
    """The reason's name, such as `transient`."""
    reason: str
    """The reason in words."""
    said: str | None = None
    """The sentence; None if no passage contains it any more."""
    memory_id: str | None = None
    """The memory that says the same already."""


class SessionOutput(Wire):
    """What is known of one session."""

    namespace: str
    session_id: str
    session: SessionBrief | None = None
    """Its brief; None if it has no admissible memories or passages."""
    turns: int = 0
    """The number of turns that were read."""
    turns_by_role: dict[str, int] = Field(default_factory=dict)
    considered: int = 0
    """The number of statements that were judged."""
    left_out: tuple[LeftOut, ...] = ()
    """The statements left out, in the order in which they were said."""
    reasons: dict[str, int] = Field(default_factory=dict)
    """Maps reasons to the number of statements left out, the most frequent first."""
    unborne: dict[str, int] = Field(default_factory=dict)
    """Maps reasons to the number of a model's claims that their evidence did not support."""
    citations: tuple[MemoryCitation, ...] = ()
    """The citations of memories that its recalls gave, oldest first; `recall.list` names the recalls."""
    words: dict[str, str] = Field(default_factory=dict)
    """Maps the ids of the memories named here to their headlines, unless a boundary scope hides them."""


def show_session(app: App, request: SessionInput) -> SessionOutput:
    """Return all that is known of a session, named by its id or at least the first eight characters of it.

    Raises:
        NotFoundError: the namespace has no episode, ledger row or recall of the session.
        InputError: several sessions begin with the request's text.
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
            f"no session {session_id} in {namespace}", next_step=f"{step('session.brief')} names the last sessions"
        )
    answering = AnsweringSessions(app, namespace)
    rows = decided.get(session_id, [])
    left_out = sorted(_left_out(app, rows, answering.of(session_id)), key=_first_turn)
    flushed = [row for row in rows if isinstance(row, FlushRow)]
    cited = tuple(map(citation_view, app.citations.on(namespace, session_id)))
    return SessionOutput(
        namespace=namespace,
        session_id=session_id,
        session=brief_of(kept[session_id], answering) if session_id in kept.keys() & answering.passages else None,
        turns=sum(row.turns for row in flushed),
        turns_by_role=dict(sum((Counter(row.by_role) for row in flushed), Counter[str]()).most_common()),
        considered=sum(isinstance(row, VerdictRow) for row in rows),
        left_out=tuple(left_out),
        reasons=dict(Counter(each.code for each in left_out).most_common()),
        unborne=dict(sum((Counter(row.dropped) for row in flushed), Counter[str]()).most_common()),
        citations=cited,
        words=_headlines(app, namespace, [*(each.memory_id for each in cited), *MEMORY_ID.findall(str(left_out))]),
    )


def _headlines(app: App, namespace: str, ids: Iterable[str]) -> dict[str, str]:
    """Return a map from ids to headlines of these memories; memories that are gone, or have a boundary scope, are left
    out."""
    found = (each.memory for each in app.index.memories(namespace, list(dict.fromkeys(ids))))
    return {each.id: headline(each.content) for each in found if not set(each.scopes).intersection(BOUNDARY_SCOPES)}


def _complete_session_id(name: str, session_ids: set[str]) -> str:
    """Return the session id that begins with `name`, sub-agents' sessions only if no other does. Return `name` itself
    if it is one of the ids, is shorter than eight characters, or no id begins with it; InputError if several do."""
    if name in session_ids or len(name) < _FEWEST_DIGITS:
        return name
    fitting = [each for each in session_ids if each.startswith(name)]
    if len(fitting) > 1 and (own := [each for each in fitting if "/" not in each.removeprefix(name)]):
        fitting = own  # a sub-agent's session is called `session/sub-agent`
    if len(fitting) > 1:
        raise InputError(f"{len(fitting)} sessions begin with {name}", code="ambiguous_id", next_step="give a whole id")
    return fitting[0] if fitting else name


def _left_out(
    app: App, rows: Sequence[VerdictRow | UnkeptRow | FlushRow], memories: Sequence[Memory]
) -> Iterator[LeftOut]:
    """Yield the statements of these ledger rows that did not become memories, except those forgotten since, with their
    words if a passage among `memories` contains them."""
    by_key = _sentences_by_key(app, memories)
    for row in rows:
        if isinstance(row, FlushRow) or (isinstance(row, VerdictRow) and row.verdict == "accept"):
            continue
        words = next((by_key[key] for key in row.said if key in by_key), None)
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
    """Return a map from keyed hashes, as ledger rows have them, to the sentences in the passages among `memories`."""
    return {
        said_key(app.key, each.namespace, sentence): sentence
        for each in memories
        if each.category == "moment"
        for block in blocks(each.content)
        for sentence in sentences(block.text)
    }


def _first_turn(left_out: LeftOut) -> int:
    """Return the number of the first turn that a statement's first evidence names; 0 if it has no evidence, or names no
    turn."""
    first = left_out.evidence[0].rpartition(":")[2].partition("-")[0] if left_out.evidence else ""
    return int(first) if first.isdigit() else 0


SESSION = Operation(
    "session.show",
    """Show one session in full, with what was left out and why.

What it asked, did, decided and left open, and what became of what its recalls gave.
""",
    SessionInput,
    SessionOutput,
    in_home(show_session),
    "read",
    Surfaces("sessions show", http=("GET /v1/sessions/{session_id}",)),
    text=Text("closing.session_text", excerpts=True),
)
