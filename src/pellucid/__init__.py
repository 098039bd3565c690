"""Sessions and questions in, memories, recalls and their explanations out: the public face of Pellucid.

Names are imported when they are first used, so that `import pellucid` and the command line start fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pellucid.errors import (
        ConflictError,
        EncoderError,
        InputError,
        NotFoundError,
        PellucidError,
        StoreBusyError,
        StoreError,
    )
    from pellucid.facade import Pellucid
    from pellucid.model.memory import Episode, Memory
    from pellucid.model.observation import ExtractedFact, MemoryObservation
    from pellucid.model.snapshot import RecallXraySnapshot
    from pellucid.operations.admin.health import DoctorOutput, RebuildOutput
    from pellucid.operations.browsing import Listed, ListOutput
    from pellucid.operations.memory.remembering import RememberOutput
    from pellucid.operations.recall.auditing import AuditOutput
    from pellucid.operations.recall.recalling import RecallOutput
    from pellucid.operations.session.importing import ImportOutput
    from pellucid.settings import Settings

__all__ = [
    "AuditOutput",
    "ConflictError",
    "DoctorOutput",
    "EncoderError",
    "Episode",
    "ExtractedFact",
    "ImportOutput",
    "InputError",
    "ListOutput",
    "Listed",
    "Memory",
    "MemoryObservation",
    "NotFoundError",
    "Pellucid",
    "PellucidError",
    "RebuildOutput",
    "RecallOutput",
    "RecallXraySnapshot",
    "RememberOutput",
    "Settings",
    "StoreBusyError",
    "StoreError",
]

_HOMES = {
    "AuditOutput": "pellucid.operations.recall.auditing",
    "ConflictError": "pellucid.errors",
    "DoctorOutput": "pellucid.operations.admin.health",
    "EncoderError": "pellucid.errors",
    "Episode": "pellucid.model.memory",
    "ExtractedFact": "pellucid.model.observation",
    "ImportOutput": "pellucid.operations.session.importing",
    "InputError": "pellucid.errors",
    "ListOutput": "pellucid.operations.browsing",
    "Listed": "pellucid.operations.browsing",
    "Memory": "pellucid.model.memory",
    "MemoryObservation": "pellucid.model.observation",
    "NotFoundError": "pellucid.errors",
    "Pellucid": "pellucid.facade",
    "PellucidError": "pellucid.errors",
    "RebuildOutput": "pellucid.operations.admin.health",
    "RecallOutput": "pellucid.operations.recall.recalling",
    "RecallXraySnapshot": "pellucid.model.snapshot",
    "RememberOutput": "pellucid.operations.memory.remembering",
    "Settings": "pellucid.settings",
    "StoreBusyError": "pellucid.errors",
    "StoreError": "pellucid.errors",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'pellucid' has no attribute {name!r}")
