"""Flags in, the command `lifecycle consolidate` out."""

from typing import Annotated

import typer

from pellucid.surfaces.cli import present_consolidate
from pellucid.surfaces.cli.lifecycle_commands import lifecycle_app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened


@lifecycle_app.command("consolidate")
def lifecycle_consolidate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what a pass would do, and write nothing.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="End the pass after so many changed clusters.")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Ask the model of [llm] about what cannot be proved, and check its answers.")
    ] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Merge memories that say the same, and retire old values.

    Only what provably says the same; what has expired is archived. Undoable.
    """
    from pellucid.operations.consolidating import ConsolidateInput, consolidate

    with opened(home, namespace) as opened_app:
        request = ConsolidateInput(
            namespace=opened_app.settings.namespace, dry_run=dry_run, limit=limit, use_model=model
        )
        outcome = consolidate(opened_app, request)
        emit(outcome, lambda: present_consolidate.consolidated(outcome), as_json=as_json, beside=opened_app)
