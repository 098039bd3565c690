"""An operation's row, its answer and what was asked in, its text out: the same bytes on every surface."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from pellucid.errors import NotFoundError, PellucidError
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Operation
from pellucid.surfaces.columns import with_words
from pellucid.surfaces.commands import answering, respelled
from pellucid.surfaces.texts import TEXTS
from pellucid.xray.words.visible import visible, visible_json

Form = Literal["json", "text", "markdown", "html", "lines"]
"""What an answer can be given in; `lines` are JSON documents, one a line."""


def forms(row: Operation[Any, Any]) -> tuple[Form, ...]:
    """Those that an operation's answer can be given in; the first where nobody says which."""
    if row.gives_xray:
        from pellucid.xray.render import formats  # what draws an explanation is loaded for one alone

        return tuple(formats.RENDERERS)
    return ("lines",) if row.output == Iterator[str] else ("json", "text")


def answer_text(
    row: Operation[Any, Any],
    outcome: Any,
    asked: Any,
    call: Call,
    form: Form,
    *,
    verbose: bool = False,
    beneath: Sequence[str] = (),
) -> str:
    """An answer as a text, without a final newline.

    Args:
        row: the operation.
        outcome: what it gave.
        asked: its input.
        call: what it was asked in; its home is opened only where the words of memories are looked up.
        form: one of the operation's `forms`, other than `lines`.
        verbose: also say what goes without saying, where the text leaves that out.
        beneath: further lines that belong to a text for a person.
    """
    if row.gives_xray and form != "lines":
        from pellucid.xray.render import formats

        return formats.render(outcome, form, verbose=verbose)
    if form == "json":
        return json_text(outcome)
    text = TEXTS[row.name]
    with answering(row):
        said = text.tell(outcome, asked, verbose=verbose, beneath=beneath)
    return with_words(call.app, said) if text.words else said


def without_snapshot(
    row: Operation[Any, Any], error: PellucidError, form: Form, *, verbose: bool = False
) -> str | None:
    """What answers for an X-ray that is not there, or is somebody else's: the same everywhere; None of anything else.

    The reason stands beside it where a surface has room for that.
    """
    if not row.gives_xray or not isinstance(error, NotFoundError):
        return None
    from pellucid.xray.render import formats

    return printed(formats.render(None, form, verbose=verbose)) if form != "lines" else None


def json_text(value: Wire) -> str:
    """A record as a JSON document, without a final newline."""
    return visible_json(json.dumps(value.to_wire(), indent=2, ensure_ascii=False))


def printed(text: str) -> str:
    """Lines as they leave: nothing in them reaches a terminal as a command, and the last has its end."""
    return "\n".join(visible(line) for line in text.rstrip("\n").split("\n")) + "\n"


def problem(error: PellucidError) -> dict[str, str]:
    """What went wrong, as JSON has it."""
    return {"error": error.code, "code": error.code, "message": error.message, "nextStep": error.next_step}


def spell_wire(error: PellucidError, reference: str) -> None:
    """Spell the fields that an error names as JSON does, and commands as they are asked for here.

    `reference` is what says what a call takes.
    """
    error.spell(lambda name: reference if name == "help" else f'"{to_camel(name)}"')
    error.message, error.next_step = respelled(error.message), respelled(error.next_step)
