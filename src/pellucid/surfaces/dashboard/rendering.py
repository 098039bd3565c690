"""A template and its values in, a page out: everything is escaped, and texts of others are shown, never obeyed."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from types import MappingProxyType
from typing import Any

import nh3
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from pellucid.clock import in_utc
from pellucid.model.memory import MEMORY_ID
from pellucid.operations.browsing import MemoryCitation
from pellucid.operations.operation import Operation
from pellucid.surfaces.dashboard.charts.bars import format_amount
from pellucid.surfaces.dashboard.view import PageView
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.headline import headline
from pellucid.xray.words.rungs import omission_in_words
from pellucid.xray.words.visible import visible

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"),
    *("strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_SCHEMES = {"http", "https", "mailto"}


def render(template: str, values: Mapping[str, object]) -> bytes:
    """Return a template of `templates/` filled in with `values`, in UTF-8; `UndefinedError` if the template uses a
    value that is not in `values`, `TemplateNotFound` if there is no such template.
    """
    return _environment().get_template(template).render(values).encode()


@cache
def _environment() -> Environment:
    """Return the templates' environment, with our filters; every value is escaped."""
    environment = Environment(
        loader=PackageLoader("pellucid.surfaces.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    for name, filter_ in _FILTERS.items():
        environment.filters[name] = filter_  # pyright: ignore[reportUnknownMemberType]
    return environment


def _finalize(value: Any) -> Any:
    """Return a value as a template prints it: "" for None, invisible characters of a text spelled out. `Markup` and
    other values are unchanged.
    """
    if value is None:
        return ""
    return _visible_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _visible_lines(text: str) -> str:
    """Return a text with the invisible characters of each line spelled out."""
    return "\n".join(map(visible, text.split("\n")))


def markdown(text: str) -> Markup:
    """Render a memory's Markdown as safe HTML: HTML in the text is shown as text, images are not shown, links send no
    referrer and lead to http, https or mail addresses only.
    """
    html = _markdown().render(_visible_lines(text))
    return Markup(  # noqa: S704  # cleaned
        nh3.clean(
            html, tags=_TAGS, attributes={"a": {"href"}}, url_schemes=_SCHEMES, link_rel="noopener noreferrer nofollow"
        )
    )


@cache
def _markdown() -> MarkdownIt:
    """Return the Markdown parser for memories: no HTML, no images."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def lines(text: str) -> Markup:
    """Return a text as HTML, escaped, with invisible characters spelled out and line ends kept."""
    return Markup("\n").join(visible(line) for line in text.split("\n"))


def with_memory_links(view: PageView, text: str, words: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """Return a text as HTML on one line, escaped, with unseen characters and line breaks spelled out. Memory ids in it
    are links, shown as their text in `words` in quotes, else as their last ten digits.
    """
    visible_text, at, out = visible(text), 0, Markup()
    for found in MEMORY_ID.finditer(visible_text):
        memory, form = found[0], Markup("“{}”") if found[0] in words else Markup("<code>…{}</code>")
        name = form.format(words.get(memory, memory[-10:]))
        link = Markup('<a href="{}">{}</a>').format(view.href(f"memories/{memory}"), name)
        out += escape(visible_text[at : found.start()]) + link
        at = found.end()
    return out + escape(visible_text[at:])


def when(value: datetime | int | str | None) -> str:
    """Render an instant in UTC: `2026-11-23 14:02`; a number is epoch milliseconds, a text ISO, else `ValueError`; ""
    for None or "".
    """
    instant = _instant(value)
    return f"{instant:%Y-%m-%d %H:%M}" if instant else ""


def day(value: datetime | int | str | None) -> str:
    """Render the UTC day of an instant: `2026-11-23`; a number is epoch milliseconds, a text ISO, else `ValueError`; ""
    for None or "".
    """
    instant = _instant(value)
    return f"{instant:%Y-%m-%d}" if instant else ""


def _instant(value: datetime | int | str | None) -> datetime | None:
    """Return a date-time, epoch milliseconds or ISO text as an instant in UTC; a time without a zone is in UTC. None
    for None or "", `ValueError` for any other text.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1000, UTC)
    return in_utc(datetime.fromisoformat(value) if isinstance(value, str) else value)


def number(value: float | None) -> str:
    """Render a number: `1,204`, with two decimals (`0.25`) if it is not whole, `–` for None."""
    if value is None:
        return "–"
    return f"{value:,.2f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):,}"


def spaced(name: str) -> str:
    """Return a camelCase name as words: `hitRate` is `hit rate`."""
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name)


def verb(row: Operation[Any, Any]) -> str:
    """Return the label of an operation's button: the last word of its command (of its name if it has no command), such
    as `Archive`; with `…` if it erases.
    """
    label = (row.on.cli or row.name).replace(".", " ").rpartition(" ")[2].capitalize()
    return f"{label}…" if row.effect == "erase" else label


def hint(row: Operation[Any, Any]) -> str:
    """Return the first sentence of an operation's description, without the full stop."""
    return row.help.partition(". ")[0].partition("\n")[0].rstrip(".")


def citation_detail(citation: MemoryCitation) -> str:
    """Render a citation without its kind, as `citation_line` does: session unless it had none, day, source and
    notes.
    """
    return citation_line(citation).removeprefix(citation.kind).strip()


def as_json(value: Any) -> Markup:
    """Return a record, or any JSON value, as indented JSON, escaped for HTML."""
    json_value = value.to_wire() if hasattr(value, "to_wire") else value
    return lines(json.dumps(json_value, indent=2, ensure_ascii=False))


_FILTERS: Mapping[str, Callable[..., object]] = {
    "markdown": markdown,
    "excerpt": headline,
    "omission": omission_in_words,
    "cited": citation_detail,
    "verb": verb,
    "hint": hint,
    "lines": lines,
    "when": when,
    "day": day,
    "number": number,
    "json": as_json,
    "spaced": spaced,
    "spoken": format_amount,
}
