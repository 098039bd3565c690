"""A snapshot in, one HTML page out: the text form's fields in its order, as cards, bars and tables.

The page is whole in itself: no script, no font, no image, nothing fetched. Texts of others stand in the content of
elements alone, never in an attribute, with every sign escaped that HTML acts on.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from pellucid.model.snapshot import RecallXraySnapshot, ScoreDecomposition, TierExplain, XrayResult
from pellucid.xray.render.bars import height, share, stack, swatch
from pellucid.xray.render.fields import (
    ARROW,
    NO_SNAPSHOT,
    NO_TIER,
    PLACES,
    SUBTRACTED,
    FieldSpan,
    LabelledLine,
    Spans,
    called,
    decimals,
    headed,
    header_fields,
    legend_of,
    result_fields,
    terms,
    tier_fields,
)
from pellucid.xray.render.tables import (
    Column,
    Table,
    filters_table,
    kept_apart,
    legs_table,
    listed_rejected,
    omitted_table,
    rejected_table,
    stages_table,
    untold,
)
from pellucid.xray.words.visible import visible

_TITLE = "Recall X-ray"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load: nothing but its own style."""
_FIRST = ("answer", "nearest", "shown", "budget")
"""Fields of the header that are read first; the others are folded."""
_ROWS, _ROW, _NAME, _CELL = (f' role="{role}"' for role in ("rowgroup", "row", "rowheader", "cell"))
"""Said outright, as a narrow window draws tables as blocks, and some browsers then forget that they are tables."""


def render_html(snapshot: RecallXraySnapshot | None) -> str:
    """The snapshot as a page, without a final newline. Sections of ours that hold nothing are left out."""
    if snapshot is None:
        return _page([f"<h1>{_TITLE}</h1>", _none(NO_SNAPSHOT)])
    sections = {
        "Results": _results(snapshot),
        "Rejected": _rejected(snapshot),
        "Legs": _legs(snapshot),
        "Filters": _filters(snapshot),
        "Stages": _stages(snapshot),
        "Direct answer": _tier_lines(snapshot.tier_explain),
        "Context": _context(snapshot),
    }
    filled = {heading: blocks for heading, blocks in sections.items() if blocks}
    body = ["<header>", *_header(snapshot), _contents(filled), "</header>", "<main>"]
    for heading, blocks in filled.items():
        body += [f'<section id="{_anchor(heading)}">', f"<h2>{heading}</h2>", *blocks, "</section>"]
    return _page([*body, "</main>"])


def render_shell(script: str) -> str:
    """The page before there is a snapshot, without a final newline: this script, and no other, may fill it."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return _page([f"<h1>{_TITLE}</h1>", f"<script>{script}</script>"], f"; script-src 'sha256-{digest}'")


def _page(body: Sequence[str], further: str = "") -> str:
    """A whole HTML document around `body`; `further` is added to its content security policy."""
    head = (
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}{further}">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{_TITLE}</title>",
        f"<style>\n{_style()}</style>",
    )
    return "\n".join(
        ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body, "</body>", "</html>"]
    )


@cache
def _style() -> str:
    return files("pellucid.xray").joinpath("page.css").read_text("utf-8")


def _header(snapshot: RecallXraySnapshot) -> list[str]:
    """The title, the query, and the fields of the recall, most of them folded away."""
    fields = header_fields(snapshot)
    first = [field for field in fields if field.label in _FIRST]
    return [
        f"<h1>{_TITLE}</h1>",
        f'<p class="query">{_code(snapshot.query)}</p>',
        *(f"<p>{field.title}: {_drawn(field.spans)}</p>" for field in first),
        _folded("What was asked", _fields(field for field in fields if field.label not in _FIRST)),
    ]


def _contents(headings: Iterable[str]) -> str:
    links = "".join(f'<li><a href="#{_anchor(each)}">{each}</a></li>' for each in headings)
    return f'<nav aria-label="Sections"><ul>{links}</ul></nav>'


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _legs(snapshot: RecallXraySnapshot) -> list[str]:
    return [_table(legs_table(snapshot))] if snapshot.legs else []


def _filters(snapshot: RecallXraySnapshot) -> list[str]:
    """A table of the filters with a bar each: of all candidates those that came to it, and of these who passed."""
    rungs = snapshot.filters
    whole = max((rung.considered for rung in rungs), default=0)
    bars = [share(rung.admitted, rung.considered, whole) for rung in rungs]
    return [_table(filters_table(snapshot), bars) if rungs else _none("No filter traces recorded.")]


def _results(snapshot: RecallXraySnapshot) -> list[str]:
    """A card for each result, below the legend; one line where there is none."""
    reach = max((height(each.score_decomposition) for each in snapshot.results), default=0.0)
    cards = [
        line for place, result in enumerate(snapshot.results, start=1) for line in _card(place, result, snapshot, reach)
    ]
    return [*_legend(snapshot), *cards] if cards else [_none("No results admitted.")]


def _legend(snapshot: RecallXraySnapshot) -> list[str]:
    """What the colours of the bars stand for, and the numbers of the cards."""
    said, scores = legend_of(snapshot), [each.score_decomposition.model_dump() for each in snapshot.results]
    worth = {name: next(each[name] for each in scores if each.get(name)) for name, _ in said}
    items = "".join(f"<li>{swatch(name, worth[name])}{_text(words)}</li>" for name, words in said)
    places = [f'<p class="soft">{PLACES.capitalize()}.</p>'] if len(snapshot.results) > 1 else []
    return [*places, *([f'<ul class="terms" aria-label="Terms of the scores">{items}</ul>'] if said else [])]


def _card(place: int, result: XrayResult, snapshot: RecallXraySnapshot, reach: float) -> list[str]:
    """One result: its words, the sentence, the bar of its terms (`reach` fills the width); folded, the numbers."""
    why = _drawn((FieldSpan(result.why, "prose"),)) if result.why else "No sentence was made of it."
    fields = [field for field in result_fields(result, snapshot) if field.label != "why"]
    final = decimals(result.score_decomposition.final)
    numbers = _terms(result.score_decomposition) + _fields(fields)
    return [
        '<article class="card">',
        f'<h3><span class="place">{place}.</span>{_drawn((headed(result.memory_id, snapshot.words),))}</h3>',
        f"<p>{why}</p>",
        stack(result.score_decomposition, reach),
        _folded(f"Score {final}, its terms and where the memory comes from", numbers),
        "</article>",
    ]


def _folded(summary: str, content: str) -> str:
    """What opens when its line is chosen; no script is needed for that."""
    return f"<details><summary>{summary}</summary>{content}</details>"


def _terms(scores: ScoreDecomposition) -> str:
    """The bar's terms by name and number, in the order of the bar."""
    items = [
        f"<li>{swatch(name, value) if name != 'final' else ''}{called(name)} <b>{decimals(value)}</b>"
        f"{' subtracted' if name in SUBTRACTED else ''}</li>"
        for name, value in terms(scores)
    ]
    return f'<ul class="terms">{"".join(items)}</ul>'


