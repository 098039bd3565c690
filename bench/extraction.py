"""A LoCoMo file in, one JSON object out: how much of what mattered does extraction keep, in how few characters?

    python bench/extraction.py --data /path/to/locomo        (a folder with one `locomo*.json`, or the file itself)

`coverage` is the share of the turns cited by the set's `observation` entries that are evidence of an accepted fact
which shares a content word with the entry, the speakers' names aside. `compression` is trace characters over accepted
characters; captions of shared pictures are not counted as trace. `turnsPerSecond` is CPU time of extraction,
importance and judging together. Each session is one segment. The `observation` entries were written by a model: they
are recall truth, not precision.

`--sample 200` prints that many accepted facts instead, each with the turns of its evidence, drawn with `--seed`:
for judging by hand, by the rules of docs/observe.md.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import NotRequired, TypedDict, cast

from pellucid.clock import SystemClock
from pellucid.errors import InputError, PellucidError
from pellucid.language.words import content_words
from pellucid.model.observation import ExtractedFact, MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.pipeline import observe

DIALOGUE_ID = re.compile(r"D\d+:\d+")
SESSION = re.compile(r"^session_(\d+)$")


class Message(TypedDict):
    """One turn of the data set."""

    speaker: str
    dia_id: str
    text: str
    blip_caption: NotRequired[str]


@dataclass
class Session:
    """One dated session: its segment, the data set's ids of its turns, and the number of characters spoken."""

    segment: Segment
    ids: list[str]
    spoken: int

    @property
    def names(self) -> set[str]:
        """The speakers' names: two texts that share only these do not count as alike."""
        return {word for turn in self.segment.turns for word in content_words(turn.speaker or "")}


@dataclass
class Conversation:
    """The sessions of two people, and the entries that cite each turn."""

    sessions: list[Session]
    cited: dict[str, list[str]]


@dataclass
class Tally:
    """Running sums over all conversations."""

    cited: int = 0
    covered: int = 0
    turns: int = 0
    trace: int = 0
    kept: int = 0
    facts: int = 0
    seconds: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    categories: Counter[str] = field(default_factory=Counter[str])

    def report(self) -> dict[str, object]:
        """Return the numbers to publish."""
        return {
            "citedTurns": self.cited,
            "coverage": round(self.covered / self.cited, 4),
            "compression": round(self.trace / self.kept, 3),
            "facts": self.facts,
            "factsPer100Turns": round(100 * self.facts / self.turns, 1),
            "meanFactChars": round(self.kept / self.facts, 1),
            "turns": self.turns,
            "turnsPerSecond": round(self.turns / self.seconds),
            "verdicts": dict(self.verdicts.most_common()),
            "categories": dict(self.categories.most_common()),
        }


