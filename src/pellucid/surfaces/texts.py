"""An operation's answer and its input in, text for a person out: one rendering for each operation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pellucid.errors import bare_step, step
from pellucid.surfaces.commands import fields_of


@dataclass(frozen=True, slots=True)
class Text:
    """The rendering of an operation's answer as text."""

    render: Callable[..., str]
    """Renders the answer to an input; it also takes `verbose` and the lines of a `footer`."""
    has_excerpts: bool = False
    """Whether excerpts of memories are added to the lines that contain their ids."""
    hints_namespace: bool = False
    """Whether the command line adds a hint about namespaces, such as that the working folder is in no project."""


def presenter(name: str) -> Callable[..., str]:
    """Return the function of a module in `present/` by a name such as `index.documents_text`. Its module is loaded by
    this call, since some load slowly.
    """
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"pellucid.surfaces.present.{module}"), function)


def _simple_text(name: str, *rest: str, has_excerpts: bool = False, hints_namespace: bool = False) -> Text:
    """Return a `Text` rendered by the presenter of this name, which takes the answer and `rest`; a footer follows."""

    def render(outcome: Any, _request: Any, *, footer: Sequence[str] = (), **_: bool) -> str:
        """Render the answer by the presenter, then the lines of the footer."""
        return "\n".join((presenter(name)(outcome, *rest), *footer))

    return Text(render, has_excerpts, hints_namespace)


def _change_text(done: str) -> Text:
    """Return the `Text` of an operation that changes a memory; `done` is the kind of change, such as `archived`."""
    return _simple_text("memory.changes.change_text", done, has_excerpts=True)


def _render_recall(outcome: Any, _request: Any, *, verbose: bool, footer: Sequence[str]) -> str:
    """Render a recall, with the details that `verbose` adds and the lines of the footer."""
    return presenter("recall.recall.recall_text")(outcome, verbose=verbose, footer=footer)


def _preview(name: str, operation: str, has_excerpts: bool = False, **changes: bool) -> Text:
    """Return the `Text` of a preview by the presenter `name`, which ends with the call that carries it out: of
    `operation`, with the fields of the request, changed by `changes`, such as `preview=False`.
    """

    def render(outcome: Any, request: Any, **_: object) -> str:
        """Render the answer by the presenter, with the command that carries out the preview."""
        return presenter(name)(outcome, bare_step(operation, **fields_of(request, **changes)))

    return Text(render, has_excerpts)


def _render_history(outcome: Any, _request: Any, **_: object) -> str:
    """Render the history of an entity if the answer has states, else that of a memory."""
    return presenter("graph.states_text" if hasattr(outcome, "states") else "memory.changes.history_text")(outcome)


def _render_pin(outcome: Any, request: Any, **_: object) -> str:
    """Render a memory that was pinned or unpinned."""
    return presenter("memory.changes.change_text")(outcome, "pinned" if request.pinned else "unpinned")


def _render_brief(outcome: Any, _request: Any, *, footer: Sequence[str] = (), **_: bool) -> str:
    """Render the brief of the last sessions, or that no session was kept; then the lines of the footer."""
    nothing = f"no session was kept in {outcome.namespace}: {step('session.import')} brings some in"
    return "\n".join((outcome.text.rstrip() or nothing, *footer))


