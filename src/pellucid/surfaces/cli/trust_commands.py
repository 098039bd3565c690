"""One function a command in, the commands that say and change how far memories are trusted out."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened

if TYPE_CHECKING:
    from pellucid.app import App
    from pellucid.operations.trusting import SourceInput

trust = typer.Typer(help="See and change how far memories are trusted.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(trust, name="trust")

MemoryId = Annotated[str, typer.Argument(help="A memory's id, its last ten digits, or its path.")]
SourceClassOption = Annotated[
    str | None, typer.Option("--source", help="A source class, such as tool_output or web_content.")
]
OfAgent = Annotated[str | None, typer.Option("--agent", help="What this agent took in.")]
OfSession = Annotated[str | None, typer.Option("--session", help="What came of this session.")]
Since = Annotated[datetime | None, typer.Option("--since", help="Only what was created on this day or later.")]


@trust.command("list")
def list_zone(
    zone: Annotated[str, typer.Option("--zone", help="quarantine, working or trusted.")] = "quarantine",
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 50,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """List the memories of a zone, and why each is there."""
    from pellucid.operations.trusting import TrustListInput, trust_list
    from pellucid.surfaces.cli import present_trust
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(TrustListInput, namespace=opened_app.settings.namespace, zone=zone, limit=limit)
        outcome = trust_list(opened_app, request)
    emit(outcome, lambda: present_trust.listed(outcome), as_json=as_json)


@trust.command()
def explain(memory_id: MemoryId, home: Home = None, namespace: Namespace = None, as_json: Json = False) -> None:
    """Say why a memory is trusted as far as it is.

    Its score by named share, its zone, each step it took.
    """
    from pellucid.operations.trusting import trust_explain
    from pellucid.surfaces.cli import present_trust

    with opened(home, namespace) as opened_app:
        outcome = trust_explain(opened_app, opened_app.settings.namespace, memory_id)
        emit(outcome, lambda: present_trust.explained(outcome), as_json=as_json, beside=opened_app)


@trust.command()
def promote(memory_id: MemoryId, home: Home = None, namespace: Namespace = None, as_json: Json = False) -> None:
    """Vouch for a memory: it rises one zone. Out of quarantine it meets what it contradicts."""
    from pellucid.operations.trusting import PromoteInput
    from pellucid.operations.trusting import promote as raise_it
    from pellucid.surfaces.cli import present_trust

    with opened(home, namespace) as opened_app:
        outcome = raise_it(opened_app, PromoteInput(namespace=opened_app.settings.namespace, memory_id=memory_id))
        emit(outcome, lambda: present_trust.changed(outcome), as_json=as_json, beside=opened_app)


@trust.command()
def quarantine(
    memory_ids: Annotated[list[str] | None, typer.Argument(help="Memories: ids, last ten digits, or paths.")] = None,
    source: SourceClassOption = None,
    agent: OfAgent = None,
    session: OfSession = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only say what would be quarantined.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Put memories where nothing recalls them.

    These, or all that came from a session, a source or an agent.
    """
    from pellucid.operations.trusting import quarantine as put_away
    from pellucid.surfaces.cli import present_trust

    with opened(home, namespace) as opened_app:
        request = _source(opened_app, memory_ids, session, source, agent, None, preview=preview)
        outcome = put_away(opened_app, request)
        emit(outcome, lambda: present_trust.changed(outcome), as_json=as_json, beside=opened_app)


@trust.command()
def rollback(
    source: SourceClassOption = None,
    agent: OfAgent = None,
    session: OfSession = None,
    since: Since = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without this, only say what would change.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Take back all that came from a source.

    It is put out of force, and what it had replaced is restored; one operation.
    """
    from pellucid.operations.trusting import rollback as take_back
    from pellucid.surfaces.cli import present_trust

    with opened(home, namespace) as opened_app:
        outcome = take_back(opened_app, _source(opened_app, None, session, source, agent, since, preview=not yes))
        emit(
            outcome,
            lambda: present_trust.changed(outcome, "the same command with --yes"),
            as_json=as_json,
            beside=opened_app,
        )


def _source(
    opened_app: "App", memory_ids: list[str] | None, session: str | None, source: str | None, agent: str | None,
    since: datetime | None, *, preview: bool,
) -> "SourceInput":  # fmt: skip
    from pellucid.operations.trusting import SourceInput
    from pellucid.surfaces.cli.validate import aware, checked

    return checked(
        SourceInput, namespace=opened_app.settings.namespace, memory_ids=tuple(memory_ids or ()), session_id=session,
        source_class=source, agent=agent, since=aware(since), preview=preview,
    )  # fmt: skip
