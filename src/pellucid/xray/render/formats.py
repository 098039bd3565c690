"""A snapshot and a format in, one text out: the only renderer, whatever the surface."""

from collections.abc import Callable
from typing import Literal

from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.xray.render.as_html import render_html
from pellucid.xray.render.as_json import render_json
from pellucid.xray.render.as_markdown import render_markdown
from pellucid.xray.render.as_text import render_text

Format = Literal["json", "text", "markdown", "html"]

RENDERERS: dict[Format, Callable[..., str]] = {
    "json": render_json,
    "text": render_text,
    "markdown": render_markdown,
    "html": render_html,
}
"""Maps every format to the function that renders it. A new format is one function and one line here."""


def render(
    snapshot: RecallXraySnapshot | None,
    format: Format,  # noqa: A002 - the flag's own name
    *,
    verbose: bool = False,
) -> str:
    """Render a snapshot in a format, without a final newline; None is a snapshot that was never captured.

    With `verbose`, text and Markdown also show what goes without saying. JSON and HTML do not change by it: JSON has
    everything; HTML folds the details. As JSON, a number that is infinite or not a number raises ValueError.
    """
    renderer = RENDERERS[format]
    return renderer(snapshot, verbose=True) if verbose and format in ("text", "markdown") else renderer(snapshot)
