"""A snapshot in, one HTML page out: the text form's fields in the same order, as cards, bars and tables.

The page needs nothing else: no script, no font, no image, nothing fetched. Texts of others are only in the content of
elements, never in an attribute, with every character escaped that HTML acts on.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from pellucid.model.snapshot import RecallXraySnapshot, ScoreDecomposition, TierExplain, XrayResult
from pellucid.xray.render import fields, tables, terms
from pellucid.xray.render.bars import legend_swatches, share, stack, stack_height, swatch
from pellucid.xray.render.spans import ARROW, FieldSpan, Spans, memory_heading
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.rungs import away_in_words, is_idle, more_in_words
from pellucid.xray.words.visible import visible

_TITLE = "Recall X-ray"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load: nothing but its own style."""
_FIRST = ("answer", "doubt", "degrees", "nearest", "read-as", "shown", "degraded", "budget")
"""Fields of the header that are read first; the others are folded."""
_MAX_OPEN_ROWS = 10
"""A table of what the context left out is folded if it has more rows."""
_ROWS, _ROW, _NAME, _CELL = (f' role="{role}"' for role in ("rowgroup", "row", "rowheader", "cell"))
"""ARIA roles are explicit: a narrow window draws tables as blocks, which some browsers then do not take for tables."""


def render_html(snapshot: RecallXraySnapshot | None) -> str:
    """Render the snapshot as an HTML page, without a final newline; a notice alone for None. The sections `Rejected`,
    `Legs` and `Stages` are left out if they are empty; others then have a notice.
    """
    if snapshot is None:
        return _page([f"<h1>{_TITLE}</h1>", _notice(fields.NO_SNAPSHOT)])
    sections = {
        "Results": _results(snapshot),
        "Rejected": _rejected(snapshot),
        "Legs": _legs(snapshot),
        "Filters and cuts": _filters(snapshot),
        "Stages": _stages(snapshot),
        "Direct answer": _tier_lines(snapshot.tier_explain),
        "Context": _context(snapshot),
    }
    filled = {heading: blocks for heading, blocks in sections.items() if blocks}
    links = "".join(f'<li><a href="#{_anchor(each)}">{each}</a></li>' for each in filled)
    contents = f'<nav aria-label="Sections"><ul>{links}</ul></nav>'
    body = ["<header>", *_header(snapshot), contents, "</header>", "<main>"]
    for heading, blocks in filled.items():
        body += [f'<section id="{_anchor(heading)}">', f"<h2>{heading}</h2>", *blocks, "</section>"]
    return _page([*body, "</main>"])


def render_shell(script: str) -> str:
    """Render the page before there is a snapshot: a heading and `script`, the only one that its policy lets run.

    `script` is JavaScript, inserted as it is: it must not contain `</script`. No final newline.
    """
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return _page([f"<h1>{_TITLE}</h1>", f"<script>{script}</script>"], f"; script-src 'sha256-{digest}'")


def _page(body: Sequence[str], extra_policy: str = "") -> str:
    """Return a whole HTML document around the lines of `body`. `extra_policy` is appended to its content security
    policy.
    """
    head = (
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}{extra_policy}">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{_TITLE}</title>",
        f"<style>\n{_style()}</style>",
    )
    return "\n".join(
        ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body, "</body>", "</html>"]
    )


@cache
def _style() -> str:
    """Return the text of `page.css`, read once."""
    return files("pellucid.xray").joinpath("page.css").read_text("utf-8")


def _header(snapshot: RecallXraySnapshot) -> list[str]:
    """Return the title, the query, and the fields of the recall; those not in `_FIRST` are folded."""
    lines = fields.header_fields(snapshot, verbose=False)
    first = [field for field in lines if field.label in _FIRST]
    return [
        f"<h1>{_TITLE}</h1>",
        f'<p class="query">{_code(snapshot.query)}</p>',
        *(f"<p>{field.title}: {_spans_html(field.spans)}</p>" for field in first),
        _details("What was asked", _fields(field for field in lines if field.label not in _FIRST)),
    ]


def _anchor(heading: str) -> str:
    """Return the id of a section from its heading: `direct-answer`."""
    return heading.lower().replace(" ", "-")


def _filters(snapshot: RecallXraySnapshot) -> list[str]:
    """Return a table of the rungs, each with a bar of its candidates that came and passed; without rungs a notice.

    Rungs that turned no memory away are only named below it.
    """
    if not snapshot.filters:
        return [_notice("No filter traces recorded.")]
    whole = max(rung.considered for rung in snapshot.filters)
    at_work = [rung for rung in snapshot.filters if not is_idle(rung)]
    bars = [share(rung.admitted, rung.considered, whole) for rung in at_work]
    idle = ", ".join(_code(rung.name) for rung in snapshot.filters if is_idle(rung))
    return [
        *([_table(tables.filters_table(snapshot, verbose=False), bars)] if at_work else []),
        *([f"<p>No memory was turned away by {idle}.</p>"] if idle else []),
    ]


