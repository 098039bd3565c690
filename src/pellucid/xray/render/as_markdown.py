"""A snapshot in, GitHub Markdown out: the text form's fields in the same order, as headings, tables and lists.

Names and texts of others are in code spans and sentences are escaped, so that no value can become markup.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from pellucid.model.snapshot import RecallXraySnapshot, TierExplain
from pellucid.xray.render import fields, tables, terms
from pellucid.xray.render.spans import ARROW, FieldSpan, memory_heading
from pellucid.xray.words.rungs import is_direct_answer_in_question, is_idle, more_in_words
from pellucid.xray.words.visible import visible

_TITLE = "# Recall X-ray"
_FIELDS = tables.TableColumn("Field"), tables.TableColumn("Value")
_MARKUP = re.compile(r"[\\`*_\[\]<|~&$#]|:(?=//)")
_PIPE = re.compile(r"(?<!\\)(\\*)\|")


def render_markdown(snapshot: RecallXraySnapshot | None, *, verbose: bool = False) -> str:
    """Render the snapshot as Markdown, without a final newline; a notice for None.

    `verbose` as in `render_text`, but each stage's time is always shown.
    """
    if snapshot is None:
        return f"{_TITLE}\n\n_{fields.NO_SNAPSHOT}_"
    blocks = (
        _TITLE,
        f"**Query:** {code(snapshot.query)}",
        _field_table(fields.header_fields(snapshot, verbose=verbose)),
        *_section("Legs", _table(tables.legs_table(snapshot, verbose=verbose))),
        *_section("Filters and cuts", *_filters(snapshot, verbose=verbose)),
        *_section("Results", *(_results(snapshot, verbose=verbose) or ["_No results admitted._"])),
        *_section("Rejected", *_rejected(snapshot, verbose=verbose)),
        *_section("Stages", _table(tables.stages_table(snapshot))),
        *_section("Direct answer", *_direct_answer(snapshot.tier_explain, verbose=verbose)),
    )
    return "\n\n".join(blocks)


def code(text: str) -> str:
    """Return a code span that shows `text` as it is, whatever backticks it contains (CommonMark 0.31 §6.1).

    Unseen characters and line breaks are spelled out (see `visible`); an empty text is `_empty_`.
    """
    return _fenced(visible(text))


def code_cell(text: str) -> str:
    """Return a code span as `code` does, but for a table cell: a table removes one backslash before a pipe. An odd run
    of backslashes before a pipe cannot be written: it shows one backslash too many.
    """
    return _fenced(_PIPE.sub(lambda found: found[1] + "\\" * (1 + len(found[1]) % 2) + "|", visible(text)))


def prose(text: str | None) -> str:
    """Return a sentence with a backslash before every character that Markdown acts on within a line; empty for None.

    Unseen characters and line breaks are spelled out (see `visible`).
    """
    return _MARKUP.sub(r"\\\g<0>", visible(text or ""))


def _fenced(text: str) -> str:
    """Return the text as inline code, whatever backticks it contains; `_empty_` for an empty text."""
    if not text:
        return "_empty_"
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text.strip(" ") and {text[0], text[-1]} & {"`", " "} else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _section(heading: str, *blocks: str) -> list[str]:
    """Return a heading and those of its blocks that are not empty; nothing if all are empty."""
    filled = [block for block in blocks if block]
    return [f"## {heading}", *filled] if filled else []


def _filters(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return the table of the rungs; without `verbose`, those that rejected no memory are only named below it. A notice
    if there are no rungs.
    """
    idle = [] if verbose else [code(rung.name) for rung in snapshot.filters if is_idle(rung)]
    table = _table(tables.filters_table(snapshot, verbose=verbose))
    idle_line = f"No memory was turned away by {', '.join(idle)}." if idle else ""
    return [table, idle_line] if snapshot.filters else ["_No filter traces recorded._"]


def _results(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return a heading and fields for each result, then the meanings of the terms; empty if there are no results."""
    blocks: list[str] = []
    for place, result in enumerate(snapshot.results, start=1):
        blocks.append(f"### \\[{place}\\] {_spans_markdown((memory_heading(result.memory_id, snapshot.words),), code)}")
        labelled = fields.result_fields(result, snapshot, verbose=verbose)
        blocks.append("\n".join(f"- **{field.title}:** {_spans_markdown(field.spans, code)}" for field in labelled))
    meanings = [f"- {code(terms.term_name(name))}: {words}" for name, words in terms.legend_of(snapshot)]
    notes = "".join(f"{note[0].upper()}{note[1:]}. " for note in fields.notes_on(snapshot))
    return [
        *blocks,
        *(["\n".join([f"{notes}Terms of the scores, whose sum is `final`:", "", *meanings])] if meanings else []),
    ]


def _rejected(snapshot: RecallXraySnapshot, *, verbose: bool) -> list[str]:
    """Return the rejected candidates as a table, then how many more there were; blocks without content are empty.
    Without `verbose`, candidates whose words must not be shown are a line of ids for each reason instead of rows.
    """
    withheld = {} if verbose else tables.withheld_by_reason(snapshot)
    more = more_in_words(snapshot)
    withheld_lines = [
        f"- {prose(tables.withheld_line(candidates, snapshot))}: {tables.first_ids(candidates, code)}"
        for candidates in withheld.values()
    ]
    table = _table(tables.rejected_table(snapshot, tables.tellable_rejected(snapshot, withheld)))
    return [table, "\n".join(withheld_lines), f"_{prose(more)}._" if more else ""]


def _direct_answer(tier: TierExplain | None, *, verbose: bool) -> list[str]:
    """Return the verdict on a direct answer and where its source is, or a notice that none was looked for.

    Without `verbose`, nothing unless a direct answer was in question.
    """
    if not verbose and not is_direct_answer_in_question(tier):
        return []
    if tier is None:
        return [f"_{fields.NO_TIER.capitalize()}._"]
    anchors = "\n".join(f"- {code(anchor)}" for anchor in tier.source_anchors)
    return [
        _field_table(fields.tier_fields(tier, verbose=verbose)),
        *(["**Source anchors:**", anchors] if anchors else []),
    ]


def _field_table(lines: Iterable[fields.LabelledLine]) -> str:
    """Return labelled lines as a table of two columns."""
    return _table(tables.Table(_FIELDS, tuple(((FieldSpan(field.title),), field.spans) for field in lines)))


def _table(table: tables.Table) -> str:
    """Return the table in Markdown; empty if it has no rows."""
    titles = [column.title for column in table.columns]
    rules = ["---:" if column.number else "---" for column in table.columns]
    rows = ([_spans_markdown(cell, code_cell) for cell in row] for row in table.rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, rules, *rows)) if table.rows else ""


def _spans_markdown(spans: Sequence[FieldSpan], verbatim: Callable[[str], str]) -> str:
    """Return the spans of a field as Markdown: plain text as it is, prose escaped; `verbatim` formats the names and
    texts of others.
    """
    renderers = {"plain": str, "verbatim": verbatim, "prose": prose}
    return "".join(" → " if span == ARROW else renderers[span.kind](span.text) for span in spans)
