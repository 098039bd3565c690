"""An operation, its answer and its input in, the answer's text out: the same bytes on every surface."""

import json
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Literal

from pellucid.errors import NotFoundError, PellucidError, bare_step
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Operation
from pellucid.surfaces.columns import with_excerpts
from pellucid.surfaces.spelling import fields_of
from pellucid.xray.words.visible import visible, visible_json

Form = Literal["json", "text", "markdown", "html", "lines"]
"""The format of an answer; `lines` are JSON documents, one a line."""


def forms(row: Operation[Any, Any]) -> tuple[Form, ...]:
    """Return the formats in which an operation's answer can be rendered, the default first: for an X-ray (a recall's
    explanation) `json`, `text`, `markdown` and `html`, for an iterator of JSON lines only `lines`, for any other answer
    `json` and `text`.
    """
    if row.gives_xray:
        from pellucid.xray.render import formats  # slow to load, and needed for X-rays only

        return tuple(formats.RENDERERS)
    return ("lines",) if row.output == Iterator[str] else ("json", "text")


def answer_text(
    row: Operation[Any, Any],
    outcome: Any,
    request: Any,
    call: Call,
    form: Form,
    *,
    verbose: bool = False,
    footer: Sequence[str] = (),
) -> str:
    """Render `outcome`, the answer of the operation `row` to `request`, as a text.

    `form` is one of the operation's `forms` other than `lines`. `verbose` includes details that are usually left out,
    which only X-rays as text or Markdown and rows with `takes_options` have; `footer` are further lines, for the form
    `text` of any answer but an X-ray. The home of `call` is opened only to look up excerpts of memories. Unseen
    characters can be in the text: `printable` spells them out.
    """
    if row.gives_xray and form != "lines":
        from pellucid.xray.render import formats

        return formats.render(outcome, form, verbose=verbose)
    if form == "json":
        return json_text(outcome)
    rendered = _presented(row, outcome, request, verbose=verbose, footer=footer)
    return with_excerpts(call.app, rendered) if row.text.excerpts else rendered


def _presented(row: Operation[Any, Any], outcome: Any, request: Any, *, verbose: bool, footer: Sequence[str]) -> str:
    """Render an answer by the function that its row names in `text.presenter`, or by its own `as_text`.

    `footer` are lines for its end; `verbose` counts only if the row has `takes_options`. If the row has `carry_out`,
    the function is also given the command that does what the answer, a preview, shows.
    """
    text = row.text
    if not text.presenter:
        return "\n".join((outcome.as_text(), *footer))
    render = presenter(text.presenter)
    again = [bare_step(row.name, **fields_of(request, **text.carry_out))] if text.carry_out else []
    if text.takes_options:
        return render(outcome, *again, verbose=verbose, footer=footer)
    return "\n".join((render(outcome, *again), *footer))


def presenter(name: str) -> Callable[..., str]:
    """Return the function `name` of a module in `surfaces/present/`: for `index.documents_text` the function
    `documents_text` of the module `index`. The module is loaded by this call, since some load slowly.
    """
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"pellucid.surfaces.present.{module}"), function)


def missing_xray_text(
    row: Operation[Any, Any], error: PellucidError, form: Form, *, verbose: bool = False
) -> str | None:
    """Return the text that says, in the format `form`, that there is no such X-ray (explanation of a recall): the same
    if it does not exist and if the caller is not allowed to read it. It is printable, with a final newline.

    None for an operation that gives no X-ray, for an error other than `NotFoundError`, and for the form `lines`.
    `verbose` is that of `answer_text`.
    """
    if not row.gives_xray or not isinstance(error, NotFoundError):
        return None
    from pellucid.xray.render import formats

    return printable(formats.render(None, form, verbose=verbose)) if form != "lines" else None


def json_text(value: Wire) -> str:
    """Return a record as an indented JSON document, unseen characters as escapes, without a final newline."""
    return visible_json(json.dumps(value.to_wire(), indent=2, ensure_ascii=False))


def printable(text: str) -> str:
    """Return the text with control and other unseen characters of each line spelled out (those of `visible`), and one
    newline at the end.

    Line breaks stay: only whoever made the text can tell those that are part of a value, and spells them out
    (`visible`)."""
    return "\n".join(visible(line) for line in text.rstrip("\n").split("\n")) + "\n"


def error_fields(error: PellucidError) -> dict[str, str]:
    """Return the JSON fields of an error on every surface: its code as `error` and `code`, `message`, `nextStep`."""
    return {"error": error.code, "code": error.code, "message": error.message, "nextStep": error.next_step}
