"""A snapshot in, GitHub Markdown out: the text form's fields in its order, as headings, tables and lists.

Names and texts of others stand in code spans, sentences are escaped, so that no value can become markup.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from pellucid.model.snapshot import FilterTrace, LegHealth, RecallXraySnapshot, RejectedCandidate, TierExplain
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
        *_section("Stages", _table(_STAGES, ([code(s.name), millis(s.ms), prose(s.note)] for s in snapshot.stages))),
        *_section(
            "Tier Explain", *(_tier(snapshot.tier_explain) if snapshot.tier_explain else [f"_{NO_TIER.capitalize()}._"])
        ),
    )
    return "\n\n".join(blocks)


def code(text: str, *, cell: bool = False) -> str:
    """A code span that shows `text` as it is, whatever backticks it holds (CommonMark 0.31 §6.1).

    In a table cell a pipe takes an odd number of backslashes before it, of which the table removes one. An odd run of
    backslashes before a pipe therefore cannot be said in a cell: it shows one more than it has.
    """
    shown = visible(text)
    if not shown:
        return "_empty_"
    if cell:
        shown = _PIPE.sub(lambda found: found[1] + "\\" * (1 + len(found[1]) % 2) + "|", shown)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if shown.strip(" ") and {shown[0], shown[-1]} & {"`", " "} else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str | None) -> str:
    """A sentence with a backslash before every sign that Markdown acts on inside a line; "" for None."""
    return _MARKUP.sub(r"\\\g<0>", visible(text or ""))


def _section(heading: str, *blocks: str) -> list[str]:
    filled = [block for block in blocks if block]
    return [f"## {heading}", *filled] if filled else []


def _leg(leg: LegHealth) -> list[str]:
    return [code(leg.name, cell=True), leg.health, str(leg.admitted), str(leg.open), prose(leg.reason)]


def _filter(rung: FilterTrace) -> list[str]:
    counts = (rung.considered, rung.admitted, rung.soft_admitted)
    return [code(rung.name, cell=True), *map(str, counts), prose(rung.reason)]


def _results(snapshot: RecallXraySnapshot) -> list[str]:
    blocks: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        blocks.append(f"### {place}. {code(result.memory_id)} — served-by={result.served_by}")
        fields = result_fields(result, snapshot.query_terms)
        blocks.append("\n".join(f"- **{_label(field)}:** {_drawn(field.spans)}" for field in fields))
    return blocks


def _rejected(snapshot: RecallXraySnapshot) -> list[str]:
    more = snapshot.rejected_total - len(snapshot.rejected)
    return [_table(_REJECTED, map(_stopped, snapshot.rejected)), f"_{more} more not shown._" if more > 0 else ""]


def _stopped(candidate: RejectedCandidate) -> list[str]:
    margin = "" if candidate.margin is None else decimals(candidate.margin)
    names = (candidate.memory_id, candidate.rejected_by)
    return [*(code(name, cell=True) for name in names), prose(candidate.reason), margin, decimals(candidate.final)]


def _tier(tier: TierExplain) -> list[str]:
    anchors = "\n".join(f"- {code(anchor)}" for anchor in tier.source_anchors)
    return [_field_table(tier_fields(tier)), *(["**Source anchors:**", anchors] if anchors else [])]


def _field_table(fields: Iterable[Field]) -> str:
    return _table(_FIELDS, ([_label(field), _drawn(field.spans, cell=True)] for field in fields))


def _table(columns: Mapping[str, str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; "" without rows."""
    lines = [f"| {' | '.join(cells)} |" for cells in (columns.keys(), columns.values(), *rows)]
    return "\n".join(lines) if len(lines) > 2 else ""


def _label(field: Field) -> str:
    return field.label.replace("-", " ").capitalize()


def _drawn(spans: Sequence[Span], *, cell: bool = False) -> str:
    return "".join(_span(span, cell=cell) for span in spans)


def _span(span: Span, *, cell: bool) -> str:
    if span == ARROW:
        return " → "
    if span.kind == "verbatim":
        return code(span.text, cell=cell)
    return prose(span.text) if span.kind == "prose" else span.text