def _rejected(snapshot: RecallXraySnapshot) -> list[str]:
    """The rejected candidates as a table, those whose words are not told folded apart, and how many more there were."""
    more = snapshot.rejected_total - len(snapshot.rejected)
    apart = untold(snapshot)
    listed = listed_rejected(snapshot, apart)
    shown = [_table(rejected_table(snapshot, listed))] if listed else []
    kept_back = [
        _folded(_text(kept_apart(why, these)), _table(rejected_table(snapshot, these))) for why, these in apart.items()
    ]
    return [*shown, *kept_back, *([_none(f"{more} more not shown.")] if more > 0 else [])]


def _stages(snapshot: RecallXraySnapshot) -> list[str]:
    whole = max((stage.ms for stage in snapshot.stages), default=0.0)
    bars = [share(stage.ms, stage.ms, whole) for stage in snapshot.stages]
    return [_table(stages_table(snapshot), bars)] if bars else []


def _tier_lines(tier: TierExplain | None) -> list[str]:
    """The verdict on a direct answer, why, and where its source stands; one line where nobody looked for one."""
    if tier is None:
        return [_none(f"{NO_TIER.capitalize()}.")]
    anchors = "".join(f"<li>{_code(anchor)}</li>" for anchor in tier.source_anchors)
    why = tier_fields(tier, verbose=False)
    whole = [_folded("How that was decided", _fields(tier_fields(tier)))] if len(why) == 1 else []
    return [_fields(why), *whole, *([f"<p>Source anchors:</p><ul>{anchors}</ul>"] if anchors else [])]


def _context(snapshot: RecallXraySnapshot) -> list[str]:
    """What was left out; what is there stands in the results."""
    table = omitted_table(snapshot)
    held = f"{len(snapshot.context.included)} in the context, {len(table.rows)} left out."
    return [f"<p>{held}</p>", *([_table(table)] if table.rows else [])]


def _fields(fields: Iterable[LabelledLine]) -> str:
    """Labels with their values as a table of two columns."""
    rows = "".join(
        f'<tr{_ROW}><th scope="row"{_NAME}>{each.title}</th><td{_CELL}>{_drawn(each.spans)}</td></tr>'
        for each in fields
    )
    return f'<table class="fields" role="table"><tbody{_ROWS}>{rows}</tbody></table>'


def _table(table: Table, bars: Sequence[str] = ()) -> str:
    """A table in HTML; each of `bars` stands under the name of its row."""
    heads = "".join(
        f'<th scope="col" role="columnheader"{_kind(column)}>{column.title}</th>' for column in table.columns
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


def _row(columns: Sequence[Column], cells: Sequence[Spans], bar: str) -> str:
    """One row of a table; `bar` stands under its name, the first cell."""
    rest = "".join(
        f'<td{_CELL} data-title="{column.title}"{_kind(column)}>{_cell(column, spans)}</td>'
        for column, spans in zip(columns[1:], cells[1:], strict=True)
    )
    return f'<tr{_ROW}><th scope="row"{_NAME}>{_drawn(cells[0])}{bar}</th>{rest}</tr>'


def _cell(column: Column, spans: Spans) -> str:
    """The cell; a leg's health, one of four words, is marked as what it is."""
    text = _drawn(spans)
    return f'<span class="health {text}">{text}</span>' if column.title == "Health" else text


def _kind(column: Column) -> str:
    return ' class="number"' if column.number else ""


def _drawn(spans: Spans) -> str:
    return "".join(" → " if span == ARROW else _span(span) for span in spans)


def _span(span: FieldSpan) -> str:
    """A piece of text as HTML, escaped: what stands verbatim as code, prose with its own direction of writing."""
    if span.kind == "verbatim":
        return _code(span.text)
    text = _text(span.text)
    return f'<span dir="auto">{text}</span>' if span.kind == "prose" else text


def _code(text: str) -> str:
    """A name or a text as it is, set apart from the direction of what surrounds it."""
    return f'<code dir="auto">{_text(text)}</code>' if text else "<em>empty</em>"


def _text(text: str) -> str:
    return escape(visible(text))


def _none(sentence: str) -> str:
    return f'<p class="none">{sentence}</p>'
