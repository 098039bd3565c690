"""Nothing in, every operation out: what can be asked of Pellucid, read top to bottom like a table of contents.

An operation costs a row beside its function, and its place below; its commands and their reference are derived from it
(`make docs` writes them down). Commands that need more than a row are in `surfaces/cli/own.py`.
"""

from typing import Any

from pellucid.lab.every_set import LAB_ALL
from pellucid.lab.measuring import LAB
from pellucid.operations.admin.configuration import SETTINGS
from pellucid.operations.admin.health import DOCTOR, INIT, REBUILD
from pellucid.operations.admin.models import MODELS
from pellucid.operations.admin.tokens import CREATE_TOKEN, LIST_TOKENS, REVOKE_TOKEN, ROTATE_TOKEN
from pellucid.operations.browsing import LIST, SHOW
from pellucid.operations.data.erasing import ERASE_DATA
from pellucid.operations.data.exporting import EXPORT_DATA
from pellucid.operations.data.ledger_rows import LEDGER
from pellucid.operations.document.indexing import INDEX_DOCS
from pellucid.operations.document.listing import DOCUMENT, DOCUMENTS, REMOVE
from pellucid.operations.graph.backfilling import BACKFILL
from pellucid.operations.graph.graphing import GRAPH_AUDIT, GRAPH_SHOW
from pellucid.operations.hooks.claiming import CLAIM
from pellucid.operations.hooks.event import HOOK
from pellucid.operations.memory.adopting import ADOPT
from pellucid.operations.memory.changing import ARCHIVE, DISPUTE, PIN, RETRACT, UPDATE
from pellucid.operations.memory.citing import CITE
from pellucid.operations.memory.forgetting import FORGET, PURGE
from pellucid.operations.memory.lifecycle.aging import LIFECYCLE
from pellucid.operations.memory.lifecycle.consolidating import CONSOLIDATE
from pellucid.operations.memory.lifecycle.reporting import REPORT
from pellucid.operations.memory.lifecycle.tiers import TIER, TIERS
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.memory.reverifying import REVERIFY
from pellucid.operations.memory.reviewing import REVIEW
from pellucid.operations.memory.storytelling import EPISODE, EPISODES, HISTORY
from pellucid.operations.memory.trusting import PROMOTE, QUARANTINE, ROLLBACK, TRUST_EXPLAIN, TRUST_LIST
from pellucid.operations.memory.undoing import UNDO
from pellucid.operations.operation import Operation
from pellucid.operations.recall.auditing import AUDIT
from pellucid.operations.recall.explaining import ABLATE, DIFF, REPLAY
from pellucid.operations.recall.kept.event import EVENT
from pellucid.operations.recall.kept.given_context import CONTEXT
from pellucid.operations.recall.kept.serving import SERVING
from pellucid.operations.recall.kept.snapshots import EXPLAIN, EXPORT, PIN_SNAPSHOT, SNAPSHOTS
from pellucid.operations.recall.kept.timings import TIMINGS
from pellucid.operations.recall.leg_lift import LIFT
from pellucid.operations.recall.recalling import RECALL, XRAY
from pellucid.operations.recall.results import COPY, FEEDBACK, OPEN
from pellucid.operations.recall.why import WHY
from pellucid.operations.session.closing import CHECKPOINT, WRAP
from pellucid.operations.session.importing import IMPORT
from pellucid.operations.session.looking.briefing import BRIEF
from pellucid.operations.session.looking.showing import SESSION
from pellucid.operations.session.observing import OBSERVE, WAITING
from pellucid.operations.session.projects import MOVE, PROJECTS
from pellucid.operations.settling import ACCEPT_LOSS
from pellucid.operations.telemetry.stats import STATS

_HOME = (INIT, DOCTOR, ACCEPT_LOSS, REBUILD, MODELS, SETTINGS)
_SESSIONS = (IMPORT, OBSERVE, WAITING, CHECKPOINT, WRAP, HOOK, CLAIM)
_FACTS = (REMEMBER, ADOPT, INDEX_DOCS, DOCUMENTS, DOCUMENT, REMOVE)
_ASK = (RECALL, LIST, SHOW, OPEN, COPY, BRIEF, SESSION, HISTORY, EPISODES, EPISODE)
_GRAPH = (GRAPH_SHOW, GRAPH_AUDIT, BACKFILL, PROJECTS, MOVE)
_EXPLAIN = (WHY, XRAY, EXPLAIN, DIFF, REPLAY, ABLATE, LIFT)
_RECALLS = (SNAPSHOTS, EVENT, CONTEXT, TIMINGS, EXPORT, PIN_SNAPSHOT, AUDIT, SERVING, CITE, STATS, FEEDBACK)
_CHANGE = (REVIEW, UPDATE, PIN, REVERIFY, ARCHIVE, RETRACT, DISPUTE)
_TRUST = (TRUST_LIST, TRUST_EXPLAIN, PROMOTE, QUARANTINE, ROLLBACK)
_ERASE = (UNDO, FORGET, PURGE, EXPORT_DATA, ERASE_DATA)
_LIFECYCLE = (LIFECYCLE, REPORT, CONSOLIDATE, TIERS, TIER, LEDGER)
_TOKENS = (CREATE_TOKEN, LIST_TOKENS, ROTATE_TOKEN, REVOKE_TOKEN)
_MEASURE = (LAB, LAB_ALL)

_TAKE_IN = (*_SESSIONS, *_FACTS)
_LOOK = (*_ASK, *_GRAPH, *_EXPLAIN, *_RECALLS)
_ALTER = (*_CHANGE, *_TRUST, *_ERASE)
_LOOK_AFTER = (*_LIFECYCLE, *_TOKENS, *_MEASURE)
OPERATIONS: tuple[Operation[Any, Any], ...] = (*_HOME, *_TAKE_IN, *_LOOK, *_ALTER, *_LOOK_AFTER)