TEXTS: Mapping[str, Text] = {
    "home.init": _simple_text("everyday.home_text"),
    "home.doctor": _simple_text("everyday.doctor_text"),
    "home.accept_loss": _simple_text("everyday.accepted_loss_text"),
    "home.rebuild": _simple_text("everyday.rebuild_text"),
    "home.models": _simple_text("everyday.models_text"),
    "home.settings": _simple_text("everyday.settings_text"),
    "session.import": _simple_text("imports.import_text"),
    "session.observe": _simple_text("imports.observe_text"),
    "session.waiting": _simple_text("imports.backlog_text"),
    "session.claim": _simple_text("hooks.claims_text", has_excerpts=True),
    "hook.event": _simple_text("hooks.hook_output_text"),
    "memory.remember": _simple_text("everyday.remembered_text", has_excerpts=True),
    "memory.adopt": _simple_text("memory.adopt.adoption_text"),
    "document.index": _simple_text("index.indexing_text"),
    "document.list": _simple_text("index.documents_text"),
    "document.show": _simple_text("index.document_text"),
    "document.remove": _simple_text("index.removal_text"),
    "recall.ask": Text(_render_recall, hints_namespace=True),
    "memory.list": _simple_text("everyday.memory_list_text", hints_namespace=True),
    "memory.show": _simple_text("everyday.memory_text", has_excerpts=True),
    "recall.open": _simple_text("closing.file_text"),
    "recall.copy": _simple_text("closing.content_text"),
    "session.brief": Text(_render_brief, hints_namespace=True),
    "session.show": _simple_text("closing.session_text", has_excerpts=True),
    "memory.history": Text(_render_history, has_excerpts=True),
    "episode.list": _simple_text("memory.changes.episodes_text"),
    "episode.show": _simple_text("memory.changes.episode_text"),
    "graph.show": _simple_text("graph.entity_text"),
    "graph.audit": _simple_text("graph.graph_audit_text"),
    "graph.backfill": _preview("graph.backfill_text", "graph.backfill", apply=True),
    "project.list": _simple_text("everyday.projects_text"),
    "project.move": _simple_text("everyday.project_text"),
    "memory.why": _simple_text("recall.why.why_text", has_excerpts=True),
    "recall.diff": _simple_text("recall.replay.diff_text"),
    "recall.replay": _simple_text("recall.replay.replay_text"),
    "recall.ablate": _simple_text("recall.replay.ablation_text"),
    "recall.lift": _simple_text("recall.replay.lift_text"),
    "recall.list": _simple_text("recall.snapshot.recalls_text"),
    "recall.event": _simple_text("recall.snapshot.event_text", has_excerpts=True),
    "recall.context": _simple_text("recall.snapshot.context_text"),
    "recall.timings": _simple_text("recall.snapshot.timings_text"),
    "recall.pin": _simple_text("recall.snapshot.pin_text"),
    "recall.audit": _simple_text("everyday.audit_text", has_excerpts=True),
    "memory.recalls": _simple_text("recall.snapshot.serving_text", has_excerpts=True),
    "memory.cite": _simple_text("closing.citation_text", has_excerpts=True),
    "telemetry.stats": _simple_text("everyday.stats_text", has_excerpts=True),
    "recall.feedback": _simple_text("closing.feedback_text"),
    "session.checkpoint": _simple_text("closing.closing_text", has_excerpts=True),
    "session.wrap": _simple_text("closing.closing_text", has_excerpts=True),
    "memory.review": _simple_text("memory.changes.review_text"),
    "memory.update": _change_text("updated"),
    "memory.pin": Text(_render_pin, has_excerpts=True),
    "memory.reverify": _simple_text("memory.changes.reverify_text", has_excerpts=True),
    "memory.archive": _change_text("archived"),
    "memory.retract": _change_text("retracted"),
    "memory.dispute": _change_text("disputed"),
    "trust.list": _simple_text("memory.changes.trust_list_text"),
    "trust.explain": _simple_text("memory.changes.trust_text", has_excerpts=True),
    "trust.promote": _simple_text("memory.changes.trust_change_text", has_excerpts=True),
    "trust.quarantine": _preview(
        "memory.changes.trust_change_text", "trust.quarantine", has_excerpts=True, preview=False
    ),
    "trust.rollback": _preview("memory.changes.trust_change_text", "trust.rollback", has_excerpts=True, preview=False),
    "change.undo": _simple_text("memory.changes.undo_text", has_excerpts=True),
    "memory.forget": _preview("memory.changes.forget_text", "memory.forget", has_excerpts=True, preview=False),
    "data.erase": _preview("memory.changes.erasure_text", "data.erase", has_excerpts=True, preview=False),
    "memory.purge": _preview("memory.changes.forget_text", "memory.purge", has_excerpts=True, preview=False),
    "lifecycle.run": _simple_text("memory.lifecycle.pass_text", has_excerpts=True),
    "lifecycle.consolidate": _simple_text("memory.lifecycle.consolidation_text", has_excerpts=True),
    "lifecycle.report": _simple_text("memory.lifecycle.report_text"),
    "tier.list": _simple_text("memory.lifecycle.tier_list_text"),
    "tier.explain": _simple_text("memory.lifecycle.tier_text"),
    "token.create": _simple_text("everyday.new_token_text"),
    "token.list": _simple_text("everyday.tokens_text"),
    "token.rotate": _simple_text("everyday.new_token_text"),
    "token.revoke": _simple_text("everyday.ended_token_text"),
    "lab.run": _simple_text("lab.lab_text"),
    "lab.run_all": _simple_text("lab.lab_text"),
}
"""Maps operations' names to their texts; the command of any other operation renders its answer itself."""
