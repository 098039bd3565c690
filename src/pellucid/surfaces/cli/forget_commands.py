"""One function a command in, the commands that take memories away for good out; each shows first what it would take."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.errors import StoreError
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, Session, emit, opened

if TYPE_CHECKING:
    from pellucid.operations.forgetting import ForgetOutput

Yes = Annotated[bool, typer.Option("--yes", help="Do it; without this, only say what would go.")]


@app.command()
def forget(
    memory_ids: Annotated[list[str], typer.Argument(help="Memories: ids, their last ten digits, or paths.")],
    chain: Annotated[bool, typer.Option("--chain", help="Their older and newer versions, too.")] = False,
    yes: Yes = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Forget memories for good: no byte of their words stays. Importing their session again brings nothing back."""
    from pellucid.operations.forgetting import ForgetInput, preview_forget
    from pellucid.operations.forgetting import forget as take
    from pellucid.surfaces.cli import present_changes

    with opened(home, namespace) as opened_app:
        request = ForgetInput(namespace=opened_app.settings.namespace, memory_ids=tuple(memory_ids), chain=chain)
        outcome = take(opened_app, request) if yes else preview_forget(opened_app, request)
        command = " ".join(["pellucid forget", *memory_ids, *(["--chain"] if chain else [])])
        emit(outcome, lambda: present_changes.forgotten(outcome, command), as_json=as_json, beside=opened_app)
    _require_gone(outcome)


@app.command()
def purge(
    before: Annotated[datetime | None, typer.Option("--before", help="Created before this day.")] = None,
    status: Annotated[str | None, typer.Option("--status", help="Of this status, such as archived.")] = None,
    category: Annotated[str | None, typer.Option("--category", help="Of this category.")] = None,
    source_class: Annotated[str | None, typer.Option("--source", help="Said by this kind of source.")] = None,
    yes: Yes = False,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """Forget every memory that fits all of these filters."""
    from pellucid.operations.forgetting import PurgeInput, preview_purge
    from pellucid.operations.forgetting import purge as take
    from pellucid.surfaces.cli import present_changes
    from pellucid.surfaces.cli.validate import aware, checked

    with opened(home, namespace) as opened_app:
        request = checked(
            PurgeInput, namespace=opened_app.settings.namespace, before=aware(before), status=status,
            category=category, session_id=session, source_class=source_class,
        )  # fmt: skip
        outcome = take(opened_app, request) if yes else preview_purge(opened_app, request)
        text = present_changes.forgotten(outcome, "the same command with")
        emit(outcome, lambda: text, as_json=as_json, beside=opened_app)
    _require_gone(outcome)


def _require_gone(outcome: "ForgetOutput") -> None:
    """End as a failure does where bytes are left: who asked must not take it for done.

    Raises:
        StoreError: names the places.
    """
    if outcome.remains:
        places = ", ".join(each.place for each in outcome.remains)
        raise StoreError(
            f"forgotten, but not erased to the last byte yet: {places}",
            next_step="each later command goes on with it; `pellucid doctor` says what is left",
        )
