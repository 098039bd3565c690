"""A project in, a summary of its last sessions out: what was asked, done, decided and left open, in their own words.

No brief is stored: each is made of the memories and passages that recalls are allowed to return today, so that nothing
that was retired, put in quarantine or forgotten is in it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.language.sentences import QUESTION_MARKS, closing_mark, has_question_form, sentences
from pellucid.language.substance import says_little, without_announcement
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import Category, Memory
from pellucid.model.wire import Instant, Wire
from pellucid.observe.language import detect_language
from pellucid.observe.prose import prose_sentences
from pellucid.observe.work.records import COMMITTED
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.paging import After, encode_cursor, page
from pellucid.operations.session.looking.purpose import ASKING, main_request
from pellucid.operations.session.looking.sessions import AnsweringSessions, KeptSession, last_turn, sessions_of
from pellucid.recall.context.text import CHARACTERS_A_TOKEN, harmless

_SETTLED: frozenset[Category] = frozenset({"decision", "rule", "principle", "preference", "correction"})
_HEADING = re.compile(r"#{1,3} +(?:Plan: )?(.{4,200})")
_DECIDERS = ("user_input", "manual")
"""The sources whose words settle something; an agent's decisions are shown as its deeds."""
_ANSWER = "– "
"""The separator between a question and its answer, see `observe`."""
_QUOTED = re.compile(r"(?:^|\s)>\s")
_TEMPORARY = re.compile(r"(?:^|[/\\])(?:te?mp|scratchpad)[/\\]|^/var/folders/", re.IGNORECASE)
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
_LONGEST, _ITEMS, _FILES = 240, 6, 8
_DONE = 3
"""The maximum number of lines of `done`: the last commits, and the agent's conclusions."""
_TOLD = {
    "asked": "asked",
    "done": "done",
    "decided": "decided",
    "left_open": "open",
    "unanswered": "the agent asked last",
    "kept": "kept",
}
"""Maps the fields of a brief that have lines, in order, to their labels in its text."""
_MORE = "\n…\n\n"
"""The end of the text of a session that was cut."""
_FEW = 24
"""The minimum number of characters to which a line is cut; a line with less room is left out."""
_STEPS = 3
"""The number of last parts that are shown of an absolute path, which is outside the project."""


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
        """Return the number of sessions on a page, under the name that paging uses."""
        return self.sessions


class BriefLine(Wire):
    """A line of a brief, and the memory that it comes from."""

    memory_id: str
    text: str


class SessionBrief(Wire):
    """One session in short: its time, and what was asked, done, decided and left open; unknown parts are empty."""

    session_id: str
    day: str
    started: Instant | None = None
    ended: Instant | None = None
    asked: BriefLine | None = None
    """Its purpose: the request of its longest-lived topic in the user's own words, or the title of the plan that it
    began with."""
    done: tuple[BriefLine, ...] = ()
    """The last commits, then the agent's conclusions; after a commit, without those that only answered a question."""
    decided: tuple[BriefLine, ...] = ()
    left_open: tuple[BriefLine, ...] = ()
    """Commitments: what somebody means to do."""
    unanswered: BriefLine | None = None
    """The question that the agent asked the user at the end."""
    kept: tuple[BriefLine, ...] = ()
    """Its most important memories, if it has no request, deed, decision or commitment."""
    files: tuple[str, ...] = ()
    memories: int = 0
    """The number of its memories that recalls are allowed to return today."""
    passages: int = 0
    """The number of its passages."""


class BriefDay(Wire):
    """A day on which sessions began, with the numbers of these sessions and of their admissible memories."""

    day: str
    sessions: int
    memories: int


class BriefOutput(Wire):
    """The last sessions of a namespace, newest first, as far as they fit the budget, also as text."""

    namespace: str
    sessions: tuple[SessionBrief, ...]
    total: int
    """The number of sessions in all; with a day or a session, of those that fit."""
    text: str
    days: tuple[BriefDay, ...] = ()
    """Every day of the namespace with a session, oldest first, whichever sessions the request selects."""
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


def brief(app: App, request: BriefInput) -> BriefOutput:
    """Summarise the last sessions of a namespace, newest first: those selected by the request that have memories or
    passages which a recall is allowed to return now. The page ends before the session with which its text would exceed
    the budget, of four characters a token; if that is its first session, it is cut, with `…` at its end.

    Raises:
        InputError: the cursor is of another list.
    """
    answering = AnsweringSessions(app, request.namespace)
    every = [
        each for each in sessions_of(app, request.namespace) if each.id in answering.passages and each.id != request.but
    ]
    selected = [each for each in every if request.day in (None, each.day) and request.session_id in (None, each.id)]
    shown, next_page = page(app, request, selected, lambda each: each.sort_key)
    fitting, text, room = list[SessionBrief](), "", request.budget * CHARACTERS_A_TOKEN
    for each in shown:
        session = brief_of(each, answering)
        section = _text_of(session)
        if len(section) > room and not fitting:
            session = _shortened(session, room)
            section = f"{_text_of(session).rstrip()}{_MORE}"
        if len(text) + len(section) > room:
            next_page = encode_cursor(app, request, shown[len(fitting) - 1].sort_key)
            break
        fitting.append(session)
        text += section
    return BriefOutput(
        namespace=request.namespace,
        sessions=tuple(fitting),
        total=len(selected),
        text=text.strip("\n"),
        days=tuple(_days(every, answering)),
        next=next_page,
    )


