"""The adoption of other tools' memories in, text for a person out: counts, reasons, and samples of the new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.errors import bare_step
from pellucid.surfaces.columns import largest_first
from pellucid.surfaces.present.imports import malformed_line
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:  # `pellucid --help` must not wait for what only the answers' types need
    from collections.abc import Iterator

    from pellucid.operations.memory.adopting import AdoptOutput, AdoptSample

_SAMPLE_CHARS = 160
_SHOWN_UNDOS = 3


def adoption_text(outcome: AdoptOutput) -> str:
    """Render the adoption of other tools' memories, or its preview: counts, samples, and how to undo or go on."""
    done, count = "adopted" if outcome.written else "would adopt", outcome.new
    formats = largest_first(outcome.formats) or "no known format"
    lines = [
        f"read {outcome.read} memories from {outcome.files} files ({formats})",
        f"{done} {count} {'memory' if count == 1 else 'memories'} into {outcome.namespace}",
        *_left_out_lines(outcome),
    ]
    for title, counts in (
        ("categories", outcome.categories),
        ("statuses", outcome.statuses),
        ("skipped", outcome.skipped),
        ("redacted", outcome.redactions),
    ):
        if counts:
            lines.append(f"{title}: {largest_first(counts)}")
    if outcome.malformed:
        lines.append(malformed_line(outcome.malformed, "place", outcome.problems))
    if outcome.encoder_problem:
        lines.append(f"kept, but without vectors: {visible(outcome.encoder_problem)}")
    lines += ["", *map(_sample_lines, outcome.samples)] if outcome.samples else []
    if outcome.new > len(outcome.samples) and outcome.samples:
        lines.append(f"… and {outcome.new - len(outcome.samples)} more (--samples shows more of them)")
    lines += [f"back: {bare_step('change.undo', target=op_id)}" for op_id in outcome.operations[:_SHOWN_UNDOS]]
    if len(outcome.operations) > _SHOWN_UNDOS:
        lines.append(f"… and {len(outcome.operations) - _SHOWN_UNDOS} more operations (--json names them)")
    if not outcome.written:
        lines += ["", "nothing was written; repeat with --yes to keep them" if count else "there is nothing to keep"]
    return "\n".join(lines)


def _left_out_lines(outcome: AdoptOutput) -> Iterator[str]:
    """Yield how many memories were left out, a line for each reason that occurred."""
    for count, why in (
        (outcome.known, "known already"),
        (outcome.repeated, "said twice in these files"),
        (outcome.adopted_before, "adopted before"),
        (outcome.forgotten, "forgotten here, and not brought back"),
    ):
        if count:
            yield f"left out {count}: {why}"


def _sample_lines(sample: AdoptSample) -> str:
    """Render an adopted memory in two lines: its category, content (cut to 160 characters) and status; its source. The
    status `active` is not shown.
    """
    text = " ".join(sample.content.split())
    short = text if len(text) <= _SAMPLE_CHARS else text[: _SAMPLE_CHARS - 1] + "…"
    status = "" if sample.status == "active" else f" ({sample.status})"
    return f"{sample.category:<15} {visible(short)}{status}\n{'':<15} from {visible(sample.evidence)}"
