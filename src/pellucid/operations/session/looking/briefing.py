"""A project in, a summary of its last sessions out: what was asked, done, decided and left open, in their own words.

Nothing of it is stored: it is made of the memories and passages that may answer today, so that nothing of it comes from
what was retired, put in quarantine or forgotten.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.language.quoting.voices import foreign_and_own
from pellucid.language.sentences import QUESTION_MARKS, closing_mark, is_question, sentences
from pellucid.language.substance import FEWEST_WORDS, says_little, without_announcement
from pellucid.language.words import content_words
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import Category, Memory
from pellucid.model.wire import Instant, Wire
from pellucid.observe.work.records import COMMITTED
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.operations.paging import After, encode_cursor, page
from pellucid.operations.session.looking.sessions import AnsweringSessions, KeptSession, last_turn, sessions_of
from pellucid.recall.context.text import CHARACTERS_A_TOKEN, harmless

_SETTLED: frozenset[Category] = frozenset({"decision", "rule", "principle", "preference", "correction"})
_ASKING = ("user_input", "pasted")
_HEADING = re.compile(r"#{1,3} +(?:Plan: )?(.{4,200})")
_DECIDERS = ("user_input", "manual")
"""Whose words settle something: what an agent says it decided is told as what it did."""
_ANSWER = "– "
"""Stands between a question and its answer, see `observe`."""
_QUOTED = re.compile(r"(?:^|\s)>\s")
_LONGEST, _ITEMS, _FILES = 240, 6, 8
_DONE = 3
"""Lines of what was done: the last commits, and what the agent concluded."""
_TOLD = {
    "asked": "asked",
    "done": "done",
    "decided": "decided",
    "left_open": "open",
    "unanswered": "the agent asked last",
    "kept": "kept",
}
"""The fields of a brief that tell something, in this order, and what they are called."""
_MORE = "\n…\n\n"
"""Ends the text of a session that was cut."""
_FEW = 24
"""Characters of a line: of what would be cut to fewer nothing is told."""
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
        """The number of sessions on a page: `sessions`, as a page calls it."""
        return self.sessions


class BriefLine(Wire):
    """Something said, and the memory that says it."""

    memory_id: str
    text: str


class SessionBrief(Wire):
    """One session in short: when it was, what was asked, done, decided and left open; unknown parts are empty."""

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
    """The last sessions of a namespace, newest first, as far as they fit the budget, also as text."""

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
    """Summarise the last sessions of a project that anything may be recalled of, newest first; at the first that does
    not fit the budget the page ends. The first of a page is cut to fit, with `…` behind.

    Raises:
        InputError: the cursor is of another list.
    """
    known = AnsweringSessions(app, request.namespace)  # of the others, all was put away
    every = [
        each for each in sessions_of(app, request.namespace) if each.id in known.passages and each.id != request.but
    ]
    here = [each for each in every if request.day in (None, each.day) and request.session_id in (None, each.id)]
    shown, following = page(app, request, here, lambda each: each.place)
    fitting, text, room = list[SessionBrief](), "", request.budget * CHARACTERS_A_TOKEN
    for each in shown:
        session = brief_of(each, known)
        section = _text_of(session)
        if len(section) > room and not fitting:
            session = _shortened(session, room)
            section = f"{_text_of(session).rstrip()}{_MORE}"
        if len(text) + len(section) > room:
            following = encode_cursor(app, request, shown[len(fitting) - 1].place)
            break
        fitting.append(session)
        text += section
    return BriefOutput(
        namespace=request.namespace,
        sessions=tuple(fitting),
        total=len(here),
        text=text.strip("\n"),
        days=tuple(_days(every, known)),
        next=following,
    )


def _days(sessions: Sequence[KeptSession], known: AnsweringSessions) -> Iterator[BriefDay]:
    """Yield each day on which sessions began, oldest first, with its numbers of sessions and memories."""
    by_day = dict[str, list[KeptSession]]()
    for each in sessions:
        by_day.setdefault(each.day, []).append(each)
    for day, here in sorted(by_day.items()):
        yield BriefDay(day=day, sessions=len(here), memories=sum(known.memories(each.id) for each in here))


def brief_of(session: KeptSession, known: AnsweringSessions) -> SessionBrief:
    """Summarise one session from its memories and passages that may answer now; where they tell no request, deed or
    decision, its weightiest memories stand instead."""
    memories = known.of(session.id)
    turns = [each for each in memories if each.category == "moment"]
    every = [each for each in memories if each.category != "moment"]
    kept = [each for each in every if not says_little(each.content)]
    decided = [each for each in kept if each.category in _SETTLED and _settles(each)]
    decided = sorted(sorted(decided, key=lambda each: -each.importance_score)[:_ITEMS], key=memories.index)
    summary = SessionBrief(
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
        memories=len(every),
        passages=len(turns),
    )
    if summary.asked or summary.done or summary.decided or summary.left_open:
        return summary
    weightiest = sorted(kept, key=lambda each: -each.importance_score)[:_DONE]
    return summary.model_copy(update={"kept": tuple(_line_of(each) for each in kept if each in weightiest)})


def _shortened(session: SessionBrief, room: int) -> SessionBrief:
    """Return a session's brief with as many of its first lines as fit `room` characters with `_MORE` behind; of the
    line that does not fit, as many words as do, unless these are few. Files are left out."""
    out = session.model_copy(
        update={"files": (), **{field: () if isinstance(getattr(session, field), tuple) else None for field in _TOLD}}
    )
    for field, line in _lines_of(session):
        longer = _with_line(out, field, line)
        over = len(_text_of(longer).rstrip()) + len(_MORE) - room
        if over > 0:
            most = len(line.text) - over
            cut = line.model_copy(update={"text": _cut(line.text, most)})
            return _with_line(out, field, cut) if most >= _FEW else out
        out = longer
    return out


def _with_line(session: SessionBrief, field: str, line: BriefLine) -> SessionBrief:
    """Return a session's brief with one more line in a field of `_TOLD`."""
    said = getattr(session, field)
    return session.model_copy(update={field: (*said, line) if isinstance(said, tuple) else line})


