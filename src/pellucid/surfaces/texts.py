"""An operation's answer and its input in, text for a person out: one rendering for each operation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pellucid.surfaces.commands import command, quoted
from pellucid.surfaces.requests import command_for


@dataclass(frozen=True, slots=True)
class Text:
    """How an operation's answer is rendered as text."""

    render: Callable[..., str]
    """Takes the answer and the input, and by name `verbose` and the lines of a `footer`."""
    has_excerpts: bool = False
    """Whether excerpts of the memories that it names by their ids are put beside them."""
    hints_namespace: bool = False
    """Whether the command line adds which projects there are, if the working folder is in none."""


def presenter(name: str) -> Callable[..., str]:
    """The function of a module in `present/` with a name such as `index.documents_text`; its module is loaded now, not
    before, since some load slowly.
    """
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"pellucid.surfaces.present.{module}"), function)


def _text_by(name: str, *rest: str, has_excerpts: bool = False, hints_namespace: bool = False) -> Text:
    """A `Text` rendered by the presenter of this name, which is called with the answer and `rest`; a footer follows."""

    def render(outcome: Any, _request: Any, *, footer: Sequence[str] = (), **_: bool) -> str:
        """What the presenter says of the answer, then the lines of the footer."""
        return "\n".join((presenter(name)(outcome, *rest), *footer))

    return Text(render, has_excerpts, hints_namespace)


def _changed(done: str) -> Text:
    """The `Text` of an operation that changes one memory; `done` is what was done to it, such as `archived`."""
    return _text_by("memory.changes.change_text", done, has_excerpts=True)


def _render_recall(outcome: Any, _request: Any, *, verbose: bool, footer: Sequence[str]) -> str:
    """The text of a recall, with what `verbose` adds and the lines of the footer."""
    return presenter("recall.recall.recall_text")(outcome, verbose=verbose, footer=footer)


def _preview(name: str, words: str, has_excerpts: bool = False, **changes: bool) -> Text:
    """The `Text` of a preview by the presenter `name`, ending with the command that carries it out.

    That command is `words` with the arguments of the request, changed by `changes`, such as `preview=False`.
    """

    def render(outcome: Any, request: Any, **_: object) -> str:
        """What the presenter says of the answer, given the command that carries it out."""
        return presenter(name)(outcome, command(command_for(words, request, **changes)))

    return Text(render, has_excerpts)


def _render_history(outcome: Any, _request: Any, **_: object) -> str:
    """The history of an entity if the answer has states, else that of a memory."""
    return presenter("graph.states_text" if hasattr(outcome, "states") else "memory.changes.history_text")(outcome)


def _render_pin(outcome: Any, request: Any, **_: object) -> str:
    """The text of a memory that was pinned or unpinned."""
    return presenter("memory.changes.change_text")(outcome, "pinned" if request.pinned else "unpinned")


def _render_brief(outcome: Any, _request: Any, *, footer: Sequence[str] = (), **_: bool) -> str:
    """The brief of the last sessions, or that no session was kept; then the lines of the footer."""
    nothing = f"no session was kept in {outcome.namespace}: {quoted('import')} brings some in"
    return "\n".join((outcome.text.rstrip() or nothing, *footer))


