"""Nothing in, every operation out: what can be asked of Pellucid, read top to bottom like a table of contents.

An operation costs a row beside its function, and that row's place below; its command, its place in the help and the
reference are derived from them (`make docs` writes them down).
"""

from collections.abc import Mapping
from typing import Any

from pellucid.lab import every_set, measuring
from pellucid.operations import browsing, settling
from pellucid.operations.admin import configuration, health, models, tokens
from pellucid.operations.data import erasing, exporting, ledger_rows
from pellucid.operations.document import indexing, listing
from pellucid.operations.graph import backfilling, graphing
from pellucid.operations.hooks import claiming
from pellucid.operations.hooks import event as hook_event
from pellucid.operations.memory import (
    adopting,
    changing,
    citing,
    forgetting,
    remembering,
    reverifying,
    reviewing,
    storytelling,
    trusting,
    undoing,
)
from pellucid.operations.memory.lifecycle import aging, consolidating, reporting, tiers
from pellucid.operations.operation import Operation
from pellucid.operations.recall import auditing, explaining, leg_lift, recalling, results, why
from pellucid.operations.recall.kept import event, given_context, serving, snapshots, timings
from pellucid.operations.session import closing, importing, observing, projects
from pellucid.operations.session.looking import briefing, showing
from pellucid.operations.telemetry import stats

SECTIONS: Mapping[str, tuple[Operation[Any, Any] | str, ...]] = {
    "Start": (
        health.INIT,
        "demo",
    ),
    "Take in": (
        importing.IMPORT,
        observing.OBSERVE,
        observing.WAITING,
        closing.CHECKPOINT,
        closing.WRAP,
        claiming.CLAIM,
        remembering.REMEMBER,
        adopting.ADOPT,
        indexing.INDEX_DOCS,
        listing.DOCUMENTS,
        listing.DOCUMENT,
        listing.REMOVE,
    ),
    "Ask and look around": (
        recalling.RECALL,
        browsing.LIST,
        browsing.SHOW,
        results.OPEN,
        results.COPY,
        briefing.BRIEF,
        showing.SESSION,
        storytelling.HISTORY,
        storytelling.EPISODES,
        storytelling.EPISODE,
        graphing.GRAPH_SHOW,
        graphing.GRAPH_AUDIT,
        backfilling.BACKFILL,
        projects.PROJECTS,
        projects.MOVE,
    ),
    "See why": (
        why.WHY,
        recalling.XRAY,
        snapshots.EXPLAIN,
        explaining.DIFF,
        explaining.REPLAY,
        explaining.ABLATE,
        leg_lift.LIFT,
        snapshots.SNAPSHOTS,
        event.EVENT,
        given_context.CONTEXT,
        timings.TIMINGS,
        snapshots.EXPORT,
        snapshots.PIN_SNAPSHOT,
        serving.SERVING,
        auditing.AUDIT,
        citing.CITE,
        results.FEEDBACK,
        stats.STATS,
    ),
    "Change and forget": (
        changing.UPDATE,
        changing.PIN,
        reviewing.REVIEW,
        reverifying.REVERIFY,
        changing.ARCHIVE,
        changing.RETRACT,
        changing.DISPUTE,
        trusting.TRUST_LIST,
        trusting.TRUST_EXPLAIN,
        trusting.PROMOTE,
        trusting.QUARANTINE,
        trusting.ROLLBACK,
        undoing.UNDO,
        forgetting.FORGET,
        forgetting.PURGE,
        exporting.EXPORT_DATA,
        erasing.ERASE_DATA,
    ),
    "Serve": (
        "serve",
        "dashboard",
        tokens.CREATE_TOKEN,
        tokens.LIST_TOKENS,
        tokens.ROTATE_TOKEN,
        tokens.REVOKE_TOKEN,
        "mcp",
        hook_event.HOOK,
        "hooks install",
        "hooks status",
        "hooks remove",
        "hooks work",
    ),
    "Look after a home": (
        aging.LIFECYCLE,
        reporting.REPORT,
        consolidating.CONSOLIDATE,
        tiers.TIERS,
        tiers.TIER,
        health.DOCTOR,
        settling.ACCEPT_LOSS,
        health.REBUILD,
        models.MODELS,
        configuration.SETTINGS,
        ledger_rows.LEDGER,
        measuring.LAB,
        every_set.LAB_ALL,
    ),
}
"""Maps the headings of the command line's help to operations; to the words of a command where that has none."""
OPERATIONS: tuple[Operation[Any, Any], ...] = tuple(
    entry for section in SECTIONS.values() for entry in section if isinstance(entry, Operation)
)
