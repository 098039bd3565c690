"""Any interleaving of changes in, a graph that keeps its promises out: one type, one chain, and a past that stays."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kits.graph_stories import (
    EVERYTHING,
    STATUSES,
    THINGS,
    Told,
    a_document,
    about_now,
    check_chains,
    check_file,
    everything,
    open_edges,
    past,
    present,
    sayers,
    status_now,
    upon_now,
)
from kits.vault import HERE, TickingClock, a_memory, bring_in, drop_index, file_memories, open_home
from pellucid.app import App
from pellucid.errors import PellucidError
from pellucid.model.entity import node_key
from pellucid.operations.admin.health import rebuild
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.lifecycle.consolidating import ConsolidateInput, consolidate
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.trusting import PromoteInput, SourceInput, promote, quarantine
from pellucid.operations.memory.undoing import UndoInput, undo

NAMES = ("one.md", "two.md")
SUBJECTS = ("Crane", "SPEC-001")
VERBS = ("retract", "retract", "archive", "dispute", "pin", "unpin", "reverify", "quarantine", "promote", "update")


@dataclass
class Seen:
    """What was true when somebody asked, and the memories that were learned of later, to have been so before."""

    told: Told
    learned: set[str]


class Story(RuleBasedStateMachine):
    """A home, a folder of documents, what may happen to both, and what somebody who asked was told."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(mkdtemp(prefix="pellucid-graph-"))
        self.folder = self.place / "documents"
        self.folder.mkdir()
        self.clock = TickingClock()
        self.app: App = self._open()
        self.files: dict[str, tuple[int, int]] = {}
        self.whole = True
        self.operations: list[str] = []
        self.said = 0
        self.seen: list[Seen] = []

    def _open(self) -> App:
        return open_home(self.place / "home", None, clock=self.clock, **EVERYTHING)

    def teardown(self) -> None:
        self.app.close()
        shutil.rmtree(self.place)

    @initialize(status=st.sampled_from(STATUSES))
    def begins(self, status: str) -> None:
        self.documents("one.md", 1, status, 2, early=False)
        self.remembers("Crane", "draft", "SPEC-001", 1)

    @rule(
        name=st.sampled_from(NAMES),
        number=st.sampled_from((1, 2)),
        status=st.sampled_from(STATUSES),
        upon=st.integers(1, 3),
        early=st.booleans(),
    )
    def documents(self, name: str, number: int, status: str, upon: int, *, early: bool) -> None:
        """Write or rewrite a document, now or some days ago, and index the folder."""
        self.said += 1
        (self.folder / name).write_text(a_document(number, status, upon, self.said), "utf-8")
        written = (self.clock.at - timedelta(days=20 if early else 0)).timestamp()
        os.utime(self.folder / name, (written, written))
        self.files[name] = number, upon
        self._learning(self._index)

    @precondition(lambda self: self.files)
    @rule(name=st.sampled_from(NAMES), new=st.sampled_from((None, *NAMES)))
    def a_document_goes(self, name: str, new: str | None) -> None:
        """Delete a document, or give it another name, and index the folder; or only index it."""
        if name in self.files and new is None:
            del self.files[name]
            (self.folder / name).unlink()
        elif name in self.files and new:
            self.files[new] = self.files.pop(name)
            (self.folder / name).replace(self.folder / new)
        self._learning(self._index)

    def _index(self) -> None:
        index_docs(self.app, IndexDocsInput(namespace=HERE, paths=(self.folder,)))

    @rule(
        thing=st.sampled_from(SUBJECTS),
        status=st.sampled_from(STATUSES),
        about=st.sampled_from(THINGS),
        note=st.integers(1, 2),
    )
    def remembers(self, thing: str, status: str, about: str, note: int) -> None:
        """Say something of a thing, in one way or in another way that means the same."""
        words = f"At the harbour {thing} is {status} because of {about}"
        content = words + "." if note == 1 else words.replace("At the harbour", "at  the Harbour,")
        asked = RememberInput(content=content, namespace=HERE, entity_ref=thing, attributes={"status": status})
        self.operations += filter(None, [remember(self.app, asked).op_id])

    @rule(pick=st.integers(0, 3), verb=st.sampled_from(VERBS))
    def a_verb(self, pick: int, verb: str) -> None:
        self._do(pick, verb)

    @rule(pick=st.integers(0, 3), verb=st.sampled_from(VERBS), then=st.sampled_from(VERBS))
    def two_verbs_and_back(self, pick: int, verb: str, then: str) -> None:
        """Do two things to one memory and undo the first that can be undone, while somebody asks all along."""
        self._do(pick, verb)
        self.is_told()
        self._do(pick, then)
        self.is_told()
        self._undo(len(self.operations) - 1)

    def _do(self, pick: int, verb: str) -> None:
        """Do something to one of the newest memories; a refusal is an answer, too."""
        held = [each.memory for each in self.app.index.memories(HERE) if each.memory.category != "section"]
        if not held:
            return
        held.sort(key=lambda memory: memory.id, reverse=True)
        try:
            op_id = self._done(held[pick % len(held)].id, verb)
        except PellucidError:
            return
        self.operations += filter(None, [op_id])

    def _done(self, memory_id: str, verb: str) -> str | None:
        named = {"namespace": HERE, "memory_id": memory_id}
        if verb in ("retract", "archive", "dispute", "pin", "unpin"):
            return apply_verb(self.app, verb, VerbInput(**named)).op_id
        if verb == "reverify":
            return reverify(self.app, ReverifyInput(namespace=HERE, memory_ids=(memory_id,))).op_id
        if verb == "quarantine":
            return quarantine(self.app, SourceInput(namespace=HERE, memory_ids=(memory_id,))).op_id
        if verb == "promote":
            return promote(self.app, PromoteInput(**named)).op_id
        self.said += 1
        words = f"The harbour says otherwise in note {self.said}, because of SPEC-002."
        return update(
            self.app, UpdateInput(**named, content=words, attributes={"status": STATUSES[self.said % 3]})
        ).op_id

    @precondition(lambda self: self.operations)
    @rule(back=st.integers(1, 3))
    def undoes(self, back: int) -> None:
        self._undo(max(len(self.operations) - back, 0))

    def _undo(self, place: int) -> None:
        def put_back() -> None:
            with suppress(PellucidError, IndexError):
                target = self.operations.pop(place)
                self.operations.append(undo(self.app, UndoInput(namespace=HERE, target=target)).op_id)

        self._learning(put_back)  # to undo the undoing of a retraction ends it when it was first retracted

    @rule()
    def consolidates(self) -> None:
        """An older value ends when the newer one began, be that before today."""

        def run_a_pass() -> None:
            self.operations += consolidate(self.app, ConsolidateInput(namespace=HERE)).op_ids

        self._learning(run_a_pass)

    @rule(thing=st.sampled_from(SUBJECTS), status=st.sampled_from(STATUSES), days=st.integers(1, 9))
    def learns_of_the_past(self, thing: str, status: str, days: int) -> None:
        """Something that was so for days is written down only now."""
        self.said += 1
        at = self.clock.now() - timedelta(days=days)
        memory = a_memory(
            0,
            f"The harbour had {thing} as {status} in note {self.said}.",
            id=self.clock.new_id("mem"),
            created=at,
            updated=at,
            valid_at=at,
            entity_ref=thing,
            structured_attributes={"status": status},
        )
        self._learning(lambda: file_memories(self.app, [memory]))

    @rule(thing=st.sampled_from(SUBJECTS), status=st.sampled_from(STATUSES), days=st.integers(1, 9))
    def imports_a_session(self, thing: str, status: str, days: int) -> None:
        self.said += 1
        at = self.clock.now() - timedelta(days=days)
        line = {
            "type": "user",
            "uuid": f"{self.said}",
            "timestamp": at.isoformat(),
            "sessionId": f"harbour-{self.said}",
            "message": {
                "role": "user",
                "content": f"We decided that the status of {thing} at the harbour is {status}, because of SPEC-002.",
            },
        }
        file = self.place / f"session-{self.said}.jsonl"
        file.write_text(json.dumps(line) + "\n", "utf-8")
        self._learning(lambda: bring_in(self.app, file))

    def _learning(self, happens: Callable[[], object]) -> None:
        """Whatever this brings or changes that reaches back behind its own time was learned of only now."""
        began = self.clock.now()
        before = {each.memory.id: each.memory for each in self.app.index.memories(HERE)}
        happens()
        learned: set[str] = set()
        for memory in (each.memory for each in self.app.index.memories(HERE)):
            old = before.get(memory.id)
            since, was = memory.valid_at or memory.created, old and (old.valid_at or old.created)
            if since != was and since < began:
                learned.add(memory.id)
            if memory.invalid_at and memory.invalid_at < began and (old is None or old.invalid_at != memory.invalid_at):
                learned.add(memory.id)
        for each in self.seen:
            each.learned |= learned

    def is_told(self) -> None:
        """What is true now is to be true of now for ever."""
        at = self.clock.now()
        told = present(self.app, at)
        found = open_edges(self.app, at)
        upon = {(each.source, each.target) for each in found if each.type == "DEPENDS_ON"}
        assert upon == upon_now(self.files) or (not self.whole and upon < upon_now(self.files))
        assert {(each.source, each.target) for each in found if each.type == "ABOUT"} == about_now(self.app, at)
        for name in THINGS:
            assert told.props[node_key(name)].get("status") == status_now(self.app, name, at), name
        self.seen.append(Seen(told, set()))
        self.clock.at += timedelta(seconds=1)


