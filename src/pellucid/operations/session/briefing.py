"""A project in, its last sessions told shortly out: what was asked, done, decided and left open, in their own words.

Nothing of it is kept: it is read from the memories and turns that may answer today, so that what was retired, put in
quarantine or forgotten does not speak through it.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.language.sentences import QUESTION_MARKS, closing_mark, sentences
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import BOUNDARY_SCOPES, Category, Memory
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import answering
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.recall.context.text import harmless
from pellucid.store.lookup_port import FiledEpisode

CHARACTERS_A_TOKEN = 4
"""What a token is reckoned at: an agent's tokens are not ours to count, and English has a little more."""
_SETTLED: frozenset[Category] = frozenset({"decision", "rule", "principle", "preference", "correction"})
_DECIDERS = ("user_input", "manual")
"""Whose words settle something: what an agent says it decided is told as what it did."""
_TOLD, _ITEMS, _FILES = 240, 6, 8
_STEPS = 3
"""Folders of a path outside the project that are told, its own name among them: what lies above is the machine's."""


class BriefInput(Wire):
    """How much of which project: its last `sessions`, within `budget` tokens of about four characters."""

    namespace: str
    sessions: Annotated[int, Flag("How many of the last sessions.")] = Field(default=5, ge=1, le=100)
    budget: Annotated[int, Flag("Tokens at most, of about four characters.")] = Field(default=1500, ge=50, le=100_000)
    but: Annotated[str | None, Flag("Leave this session out.", "--not-in-session")] = None


class BriefLine(Wire):
    """Something said, and the memory that says it."""

    memory_id: str
    text: str


class SessionBrief(Wire):
    """One session: when, and what was asked, done, decided and left open; a part that nothing tells is empty."""

    session_id: str
    day: str
    started: Instant | None = None
    ended: Instant | None = None
    asked: BriefLine | None = None
    done: BriefLine | None = None
    decided: tuple[BriefLine, ...] = ()
    left_open: tuple[BriefLine, ...] = ()
    files: tuple[str, ...] = ()


class BriefOutput(Wire):
    """The last sessions of a namespace, newest first, as far as they fit, and the same as text."""

    namespace: str
    sessions: tuple[SessionBrief, ...]
    total: int
    """Sessions that the namespace has in all."""
    text: str


def brief(app: App, request: BriefInput) -> BriefOutput:
    """Tell the last sessions of a project, the newest first; what does not fit the budget is left out whole."""
    by_session: dict[str, list[FiledEpisode]] = {}
    for filed in app.lookup.episodes(request.namespace):
        if filed.episode.session_id == request.but:
            continue
        by_session.setdefault(filed.episode.session_id, []).append(filed)
    told, text, room = list[SessionBrief](), "", request.budget * CHARACTERS_A_TOKEN
    known = _answering(app, request.namespace)
    for session_id, filed in list(by_session.items())[: request.sessions]:
        session = _session(session_id, filed, known.get(session_id, []))
        said = _text(session)
        if len(text) + len(said) > room:
            break
        told.append(session)
        text += said
    return BriefOutput(namespace=request.namespace, sessions=tuple(told), total=len(by_session), text=text.strip("\n"))


def _answering(app: App, namespace: str) -> dict[str, list[Memory]]:
    """What may answer now without any scope granted, by session, in the order it was said."""
    ids = answering(app, namespace, None)
    out: dict[str, list[Memory]] = {}
    for each in app.index.memories(namespace):
        memory = each.memory
        if memory.id in ids and memory.session_id and not set(memory.scopes).intersection(BOUNDARY_SCOPES):
            out.setdefault(memory.session_id, []).append(memory)
    return {session: sorted(memories, key=_turn_order) for session, memories in out.items()}


def _turn_order(memory: Memory) -> tuple[int, str]:
    return turn_of(memory), memory.id


def turn_of(memory: Memory) -> int:
    """The turn a memory rests on last; 0 where its evidence names none."""
    last = memory.evidence[-1].rpartition("-")[2] if memory.evidence else ""
    return int(last) if last.isdigit() else 0