def main() -> int:
    """Print the measurement; return 2 if the data cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the LoCoMo file, or the folder that holds it")
    parser.add_argument("--sample", type=int, default=0, help="print so many facts with their evidence instead")
    parser.add_argument("--seed", type=int, default=1, help="which sample is drawn")
    options = parser.parse_args()
    try:
        if options.sample:
            sys.stdout.writelines(sample(conversations(options.data), options.sample, options.seed))
            return 0
        tally = measure(conversations(options.data))
    except PellucidError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(json.dumps(tally.report(), indent=2) + "\n")
    return 0


def conversations(path: Path) -> Iterator[Conversation]:
    """Yield the conversations of a LoCoMo file, sessions in order; raise InputError if there is no such file."""
    file = next(iter(sorted(path.glob("locomo*.json"))), path) if path.is_dir() else path
    if not file.is_file():
        raise InputError(f"There is no LoCoMo file at {path}.", next_step="give --data the file or its folder")
    for entry in json.loads(file.read_text(encoding="utf-8")):
        spoken = cast("dict[str, object]", entry["conversation"])
        numbers = sorted(int(found[1]) for key in spoken if (found := SESSION.match(key)))
        sessions = [_read_session(spoken, f"session_{number}") for number in numbers]
        yield Conversation(sessions, _citations(entry["observation"]))


def measure(data: Iterator[Conversation]) -> Tally:
    """Observe every session and compare the accepted facts with the entries that cite its turns."""
    tally = Tally()
    extractor, judge, clock = HeuristicExtractor(), HeuristicJudge(), SystemClock()
    observe(
        Segment("warm", (Turn("warm", 1, "user", "We decided to start warm."),), "session_end"), extractor, judge, clock
    )
    for conversation in data:
        fact_words: dict[str, set[str]] = defaultdict(set)
        for session in conversation.sessions:
            start = time.process_time()
            observations = observe(session.segment, extractor, judge, clock)
            tally.seconds += time.process_time() - start
            _tally_session(tally, session, observations, fact_words)
        names = {name for session in conversation.sessions for name in session.names}
        turn_ids = {id_ for session in conversation.sessions for id_ in session.ids}
        for id_ in conversation.cited.keys() & turn_ids:
            entry_words = {word for text in conversation.cited[id_] for word in content_words(text)} - names
            tally.cited += 1
            tally.covered += bool(entry_words & fact_words[id_])
    return tally


def sample(data: Iterator[Conversation], count: int, seed: int = 1) -> list[str]:
    """Return `count` accepted facts of all sessions, drawn at random, each with the turns that are its evidence."""
    extractor, judge, clock = HeuristicExtractor(), HeuristicJudge(), SystemClock()
    found = [
        f"[{observation.fact.category}] {observation.fact.content}\n{_evidence_text(observation.fact, session)}\n"
        for conversation in data
        for session in conversation.sessions
        for observation in observe(session.segment, extractor, judge, clock)
        if observation.judge_accepted
    ]
    return Random(seed).sample(found, min(count, len(found)))


def _evidence_text(fact: ExtractedFact, session: Session) -> str:
    """Return the turns that are a fact's evidence, a line each."""
    turns = (session.segment.turns[at - 1] for part in fact.evidence for at in range(part.start, part.end + 1))
    return "".join(f"    {turn.speaker}: {turn.content}\n" for turn in turns)


def _tally_session(
    tally: Tally, session: Session, observations: list[MemoryObservation], fact_words: dict[str, set[str]]
) -> None:
    """Add a session to the tally, and the words of its accepted facts to `fact_words`, by turn id."""
    tally.turns += len(session.ids)
    tally.trace += session.spoken
    for observation in observations:
        tally.verdicts[f"{observation.verdict} {observation.verdict_reason.split(':')[0]}"] += 1
        if observation.judge_accepted:
            tally.facts += 1
            tally.kept += len(observation.fact.content)
            tally.categories[observation.fact.category] += 1
            for id_ in _evidence_ids(observation.fact, session):
                fact_words[id_] |= set(content_words(observation.fact.content))


def _evidence_ids(fact: ExtractedFact, session: Session) -> list[str]:
    """Return the data set's ids of the turns that are a fact's evidence."""
    return [session.ids[at - 1] for part in fact.evidence for at in range(part.start, part.end + 1)]


def _read_session(conversation: dict[str, object], name: str) -> Session:
    """Read the session with this name (`session_3`) of a conversation as one segment."""
    messages = cast("list[Message]", conversation[name])
    spoken_at = datetime.strptime(str(conversation[f"{name}_date_time"]), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    turns = tuple(
        Turn(name, ordinal, "user", _content(message), spoken_at, speaker=message["speaker"])
        for ordinal, message in enumerate(messages, 1)
    )
    ids = [message["dia_id"] for message in messages]
    return Session(Segment(name, turns, "session_end"), ids, sum(len(message["text"]) for message in messages))


def _content(message: Message) -> str:
    """Return the text of a message, with the caption of a shared picture."""
    caption = message.get("blip_caption")
    return f"{message['text']} [shares image: {caption}]" if caption else message["text"]


def _citations(observation: dict[str, dict[str, list[list[object]]]]) -> dict[str, list[str]]:
    """Map the ids of turns to the texts of the `observation` entries that cite them."""
    cited: dict[str, list[str]] = defaultdict(list)
    for speakers in observation.values():
        for entries in speakers.values():
            for text, ids in entries:
                for id_ in DIALOGUE_ID.findall(str(ids)):
                    cited[id_].append(str(text))
    return cited


if __name__ == "__main__":
    raise SystemExit(main())
