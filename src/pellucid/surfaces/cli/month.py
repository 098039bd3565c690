"""A seed in, a home with a month of a small team's work out: sessions, questions, and citations of the answers.

Only the words are invented: sessions are observed, questions recalled and answers cited by the operations that any
agent uses, with a clock that walks through the month before now.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from importlib.resources import files
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from pellucid.app import App, open_app
from pellucid.clock import SystemClock, isoformat, uuid7
from pellucid.errors import ConflictError
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.recall.recalling import RecallOutput, recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.session.observing import ObserveInput, observe_turns
from pellucid.settings import Settings

NAMESPACE = "local/tidepool"
DAYS = 30
_AGENTS = {"claude-code": 5, "codex": 3, "cursor": 2}
"""The agents, with the weight by which one is chosen for a session."""
_DOCUMENTS_DAY = 8
"""The day on which decisions are written down as documents."""
_UNKNOWN_SHARE = 0.1
"""The share of questions that no fact answers."""


@dataclass(slots=True)
class WalkingClock:
    """A clock that shows the time it was set to, and advances by a millisecond with every new id."""

    at: datetime
    ids: SystemClock = field(default_factory=SystemClock)

    def now(self) -> datetime:
        """Return the time that the clock shows; it stands still between changes."""
        return self.at

    def new_id(self, prefix: str) -> str:
        """Advance the clock by a millisecond and return a new random id of that time: `prefix`, `_` and 32 hex digits
        of a UUIDv7.
        """
        self.at += timedelta(milliseconds=1)
        return f"{prefix}_{uuid7(self.at, self.ids.random_bits(74)).hex}"


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement that is made on a day of the month, and the questions that are asked about it later."""

    day: int
    statement: str
    holds: str
    """A text that a memory of the fact contains."""
    asks: tuple[str, ...]
    before: str = ""
    """The `holds` of the fact that it replaces, if any."""


@dataclass(slots=True)
class Month:
    """How much was put into a home."""

    sessions: int = 0
    recalls: int = 0
    citations: int = 0


def run_month(settings: Settings, note: Callable[[str], None], seed: int = 7) -> Month:
    """Fill the home of `settings` with a team's work on the working days (Monday to Friday) of the thirty days that end
    yesterday, in UTC, and return the numbers of its sessions, recalls and citations.

    `note` is called with a line of progress for each working day, and with remarks such as that the model is being
    downloaded; `seed` determines the questions and answers, not the ids. `ConflictError` if the namespace
    `local/tidepool` has data already.
    """
    clock = WalkingClock(SystemClock().now())
    app = open_app(settings.naming(NAMESPACE), clock=clock, report=note)
    try:
        if app.lookup.held(NAMESPACE).anything:
            raise ConflictError(
                f"{settings.home} holds memories under {NAMESPACE} already",
                next_step="name an empty home: --home /tmp/tidepool",
            )
        team = Team(app, clock, Random(seed))  # noqa: S311  # a story, not a secret
        today = clock.at.date()
        for day in range(DAYS):
            date = today - timedelta(days=DAYS - day)
            if day == _DOCUMENTS_DAY:
                team.write_documents(datetime.combine(date, time(7), UTC))
            if date.weekday() < 5:
                team.work(day, datetime.combine(date, time(8), UTC))
                note(f"{date}: {team.made.sessions} sessions, {team.made.recalls} recalls so far")
        return team.made
    finally:
        app.close()


