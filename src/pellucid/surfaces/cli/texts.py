"""An operation's answer and what was asked in, text for a person out: one rendering an operation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """How an answer is told."""

    tell: Callable[[Any, Any], str]
    words: bool = False
    """Whether the words of the memories that it names by their ids stand beside them."""
    places: bool = False
    """Whether it says, in a folder of no project, which projects there are."""


def presenter(name: str) -> Callable[..., str]:
    """A function of a `present…` module; each is loaded when something is told by it, since some take long to load."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"pellucid.surfaces.cli.{module}"), function)


def _of(name: str, *rest: str, words: bool = False, places: bool = False) -> Text:
    return Text(lambda outcome, _asked: presenter(name)(outcome, *rest), words, places)


def _changed(done: str) -> Text:
    return _of("present_changes.changed", done, words=True)


def _forgotten(outcome: Any, asked: Any) -> str:
    command = " ".join(["pellucid forget", *asked.memory_ids, *(["--chain"] if asked.chain else [])])
    return presenter("present_changes.forgotten")(outcome, command)


def _story(outcome: Any, _asked: Any) -> str:
    """Of a memory or of a thing, which has states."""
    return presenter("present_graph.states" if hasattr(outcome, "states") else "present_changes.history")(outcome)


def _pinned(outcome: Any, asked: Any) -> str:
    return presenter("present_changes.changed")(outcome, "pinned" if asked.pinned else "unpinned")


def _brief(outcome: Any, _asked: Any) -> str:
    return outcome.text.rstrip() or f"no session was kept in {outcome.namespace}: `pellucid import` brings some in"


_AGAIN = "the same command with --yes"

TEXTS: Mapping[str, Text] = {
    "home.init": _of("present.home"),
    "home.doctor": _of("present.examined"),
    "home.accept_loss": _of("present.accepted"),
    "home.rebuild": _of("present.rebuilt"),
    "home.models": _of("present.models"),
    "session.import": _of("present_import.imported"),
    "session.observe": _of("present_observe.observed"),
    "session.waiting": _of("present_observe.waiting"),
    "memory.remember": _of("present.remembered", words=True),
    "memory.adopt": _of("present_adopt.adopted"),
    "document.index": _of("present_index.indexed"),
    "document.list": _of("present_index.documents"),
    "document.show": _of("present_index.document"),
    "document.remove": _of("present_index.removed"),
    "recall.ask": _of("present_recall.recalled"),
    "memory.list": _of("present.listed", places=True),
    "memory.show": _of("present.shown", words=True),
    "session.brief": Text(_brief, places=True),
    "memory.history": Text(_story, words=True),
    "episode.list": _of("present_changes.episodes"),
    "episode.show": _of("present_changes.episode"),
    "graph.show": _of("present_graph.shown"),
    "graph.audit": _of("present_graph.audited"),
    "graph.backfill": _of("present_graph.backfilled"),
    "project.list": _of("present_projects.projects"),
    "project.move": _of("present_projects.project"),
    "memory.why": _of("present_why.told", words=True),
    "recall.diff": _of("present_replay.compared"),
    "recall.replay": _of("present_replay.replayed"),
    "recall.ablate": _of("present_replay.ablated"),
    "recall.lift": _of("present_replay.lifted"),
    "recall.list": _of("present_snapshot.listed"),
    "recall.pin": _of("present_snapshot.pinned"),
    "recall.audit": _of("present.audited", words=True),
    "memory.update": _changed("updated"),
    "memory.pin": Text(_pinned, words=True),
    "memory.reverify": _of("present_changes.reverified", words=True),
    "memory.archive": _changed("archived"),
    "memory.retract": _changed("retracted"),
    "memory.dispute": _changed("disputed"),
    "trust.list": _of("present_trust.listed"),
    "trust.explain": _of("present_trust.explained", words=True),
    "trust.promote": _of("present_trust.changed", words=True),
    "trust.quarantine": _of("present_trust.changed", words=True),
    "trust.rollback": _of("present_trust.changed", _AGAIN, words=True),
    "change.undo": _of("present_changes.undone", words=True),
    "memory.forget": Text(_forgotten, words=True),
    "memory.purge": _of("present_changes.forgotten", "the same command with", words=True),
    "lifecycle.run": _of("present_lifecycle.passed", words=True),
    "lifecycle.consolidate": _of("present_consolidate.consolidated", words=True),
    "lifecycle.report": _of("present_lifecycle.reported"),
    "tier.list": _of("present_lifecycle.tier_list"),
    "tier.explain": _of("present_lifecycle.explained"),
    "lab.run": _of("present_lab.measured"),
    "lab.run_all": _of("present_lab.measured"),
}
"""By the operation's name; one that is not here is told by a command of its own."""