def _session(session_id: str, filed: Sequence[FiledEpisode], memories: Sequence[Memory]) -> SessionBrief:
    episodes = [each.episode for each in filed]
    started = min((each.started for each in episodes if each.started), default=None)
    ended = max((each.ended for each in episodes if each.ended), default=None)
    turns = [each for each in memories if each.category == "moment"]
    kept = [each for each in memories if each.category != "moment"]
    decided = [each for each in kept if each.category in _SETTLED and each.source_class in _DECIDERS]
    decided = sorted(sorted(decided, key=lambda each: -each.importance_score)[:_ITEMS], key=_turn_order)
    return SessionBrief(
        session_id=session_id,
        day=f"{started or episodes[0].created:%Y-%m-%d}",
        started=started,
        ended=ended,
        asked=_asked(turns),
        done=_line_done(turns, kept),
        decided=tuple(_line(each) for each in decided),
        left_open=_left_open(turns, kept),
        files=tuple(_files(each.artifacts for each in reversed(episodes))),
    )


def _asked(turns: Sequence[Memory]) -> BriefLine | None:
    first = next((each for each in turns if each.source_class == "user_input"), None)
    return _line(first) if first else None


def _line_done(turns: Sequence[Memory], kept: Sequence[Memory]) -> BriefLine | None:
    """The weightiest of what the agent concluded last; where nothing was, how its last words begin."""
    for told in (kept, turns):
        own = [each for each in told if each.source_class == "assistant_output"]
        last = [each for each in own if turn_of(each) == turn_of(own[-1])]
        if last:
            return _line(max(last, key=lambda each: each.importance_score))
    return None


def _left_open(turns: Sequence[Memory], kept: Sequence[Memory]) -> tuple[BriefLine, ...]:
    """What somebody means to do, and the question that the session ended with."""
    out = [_line(each) for each in kept if each.category == "commitment"][-_ITEMS:]
    last = turns[-1] if turns else None
    if last and last.source_class == "assistant_output" and closing_mark(last.content) in QUESTION_MARKS:
        out.append(BriefLine(memory_id=last.id, text=harmless(sentences(last.content)[-1])))
    return tuple(out)


def _files(artifacts: Iterable[Iterable[str]]) -> list[str]:
    found = [parse_artifact(text) for each in artifacts for text in each]
    names = dict.fromkeys(each.name for each in found if each and each.kind == "file" and each.role != "mentioned")
    shown = ("/".join(name.split("/")[-_STEPS:]) if name.startswith("/") else name for name in names)
    return list(dict.fromkeys(shown))[:_FILES]


def _line(memory: Memory) -> BriefLine:
    """A memory in one line, as many of its sentences as have room."""
    text, said = "", harmless(memory.content)
    for sentence in sentences(said):
        if text and len(text) + len(sentence) > _TOLD:
            break
        text = f"{text} {sentence}".strip()
    return BriefLine(
        memory_id=memory.id, text=text if len(text) <= _TOLD else f"{text[: _TOLD - 2].rsplit(' ', 1)[0]} …"
    )


def _text(session: SessionBrief) -> str:
    parts = [("asked", (session.asked,)), ("done", (session.done,)), ("decided", session.decided)]
    parts.append(("open", session.left_open))
    lines = [f"{name}: {each.text} [{each.memory_id[-10:]}]" for name, said in parts for each in said if each]
    files = [f"files: {', '.join(harmless(name) for name in session.files)}"] if session.files else []
    return "\n".join((f"## {session.day} · session {harmless(session.session_id)[:40]}", *lines, *files)) + "\n\n"


BRIEF = Operation(
    "session.brief",
    "Say what the last sessions asked, did and left open. What they decided, too.",
    BriefInput,
    BriefOutput,
    lambda call, asked: brief(call.app, asked),
    "read",
    Surfaces("brief", http=("GET /v1/brief",)),
)
