"""A snapshot in, GitHub Markdown out: the text form's fields in its order, as headings, tables and lists.

Names and texts of others stand in code spans, sentences are escaped, so that no value can become markup.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from pellucid.model.snapshot import (
    FilterTrace,
    LegHealth,
    RecallXraySnapshot,
    RejectedCandidate,
    StageTrace,
    TierExplain,
)
from pellucid.xray.render_fields import (
    ARROW,
    NO_SNAPSHOT,
    NO_TIER,
    Field,
    Span,
    decimals,
    header_fields,
    millis,
    result_fields,
    tier_fields,
)
from pellucid.xray.visible import visible

_TITLE = "# Recall X-ray"
_LEFT, _RIGHT = "---", "---:"
_FIELDS = {"Field": _LEFT, "Value": _LEFT}
_LEGS = {"Leg": _LEFT, "Health": _LEFT, "Admitted": _RIGHT, "Open": _RIGHT, "Reason": _LEFT}
_FILTERS = {"Filter": _LEFT, "Considered": _RIGHT, "Admitted": _RIGHT, "Softly": _RIGHT, "Reason": _LEFT}
_REJECTED = {"Memory": _LEFT, "Rejected by": _LEFT, "Reason": _LEFT, "Margin": _RIGHT, "Final": _RIGHT}
_STAGES = {"Stage": _LEFT, "Milliseconds": _RIGHT, "Note": _LEFT}
_MARKUP = re.compile(r"[\\`*_\[\]<|~&$]|:(?=//)")
_PIPE = re.compile(r"(\\*)\|")


def render_markdown(snapshot: RecallXraySnapshot | None) -> str:
    """The snapshot as Markdown, without a final newline. Sections of ours that hold nothing are left out."""
    if snapshot is None:
        return f"{_TITLE}\n\n_{NO_SNAPSHOT}_"
    blocks = (
        _TITLE,
        f"**Query:** {code(snapshot.query)}",
        _field_table(header_fields(snapshot)),
        *_section("Legs", _table(_LEGS, map(_leg, snapshot.legs))),
        *_section("Filters", _table(_FILTERS, map(_filter, snapshot.filters)) or "_No filter traces recorded._"),
        *_section("Results", *(_results(snapshot) or ["_No results admitted._"])),
        *_section("Rejected", *_rejected(snapshot)),
        *_section("Stages", _table(_STAGES, map(_stage, snapshot.stages))),
        *_section(
            "Tier Explain", *(_tier(snapshot.tier_explain) if snapshot.tier_explain else [f"_{NO_TIER.capitalize()}._"])
        ),
    )
    return "\n\n".join(blocks)


def code(text: str) -> str:
    """A code span that shows `text` as it is, whatever backticks it holds (CommonMark 0.31 §6.1)."""
    return _fenced(visible(text))


def code_cell(text: str) -> str:
    """A code span for a table cell, where a pipe takes an odd number of backslashes, of which the table removes one.

    An odd run of backslashes before a pipe therefore cannot be said: it shows one more than it has.
    """
    return _fenced(_PIPE.sub(lambda found: found[1] + "\\" * (1 + len(found[1]) % 2) + "|", visible(text)))


def prose(text: str | None) -> str:
    """A sentence with a backslash before every sign that Markdown acts on inside a line; "" for None."""
    return _MARKUP.sub(r"\\\g<0>", visible(text or ""))


def _fenced(shown: str) -> str:
    if not shown:
        return "_empty_"
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if shown.strip(" ") and {shown[0], shown[-1]} & {"`", " "} else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _section(heading: str, *blocks: str) -> list[str]:
    filled = [block for block in blocks if block]
    return [f"## {heading}", *filled] if filled else []


def _leg(leg: LegHealth) -> list[str]:
    return [code_cell(leg.name), leg.health, str(leg.admitted), str(leg.open), prose(leg.reason)]


def _filter(rung: FilterTrace) -> list[str]:
    counts = (rung.considered, rung.admitted, rung.soft_admitted)
    return [code_cell(rung.name), *map(str, counts), prose(rung.reason)]


def _results(snapshot: RecallXraySnapshot) -> list[str]:
    blocks: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        blocks.append(f"### {place}. {code(result.memory_id)} — served-by={result.served_by}")
        fields = result_fields(result, snapshot.query_terms)
        blocks.append("\n".join(f"- **{_label(field)}:** {_drawn(field.spans, code)}" for field in fields))
    return blocks


def _rejected(snapshot: RecallXraySnapshot) -> list[str]:
    more = snapshot.rejected_total - len(snapshot.rejected)
    return [_table(_REJECTED, map(_stopped, snapshot.rejected)), f"_{more} more not shown._" if more > 0 else ""]


def _stopped(candidate: RejectedCandidate) -> list[str]:
    margin = "" if candidate.margin is None else decimals(candidate.margin)
    names = (candidate.memory_id, candidate.rejected_by)
    return [*map(code_cell, names), prose(candidate.reason), margin, decimals(candidate.final)]


def _stage(stage: StageTrace) -> list[str]:
    return [code_cell(stage.name), millis(stage.ms), prose(stage.note)]


def _tier(tier: TierExplain) -> list[str]:
    anchors = "\n".join(f"- {code(anchor)}" for anchor in tier.source_anchors)
    return [_field_table(tier_fields(tier)), *(["**Source anchors:**", anchors] if anchors else [])]


def _field_table(fields: Iterable[Field]) -> str:
    return _table(_FIELDS, ([_label(field), _drawn(field.spans, code_cell)] for field in fields))


def _table(columns: Mapping[str, str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; "" without rows."""
    lines = [f"| {' | '.join(cells)} |" for cells in (columns.keys(), columns.values(), *rows)]
    return "\n".join(lines) if len(lines) > 2 else ""


def _label(field: Field) -> str:
    return field.label.replace("-", " ").capitalize()


def _drawn(spans: Sequence[Span], verbatim: Callable[[str], str]) -> str:
    drawn = {"plain": str, "verbatim": verbatim, "prose": prose}
    return "".join(" → " if span == ARROW else drawn[span.kind](span.text) for span in spans)