TEXTS: Mapping[str, Text] = {
    "home.init": _text_by("everyday.home_text"),
    "home.doctor": _text_by("everyday.doctor_text"),
    "home.accept_loss": _text_by("everyday.accepted_loss_text"),
    "home.rebuild": _text_by("everyday.rebuild_text"),
    "home.models": _text_by("everyday.models_text"),
    "home.settings": _text_by("everyday.settings_text"),
    "session.import": _text_by("imports.import_text"),
    "session.observe": _text_by("imports.observe_text"),
    "session.waiting": _text_by("imports.backlog_text"),
    "session.claim": _text_by("hooks.claims_text", has_excerpts=True),
    "hook.event": _text_by("hooks.hook_output_text"),
    "memory.remember": _text_by("everyday.remembered_text", has_excerpts=True),
    "memory.adopt": _text_by("memory.adopt.adoption_text"),
    "document.index": _text_by("index.indexing_text"),
    "document.list": _text_by("index.documents_text"),
    "document.show": _text_by("index.document_text"),
    "document.remove": _text_by("index.removal_text"),
    "recall.ask": Text(_render_recall, hints_namespace=True),
    "memory.list": _text_by("everyday.memory_list_text", hints_namespace=True),
    "memory.show": _text_by("everyday.memory_text", has_excerpts=True),
    "recall.open": _text_by("closing.file_text"),
    "recall.copy": _text_by("closing.content_text"),
    "session.brief": Text(_render_brief, hints_namespace=True),
    "session.show": _text_by("closing.session_text", has_excerpts=True),
    "memory.history": Text(_render_history, has_excerpts=True),
    "episode.list": _text_by("memory.changes.episodes_text"),
    "episode.show": _text_by("memory.changes.episode_text"),
    "graph.show": _text_by("graph.entity_text"),
    "graph.audit": _text_by("graph.graph_audit_text"),
    "graph.backfill": _preview("graph.backfill_text", "graph backfill", apply=True),
    "project.list": _text_by("everyday.projects_text"),
    "project.move": _text_by("everyday.project_text"),
    "memory.why": _text_by("recall.why.why_text", has_excerpts=True),
    "recall.diff": _text_by("recall.replay.diff_text"),
    "recall.replay": _text_by("recall.replay.replay_text"),
    "recall.ablate": _text_by("recall.replay.ablation_text"),
    "recall.lift": _text_by("recall.replay.lift_text"),
    "recall.list": _text_by("recall.snapshot.recalls_text"),
    "recall.event": _text_by("recall.snapshot.event_text", has_excerpts=True),
    "recall.context": _text_by("recall.snapshot.context_text"),
    "recall.timings": _text_by("recall.snapshot.timings_text"),
    "recall.pin": _text_by("recall.snapshot.pin_text"),
    "recall.audit": _text_by("everyday.audit_text", has_excerpts=True),
    "memory.recalls": _text_by("recall.snapshot.serving_text", has_excerpts=True),
    "memory.cite": _text_by("closing.citation_text", has_excerpts=True),
    "telemetry.stats": _text_by("everyday.stats_text", has_excerpts=True),
    "recall.feedback": _text_by("closing.feedback_text"),
    "session.checkpoint": _text_by("closing.closing_text", has_excerpts=True),
    "session.wrap": _text_by("closing.closing_text", has_excerpts=True),
    "memory.review": _text_by("memory.changes.review_text"),
    "memory.update": _changed("updated"),
    "memory.pin": Text(_render_pin, has_excerpts=True),
    "memory.reverify": _text_by("memory.changes.reverify_text", has_excerpts=True),
    "memory.archive": _changed("archived"),
    "memory.retract": _changed("retracted"),
    "memory.dispute": _changed("disputed"),
    "trust.list": _text_by("memory.changes.trust_list_text"),
    "trust.explain": _text_by("memory.changes.trust_text", has_excerpts=True),
    "trust.promote": _text_by("memory.changes.trust_change_text", has_excerpts=True),
    "trust.quarantine": _preview(
        "memory.changes.trust_change_text", "trust quarantine", has_excerpts=True, preview=False
    ),
    "trust.rollback": _preview("memory.changes.trust_change_text", "trust rollback", has_excerpts=True, preview=False),
    "change.undo": _text_by("memory.changes.undo_text", has_excerpts=True),
    "memory.forget": _preview("memory.changes.forget_text", "forget", has_excerpts=True, preview=False),
    "data.erase": _preview("memory.changes.erasure_text", "data erase", has_excerpts=True, preview=False),
    "memory.purge": _preview("memory.changes.forget_text", "purge", has_excerpts=True, preview=False),
    "lifecycle.run": _text_by("memory.lifecycle.pass_text", has_excerpts=True),
    "lifecycle.consolidate": _text_by("memory.lifecycle.consolidation_text", has_excerpts=True),
    "lifecycle.report": _text_by("memory.lifecycle.report_text"),
    "tier.list": _text_by("memory.lifecycle.tier_list_text"),
    "tier.explain": _text_by("memory.lifecycle.tier_text"),
    "token.create": _text_by("everyday.new_token_text"),
    "token.list": _text_by("everyday.tokens_text"),
    "token.rotate": _text_by("everyday.new_token_text"),
    "token.revoke": _text_by("everyday.ended_token_text"),
    "lab.run": _text_by("lab.lab_text"),
    "lab.run_all": _text_by("lab.lab_text"),
}
"""By the operation's name; an operation that is not here has a command that renders its answer itself."""
