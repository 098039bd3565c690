"""Nothing in, every operation out: what can be asked of Pellucid, read top to bottom like a table of contents.

An operation costs a row beside its function, and its place here; its commands and their reference are derived from it
(`make docs` writes them down).
"""

from typing import Any

from pellucid.operations.adopting import ADOPT
from pellucid.operations.aging import LIFECYCLE
from pellucid.operations.backfilling import BACKFILL
from pellucid.operations.briefing import BRIEF
from pellucid.operations.browsing import LIST, SHOW
from pellucid.operations.changing import ARCHIVE, DISPUTE, PIN, RETRACT, UNDO, UPDATE
from pellucid.operations.consolidating import CONSOLIDATE
from pellucid.operations.document.indexing import INDEX_DOCS
from pellucid.operations.document.listing import DOCUMENT, DOCUMENTS, REMOVE
from pellucid.operations.explaining import ABLATE, DIFF, REPLAY
from pellucid.operations.forgetting import FORGET, PURGE
from pellucid.operations.graphing import GRAPH_AUDIT, GRAPH_SHOW
from pellucid.operations.house import DOCTOR, INIT, REBUILD
from pellucid.operations.importing import IMPORT
from pellucid.operations.lab import LAB
from pellucid.operations.lab_all import LAB_ALL
from pellucid.operations.lifting import LIFT
from pellucid.operations.models import MODELS
from pellucid.operations.observing import OBSERVE, WAITING
from pellucid.operations.operation import Operation
from pellucid.operations.projects import MOVE, PROJECTS
from pellucid.operations.recalling import AUDIT, RECALL, XRAY
from pellucid.operations.remembering import REMEMBER
from pellucid.operations.reporting import REPORT
from pellucid.operations.reverifying import REVERIFY
from pellucid.operations.settling import ACCEPT_LOSS
from pellucid.operations.snapshots import EXPLAIN, EXPORT, PIN_SNAPSHOT, SNAPSHOTS
from pellucid.operations.storytelling import EPISODE, EPISODES, HISTORY, LEDGER
from pellucid.operations.tiers import TIER, TIERS
from pellucid.operations.trusting import PROMOTE, QUARANTINE, ROLLBACK, TRUST_EXPLAIN, TRUST_LIST
from pellucid.operations.why import WHY

OPERATIONS: tuple[Operation[Any, Any], ...] = (
    # a home
    INIT, DOCTOR, ACCEPT_LOSS, REBUILD, MODELS,
    # what is taken in
    IMPORT, OBSERVE, WAITING, REMEMBER, ADOPT, INDEX_DOCS, DOCUMENTS, DOCUMENT, REMOVE,
    # what is asked, and looked at
    RECALL, LIST, SHOW, BRIEF, HISTORY, EPISODES, EPISODE, GRAPH_SHOW, GRAPH_AUDIT, BACKFILL, PROJECTS, MOVE,
    # why
    WHY, XRAY, EXPLAIN, DIFF, REPLAY, ABLATE, LIFT, SNAPSHOTS, EXPORT, PIN_SNAPSHOT, AUDIT,
    # what is changed, and forgotten
    UPDATE, PIN, REVERIFY, ARCHIVE, RETRACT, DISPUTE, TRUST_LIST, TRUST_EXPLAIN, PROMOTE, QUARANTINE, ROLLBACK, UNDO,
    FORGET, PURGE,
    # what runs beside
    LIFECYCLE, REPORT, CONSOLIDATE, TIERS, TIER, LEDGER, LAB, LAB_ALL,
)  # fmt: skip
