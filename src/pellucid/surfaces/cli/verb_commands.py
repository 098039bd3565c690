"""One function a verb in, the commands that change a memory's state out: all undoable, all on record."""

from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Agent, Home, Json, Namespace, emit, opened

if TYPE_CHECKING:
    from pellucid.operations.changing import Verb

MemoryId = Annotated[str, typer.Argument(help="A memory's id, its last ten digits, or its path.")]
Reason = Annotated[str, typer.Option("--reason", help="A short code for the ledger, such as wrong-source.")]


@app.command()
def update(
    memory_id: MemoryId,
    content: Annotated[list[str] | None, typer.Argument(help="What it is to say instead.")] = None,
    category: Annotated[str | None, typer.Option("--category", help="Another category.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="The tags it is to have; may be repeated.")] = None,
    entity: Annotated[str | None, typer.Option("--entity", help="The thing this is about.")] = None,
    attributes: Annotated[
        list[str] | None, typer.Option("--attribute", help="name=value of the entity; may be repeated.")
    ] = None,
    confidence: Annotated[float | None, typer.Option("--confidence", help="How sure, 0 to 1.")] = None,
    importance: Annotated[float | None, typer.Option("--importance", help="How important, 0 to 1.")] = None,
    home: Home = None,
    namespace: Namespace = None,
    agent: Agent = None,
    as_json: Json = False,
) -> None:
    """Reword a memory; the old version stays in its history."""
    from pellucid.operations.changing import UpdateInput
    from pellucid.operations.changing import update as change
    from pellucid.surfaces.cli import present_changes
    from pellucid.surfaces.cli.validate import checked, pairs

    with opened(home, namespace) as opened_app:
        request = checked(
            UpdateInput, namespace=opened_app.settings.namespace, memory_id=memory_id,
            content=" ".join(content) if content else None, category=category,
            tags=tuple(tags) if tags is not None else None, entity_ref=entity,
            attributes=pairs("--attribute", attributes) if attributes else None, confidence=confidence,
            importance=importance, agent=agent,
        )  # fmt: skip
        outcome = change(opened_app, request)
        emit(
            outcome,
            lambda: present_changes.changed(outcome, present_changes.UPDATED),
            as_json=as_json,
            beside=opened_app,
        )


@app.command()
def archive(
    memory_id: MemoryId, reason: Reason = "", home: Home = None, namespace: Namespace = None, as_json: Json = False
) -> None:
    """Put a memory away: it is kept, and answers nothing."""
    _verb("archive", memory_id, reason, home, namespace, as_json=as_json)


@app.command()
def retract(
    memory_id: MemoryId, reason: Reason = "", home: Home = None, namespace: Namespace = None, as_json: Json = False
) -> None:
    """Take a memory back: it was not, or is not, true."""
    _verb("retract", memory_id, reason, home, namespace, as_json=as_json)


@app.command()
def dispute(
    memory_id: MemoryId, reason: Reason = "", home: Home = None, namespace: Namespace = None, as_json: Json = False
) -> None:
    """Call a memory into question. It answers nothing until that is undone."""
    _verb("dispute", memory_id, reason, home, namespace, as_json=as_json)


@app.command()
def pin(
    memory_id: MemoryId,
    off: Annotated[bool, typer.Option("--off", help="Take the pin out.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Prefer a memory in recalls, and never let it fade."""
    _verb("unpin" if off else "pin", memory_id, "", home, namespace, as_json=as_json)


def _verb(verb: "Verb", memory_id: str, reason: str, home: Home, namespace: Namespace, *, as_json: bool) -> None:
    from pellucid.operations.changing import VerbInput, apply_verb
    from pellucid.surfaces.cli import present_changes
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(VerbInput, namespace=opened_app.settings.namespace, memory_id=memory_id, reason=reason)
        outcome = apply_verb(opened_app, verb, request)
        emit(
            outcome,
            lambda: present_changes.changed(outcome, present_changes.DONE[verb]),
            as_json=as_json,
            beside=opened_app,
        )


@app.command()
def reverify(
    memory_ids: Annotated[list[str], typer.Argument(help="Memories: ids, their last ten digits, or paths.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Confirm that memories still hold. Sets the date of their last verification, and nothing else."""
    from pellucid.operations.reverifying import ReverifyInput
    from pellucid.operations.reverifying import reverify as verify
    from pellucid.surfaces.cli import present_changes
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(ReverifyInput, namespace=opened_app.settings.namespace, memory_ids=tuple(memory_ids))
        outcome = verify(opened_app, request)
        emit(outcome, lambda: present_changes.reverified(outcome), as_json=as_json, beside=opened_app)


@app.command()
def undo(
    target: Annotated[str, typer.Argument(help="An operation (op_…), or a memory whose last change is meant.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Take back a change: an operation, or a memory's last. An undo can be undone."""
    from pellucid.operations.changing import UndoInput
    from pellucid.operations.changing import undo as put_back
    from pellucid.surfaces.cli import present_changes

    with opened(home, namespace) as opened_app:
        outcome = put_back(opened_app, UndoInput(namespace=opened_app.settings.namespace, target=target))
        emit(outcome, lambda: present_changes.undone(outcome), as_json=as_json, beside=opened_app)
