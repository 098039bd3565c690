"""A consolidation's answer in, text for a person out: what was done to which memories, what was not and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.surfaces.commands import command, quoted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from pellucid.operations.memory.lifecycle.consolidating import Consolidated, ConsolidateOutput

_CLIP = 90
_KINDS = ("merge", "update", "invalidate", "split", "add")


def consolidated(outcome: ConsolidateOutput) -> str:
    """The counts, one line a change, the reasons of the skips, and how to go on or back."""
    counts = outcome.counts
    did = "would be done" if outcome.dry_run else "done"
    changes = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts.get(kind)) or "nothing"
    kept = f"{outcome.memories} memories of {outcome.namespace}, {outcome.new} new"
    lines = [f"{kept}; {outcome.clusters} clusters looked at; {did}: {changes}", *map(_line, outcome.decisions)]
    more = sum(counts.get(kind, 0) for kind in _KINDS) - len(outcome.decisions)
    lines += [f"  … and {more} more"] if more else []
    lines += [f"left: {counts[each]} ({each.removeprefix('skip: ')})" for each in counts if each.startswith("skip: ")]
    if outcome.problem:
        lines.append(f"the model is asked no more: {outcome.problem}")
    if not outcome.complete:
        lines.append(f"the pass has not ended; {quoted('lifecycle consolidate')} goes on")
    return "\n".join([*lines, *(f"undo with: {command(f'undo {each}')}" for each in _undoable(outcome))])


def _undoable(outcome: ConsolidateOutput) -> tuple[str, ...]:
    """The operations that changed memories: all but the last of a complete pass, which says only that it ran."""
    return outcome.op_ids[:-1] if outcome.complete else outcome.op_ids


def _line(each: Consolidated) -> str:
    """What was done and why, then a line for each memory: what it was made of, and what came of it."""
    text = visible(" ".join((each.content or "").split()))
    said = f"  {text if len(text) <= _CLIP else text[: _CLIP - 1] + '…'}" if text else ""
    ids = [f"    {memory_id}" for memory_id in each.of] + [f"    → {memory_id}" for memory_id in each.made]
    return "\n".join([f"  {each.kind}: {each.reason}{said}", *ids])
