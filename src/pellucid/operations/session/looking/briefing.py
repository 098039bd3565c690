"""A project in, its last sessions told shortly out: what was asked, done, decided and left open, in their own words.

Nothing of it is kept: it is read from the memories and turns that may answer today, so that what was retired, put in
quarantine or forgotten does not speak through it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.language.quoting.voices import pasted
from pellucid.language.sentences import QUESTION_MARKS, closing_mark, is_question, sentences
from pellucid.language.words import content_words
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import Category, Memory
from pellucid.model.wire import Instant, Wire
from pellucid.observe.work.records import COMMITTED
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.operations.paging import After, cursor, page
from pellucid.operations.session.looking.sessions import AnsweringSessions, KeptSession, sessions_of, turn_of
from pellucid.recall.context.text import CHARACTERS_A_TOKEN, harmless

_SETTLED: frozenset[Category] = frozenset({"decision", "rule", "principle", "preference", "correction"})
_ASKING = ("user_input", "pasted")
_HEADING = re.compile(r"#{1,3} +(?:Plan: )?(.{4,200})")
_DECIDERS = ("user_input", "manual")
"""Whose words settle something: what an agent says it decided is told as what it did."""
_TOLD, _ITEMS, _FILES = 240, 6, 8
_DONE = 3
"""Lines of what was done: the last commits, and what the agent concluded."""
_FEWEST_WORDS = 3
"""Words with a meaning of their own that a request has; `commit this` has fewer."""
_STEPS = 3
"""Folders of a path outside the project that are told, its own name among them: what lies above is the machine's."""


class BriefInput(Wire):
    """How much of which project: its last `sessions`, within `budget` tokens of about four characters.

    Or those of one `day`, by which they began (UTC), or one session alone.
    """

    namespace: str
    sessions: Annotated[int, Flag("How many of the last sessions.")] = Field(default=5, ge=1, le=100)
    budget: Annotated[int, Flag("Tokens at most, of about four characters.")] = Field(default=1500, ge=50, le=100_000)
    but: Annotated[str | None, Flag("Leave this session out.", "--not-in-session")] = None
    day: Annotated[str | None, Flag("Only sessions that began on this day: 2026-02-10.")] = Field(
        default=None, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    )
    session_id: Annotated[str | None, Flag("Only this session.", "--session")] = None
    after: After = None

    @property
    def limit(self) -> int:
        """How many a page has at most."""
        return self.sessions


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
    """What it was for: its first request in the user's own words, or the title of the plan that it began with."""
    done: tuple[BriefLine, ...] = ()
    """The last commits, then what the agent concluded; after a commit, not what only answered a question."""
    decided: tuple[BriefLine, ...] = ()
    left_open: tuple[BriefLine, ...] = ()
    """What somebody means to do."""
    unanswered: BriefLine | None = None
    """What the agent asked the user at the end."""
    kept: tuple[BriefLine, ...] = ()
    """The weightiest of what was kept of it, where nothing of the above is told."""
    files: tuple[str, ...] = ()
    memories: int = 0
    """That came of it and may answer today."""
    passages: int = 0
    """Stretches of its turns that are kept word for word."""


class BriefDay(Wire):
    """A day on which sessions began, and what came of them that may answer today."""

    day: str
    sessions: int
    memories: int


class BriefOutput(Wire):
    """The last sessions of a namespace, newest first, as far as they fit, and the same as text."""

    namespace: str
    sessions: tuple[SessionBrief, ...]
    total: int
    """Sessions that the namespace has in all; with a day or a session, those that fit."""
    text: str
    days: tuple[BriefDay, ...] = ()
    """Every day of the namespace with a session, oldest first, whatever was asked for."""
    next: str | None = None
    """Where the page ends, if there is more behind it: the `after` of the next."""


def brief(app: App, request: BriefInput) -> BriefOutput:
    """Tell the last sessions of a project, the newest first; what does not fit the budget is left out whole.

    Raises:
        InputError: the cursor is of another list.
    """
    known = AnsweringSessions(app, request.namespace)  # of the others, all was put away
    every = [
        each for each in sessions_of(app, request.namespace) if each.id in known.passages and each.id != request.but
    ]
    here = [each for each in every if request.day in (None, each.day) and request.session_id in (None, each.id)]
    shown, following = page(app, request, here, lambda each: each.place)
    told, text, room = list[SessionBrief](), "", request.budget * CHARACTERS_A_TOKEN
    for each in shown:
        session = brief_of(each, known)
        said = _text_of(session)
        if len(text) + len(said) > room:
            following = cursor(app, request, shown[len(told) - 1].place) if told else None
            break
        told.append(session)
        text += said
    return BriefOutput(
        namespace=request.namespace,
        sessions=tuple(told),
        total=len(here),
        text=text.strip("\n"),
        days=tuple(_days(every, known)),
        next=following,
    )


def _days(sessions: Sequence[KeptSession], known: AnsweringSessions) -> Iterator[BriefDay]:
    """The days of some sessions, oldest first, with how many sessions and memories each has."""
    by_day = dict[str, list[KeptSession]]()
    for each in sessions:
        by_day.setdefault(each.day, []).append(each)
    for day, here in sorted(by_day.items()):
        yield BriefDay(day=day, sessions=len(here), memories=sum(known.memories(each.id) for each in here))


