"""A folder in, a home of live sessions out: real stores, the shared encoder, a clock that is moved by hand."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kits.vault import TickingClock
from pellucid.app import App, open_app
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.model.turn import FlushSignal
from pellucid.operations.session.observing import ObserveInput, ObserveOutput, observe_turns
from pellucid.settings import Settings
from pellucid.settings.sections import ObserveSettings

HERE = "local/default"
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
SESSIONS = Path(__file__).parents[2] / "examples" / "sessions"

TARIFFS = (
    "The quote cache keeps one entry for each tenant and tariff.",
    "How large does the cache grow when a tenant edits a tariff?",
    "A cache entry is three kilobytes, and a tenant has forty tariffs.",
    "Then the cache of a tenant fits in memory, whatever the tariff.",
    "The tariff version is part of the cache key of the tenant.",
    "When the tariff changes the old cache entry is never read again.",
    "Each tenant may empty its cache, and the next quote fills it.",
    "The cache counts hits and misses for each tenant and tariff.",
)
HOLIDAYS = (
    "My sister wants to spend August on a small island with a beach.",
    "The island ferry leaves from the harbour, and the beach has a campsite.",
    "Is the campsite on the island open in August for families?",
    "My sister booked two tents at the campsite near the beach.",
    "The beach of the island is sandy, which her children love.",
    "The ferry to the island takes her children for half the price.",
)


@dataclass
class Home:
    """One home, opened as often as a test wants."""

    path: Path
    minilm: MiniLM
    clock: TickingClock = field(default_factory=TickingClock)
    opened: list[App] = field(default_factory=list[App])

    def open(self, **observe: Any) -> App:
        settings = Settings(home=self.path, namespace=HERE, observe=ObserveSettings(**observe))
        app = open_app(settings, clock=self.clock)
        indexer = replace(app.indexer, embedder=self.minilm)
        app = replace(
            app, embedder=self.minilm, indexer=indexer, unit_of_work=replace(app.unit_of_work, indexer=indexer)
        )
        self.opened.append(app)
        return app

    def later(self, minutes: float) -> None:
        self.clock.at += timedelta(minutes=minutes)

    def files_with(self, word: str) -> list[str]:
        """The files of the home, by name, that hold these bytes."""
        files = (file for file in self.path.rglob("*") if file.is_file() and word.encode() in file.read_bytes())
        return sorted(str(file.relative_to(self.path)) for file in files)


def turn(content: str, role: str = "user", session: str = "s", **more: object) -> dict[str, object]:
    return {"role": role, "content": content, "session": session, **more}


def see(app: App, *turns: dict[str, object], flush: FlushSignal | None = None, **given: Any) -> ObserveOutput:
    return observe_turns(app, ObserveInput(namespace=HERE, turns=turns, flush=flush, **given))


def kept(app: App) -> list[str]:
    return sorted(each.memory.content for each in app.index.memories(HERE) if each.memory.category != "moment")