class GraphPromises(Story):
    """What must hold meanwhile: of the graph as it is, of its file, and of every answer about the past."""

    def teardown(self) -> None:
        try:
            for each in self.seen:
                self._check(each)
        finally:
            super().teardown()

    @rule(hours=st.integers(1, 100))
    def time_passes(self, hours: int) -> None:
        self.clock.at += timedelta(hours=hours)

    @rule(pick=st.integers(0, 1 << 16))
    def forgets(self, pick: int) -> None:
        held = sorted(each.memory.id for each in self.app.index.memories(HERE))
        if not held:
            return
        before = {node_key(name): sayers(self.app, name) for name in THINGS}
        try:
            done = forget(self.app, ForgetInput(namespace=HERE, memory_ids=(held[pick % len(held)],)))
        except PellucidError:
            return
        gone = {each.id for each in done.memories}
        self.whole = self.whole and all(each.category != "section" for each in done.memories)
        for each in self.seen:
            each.told = each.told.without(gone, [key for key, ids in before.items() if ids & gone])

    @rule(again=st.booleans())
    def is_rebuilt(self, *, again: bool) -> None:
        """Fold everything anew; or open the home again after somebody deleted its index."""
        before = everything(self.app)
        if again:
            self.app.close()
            drop_index(self.place / "home")
            self.app = self._open()
            self.app.unit_of_work.take_over_edits()
        else:
            rebuild(self.app)
        assert everything(self.app) == before

    @invariant()
    def every_thing_has_one_type_and_one_chain(self) -> None:
        check_chains(self.app)
        check_file(self.place / "home" / "index.db")

    @invariant()
    def the_past_stays(self) -> None:
        for each in self.seen[-2:]:
            self._check(each)
        self.is_told()

    def _check(self, seen: Seen) -> None:
        """By what was known then, all of it; by what is known now, all but what was learned of later."""
        told = seen.told
        then = past(self.app, told.at, told.at)
        assert then.ids == told.ids, (told.at, then.ids ^ told.ids)
        assert then.edges == told.edges, (told.at, then.edges ^ told.edges)
        assert {key: then.props[key] for key in told.props} == told.props, told.at
        spoken = [node_key(name) for name in THINGS if sayers(self.app, name) & seen.learned]
        now, left = past(self.app, told.at, None).without(seen.learned, spoken), told.without(seen.learned, spoken)
        assert now.ids == left.ids, (told.at, now.ids ^ left.ids)
        assert now.edges == left.edges, (told.at, now.edges ^ left.edges)
        assert {key: now.props[key] for key in left.props} == left.props, told.at


TestGraphPromises = pytest.mark.requirement("TIME-1")(
    pytest.mark.requirement("TIME-2")(pytest.mark.slow(GraphPromises.TestCase))
)
TestGraphPromises.settings = settings(
    max_examples=25,
    stateful_step_count=16,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
