"""What is erased of a session or an agent in, its text out."""

from pellucid.operations.data.erasing import EraseOutput
from pellucid.surfaces.present.memory.changes import forgotten


def erased(outcome: EraseOutput, again: str) -> str:
    """What went, or would go, from where, and what stays."""
    if not outcome.memories and not any(outcome.places.values()):
        return "nothing is kept of it: nothing was erased"
    told = forgotten(outcome, again)
    if outcome.shared:
        told += f"\n{len(outcome.shared)} stay, which others bear out, too: {', '.join(outcome.shared)}"
    return told
