"""A seed in, a home with a month of a small team's work out: sessions, questions, and what became of the answers.

Nothing of it is invented but the words: sessions are observed, questions recalled and answers cited by the operations
that any agent uses, with a clock that walks through the month before now.
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
"""Who asks, and how often beside the others."""
_WRITTEN_DOWN = 8
"""The day on which the first decisions are written down."""
_UNKNOWN = 0.1
"""How many of the questions ask for what nobody said."""


@dataclass(slots=True)
class WalkingClock:
    """A clock that stands where it was put, and goes on by a second with every id."""

    at: datetime
    ids: SystemClock = field(default_factory=SystemClock)

    def now(self) -> datetime:
        """Where it stands."""
        return self.at

    def new_id(self, prefix: str) -> str:
        """An id of this instant, as unguessable as any."""
        self.at += timedelta(milliseconds=1)
        return f"{prefix}_{uuid7(self.at, self.ids.random_bits(74)).hex}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was said on a day, and how it is asked for later."""

    day: int
    said: str
    holds: str
    """Words by which a memory of it is known."""
    asks: tuple[str, ...]
    before: str = ""
    """Words of what it replaced."""


@dataclass(slots=True)
class Month:
    """What was made."""

    sessions: int = 0
    recalls: int = 0
    citations: int = 0


def run_month(settings: Settings, note: Callable[[str], None], seed: int = 7) -> Month:
    """Fill a home with a month that ends yesterday.

    Args:
        settings: of the home; nothing may be kept in it yet under `local/tidepool`.
        note: told how far it is.
        seed: the same gives the same questions and answers; ids differ.

    Raises:
        ConflictError: there is something already.
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
            if day == _WRITTEN_DOWN:
                team.write_down(datetime.combine(date, time(7), UTC))
            if date.weekday() < 5:
                team.work(day, datetime.combine(date, time(8), UTC))
                note(f"{date}: {team.made.sessions} sessions, {team.made.recalls} recalls so far")
        return team.made
    finally:
        app.close()


class Team:
    """Agents that say what there is to say, ask for what was said, and make something of the answers."""

    def __init__(self, app: App, clock: WalkingClock, chance: Random) -> None:
        self._app, self._clock, self._chance = app, clock, chance
        story = tomllib.loads(files("pellucid.surfaces.cli").joinpath("month.toml").read_text("utf-8"))
        self._unknown: list[str] = story["unknown"]["asks"]
        self._opens: list[str] = story["tasks"]["opens"]
        self._to_say = sorted(_facts(story["fact"]), key=lambda fact: fact.day)
        self._said: list[Fact] = []
        self._documents: list[Mapping[str, Any]] = story["document"]
        self.made = Month()

    def write_down(self, morning: datetime) -> None:
        """Decisions as files, which are indexed; from then on they are asked for."""
        self._clock.at = morning
        with TemporaryDirectory(prefix="tidepool-") as folder:
            for each in self._documents:
                (Path(folder) / each["name"]).write_text(each["text"].lstrip(), "utf-8")
            index_docs(self._app, IndexDocsInput(namespace=NAMESPACE, paths=(Path(folder),)))
        self._said += [Fact(_WRITTEN_DOWN - 1, "", each["holds"], tuple(each["asks"])) for each in self._documents]

    def work(self, day: int, morning: datetime) -> None:
        """One day: two or three sessions."""
        for number in range(self._chance.choice((2, 2, 3))):
            self._clock.at = morning + timedelta(hours=3 * number, minutes=self._chance.randrange(50))
            due = [fact for fact in self._to_say if fact.day <= day][:2]
            self._session(f"tidepool-{morning:%m%d}-{number + 1}", due)

    def _session(self, session: str, due: list[Fact]) -> None:
        """One session: what is due is said, some questions are asked, and the session ends."""
        agent = self._chance.choices([*_AGENTS], [*_AGENTS.values()])[0]
        self._say(session, agent, ("user", self._chance.choice(self._opens)))
        for fact in due:
            self._to_say.remove(fact)
            self._said = [fact, *(each for each in self._said if each.holds != fact.before)]
            self._say(session, agent, ("user", fact.said), ("assistant", "Understood."))
            if fact.before:  # what is remembered of it holds no longer, and whoever asks says so
                self._ask(session, agent, fact, fact.asks[0])
        for _ in range(self._chance.randrange(2, 5)):
            self._ask(session, agent, *self._question())
        self._observe(session, agent, (), is_over=True)
        self.made.sessions += 1

    def _question(self) -> tuple[Fact | None, str]:
        """Something to ask, and what would answer it; None where nobody said."""
        known = [fact for fact in self._said if fact.asks]
        if not known or self._chance.random() < _UNKNOWN:
            return None, self._chance.choice(self._unknown)
        fact = self._chance.choices(known, [1 + each.day % 4 for each in known])[0]
        return fact, self._chance.choice(fact.asks)

    def _ask(self, session: str, agent: str, fact: Fact | None, query: str) -> None:
        """Ask memory a question, and have the agent say what it makes of the answer."""
        asked = RecallInput(query=query, namespace=NAMESPACE, session_id=session, agent=agent, not_in_session=session)
        answer = recall(self._app, asked)
        self.made.recalls += 1
        self._clock.at += timedelta(seconds=20)
        self._say(session, agent, ("user", query), ("assistant", self._make_of(answer, fact, session, agent)))

    def _make_of(self, answer: RecallOutput, fact: Fact | None, session: str, agent: str) -> str:
        """What the agent says, and what it tells of the memories that it was given."""
        found = {each.memory.id: each.memory.content for each in answer.memories}
        right = next((each for each, text in found.items() if fact and fact.holds in text), None)
        old = next((each for each, text in found.items() if fact and fact.before and fact.before in text), None)
        if old:
            self._cite(answer, old, "flagged_stale", session, agent, f"it is now: {fact.holds if fact else ''}")
        if right and self._chance.random() < 0.75:
            kind = self._chance.choices(("cited", "saved_rework", "used"), (5, 3, 2))[0]
            self._cite(answer, right, kind, session, agent)
            return f"As we know: {found[right]}"
        if found and not right and self._chance.random() < 0.4:
            self._cite(answer, next(iter(found)), "dismissed", session, agent, "not what was asked")
        return "I do not know that for certain, so I looked it up in the code."

    def _cite(self, answer: RecallOutput, memory: str, kind: Any, session: str, agent: str, notes: str = "") -> None:
        """Keep what became of a recalled memory."""
        done = cite(
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
        self.made.citations += done.is_new

    def _say(self, session: str, agent: str, *said: tuple[str, str]) -> None:
        """Say something in a session, forty seconds a turn."""
        turns: list[dict[str, object]] = []
        for role, content in said:
            self._clock.at += timedelta(seconds=40)
            turns.append({"role": role, "content": content, "ts": isoformat(self._clock.at)})
        self._observe(session, agent, tuple(turns))

    def _observe(self, session: str, agent: str, turns: tuple[dict[str, object], ...], is_over: bool = False) -> None:
        """Hand turns to the live session; with `is_over` it ends."""
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


def _facts(told: list[Mapping[str, Any]]) -> list[Fact]:
    """Every fact and what it became, each on its day."""
    found: list[Fact] = []
    for each in told:
        found.append(Fact(each["day"], each["said"], each["holds"], tuple(each["asks"])))
        if then := each.get("then"):
            found.append(Fact(then["day"], then["said"], then["holds"], tuple(each["asks"]), each["holds"]))
    return found
