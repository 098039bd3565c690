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
    """A function of a module in `present/`, loaded when something is told by it, since some take long to load."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"pellucid.surfaces.cli.present.{module}"), function)


def _of(name: str, *rest: str, words: bool = False, places: bool = False) -> Text:
    return Text(lambda outcome, _asked: presenter(name)(outcome, *rest), words, places)


def _changed(done: str) -> Text:
    return _of("changes.changed", done, words=True)


def _forgotten(outcome: Any, asked: Any) -> str:
    command = " ".join(["pellucid forget", *asked.memory_ids, *(["--chain"] if asked.chain else [])])
    return presenter("changes.forgotten")(outcome, command)


def _story(outcome: Any, _asked: Any) -> str:
    """Of a memory or of a thing, which has states."""
    return presenter("graph.states" if hasattr(outcome, "states") else "changes.history")(outcome)


def _pinned(outcome: Any, asked: Any) -> str:
    return presenter("changes.changed")(outcome, "pinned" if asked.pinned else "unpinned")


def _brief(outcome: Any, _asked: Any) -> str:
    return outcome.text.rstrip() or f"no session was kept in {outcome.namespace}: `pellucid import` brings some in"


_AGAIN = "the same command with --yes"

TEXTS: Mapping[str, Text] = {
    "home.init": _of("everyday.home"),
    "home.doctor": _of("everyday.examined"),
    "home.accept_loss": _of("everyday.accepted"),
    "home.rebuild": _of("everyday.rebuilt"),
    "home.models": _of("everyday.models"),
    "session.import": _of("imports.imported"),
    "session.observe": _of("observe.observed"),
    "session.waiting": _of("observe.waiting"),
    "memory.remember": _of("everyday.remembered", words=True),
    "memory.adopt": _of("adopt.adopted"),
    "document.index": _of("index.indexed"),
    "document.list": _of("index.documents"),
    "document.show": _of("index.document"),
    "document.remove": _of("index.removed"),
    "recall.ask": _of("recall.recalled"),
    "memory.list": _of("everyday.listed", places=True),
    "memory.show": _of("everyday.shown", words=True),
    "session.brief": Text(_brief, places=True),
    "memory.history": Text(_story, words=True),
    "episode.list": _of("changes.episodes"),
    "episode.show": _of("changes.episode"),
    "graph.show": _of("graph.shown"),
    "graph.audit": _of("graph.audited"),
    "graph.backfill": _of("graph.backfilled"),
    "project.list": _of("projects.projects"),
    "project.move": _of("projects.project"),
    "memory.why": _of("why.told", words=True),
    "recall.diff": _of("replay.compared"),
    "recall.replay": _of("replay.replayed"),
    "recall.ablate": _of("replay.ablated"),
    "recall.lift": _of("replay.lifted"),
    "recall.list": _of("snapshot.listed"),
    "recall.pin": _of("snapshot.pinned"),
    "recall.audit": _of("everyday.audited", words=True),
    "memory.update": _changed("updated"),
    "memory.pin": Text(_pinned, words=True),
    "memory.reverify": _of("changes.reverified", words=True),
    "memory.archive": _changed("archived"),
    "memory.retract": _changed("retracted"),
    "memory.dispute": _changed("disputed"),
    "trust.list": _of("trust.listed"),
    "trust.explain": _of("trust.explained", words=True),
    "trust.promote": _of("trust.changed", words=True),
    "trust.quarantine": _of("trust.changed", words=True),
    "trust.rollback": _of("trust.changed", _AGAIN, words=True),
    "change.undo": _of("changes.undone", words=True),
    "memory.forget": Text(_forgotten, words=True),
    "memory.purge": _of("changes.forgotten", "the same command with", words=True),
    "lifecycle.run": _of("lifecycle.passed", words=True),
    "lifecycle.consolidate": _of("consolidate.consolidated", words=True),
    "lifecycle.report": _of("lifecycle.reported"),
    "tier.list": _of("lifecycle.tier_list"),
    "tier.explain": _of("lifecycle.explained"),
    "lab.run": _of("lab.measured"),
    "lab.run_all": _of("lab.measured"),
}
"""By the operation's name; one that is not here is told by a command of its own."""