class Team:
    """A team's agents: in their sessions facts are stated, questions are recalled, and answers are cited."""

    def __init__(self, app: App, clock: WalkingClock, chance: Random) -> None:
        """Read the story from `month.toml`; `chance` makes every choice, and the team sets `clock` forward."""
        self._app, self._clock, self._chance = app, clock, chance
        story = tomllib.loads(files("pellucid.surfaces.cli").joinpath("month.toml").read_text("utf-8"))
        self._unknown: list[str] = story["unknown"]["asks"]
        self._opens: list[str] = story["tasks"]["opens"]
        self._to_say = sorted(_facts(story["fact"]), key=lambda fact: fact.day)
        self._said: list[Fact] = []
        self._documents: list[Mapping[str, Any]] = story["document"]
        self.made = Month()

    def write_documents(self, morning: datetime) -> None:
        """Write the story's decisions to files in a temporary folder, and index them at the time `morning`; later
        questions can be about them.
        """
        self._clock.at = morning
        with TemporaryDirectory(prefix="tidepool-") as folder:
            for each in self._documents:
                (Path(folder) / each["name"]).write_text(each["text"].lstrip(), "utf-8")
            index_docs(self._app, IndexDocsInput(namespace=NAMESPACE, paths=(Path(folder),)))
        self._said += [Fact(_DOCUMENTS_DAY - 1, "", each["holds"], tuple(each["asks"])) for each in self._documents]

    def work(self, day: int, morning: datetime) -> None:
        """Hold the two or three sessions of a day: they begin 0, 3 and 6 hours after `morning`, each up to 49 minutes
        later, to which the clock is set. A session states up to two facts that are due by `day` (0 is the first day of
        the month) and were not stated yet.
        """
        for number in range(self._chance.choice((2, 2, 3))):
            self._clock.at = morning + timedelta(hours=3 * number, minutes=self._chance.randrange(50))
            due = [fact for fact in self._to_say if fact.day <= day][:2]
            self._session(f"tidepool-{morning:%m%d}-{number + 1}", due)

    def _session(self, session: str, due: list[Fact]) -> None:
        """Hold one session, whose id is `session`, with a random agent: the `due` facts are stated, two to four
        questions are asked, the session ends, and it is counted in `made`. A fact that replaces another is asked about
        at once, too.
        """
        agent = self._chance.choices([*_AGENTS], [*_AGENTS.values()])[0]
        self._say(session, agent, ("user", self._chance.choice(self._opens)))
        for fact in due:
            self._to_say.remove(fact)
            self._said = [fact, *(each for each in self._said if each.holds != fact.before)]
            self._say(session, agent, ("user", fact.statement), ("assistant", "Understood."))
            if fact.before:  # the memory of the older fact is recalled, and flagged as stale
                self._ask(session, agent, fact, fact.asks[0])
        for _ in range(self._chance.randrange(2, 5)):
            self._ask(session, agent, *self._question())
        self._observe(session, agent, (), is_over=True)
        self.made.sessions += 1

    def _question(self) -> tuple[Fact | None, str]:
        """Return a random question with the fact that answers it; or with None a question that no fact answers, one
        time in ten on average, and always while no fact was said.
        """
        answerable = [fact for fact in self._said if fact.asks]
        if not answerable or self._chance.random() < _UNKNOWN_SHARE:
            return None, self._chance.choice(self._unknown)
        fact = self._chance.choices(answerable, [1 + each.day % 4 for each in answerable])[0]
        return fact, self._chance.choice(fact.asks)

    def _ask(self, session: str, agent: str, fact: Fact | None, query: str) -> None:
        """Recall the question `query` in a session, count the recall in `made`, cite from its answer, and store the
        question and the agent's reply as turns. `fact` is what answers the question; None if no fact does.
        """
        request = RecallInput(query=query, namespace=NAMESPACE, session_id=session, agent=agent, not_in_session=session)
        answer = recall(self._app, request)
        self.made.recalls += 1
        self._clock.at += timedelta(seconds=20)
        self._say(session, agent, ("user", query), ("assistant", self._react(answer, fact, session, agent)))

    def _react(self, answer: RecallOutput, fact: Fact | None, session: str, agent: str) -> str:
        """Cite some of the recalled memories in the given session, and return the agent's reply as a text.

        The memory of the fact that `fact` replaces is cited as stale if it was recalled. The memory of `fact` is cited,
        if it was recalled, three times in four, as quoted, used or work saved. If it was not recalled, or `fact` is
        None, the first memory is dismissed twice in five.
        """
        texts = {each.memory.id: each.memory.content for each in answer.memories}
        right_id = next((each for each, text in texts.items() if fact and fact.holds in text), None)
        old_id = next((each for each, text in texts.items() if fact and fact.before and fact.before in text), None)
        if old_id:
            self._cite(answer, old_id, "flagged_stale", session, agent, f"it is now: {fact.holds if fact else ''}")
        if right_id and self._chance.random() < 0.75:
            kind = self._chance.choices(("cited", "saved_rework", "used"), (5, 3, 2))[0]
            self._cite(answer, right_id, kind, session, agent)
            return f"As we know: {texts[right_id]}"
        if texts and not right_id and self._chance.random() < 0.4:
            self._cite(answer, next(iter(texts)), "dismissed", session, agent, "not what was asked")
        return "I do not know that for certain, so I looked it up in the code."

    def _cite(self, answer: RecallOutput, memory: str, kind: Any, session: str, agent: str, notes: str = "") -> None:
        """Record a citation of a recalled memory, whose id is `memory`, of a `kind` such as `cited` or `flagged_stale`,
        with `notes`. Count it in `made` unless the same was on record already.
        """
        outcome = cite(
            self._app,
            CiteInput(
                namespace=NAMESPACE,
                memory_id=memory,
                kind=kind,
                recall_id=answer.recall_id,
                session_id=session,
                agent=agent,
                notes=notes,
            ),
        )
        self.made.citations += outcome.is_new

    def _say(self, session: str, agent: str, *turns_said: tuple[str, str]) -> None:
        """Store turns of a session, each a (role, text), forty seconds apart by the clock."""
        turns: list[dict[str, object]] = []
        for role, content in turns_said:
            self._clock.at += timedelta(seconds=40)
            turns.append({"role": role, "content": content, "ts": isoformat(self._clock.at)})
        self._observe(session, agent, tuple(turns))

    def _observe(self, session: str, agent: str, turns: tuple[dict[str, object], ...], is_over: bool = False) -> None:
        """Pass turns, each with `role`, `content` and `ts`, to the live session; with `is_over` end it, so that its
        turns become memories.
        """
        observe_turns(
            self._app,
            ObserveInput(
                namespace=NAMESPACE,
                session_id=session,
                agent=agent,
                turns=turns,
                transcript_format="plain-jsonl",
                flush="session_end" if is_over else None,
            ),
        )


def _facts(story: list[Mapping[str, Any]]) -> list[Fact]:
    """Return the facts of `story`, the tables `fact` of `month.toml`, in their order. A fact that is replaced later
    (its table has `then`) is followed by the one that replaces it, which has the same questions.
    """
    facts: list[Fact] = []
    for each in story:
        facts.append(Fact(each["day"], each["said"], each["holds"], tuple(each["asks"])))
        if later := each.get("then"):
            facts.append(Fact(later["day"], later["said"], later["holds"], tuple(each["asks"]), each["holds"]))
    return facts
