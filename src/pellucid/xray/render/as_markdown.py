"""A snapshot in, GitHub Markdown out: the text form's fields in its order, as headings, tables and lists.

Names and texts of others stand in code spans, sentences are escaped, so that no value can become markup.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from pellucid.model.snapshot import RecallXraySnapshot, TierExplain
from pellucid.xray.render.fields import (
    ARROW,
    NO_SNAPSHOT,
    NO_TIER,
    PLACES,
    FieldSpan,
    LabelledLine,
    called,
    headed,
    header_fields,
    legend_of,
    result_fields,
    tier_fields,
)
from pellucid.xray.render.tables import (
    Column,
    Table,
    filters_table,
    first_ids,
    kept_apart,
    legs_table,
    listed_rejected,
    rejected_table,
    stages_table,
    untold,
)
from pellucid.xray.words.rungs import idle
from pellucid.xray.words.visible import visible

_TITLE = "# Recall X-ray"
_FIELDS = Column("Field"), Column("Value")
_MARKUP = re.compile(r"[\\`*_\[\]<|~&$#]|:(?=//)")
_PIPE = re.compile(r"(?<!\\)(\\*)\|")


def render_markdown(snapshot: RecallXraySnapshot | None, *, verbose: bool = False) -> str:
    """The snapshot as Markdown, without a final newline. What is left out of the text form is left out here."""
    if snapshot is None:
        return f"{_TITLE}\n\n_{NO_SNAPSHOT}_"
    blocks = (
        _TITLE,
        f"**Query:** {code(snapshot.query)}",
        _field_table(header_fields(snapshot, verbose=verbose)),
        *_section("Legs", _table(legs_table(snapshot, verbose=verbose))),
        *_section("Filters", *_filters(snapshot, verbose=verbose)),
        *_section("Results", *(_results(snapshot, verbose=verbose) or ["_No results admitted._"])),
        *_section("Rejected", *_rejected(snapshot, verbose=verbose)),
        *_section("Stages", _table(stages_table(snapshot))),
        *_section("Direct Answer", *_tier(snapshot.tier_explain, verbose=verbose)),
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
    """The text as inline code, whatever backticks it holds; `_empty_` for none."""
    if not shown:
        return "_empty_"
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if shown.strip(" ") and {shown[0], shown[-1]} & {"`", " "} else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _section(heading: str, *blocks: str) -> list[str]:
    filled = [block for block in blocks if block]
    return [f"## {heading}", *filled] if filled else []


def _filters(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """The table of the filters; without `verbose` those that turned nobody away are only named below it."""
    quiet = [] if verbose else [code(rung.name) for rung in snapshot.filters if idle(rung)]
    table = _table(filters_table(snapshot, verbose=verbose))
    nobody = f"Nobody was turned away by {', '.join(quiet)}." if quiet else ""
    return [table, nobody] if snapshot.filters else ["_No filter traces recorded._"]


def _results(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Each result under a heading of its own with its fields, and below them what the terms mean."""
    blocks: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        blocks.append(f"### {place}. {_drawn((headed(result.memory_id, snapshot.words),), code)}")
        fields = result_fields(result, snapshot, verbose=verbose)
        blocks.append("\n".join(f"- **{field.title}:** {_drawn(field.spans, code)}" for field in fields))
    meanings = [f"- {code(called(name))}: {words}" for name, words in legend_of(snapshot)]
    places = f"{PLACES.capitalize()}. " if len(snapshot.results) > 1 else ""
    return [*blocks, *(["\n".join([f"{places}Terms of the scores:", "", *meanings])] if meanings else [])]


def _rejected(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """The rejected candidates as a table, those whose words are not told as ids below, and how many more there were."""
    apart = {} if verbose else untold(snapshot)
    more = snapshot.rejected_total - len(snapshot.rejected)
    kept_back = [f"- {kept_apart(why, these)}: {first_ids(these, code)}" for why, these in apart.items()]
    table = _table(rejected_table(snapshot, listed_rejected(snapshot, apart)))
    return [table, "\n".join(kept_back), f"_{more} more not shown._" if more > 0 else ""]


def _tier(tier: TierExplain | None, *, verbose: bool) -> list[str]:
    """The verdict on a direct answer, and where its source stands."""
    if tier is None:
        return [f"_{NO_TIER.capitalize()}._"]
    anchors = "\n".join(f"- {code(anchor)}" for anchor in tier.source_anchors)
    return [_field_table(tier_fields(tier, verbose=verbose)), *(["**Source anchors:**", anchors] if anchors else [])]


def _field_table(fields: Iterable[LabelledLine]) -> str:
    return _table(Table(_FIELDS, tuple(((FieldSpan(field.title),), field.spans) for field in fields)))


def _table(table: Table) -> str:
    """The table in Markdown; "" without rows."""
    titles = [column.title for column in table.columns]
    rules = ["---:" if column.number else "---" for column in table.columns]
    rows = ([_drawn(cell, code_cell) for cell in row] for row in table.rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, rules, *rows)) if table.rows else ""


def _drawn(spans: Sequence[FieldSpan], verbatim: Callable[[str], str]) -> str:
    drawn = {"plain": str, "verbatim": verbatim, "prose": prose}
    return "".join(" → " if span == ARROW else drawn[span.kind](span.text) for span in spans)
