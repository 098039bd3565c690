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

_PUBLIC_NAMES = {
    "errors": "ConflictError EncoderError InputError NotFoundError PellucidError StoreBusyError StoreError",
    "facade": "Pellucid",
    "model.memory": "Episode Memory",
    "model.observation": "ExtractedFact MemoryObservation",
    "model.snapshot": "RecallXraySnapshot",
    "operations.admin.health": "DoctorOutput RebuildOutput",
    "operations.browsing": "ListOutput Listed",
    "operations.memory.remembering": "RememberOutput",
    "operations.recall.auditing": "AuditOutput",
    "operations.recall.recalling": "RecallOutput",
    "operations.session.importing": "ImportOutput",
    "settings": "Settings",
}
_MODULE_OF = {name: f"pellucid.{module}" for module, names in _PUBLIC_NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Import and return the object with a public name such as `Pellucid`; `AttributeError` for any other name."""
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'pellucid' has no attribute {name!r}")
