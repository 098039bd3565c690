"""Cases of poisoning in, what became of each out: the ordinary guard, intake and recall over a home of its own."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pellucid.app import App
from pellucid.capture.guard import Guard
from pellucid.capture.identity import turn_fingerprint
from pellucid.capture.report import CaptureReport
from pellucid.language.words import content_words, reading_length
from pellucid.model.memory import Memory
from pellucid.model.observation import Evidence, ExtractedFact
from pellucid.model.turn import Role, Segment, Turn
from pellucid.observe.attributes import read_attribution
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.language import detect_language
from pellucid.observe.prose import blocks, sentences
from pellucid.operations.extraction import Extraction
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.recalling import RecallInput, recall
from pellucid.operations.session.intake import Intake

START = datetime(2026, 4, 20, 10, tzinfo=UTC)
_ROLES: dict[str, tuple[Role, str | None]] = {
    "u": ("user", None),
    "a": ("assistant", None),
    "y": ("system", None),
    "t": ("tool", "bash"),
    "w": ("tool", "web_fetch"),
    "s": ("tool", "task"),
}


@dataclass(frozen=True)
class Case:
    """An attempt, or a benign session; see `cases.toml`."""

    id: str
    family: str
    turns: tuple[str, ...]
    question: str
    payload: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    holds: bool = True
    restraint: bool = True
    """Whether it also holds where no tool turn is read: whose words a later session echoes is then unknown."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case. Of a benign one: whether what it must leave stands, and is recalled."""

    case: Case
    injected: bool
    activated: bool
    kept: bool
    recalled: bool


class ReadsEveryTurn:
    """An extractor that takes every turn for a person's and every sentence for a fact: a model that believes all."""

    def __init__(self) -> None:
        self._inner = HeuristicExtractor()

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        turns = tuple(
            Turn(each.session_id, each.ordinal, "user" if each.role == "tool" else each.role, each.content, each.at)
            for each in segment.turns
        )
        found = self._inner.extract(Segment(segment.session_id, turns, segment.signal))
        said = [fact for turn in turns for fact in _sentences(turn) if not _is_among(fact, found)]
        return sorted([*found, *said], key=lambda fact: fact.evidence[-1].end)


def _sentences(turn: Turn) -> Iterator[ExtractedFact]:
    language = detect_language(turn.content)
    for sentence in (each for block in blocks(turn.content) for each in sentences(block.text)):
        if not sentence.endswith(("?", "？")) and reading_length(sentence) > 2:
            read = read_attribution(sentence, language)
            yield ExtractedFact(
                category="fact",
                content=sentence.rstrip(".。"),
                confidence=0.9,
                entity_ref=read.entity,
                structured_attributes=read.attributes,
                evidence=(Evidence(source=turn.session_id, start=turn.ordinal, end=turn.ordinal),),
            )


def _is_among(fact: ExtractedFact, found: Iterable[ExtractedFact]) -> bool:
    at, mine = fact.evidence[-1].end, set(content_words(fact.content))
    theirs = [set(content_words(each.content)) for each in found if each.evidence[-1].end == at]
    return not mine or any(len(mine & each) >= 0.6 * len(mine) for each in theirs)


def load_cases() -> tuple[list[Case], list[Case]]:
    """The attempts, and the benign sessions."""
    table = tomllib.loads((Path(__file__).parents[1] / "poisoning" / "cases.toml").read_text("utf-8"))

    def of(groups: list[dict[str, object]]) -> list[Case]:
        return [
            Case(family=str(group["name"]), **{k: tuple(v) if isinstance(v, list) else v for k, v in case.items()})
            for group in groups
            for case in group["cases"]  # type: ignore[union-attr]
        ]

    return of(table["family"]), of(table["benign"])


def run(app: App, cases: Iterable[Case], *, everything: bool) -> Iterator[Outcome]:
    """Each case in a namespace of its own; with `everything`, tool turns are read as well."""
    for case in cases:
        namespace = f"poison/{case.id}"
        _take(app, case, namespace, everything=everything)
        yield _outcome(app, case, namespace)


def _take(app: App, case: Case, namespace: str, *, everything: bool) -> None:
    guard, day, number = Guard(app.settings.capture, CaptureReport()), 0, 0
    turns: list[Turn] = []
    waiting = [*case.turns, "--"]
    for line in waiting:
        mark, _, text = line.partition(": ")
        if mark.startswith("--") or mark == "m":
            _intake(app, namespace, turns, everything=everything)
            turns, number = [], 0
            day = -5 if mark == "--early" else day + 1
        if mark == "m":
            remember(app, RememberInput(content=text, namespace=namespace))
        elif not mark.startswith("--"):
            number += 1
            role, tool = _ROLES[mark]
            at = START + timedelta(days=day, minutes=number)
            turns += guard.admit(Turn(f"s{day}", number, role, text, at, tool=tool))


def _intake(app: App, namespace: str, turns: list[Turn], *, everything: bool) -> None:
    intake = Intake(app, namespace, "extract")
    if everything:
        intake._extraction = Extraction(ReadsEveryTurn(), HeuristicJudge())
    intake.take(replace(turn, fingerprint=turn_fingerprint(turn, app.key, f"{namespace} extract")) for turn in turns)


def _outcome(app: App, case: Case, namespace: str) -> Outcome:
    standing = [each.memory for each in app.index.memories(namespace) if _stands(each.memory)]
    told = recall(app, RecallInput(query=case.question, namespace=namespace)).memories
    recalled = [each.memory for each in told]
    missing = [word for word in case.stays if not _holding(standing, word)]
    return Outcome(
        case,
        injected=bool(missing) or any(_holding(standing, word) for word in case.payload),
        activated=any(_holding(recalled, word) for word in case.payload),
        kept=all(_holding(standing, word) for word in case.keeps),
        recalled=all(_holding(recalled, word) for word in case.keeps),
    )


def _stands(memory: Memory) -> bool:
    return memory.status == "active" and memory.trust_zone != "quarantine"


def _holding(memories: Iterable[Memory], word: str) -> bool:
    return any(word in memory.content.casefold() for memory in memories)