def _days(sessions: Sequence[KeptSession], answering: AnsweringSessions) -> Iterator[BriefDay]:
    """Yield each day on which sessions began, oldest first, with the number of its sessions and of their memories that
    a recall is allowed to return (`answering` has them)."""
    by_day = dict[str, list[KeptSession]]()
    for each in sessions:
        by_day.setdefault(each.day, []).append(each)
    for day, of_day in sorted(by_day.items()):
        yield BriefDay(day=day, sessions=len(of_day), memories=sum(answering.memories(each.id) for each in of_day))


def brief_of(session: KeptSession, answering: AnsweringSessions) -> SessionBrief:
    """Summarise one session from its memories and passages that recalls are allowed to return now (`answering` has
    them): with up to six decisions (the most important), the last six commitments, and eight files. If there is no
    request, deed, decision or commitment, its three most important memories are shown as `kept`."""
    memories = answering.of(session.id)
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
    """Return a session's brief, without files, cut to the first lines that fit `room` characters together with the `…`
    that ends it (`_MORE`). The line that does not fit is cut at a word, or left out if fewer than 24 (`_FEW`)
    characters of it fit."""
    cut = session.model_copy(
        update={"files": (), **{field: () if isinstance(getattr(session, field), tuple) else None for field in _TOLD}}
    )
    for field, line in _lines_of(session):
        longer = _with_line(cut, field, line)
        excess = len(_text_of(longer).rstrip()) + len(_MORE) - room
        if excess > 0:
            max_chars = len(line.text) - excess
            cut_line = line.model_copy(update={"text": _cut(line.text, max_chars)})
            return _with_line(cut, field, cut_line) if max_chars >= _FEW else cut
        cut = longer
    return cut


def _with_line(session: SessionBrief, field: str, line: BriefLine) -> SessionBrief:
    """Return a session's brief with a line added to a field of `_TOLD` that takes several lines, or put into one that
    takes a single line."""
    before = getattr(session, field)
    return session.model_copy(update={field: (*before, line) if isinstance(before, tuple) else line})


def _lines_of(session: SessionBrief) -> Iterator[tuple[str, BriefLine]]:
    """Yield (field, line) for each line of a brief, in the order of the fields in `_TOLD` (asked, done, decided …)."""
    for field in _TOLD:
        value: tuple[BriefLine, ...] | BriefLine | None = getattr(session, field)
        yield from ((field, line) for line in (value if isinstance(value, tuple) else (value,)) if line)


def _settles(memory: Memory) -> bool:
    """Whether a memory settles something: a person said it, and it is neither only a question nor a question with an
    answer that has nothing but a lead-in to a quotation."""
    _, answer = _asked_and_answered(memory.content)
    return memory.source_class in _DECIDERS and bool(without_announcement(_QUOTED.split(answer)[0]).strip(_ANSWER))


def _asked_and_answered(text: str) -> tuple[str, str]:
    """Split a text that begins with a question into the sentences before the answer (it begins with `– `, else after
    the last question) and the answer; return "" and the whole text if it does not begin with a question."""
    parts = list(sentences(harmless(text)))
    if not (parts and has_question_form(parts[0])):
        return "", " ".join(parts)
    last_question = max(number for number, each in enumerate(parts) if has_question_form(each))
    answer_from = next((number for number, each in enumerate(parts) if each.startswith(_ANSWER)), last_question + 1)
    return " ".join(parts[:answer_from]), " ".join(parts[answer_from:])


def _request_line(turns: Sequence[Memory]) -> BriefLine | None:
    """Return the purpose of a session with these passages: the title of the plan that it begins with, else the request
    that it was for; None if it has no request."""
    first = turns[0] if turns else None
    if first and first.source_class == "assistant_output" and (title := _HEADING.match(first.content)):
        return BriefLine(memory_id=first.id, text=harmless(title[1]))
    found = main_request(turns)
    return _line_of(*found) if found else None


