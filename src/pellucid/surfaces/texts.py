"""An operation's answer and what was asked in, text for a person out: one rendering an operation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pellucid.surfaces.commands import command, quoted
from pellucid.surfaces.requests import words_of


@dataclass(frozen=True, slots=True)
class Text:
    """How an answer is told."""

    tell: Callable[..., str]
    """An answer and what was asked, and by their names `verbose` and the lines `beneath`, in; text out."""
    words: bool = False
    """Whether the words of the memories that it names by their ids stand beside them."""
    places: bool = False
    """Whether it says, in a folder of no project, which projects there are."""


def presenter(name: str) -> Callable[..., str]:
    """A function of a module in `present/`, loaded when something is told by it, since some take long to load."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"pellucid.surfaces.present.{module}"), function)


def _text_by(name: str, *rest: str, words: bool = False, places: bool = False) -> Text:
    """A text by the presenter of this name, which is loaded when it is first told."""

    def tell(outcome: Any, _asked: Any, *, beneath: Sequence[str] = (), **_: bool) -> str:
        return "\n".join((presenter(name)(outcome, *rest), *beneath))

    return Text(tell, words, places)


def _changed(done: str) -> Text:
    return _text_by("memory.changes.changed", done, words=True)


def _recalled(outcome: Any, _asked: Any, *, verbose: bool, beneath: Sequence[str]) -> str:
    return presenter("recall.recall.recalled")(outcome, verbose=verbose, elsewhere=beneath)


def _going_on(name: str, words: str, words_too: bool = False, **changed: bool) -> Text:
    """Of a preview: it names the command that does it."""

    def tell(outcome: Any, asked: Any, **_: object) -> str:
        return presenter(name)(outcome, command(words_of(words, asked, **changed)))

    return Text(tell, words_too)


def _story(outcome: Any, _asked: Any, **_: object) -> str:
    """Of a memory or of a thing, which has states."""
    return presenter("graph.states" if hasattr(outcome, "states") else "memory.changes.history")(outcome)


def _pinned(outcome: Any, asked: Any, **_: object) -> str:
    return presenter("memory.changes.changed")(outcome, "pinned" if asked.pinned else "unpinned")


def _brief(outcome: Any, _asked: Any, *, beneath: Sequence[str] = (), **_: bool) -> str:
    nothing = f"no session was kept in {outcome.namespace}: {quoted('import')} brings some in"
    return "\n".join((outcome.text.rstrip() or nothing, *beneath))


TEXTS: Mapping[str, Text] = {
    "home.init": _text_by("everyday.home"),
    "home.doctor": _text_by("everyday.examined"),
    "home.accept_loss": _text_by("everyday.accepted"),
    "home.rebuild": _text_by("everyday.rebuilt"),
    "home.models": _text_by("everyday.models"),
    "home.settings": _text_by("everyday.settings"),
    "session.import": _text_by("imports.imported"),
    "session.observe": _text_by("observe.observed"),
    "session.waiting": _text_by("observe.waiting"),
    "session.claim": _text_by("hooks.claimed", words=True),
    "hook.event": _text_by("hooks.printed"),
    "memory.remember": _text_by("everyday.remembered", words=True),
    "memory.adopt": _text_by("memory.adopt.adopted"),
    "document.index": _text_by("index.indexed"),
    "document.list": _text_by("index.documents"),
    "document.show": _text_by("index.document"),
    "document.remove": _text_by("index.removed"),
    "recall.ask": Text(_recalled, places=True),
    "memory.list": _text_by("everyday.listed", places=True),
    "memory.show": _text_by("everyday.shown", words=True),
    "recall.open": _text_by("closing.file"),
    "recall.copy": _text_by("closing.content"),
    "session.brief": Text(_brief, places=True),
    "session.show": _text_by("closing.session", words=True),
    "memory.history": Text(_story, words=True),
    "episode.list": _text_by("memory.changes.episodes"),
    "episode.show": _text_by("memory.changes.episode"),
    "graph.show": _text_by("graph.shown"),
    "graph.audit": _text_by("graph.audited"),
    "graph.backfill": _going_on("graph.backfilled", "graph backfill", apply=True),
    "project.list": _text_by("projects.projects"),
    "project.move": _text_by("projects.project"),
    "memory.why": _text_by("recall.why.why_text", words=True),
    "recall.diff": _text_by("recall.replay.compared"),
    "recall.replay": _text_by("recall.replay.replayed"),
    "recall.ablate": _text_by("recall.replay.ablated"),
    "recall.lift": _text_by("recall.replay.lifted"),
    "recall.list": _text_by("recall.snapshot.listed"),
    "recall.event": _text_by("recall.snapshot.went", words=True),
    "recall.context": _text_by("recall.snapshot.context"),
    "recall.timings": _text_by("recall.snapshot.timed"),
    "recall.pin": _text_by("recall.snapshot.pinned"),
    "recall.audit": _text_by("everyday.audited", words=True),
    "memory.recalls": _text_by("recall.snapshot.serving", words=True),
    "memory.cite": _text_by("closing.cited", words=True),
    "telemetry.stats": _text_by("stats.counted", words=True),
    "recall.feedback": _text_by("closing.rated"),
    "session.checkpoint": _text_by("closing.closed", words=True),
    "session.wrap": _text_by("closing.closed", words=True),
    "memory.review": _text_by("memory.trust.to_review"),
    "memory.update": _changed("updated"),
    "memory.pin": Text(_pinned, words=True),
    "memory.reverify": _text_by("memory.changes.reverified", words=True),
    "memory.archive": _changed("archived"),
    "memory.retract": _changed("retracted"),
    "memory.dispute": _changed("disputed"),
    "trust.list": _text_by("memory.trust.listed"),
    "trust.explain": _text_by("memory.trust.explained", words=True),
    "trust.promote": _text_by("memory.trust.changed", words=True),
    "trust.quarantine": _going_on("memory.trust.changed", "trust quarantine", words_too=True, preview=False),
    "trust.rollback": _going_on("memory.trust.changed", "trust rollback", words_too=True, preview=False),
    "change.undo": _text_by("memory.changes.undone", words=True),
    "memory.forget": _going_on("memory.changes.forgotten", "forget", words_too=True, preview=False),
    "data.erase": _going_on("memory.changes.erased", "data erase", words_too=True, preview=False),
    "memory.purge": _going_on("memory.changes.forgotten", "purge", words_too=True, preview=False),
    "lifecycle.run": _text_by("memory.lifecycle.passed", words=True),
    "lifecycle.consolidate": _text_by("memory.consolidate.consolidated", words=True),
    "lifecycle.report": _text_by("memory.lifecycle.reported"),
    "tier.list": _text_by("memory.lifecycle.tier_list"),
    "tier.explain": _text_by("memory.lifecycle.explained"),
    "token.create": _text_by("tokens.made"),
    "token.list": _text_by("tokens.listed"),
    "token.rotate": _text_by("tokens.made"),
    "token.revoke": _text_by("tokens.ended"),
    "lab.run": _text_by("lab.measured"),
    "lab.run_all": _text_by("lab.measured"),
}
"""By the operation's name; one that is not here is told by a command of its own."""
