"""Numbers of clients and operations in, what each of them was told out: many threads at work in one opened home."""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from time import perf_counter

from pellucid.app import App
from pellucid.operations.browsing import ListInput, find_memory, list_memories
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.session.observing import ObserveInput, observe_turns

SHARED = "The shared board hangs in hall seven."
"""What all clients of a namespace remember, each time with a tag of its own."""
_MIX = ("remember", "remember", "tag", "tag", "recall", "recall", "recall", "update", "pin", "list", "observe")


@dataclass(slots=True)
class Client:
    """One thread's operations in one namespace, what it was told was kept, and how long each took."""

    app: App
    number: int
    namespace: str
    kept: dict[str, str] = field(default_factory=dict[str, str])
    """What each memory of this client says by its last acknowledged change."""
    tags: list[str] = field(default_factory=list[str])
    spooled: int = 0
    took: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """Milliseconds by operation."""
    errors: list[str] = field(default_factory=list[str])

    def run(self, operations: int, barrier: Barrier) -> None:
        """So many operations, drawn by the client's number; the first remembers, and nobody begins before all may."""
        draw = random.Random(self.number)
        barrier.wait()
        for step in range(operations):
            self.do(draw.choice(_MIX) if step else "remember", step)

    def do(self, name: str, step: int) -> None:
        """One operation, timed; what the client would be told of an error is kept."""
        started = perf_counter()
        try:
            getattr(self, f"_{name}")(step)
        except Exception as error:  # noqa: BLE001 - what a client would be told
            self.errors.append(f"{name}: {type(error).__name__}: {error}")
        self.took.setdefault(name, []).append((perf_counter() - started) * 1000)

    def _words(self, step: int) -> str:
        return f"Crate c{self.number}x{step} stands in bay {self.number * 1000 + step}."

    def _remember(self, step: int) -> None:
        made = remember(self.app, RememberInput(content=self._words(step), namespace=self.namespace))
        self.kept[made.memory.id] = made.memory.content

    def _tag(self, step: int) -> None:
        tag = f"t{self.number}x{step}"
        remember(self.app, RememberInput(content=SHARED, namespace=self.namespace, tags=(tag,)))
        self.tags.append(tag)

    def _recall(self, _step: int) -> None:
        memory_id, words = next(iter(self.kept.items()))
        found = recall(self.app, RecallInput(query=words, namespace=self.namespace))
        assert found.memories, f"nothing answers {words!r}"
        assert not found.receipt_problem, found.receipt_problem
        assert memory_id in {each.memory.id for each in found.memories}, f"{words!r} is not recalled"

    def _update(self, step: int) -> None:
        old = next(reversed(self.kept))
        new = update(
            self.app, UpdateInput(namespace=self.namespace, memory_id=old, content=f"{self._words(step)} It is new.")
        )
        del self.kept[old]
        self.kept[new.memory.id] = new.memory.content

    def _pin(self, _step: int) -> None:
        apply_verb(self.app, "pin", VerbInput(namespace=self.namespace, memory_id=next(iter(self.kept))))

    def _list(self, _step: int) -> None:
        held = list_memories(self.app, ListInput(namespace=self.namespace, limit=10_000)).memories
        assert self.kept.keys() <= {each.memory.id for each in held}, "an acknowledged memory is not listed"

    def _observe(self, step: int) -> None:
        said = {"role": "user", "content": f"We chose lane l{self.number}x{step} for the night shift."}
        told = observe_turns(
            self.app, ObserveInput(namespace=self.namespace, session_id=f"s{self.number}", turns=(said,))
        )
        self.spooled += told.turns_spooled


def at_work(
    app: App,
    clients: int,
    operations: int,
    namespaces: int,
    beside: Callable[[], object] = lambda: None,
    made: Callable[[App, int, str], Client] = Client,
) -> list[Client]:
    """Clients that have done so many operations each, at the same time, in so many namespaces; and `beside` them."""
    all_of_them = [made(app, number, f"load/n{number % namespaces}") for number in range(clients)]
    barrier = Barrier(clients)
    with ThreadPoolExecutor(clients + 1) as threads:
        done = [threads.submit(each.run, operations, barrier) for each in all_of_them]
        done.append(threads.submit(beside))
        for each in done:
            each.result()
    return all_of_them


def lost(app: App, clients: list[Client]) -> list[str]:
    """Every acknowledged change that the home does not hold, or holds twice; the vault's files are read for it."""
    out: list[str] = []
    said = Counter[str]()
    for file in (app.settings.home / "vault").rglob("*.md"):
        if not any(part.startswith(".") for part in file.relative_to(app.settings.home).parts):
            said.update(set(re.findall(r"^Crate .*\.$", file.read_text("utf-8"), re.MULTILINE)))
    for each in clients:
        for memory_id, words in each.kept.items():
            held = find_memory(app, each.namespace, memory_id).memory
            if held.content != words or held.status != "active" or said[words] != 1:
                out.append(f"{memory_id} says {held.content!r}, is {held.status}, and stands {said[words]} times")
    for namespace in {each.namespace for each in clients}:
        tags = {tag for each in clients if each.namespace == namespace for tag in each.tags}
        boards = [each.memory for each in app.index.memories(namespace) if each.memory.content == SHARED]
        if tags and (len(boards) != 1 or not tags <= set(boards[0].tags)):
            missing = sorted(tags - {tag for board in boards for tag in board.tags})
            out.append(f"{namespace} has {len(boards)} boards, without the tags {missing}")
    return out


def times(clients: list[Client]) -> Mapping[str, list[float]]:
    """Milliseconds by operation, of all clients."""
    out: dict[str, list[float]] = {}
    for each in clients:
        for name, took in each.took.items():
            out.setdefault(name, []).extend(took)
    return dict(sorted(out.items()))