def brief_of(session: KeptSession, known: AnsweringSessions) -> SessionBrief:
    """One session, told shortly."""
    memories = known.of(session.id)
    turns = [each for each in memories if each.category == "moment"]
    kept = [each for each in memories if each.category != "moment"]
    decided = [each for each in kept if each.category in _SETTLED and each.source_class in _DECIDERS]
    decided = sorted(sorted(decided, key=lambda each: -each.importance_score)[:_ITEMS], key=memories.index)
    told = SessionBrief(
        session_id=session.id,
        day=session.day,
        started=session.started,
        ended=session.ended,
        asked=_request_line(turns),
        done=tuple(_done_lines(turns, kept)),
        decided=tuple(_line_of(each) for each in decided),
        left_open=tuple(_line_of(each) for each in kept if each.category == "commitment")[-_ITEMS:],
        unanswered=_open_question(turns),
        files=tuple(_files(each.artifacts for each in reversed(session.episodes))),
        memories=len(kept),
        passages=len(turns),
    )
    if told.asked or told.done or told.decided or told.left_open:
        return told
    weightiest = sorted(kept, key=lambda each: -each.importance_score)[:_DONE]
    return told.model_copy(update={"kept": tuple(_line_of(each) for each in kept if each in weightiest)})


def _request_line(turns: Sequence[Memory]) -> BriefLine | None:
    """What the session was asked for: its title where it has one, else the first request that says enough."""
    first = turns[0] if turns else None
    if first and first.source_class == "assistant_output" and (title := _HEADING.match(first.content)):
        return BriefLine(memory_id=first.id, text=harmless(title[1]))
    asked = [(each, _own_words(each)) for each in turns if each.source_class in _ASKING]
    asked = [(each, words) for each, words in asked if words]
    telling = (each for each in asked if len(content_words(each[1])) >= _FEWEST_WORDS)
    found = next(telling, asked[0] if asked else None)
    return _line_of(found[0], found[1]) if found else None


def _own_words(turn: Memory) -> str:
    """What a person says; of a turn that is pasted for the most part, what stands above that."""
    own = pasted(turn.content)[1].strip()
    return own.partition("\n\n")[0] if turn.source_class == "pasted" else own


def _done_lines(turns: Sequence[Memory], kept: Sequence[Memory]) -> Iterator[BriefLine]:
    """The last commits, and what the agent concluded last; where nothing was, how its last words begin."""
    own = [each for each in kept if each.source_class == "assistant_output"]
    commits = [each for each in own if each.content.startswith(COMMITTED)]
    said = [each for each in own if each not in commits]
    people = [each for each in turns if each.source_class in _ASKING]
    last_commit = turn_of(commits[-1]) if commits else 0
    working = [
        each for each in said if turn_of(each) <= last_commit or not (commits and _answers_question(each, people))
    ]
    words = [] if commits else [each for each in turns if each.source_class == "assistant_output"]
    last = working or words
    yield from map(_subject, commits[1 - _DONE :])
    if last:
        of_turn = [each for each in last if turn_of(each) == turn_of(last[-1])]
        best = sorted(of_turn, key=lambda each: -each.importance_score)[: _DONE - len(commits[1 - _DONE :])]
        yield from (_line_of(each) for each in of_turn if each in best)


def _answers_question(memory: Memory, people: Sequence[Memory]) -> bool:
    """Whether the agent said it upon a question."""
    before = [each for each in people if turn_of(each) < turn_of(memory)]
    asked = [each.content for each in before if turn_of(each) == turn_of(before[-1])]
    return any(is_question(sentence) for words in asked for sentence in sentences(words))


def _subject(commit: Memory) -> BriefLine:
    return BriefLine(memory_id=commit.id, text=harmless(sentences(commit.content)[0]))


def _open_question(turns: Sequence[Memory]) -> BriefLine | None:
    """The question that the session ended with."""
    last = turns[-1] if turns else None
    if last and last.source_class == "assistant_output" and closing_mark(last.content) in QUESTION_MARKS:
        return BriefLine(memory_id=last.id, text=harmless(sentences(last.content)[-1]))
    return None


def _files(artifacts: Iterable[Iterable[str]]) -> list[str]:
    """The first few files that artifacts say were worked on, each once."""
    found = [parse_artifact(text) for each in artifacts for text in each]
    names = dict.fromkeys(each.name for each in found if each and each.kind == "file" and each.role != "mentioned")
    shown = ("/".join(name.split("/")[-_STEPS:]) if name.startswith("/") else name for name in names)
    return list(dict.fromkeys(shown))[:_FILES]


def _line_of(memory: Memory, words: str = "") -> BriefLine:
    """A memory, or these words of it, in one line: as many of its sentences as have room.

    Of a question with its answer, the answer is what is told: a long question is cut, and not the answer left out.
    """
    text, said = "", list(sentences(harmless(words or memory.content)))
    asked = next((number for number, each in enumerate(said) if not is_question(each)), 0)
    if asked:
        said = [_cut(" ".join(said[:asked]), _TOLD // 2), *said[asked:]]
    for number, sentence in enumerate(said):
        if text and len(text) + len(sentence) > _TOLD and not (asked and number == 1):
            break
        text = f"{text} {sentence}".strip()
    return BriefLine(memory_id=memory.id, text=_cut(text, _TOLD))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 2].rsplit(' ', 1)[0]} …"


def _text_of(session: SessionBrief) -> str:
    """A session's brief as text."""
    parts = [("asked", (session.asked,)), ("done", session.done), ("decided", session.decided)]
    parts += [("open", session.left_open), ("the agent asked last", (session.unanswered,)), ("kept", session.kept)]
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
