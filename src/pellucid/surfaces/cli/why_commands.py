"""One function a command in, the command that says why a memory was recalled, or why not, out."""

from typing import Annotated

import typer

from pellucid.errors import InputError
from pellucid.surfaces.cli.flags import flagged
from pellucid.surfaces.cli.recall_commands import RecallFlags
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Json, emit, opened


@app.command()
@flagged(RecallFlags)
def why(
    flags: RecallFlags,
    memory: Annotated[
        str, typer.Argument(help="A memory's id (the first or last digits do), its path, or its words in quotes.")
    ],
    question: Annotated[list[str] | None, typer.Argument(help="The question; it is asked now.")] = None,
    query: Annotated[str | None, typer.Option("--query", help="The question, in place of the second argument.")] = None,
    recall_id: Annotated[
        str | None, typer.Option("--recall", help="An earlier recall (rec_…), instead of a question.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say why a memory was recalled, or why not, or never kept.

    Of a miss: what lost it, and the smallest change that admits it.
    """
    from pellucid.operations.why import WhyInput
    from pellucid.operations.why import why as tell
    from pellucid.recall.plan import clean
    from pellucid.surfaces.cli import present_why
    from pellucid.xray.options import parse_budget

    if recall_id is not None and flags != RecallFlags(home=flags.home, namespace=flags.namespace):
        raise InputError(
            "--recall explains a recall as it was: nothing may differ", next_step="drop the other flags, or ask anew"
        )
    further = " ".join(question or ())
    if query is not None or recall_id is not None:  # then all the words that stand there are the memory's
        memory = f"{memory} {further}"
    else:
        query = further or None
    asking = clean(query) if query is not None else None
    characters = parse_budget(flags.budget)
    with opened(flags.home, flags.namespace) as opened_app:
        here = opened_app.settings.namespace
        asked = None if asking is None else flags.request(opened_app, asking, characters)
        outcome = tell(opened_app, WhyInput(namespace=here, memory=memory, asked=asked, recall_id=recall_id))
        emit(outcome, lambda: present_why.told(outcome), as_json=as_json, beside=opened_app)