def _done_lines(turns: Sequence[Memory], memories: Sequence[Memory]) -> Iterator[BriefLine]:
    """Yield at most `_DONE` (3) lines: the first sentence of each of the last two commits among `memories`, then the
    most important conclusions of the last turn of the agent that has any. Procedures (they are plans), and what came
    after the last commit and only answered a question, are no conclusions. If there are neither commits nor
    conclusions, yield at most one line, for the agent's last words in the passages `turns`."""
    own = [each for each in memories if each.source_class == "assistant_output" and each.category != "procedure"]
    commits = [each for each in own if each.content.startswith(COMMITTED)]
    conclusions = [each for each in own if each not in commits and _told_of_deeds(each.content)]
    people = [each for each in turns if each.source_class in ASKING]
    last_commit = last_turn(commits[-1]) if commits else 0
    working = [
        each
        for each in conclusions
        if last_turn(each) <= last_commit or not (commits and _answers_question(each, people))
    ]
    for commit in commits[1 - _DONE :]:
        yield BriefLine(memory_id=commit.id, text=harmless(sentences(commit.content)[0]))
    if working:
        of_turn = [each for each in working if last_turn(each) == last_turn(working[-1])]
        best = sorted(of_turn, key=lambda each: -each.importance_score)[: _DONE - len(commits[1 - _DONE :])]
        yield from (_line_of(each) for each in of_turn if each in best)
    elif not commits and (last := _last_words(turns)):
        yield last


def _last_words(turns: Sequence[Memory]) -> BriefLine | None:
    """Return a line for the last turn of the agent that tells what was done or found; None if there is none. The turn's
    passages are joined, so that code which was cut between two of them is known as code."""
    spoken = [each for each in turns if each.source_class == "assistant_output"]
    for _, group in groupby(reversed(spoken), key=last_turn):
        passages = list(group)[::-1]
        told = " ".join(_told_of_deeds("\n".join(each.content for each in passages)))
        if told and not says_little(told):
            return _line_of(passages[-1], told)
    return None


def _told_of_deeds(text: str) -> list[str]:
    """Return the sentences of an agent's text that can tell what was done or found, in order: its prose without
    questions and without what the agent is about to do; empty if there are none."""
    intent = detect_language(text).noise.intent
    return [each for each in prose_sentences(text) if not has_question_form(each) and not intent.search(each.lower())]


def _answers_question(memory: Memory, people: Sequence[Memory]) -> bool:
    """Whether the user's last turn before an agent's memory contains a question; `people` are the user's passages, in
    order."""
    before = [each for each in people if last_turn(each) < last_turn(memory)]
    last_words = [each.content for each in before if last_turn(each) == last_turn(before[-1])]
    return any(has_question_form(sentence) for words in last_words for sentence in sentences(words))


def _open_question(turns: Sequence[Memory]) -> BriefLine | None:
    """Return the question at the end of a session's last passage; None if the passage is not the agent's, or does not
    end with a question."""
    last = turns[-1] if turns else None
    if last and last.source_class == "assistant_output" and closing_mark(last.content) in QUESTION_MARKS:
        return BriefLine(memory_id=last.id, text=harmless(sentences(last.content)[-1]))
    return None


def _files(artifacts: Iterable[Iterable[str]]) -> list[str]:
    """Return the first eight files that artifacts name as made or changed, each once; of an absolute path only the last
    three parts. Files in a temporary folder are left out. `artifacts` are the artifact texts of each episode."""
    found = [parse_artifact(text) for each in artifacts for text in each]
    names = dict.fromkeys(each.name for each in found if each and each.kind == "file" and each.role != "mentioned")
    lasting = (name for name in names if not _TEMPORARY.search(name))
    shown = ("/".join(re.split(r"[/\\]", name)[-_STEPS:]) if _ABSOLUTE.match(name) else name for name in lasting)
    return list(dict.fromkeys(shown))[:_FILES]


def _line_of(memory: Memory, words: str = "") -> BriefLine:
    """Return a line with as many whole sentences of a memory, or of these `words` of it, as fit 240 characters. If it
    is a question with an answer, the question is cut, if need be, to leave room for the answer."""
    question, answer = _asked_and_answered(words or memory.content)
    answers = list(sentences(answer))
    text = question and _cut(question, _LONGEST // 2 if answers else _LONGEST)
    for number, sentence in enumerate(answers):
        if text and len(text) + len(sentence) > _LONGEST and not (question and not number):
            break
        text = f"{text} {sentence}".strip()
    return BriefLine(memory_id=memory.id, text=_cut(text, _LONGEST))


def _cut(text: str, max_chars: int) -> str:
    """Return the text; if it is longer than `max_chars` characters, cut at a word, with ` …` at its end."""
    return text if len(text) <= max_chars else f"{text[: max_chars - 2].rsplit(' ', 1)[0]} …"


def _text_of(session: SessionBrief) -> str:
    """Render the brief of a session as text: a heading, its lines with their labels and memory ids, and its files."""
    lines = [f"{_TOLD[field]}: {each.text} [{each.memory_id[-10:]}]" for field, each in _lines_of(session)]
    files = [f"files: {', '.join(harmless(name) for name in session.files)}"] if session.files else []
    return "\n".join((f"## {session.day} · session {harmless(session.session_id)[:40]}", *lines, *files)) + "\n\n"


BRIEF = Operation(
    "session.brief",
    "Say what the last sessions asked, did and left open. What they decided, too.",
    BriefInput,
    BriefOutput,
    in_home(brief),
    "read",
    Surfaces("brief", http=("GET /v1/brief",)),
    text=Text("closing.brief_text", namespace_hints=True),
)
