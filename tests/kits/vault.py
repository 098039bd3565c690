"""A folder in, a wired home of the test's own out: real stores, the shared encoder, a clock that ticks, word salad."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pellucid.app import App, open_app
from pellucid.clock import Clock, uuid7
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.port import Embedder
from pellucid.memory.changes import memory_write
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, unpack_id
from pellucid.model.turn import Turn
from pellucid.operations.memory.remembering import RememberInput, RememberOutput, remember
from pellucid.operations.recall.recalling import RecallInput, RecallOutput, recall
from pellucid.operations.recall.request import build_request
from pellucid.operations.session.importing import ImportInput, ImportOutput, import_transcripts
from pellucid.operations.session.intake import Intake, Mode
from pellucid.recall.receipt.record import inflate
from pellucid.recall.state import State
from pellucid.settings import Settings
from pellucid.settings.sections import RecallSettings

HERE, ELSEWHERE = "local/default", "other/place"
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
SESSIONS = Path(__file__).parents[2] / "examples" / "sessions"

_WORDS = (
    "harbour crane ferry cargo tide anchor quay pilot manifest customs container lighthouse engine storm the a we of "
    "every never moved forty nine cache ttl=300 config/cache.toml v2.1 don't C++"
)
SCRIPTS: tuple[tuple[str, str], ...] = (
    (" ", _WORDS),
    (" ", "größe hafen schiff übergabe straße kran nie fährt jeden der die das nächste zoll öffnet"),
    (" ", "паром уходит кран груз никогда маяк расписание мы буря контейнер"),
    (" ", "λιμάνι πλοίο Μαΐου γερανός ποτέ φορτίο φάρος"),
    ("", "港口 起重机 每天 货船 从不 时间表 灯塔 我们 搬到 三月"),
    ("", "港の クレーン フェリー 毎日 九時 出発 しない ｶﾓﾂ"),
    (" ", "항구의 크레인은 매일 배가 떠난다 등대"),
    ("", "ท่าเรือ เครน ทุกวัน ไม่เคย เรือ"),
    (" ", "🚢 ⚓ 👩‍🔧 🏗️ -5 50% a_b <tag> `code` \\ \" '"),
)


@dataclass
class TickingClock:
    """Starts at noon; each look at it is a millisecond later; ids are those of one seed."""

    at: datetime = NOON
    rng: random.Random = field(default_factory=lambda: random.Random(7))

    def now(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{uuid7(self.now(), self.rng.getrandbits(74)).hex}"


def open_home(
    home: Path, encoder: Embedder | None, namespace: str = HERE, clock: Clock | None = None, **given: Any
) -> App:
    """A home as the program opens it, around an encoder that is loaded once; `given` are recall settings.

    To open a home again, bring the clock it had: a new one would give the same ids, and ask before they were.
    """
    settings = Settings(home=home, namespace=namespace, recall=RecallSettings(**given))
    app = open_app(settings, clock=clock or TickingClock())
    indexer = replace(app.indexer, embedder=encoder)
    return replace(
        app,
        embedder=encoder or app.embedder,
        indexer=indexer,
        unit_of_work=replace(app.unit_of_work, indexer=indexer),
        recaller=replace(app.recaller, embedder=encoder),
    )


Opener = Callable[..., App]


@pytest.fixture
def house(tmp_path: Path, minilm: MiniLM) -> Iterator[Opener]:
    """Opens homes around the real encoder (`house()`, `house(namespace=…)`, `house(folder)`), and closes them all.

    They share one clock, as homes opened after one another do.
    """
    opened: list[App] = []
    clock = TickingClock()

    def open_one(home: Path = tmp_path, encoder: Embedder | None = minilm, **given: Any) -> App:
        opened.append(open_home(home, encoder, clock=clock, **given))
        return opened[-1]

    yield open_one
    for app in opened:
        app.close()


@pytest.fixture
def app(house: Opener) -> App:
    """One home around the real encoder."""
    return house()


def keep(app: App, content: str, **given: Any) -> RememberOutput:
    return remember(app, RememberInput(content=content, **{"namespace": app.settings.namespace, **given}))


def ask(app: App, query: str, **given: Any) -> RecallOutput:
    return recall(app, RecallInput(query=query, **{"namespace": app.settings.namespace, **given}))


def run(app: App, query: str, **given: Any) -> State:
    """The whole state of a recall that leaves no receipt."""
    request = build_request(app, RecallInput(query=query, **{"namespace": app.settings.namespace, **given}))
    return app.recaller.run(request)


def ranking(state: State) -> list[tuple[str, float]]:
    """What a recall ranked, best first: ids with their exact scores."""
    pool = state.pool
    return [(unpack_id(pool.ids[at]), float(pool.final[at])) for at in state.order.tolist()]


def contents(output: RecallOutput) -> list[str]:
    return [each.memory.content for each in output.memories]


def bring_in(app: App, *paths: Path, mode: Mode = "extract", **given: Any) -> ImportOutput:
    """Import paths; of the example sessions each file by its name, since one is notes, which a folder does not give."""
    files = [each for path in paths for each in (sorted(path.iterdir()) if path == SESSIONS else [path])]
    request = ImportInput(paths=tuple(files), mode=mode, **{"namespace": app.settings.namespace, **given})
    return import_transcripts(app, request)


def drop_index(home: Path) -> None:
    """Delete the index as a user may at any moment; nobody may hold it open."""
    for suffix in ("", "-wal", "-shm"):
        (home / f"index.db{suffix}").unlink(missing_ok=True)


def edit(home: Path, path: str, old: str, new: str) -> None:
    """Change a file of the vault as an editor does."""
    file = home / "vault" / path
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def a_memory(number: int, content: str, **given: Any) -> Memory:
    """A memory with every required field; `number` makes its id."""
    known = {
        "id": f"mem_{number:032x}",
        "category": "fact",
        "namespace": HERE,
        "created": NOON,
        "updated": NOON,
        "source": "manual",
        "content": content,
    }
    return Memory(**{**known, **given})


def file_memories(app: App, memories: Sequence[Memory]) -> None:
    """Write memories as one operation, whatever their state."""
    app.unit_of_work.commit("import", [memory_write(memory) for memory in memories])


def bare_receipt(packed: bytes) -> bytes:
    """A receipt with its header inflated: every byte that was kept, so that a word in it would be seen."""
    return b"".join(inflate(packed))


def salad(rng: random.Random, words: int) -> str:
    """Words of one script, or now and then of two, in no order."""
    joined: list[str] = []
    for _ in range(2 if rng.random() < 0.15 else 1):
        space, vocabulary = rng.choice(SCRIPTS) if rng.random() < 0.5 else SCRIPTS[0]
        joined.append(space.join(rng.choice(vocabulary.split()) for _ in range(words)))
    return " ".join(joined)


def salad_memories(rng: random.Random, count: int, namespace: str = HERE) -> list[Memory]:
    """Memories in every state: in sessions or alone, some with the same words, some that may never answer."""
    out: list[Memory] = []
    texts = [salad(rng, rng.randint(3, 14)) for _ in range(count - count // 10)]
    texts += rng.choices(texts, k=count // 10)
    for text in texts:
        at = NOON - timedelta(days=rng.randint(1, 400), seconds=rng.randint(0, 86_400))
        session = f"session-{rng.randint(1, max(count // 15, 1))}" if rng.random() < 0.7 else None
        turn = rng.randint(1, 30)
        out.append(
            a_memory(
                rng.getrandbits(128),
                text,
                namespace=namespace,
                created=at,
                updated=at,
                session_id=session,
                evidence=(f"{session}:{turn}-{turn}",) if session else (),
                importance_score=round(rng.random(), 2),
                pinned=rng.random() < 0.05,
                **_state(rng, at),
            )
        )
    return out


def _state(rng: random.Random, at: datetime) -> dict[str, Any]:
    """Four in five may answer; the others are of one kind that may not."""
    late, soon = NOON + timedelta(days=30), at + timedelta(minutes=5)
    ways: tuple[dict[str, Any], ...] = (
        {"status": "superseded"},
        {"status": "archived"},
        {"status": "retracted"},
        {"status": "pending_review"},
        {"status": "quarantined"},
        {"trust_zone": "quarantine"},
        {"valid_at": late},
        {"invalid_at": soon},
        {"expires_at": soon},
        {"scopes": BOUNDARY_SCOPES[:1]},
        {"scopes": BOUNDARY_SCOPES[1:]},
    )
    return rng.choice(ways) if rng.random() < 0.2 else {}


def may_answer(memory: Memory, scopes: Sequence[str] = ()) -> bool:
    """Whether a memory may ever be an answer at noon and after, worked out from its own words."""
    ends = [end for end in (memory.invalid_at, memory.expires_at) if end]
    return (
        memory.status == "active"
        and memory.trust_zone != "quarantine"
        and (memory.valid_at is None or memory.valid_at <= NOON + timedelta(hours=1))
        and all(end > NOON for end in ends)
        and all(scope in scopes for scope in memory.scopes if scope in BOUNDARY_SCOPES)
    )


def salad_turns(rng: random.Random, session: str, count: int) -> Iterator[Turn]:
    for ordinal in range(1, count + 1):
        key, at = rng.randbytes(16), NOON - timedelta(days=9, minutes=-ordinal)
        yield Turn(session, ordinal, rng.choice(("user", "assistant")), salad(rng, 9), at=at, fingerprint=key)


def take_verbatim(app: App, rng: random.Random, session: str, count: int) -> None:
    """Import a made-up session turn by turn."""
    Intake(app, app.settings.namespace, "verbatim").take(salad_turns(rng, session, count))


def queries(rng: random.Random, memories: Sequence[str], count: int) -> list[str]:
    """Half of them a few words of something that is remembered, the others salad."""
    out: list[str] = []
    for _ in range(count):
        words = rng.choice(memories).split() if rng.random() < 0.5 else []
        cut = " ".join(rng.sample(words, min(len(words), 4)))
        out.append(cut or salad(rng, rng.randint(1, 6)))
    return out


@dataclass(frozen=True)
class Town:
    """A home, what stands in its first namespace, and 200 questions about it."""

    app: App
    memories: dict[str, Memory]
    queries: list[str]


def settle(app: App) -> None:
    """Over 300 memories here, some elsewhere."""
    rng = random.Random(3)
    file_memories(app, salad_memories(rng, 150))
    file_memories(app, salad_memories(rng, 40, ELSEWHERE))
    take_verbatim(app, rng, "harbour-talk", 45)
    bring_in(app, SESSIONS)
    bring_in(app, another_session(app.settings.home / "again.jsonl"), mode="verbatim")


def another_session(copy: Path) -> Path:
    """The caching-layer session under another name: a turn is taken once, whatever the mode."""
    lines = (SESSIONS / "caching-layer.jsonl").read_text("utf-8").splitlines()
    copy.write_text("\n".join(json.dumps(json.loads(line) | {"sessionId": "verbatim"}) for line in lines), "utf-8")
    return copy