def _legs(snapshot: RecallXraySnapshot) -> list[str]:
    """Return a table of the legs at work, and the others folded; empty if there are no legs."""
    at_work, idle = tables.legs_table(snapshot, verbose=False), tables.legs_table(snapshot, idle=True)
    folded = [_details(f"{counted(len(idle.rows), 'leg')} with nothing to look for", _table(idle))] if idle.rows else []
    return [*([_table(at_work)] if at_work.rows else []), *folded]


def _results(snapshot: RecallXraySnapshot) -> list[str]:
    """Return a card for each result below the legend, or a notice if there are no results."""
    reach = max((stack_height(each.score_decomposition) for each in snapshot.results), default=0.0)
    cards = [
        line
        for place, result in enumerate(snapshot.results, start=1)
        for line in _result_card(place, result, snapshot, reach)
    ]
    return [*_legend(snapshot), *cards] if cards else [_notice("No results admitted.")]


def _legend(snapshot: RecallXraySnapshot) -> list[str]:
    """Return the notes on all cards: how they are numbered, if there are several; how graph paths are told, if any is;
    what a first place pays, if a score comes from places; and what the bars' colours mean. Empty if there are no
    results.
    """
    items = "".join(f"<li>{square}{_text(meaning)}</li>" for square, meaning in legend_swatches(snapshot))
    notes = [f'<p class="soft">{note[0].upper()}{note[1:]}.</p>' for note in fields.notes_on(snapshot)]
    return [*notes, *([f'<ul class="terms" aria-label="Terms of the scores">{items}</ul>'] if items else [])]


def _result_card(place: int, result: XrayResult, snapshot: RecallXraySnapshot, reach: float) -> list[str]:
    """Return the lines of a result's card: heading, sentence, bar of its terms, and the numbers folded. `place` is its
    rank from 1; `reach` is the sum of terms that fills the bar's width.
    """
    every_field = fields.result_fields(result, snapshot)
    why = next((_spans_html(each.spans) for each in every_field if each.label == "why"), "No sentence was made of it.")
    lines = [field for field in every_field if field.label not in ("why", "score")]
    open_lines = [field for field in lines if field.label in ("ahead", "safety")]
    lines = [field for field in lines if field not in open_lines]
    heading = _spans_html((memory_heading(result.memory_id, snapshot.words),))
    final = terms.decimals(result.score_decomposition.final)
    numbers = _terms(result.score_decomposition) + _fields(lines)
    return [
        '<article class="card">',
        f'<h3><span class="place">[{place}]</span>{heading}</h3>',
        f"<p>{why}</p>",
        stack(result.score_decomposition, reach),
        *([_fields(open_lines)] if open_lines else []),
        _details(f"Score {final}, its terms and where the memory comes from", numbers),
        "</article>",
    ]


def _details(summary: str, content: str) -> str:
    """Return `content` folded below its summary, to open without a script; both are HTML already."""
    return f"<details><summary>{summary}</summary>{content}</details>"


def _terms(scores: ScoreDecomposition) -> str:
    """Return the terms of a score as a list of names and numbers, in the order of the bar."""
    items = [
        f"<li>{swatch(name, value) if name != 'final' else ''}{terms.term_name(name)} <b>{terms.decimals(value)}</b>"
        f"{' subtracted' if name in terms.SUBTRACTED else ''}</li>"
        for name, value in terms.score_terms(scores)
    ]
    return f'<ul class="terms">{"".join(items)}</ul>'


def _rejected(snapshot: RecallXraySnapshot) -> list[str]:
    """Return the rejected candidates as tables, and how many more there are; empty if there are none. Candidates whose
    words must not be shown are folded, with one table for each reason.
    """
    more = more_in_words(snapshot)
    withheld = tables.withheld_by_reason(snapshot)
    tellable = tables.tellable_rejected(snapshot, withheld)
    shown = [_table(tables.rejected_table(snapshot, tellable))] if tellable else []
    kept_back = [
        _details(_text(tables.withheld_line(candidates, snapshot)), _table(tables.rejected_table(snapshot, candidates)))
        for candidates in withheld.values()
    ]
    return [*shown, *kept_back, *([_notice(f"{_text(more)}.")] if more else [])]


def _stages(snapshot: RecallXraySnapshot) -> list[str]:
    """Return a table of the stages with a bar for the time of each; empty if there are no stages."""
    whole = max((stage.ms for stage in snapshot.stages), default=0.0)
    bars = [share(stage.ms, stage.ms, whole) for stage in snapshot.stages]
    return [_table(tables.stages_table(snapshot), bars)] if bars else []