def _lines_of(session: SessionBrief) -> Iterator[tuple[str, BriefLine]]:
    """Yield each line that a brief tells, with its field of `_TOLD`, in order."""
    for field in _TOLD:
        said: tuple[BriefLine, ...] | BriefLine | None = getattr(session, field)
        yield from ((field, line) for line in (said if isinstance(said, tuple) else (said,)) if line)


def _settles(memory: Memory) -> bool:
    """Whether a memory settles something: a person said it, and it is no question alone, nor one whose answer only
    leads in to what is quoted."""
    _, answer = _asked_and_answered(memory.content)
    return memory.source_class in _DECIDERS and bool(without_announcement(_QUOTED.split(answer)[0]).strip(_ANSWER))


def _asked_and_answered(text: str) -> tuple[str, str]:
    """Return a question, with all that is said before it is answered, and its answer; "" and the whole of a text that
    does not begin with one."""
    said = list(sentences(harmless(text)))
    if not (said and is_question(said[0])):
        return "", " ".join(said)
    last = max(number for number, each in enumerate(said) if is_question(each))
    first = next((number for number, each in enumerate(said) if each.startswith(_ANSWER)), last + 1)
    return " ".join(said[:first]), " ".join(said[first:])


def _request_line(turns: Sequence[Memory]) -> BriefLine | None:
    """Return what the session was for: the title of its plan, else its first request with enough words, else its first;
    None without."""
    first = turns[0] if turns else None
    if first and first.source_class == "assistant_output" and (title := _HEADING.match(first.content)):
        return BriefLine(memory_id=first.id, text=harmless(title[1]))
    asked = [(each, _own_words(each)) for each in turns if each.source_class in _ASKING]
    asked = [(each, words) for each, words in asked if words]
    telling = (each for each in asked if len(content_words(each[1])) >= FEWEST_WORDS)
    found = next(telling, asked[0] if asked else None)
    return _line_of(found[0], found[1]) if found else None


