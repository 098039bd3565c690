"""What became of other tools' memories in, text for a person out: counts, reasons, and the first of the new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.surfaces.commands import command
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:  # `pellucid --help` must not wait for what only the answers' types need
    from collections.abc import Iterator, Mapping

    from pellucid.operations.memory.adopting import AdoptOutput, AdoptSample

_SHOWN = 160
_WAYS_BACK = 3


def adopted(outcome: AdoptOutput) -> str:
    """What was kept, or would be, and how to go on."""
    done, count = "adopted" if outcome.written else "would adopt", outcome.new
    lines = [
        f"read {outcome.read} memories from {outcome.files} files ({_counts(outcome.formats) or 'no known format'})",
        f"{done} {count} {'memory' if count == 1 else 'memories'} into {outcome.namespace}",
        *_left_out(outcome),
    ]
    for title, counts in (
        ("categories", outcome.categories),
        ("statuses", outcome.statuses),
        ("skipped", outcome.skipped),
        ("redacted", outcome.redactions),
    ):
        if counts:
            lines.append(f"{title}: {_counts(counts)}")
    if outcome.malformed:
        among = "; ".join(map(visible, outcome.problems[:3]))
        lines.append(f"{outcome.malformed} places could not be read, among them {among}")
    if outcome.encoder_problem:
        lines.append(f"kept, but without vectors: {visible(outcome.encoder_problem)}")
    lines += ["", *map(_sample, outcome.samples)] if outcome.samples else []
    if outcome.new > len(outcome.samples) and outcome.samples:
        lines.append(f"… and {outcome.new - len(outcome.samples)} more (--samples shows more of them)")
    lines += [f"back: {command(f'undo {op_id}')}" for op_id in outcome.operations[:_WAYS_BACK]]
    if len(outcome.operations) > _WAYS_BACK:
        lines.append(f"… and {len(outcome.operations) - _WAYS_BACK} more operations (--json names them)")
    if not outcome.written:
        lines += ["", "nothing was written; repeat with --yes to keep them" if count else "there is nothing to keep"]
    return "\n".join(lines)


def _left_out(outcome: AdoptOutput) -> Iterator[str]:
    for count, why in (
        (outcome.known, "known already"),
        (outcome.repeated, "said twice in these files"),
        (outcome.adopted_before, "adopted before"),
        (outcome.forgotten, "forgotten here, and not brought back"),
    ):
        if count:
            yield f"left out {count}: {why}"


def _sample(sample: AdoptSample) -> str:
    text = " ".join(sample.content.split())
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    status = "" if sample.status == "active" else f" ({sample.status})"
    return f"{sample.category:<15} {visible(short)}{status}\n{'':<15} from {visible(sample.evidence)}"


def _counts(counts: Mapping[str, int]) -> str:
    largest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name} {count}" for name, count in largest)