def _tier_lines(tier: TierExplain | None) -> list[str]:
    """Return the verdict on a direct answer with its source, or a notice that the recall did not look for one. If the
    verdict is only a reason, the details are folded.
    """
    if tier is None:
        return [_notice(f"{fields.NO_TIER.capitalize()}.")]
    anchors = "".join(f"<li>{_code(anchor)}</li>" for anchor in tier.source_anchors)
    why = fields.tier_fields(tier, verbose=False)
    details = [_details("How that was decided", _fields(fields.tier_fields(tier)))] if len(why) == 1 else []
    return [_fields(why), *details, *([f"<p>Source anchors:</p><ul>{anchors}</ul>"] if anchors else [])]


def _context(snapshot: RecallXraySnapshot) -> list[str]:
    """Return how many memories the context has, and tables of the chosen memories left out again, if there are any.

    Those that found no room are folded, and the others if they are more than `_MAX_OPEN_ROWS`.
    """
    others = tables.omitted_table(snapshot, over_budget=False)
    no_room = tables.omitted_table(snapshot, over_budget=True)
    omitted_count = len(snapshot.context.omitted)
    included = len(snapshot.context.included)
    chosen = f" of the {included + omitted_count} that were chosen for it; the others were left out again"
    return [
        f"<p>{included} in the context{chosen if omitted_count else ''}.</p>",
        *([_others(others)] if others.rows else []),
        *([_details(away_in_words(len(no_room.rows), "budget-fit"), _table(no_room))] if no_room.rows else []),
    ]


def _others(table: tables.Table) -> str:
    """Return the table of memories that were left out of the context for another reason than room; folded if long."""
    many = len(table.rows) > _MAX_OPEN_ROWS
    return _details(f"{len(table.rows)} for another reason than room", _table(table)) if many else _table(table)


def _fields(lines: Iterable[fields.LabelledLine]) -> str:
    """Return labelled lines as a table of two columns."""
    rows = "".join(
        f'<tr{_ROW}><th scope="row"{_NAME}>{each.title}</th><td{_CELL}>{_spans_html(each.spans)}</td></tr>'
        for each in lines
    )
    return f'<table class="fields" role="table"><tbody{_ROWS}>{rows}</tbody></table>'


def _table(table: tables.Table, bars: Sequence[str] = ()) -> str:
    """Return a table in HTML; `bars`, if not empty, has a bar for each row, shown below the row's name."""
    heads = "".join(
        f'<th scope="col" role="columnheader"{_number_class(column)}>{column.title}</th>' for column in table.columns
    )
    rows = [_row(table.columns, cells, bars[at] if bars else "") for at, cells in enumerate(table.rows)]
    return "\n".join(
        [
            '<table class="listed" role="table">',
            f"<thead{_ROWS}><tr{_ROW}>{heads}</tr></thead>",
            f"<tbody{_ROWS}>",
            *rows,
            "</tbody></table>",
        ]
    )


def _row(columns: Sequence[tables.TableColumn], cells: Sequence[Spans], bar: str) -> str:
    """Return a row of a table; `bar` is shown below its name, the first cell."""
    rest = "".join(
        f'<td{_CELL} data-title="{column.title}"{_number_class(column)}>{_cell(column, spans)}</td>'
        for column, spans in zip(columns[1:], cells[1:], strict=True)
    )
    return f'<tr{_ROW}><th scope="row"{_NAME}>{_spans_html(cells[0])}{bar}</th>{rest}</tr>'


def _cell(column: tables.TableColumn, spans: Spans) -> str:
    """Return the content of a cell as HTML; the health of a leg is marked with a class of that name."""
    text = _spans_html(spans)
    return f'<span class="health {text}">{text}</span>' if column.title == "Health" else text


def _number_class(column: tables.TableColumn) -> str:
    """Return the class attribute of a column of numbers; empty for any other column."""
    return ' class="number"' if column.number else ""


def _spans_html(spans: Spans) -> str:
    """Return the spans of a field as HTML."""
    return "".join(" → " if span == ARROW else _span(span) for span in spans)


def _span(span: FieldSpan) -> str:
    """Return a span as escaped HTML: verbatim text as code, prose with its own writing direction."""
    if span.kind == "verbatim":
        return _code(span.text)
    text = _text(span.text)
    return f'<span dir="auto">{text}</span>' if span.kind == "prose" else text


def _code(text: str) -> str:
    """Return a name or text as code, with its own writing direction; an empty text is `empty` in italics."""
    return f'<code dir="auto">{_text(text)}</code>' if text else "<em>empty</em>"


def _text(text: str) -> str:
    """Return a text escaped, its invisible characters spelled out."""
    return escape(visible(text))


def _notice(sentence: str) -> str:
    """Return a paragraph in the style of a remark, such as that a section is empty or how many more there are;
    `sentence` must be HTML already."""
    return f'<p class="none">{sentence}</p>'