def _own_words(turn: Memory) -> str:
    """Return a user's own words in a passage, "" if there are none; of a passage pasted for the most part, their first
    paragraph."""
    own = foreign_and_own(turn.content)[1].strip()
    return own.partition("\n\n")[0] if turn.source_class == "pasted" else own


def _done_lines(turns: Sequence[Memory], memories: Sequence[Memory]) -> Iterator[BriefLine]:
    """Yield the last commits and the agent's last conclusions among memories; without either, how its last words in
    `turns` begin."""
    own = [each for each in memories if each.source_class == "assistant_output"]
    commits = [each for each in own if each.content.startswith(COMMITTED)]
    said = [each for each in own if each not in commits]
    people = [each for each in turns if each.source_class in _ASKING]
    last_commit = last_turn(commits[-1]) if commits else 0
    working = [
        each for each in said if last_turn(each) <= last_commit or not (commits and _answers_question(each, people))
    ]
    words = [each for each in turns if each.source_class == "assistant_output" and not says_little(each.content)]
    last = working or ([] if commits else words)
    for commit in commits[1 - _DONE :]:
        yield BriefLine(memory_id=commit.id, text=harmless(sentences(commit.content)[0]))
    if last:
        of_turn = [each for each in last if last_turn(each) == last_turn(last[-1])]
        best = sorted(of_turn, key=lambda each: -each.importance_score)[: _DONE - len(commits[1 - _DONE :])]
        yield from (_line_of(each) for each in of_turn if each in best)


def _answers_question(memory: Memory, people: Sequence[Memory]) -> bool:
    """Whether an agent's memory comes right after a user's turn with a question (`people` are the user's passages)."""
    before = [each for each in people if last_turn(each) < last_turn(memory)]
    asked = [each.content for each in before if last_turn(each) == last_turn(before[-1])]
    return any(is_question(sentence) for words in asked for sentence in sentences(words))


def _open_question(turns: Sequence[Memory]) -> BriefLine | None:
    """Return the question that the agent's last words end with; None if they end with none, or are not the last."""
    last = turns[-1] if turns else None
    if last and last.source_class == "assistant_output" and closing_mark(last.content) in QUESTION_MARKS:
        return BriefLine(memory_id=last.id, text=harmless(sentences(last.content)[-1]))
    return None


def _files(artifacts: Iterable[Iterable[str]]) -> list[str]:
    """Return the first few files that artifacts name as made or changed, each once; of an absolute path only the last
    parts."""
    found = [parse_artifact(text) for each in artifacts for text in each]
    names = dict.fromkeys(each.name for each in found if each and each.kind == "file" and each.role != "mentioned")
    shown = ("/".join(name.split("/")[-_STEPS:]) if name.startswith("/") else name for name in names)
    return list(dict.fromkeys(shown))[:_FILES]


def _line_of(memory: Memory, words: str = "") -> BriefLine:
    """Return a memory, or these `words` of it, in one line: as many of its sentences as have room.

    Of a question with its answer, the answer is what is told: a long question is cut, and not the answer left out.
    """
    asked, answer = _asked_and_answered(words or memory.content)
    said = list(sentences(answer))
    text = asked and _cut(asked, _LONGEST // 2 if said else _LONGEST)
    for number, sentence in enumerate(said):
        if text and len(text) + len(sentence) > _LONGEST and not (asked and not number):
            break
        text = f"{text} {sentence}".strip()
    return BriefLine(memory_id=memory.id, text=_cut(text, _LONGEST))


def _cut(text: str, most: int) -> str:
    """Return the text; if it is longer than `most` characters, cut at a word, with ` …` behind."""
    return text if len(text) <= most else f"{text[: most - 2].rsplit(' ', 1)[0]} …"


def _text_of(session: SessionBrief) -> str:
    """Return the brief of a session as text: a heading, and a line for each thing it tells."""
    lines = [f"{_TOLD[field]}: {each.text} [{each.memory_id[-10:]}]" for field, each in _lines_of(session)]
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
