"""A template and its values in, a page out: everything is escaped, and texts of others are drawn, never obeyed."""

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
from pellucid.surfaces.dashboard.view import View
from pellucid.surfaces.present.closing import citation_line
from pellucid.xray.words.headline import headline
from pellucid.xray.words.visible import visible

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"),
    *("strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_SCHEMES = {"http", "https", "mailto"}


def render(template: str, values: Mapping[str, object]) -> bytes:
    """A template of `templates/` filled in, as UTF-8; a value that the template uses and `values` lacks is an error."""
    return _environment().get_template(template).render(values).encode()


@cache
def _environment() -> Environment:
    """The templates' environment, with our filters; every value is escaped."""
    made = Environment(
        loader=PackageLoader("pellucid.surfaces.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    for name, filter_ in _FILTERS.items():
        made.filters[name] = filter_  # pyright: ignore[reportUnknownMemberType]
    return made


def _finalize(value: Any) -> Any:
    """A value as a template prints it: "" for None, invisible characters of a text spelled out, `Markup` and others as
    they are.
    """
    if value is None:
        return ""
    return _visible_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _visible_lines(text: str) -> str:
    """A text with the invisible characters of each line spelled out."""
    return "\n".join(map(visible, text.split("\n")))


def markdown(text: str) -> Markup:
    """A memory's Markdown as safe HTML: no HTML of its own, no images, no link that a browser follows by itself."""
    drawn = _markdown().render(_visible_lines(text))
    return Markup(  # noqa: S704  # cleaned
        nh3.clean(
            drawn, tags=_TAGS, attributes={"a": {"href"}}, url_schemes=_SCHEMES, link_rel="noopener noreferrer nofollow"
        )
    )


@cache
def _markdown() -> MarkdownIt:
    """The Markdown parser for memories: no HTML, no images."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def lines(text: str) -> Markup:
    """A text as HTML, escaped, with invisible characters spelled out and line ends kept."""
    return Markup("\n").join(visible(line) for line in text.split("\n"))


def with_memory_links(view: View, text: str, words: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """A sentence, escaped, whose memory ids are links, shown as their text in `words`, else as the id's last ten
    digits.
    """
    shown, at, out = visible(text), 0, Markup()
    for found in MEMORY_ID.finditer(shown):
        memory, form = found[0], Markup("“{}”") if found[0] in words else Markup("<code>…{}</code>")
        name = form.format(words.get(memory, memory[-10:]))
        link = Markup('<a href="{}">{}</a>').format(view.href(f"memories/{memory}"), name)
        out += escape(shown[at : found.start()]) + link
        at = found.end()
    return out + escape(shown[at:])


def when(value: datetime | int | str | None) -> str:
    """An instant in UTC for readers: `2026-11-23 14:02`; a number is epoch milliseconds, None or "" gives ""."""
    instant = _instant(value)
    return f"{instant:%Y-%m-%d %H:%M}" if instant else ""


def day(value: datetime | int | str | None) -> str:
    """The UTC day of an instant: `2026-11-23`; a number is epoch milliseconds, None or "" gives ""."""
    instant = _instant(value)
    return f"{instant:%Y-%m-%d}" if instant else ""


def _instant(value: datetime | int | str | None) -> datetime | None:
    """A date-time, epoch milliseconds or ISO text as an instant in UTC (one without a zone is of UTC).

    None for None or "".
    """
    if value is None or value == "":
        return None
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1000, UTC)
    return in_utc(datetime.fromisoformat(value) if isinstance(value, str) else value)


def number(value: float | None) -> str:
    """A number for readers: `1,204`, `0.25` if it is not whole, `–` for None."""
    if value is None:
        return "–"
    return f"{value:,.2f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):,}"


def spaced(name: str) -> str:
    """A camelCase name as words: `hitRate` is `hit rate`."""
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name)


def verb(row: Operation[Any, Any]) -> str:
    """The label of a button for an operation: its command's last word, such as `Archive`; with `…` if it erases."""
    said = (row.on.cli or row.name).replace(".", " ").rpartition(" ")[2].capitalize()
    return f"{said}…" if row.effect == "erase" else said


def hint(row: Operation[Any, Any]) -> str:
    """The first sentence of an operation's description, without the full stop."""
    return row.text.partition(". ")[0].partition("\n")[0].rstrip(".")


def citation_detail(citation: MemoryCitation) -> str:
    """A citation without its kind: where, when, and who says so or by what sign."""
    return citation_line(citation).removeprefix(citation.kind).strip()


def as_json(value: Any) -> Markup:
    """A record, or any JSON value, as indented JSON, escaped for HTML."""
    told = value.to_wire() if hasattr(value, "to_wire") else value
    return lines(json.dumps(told, indent=2, ensure_ascii=False))


_FILTERS: Mapping[str, Callable[..., object]] = {
    "markdown": markdown,
    "excerpt": headline,
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
