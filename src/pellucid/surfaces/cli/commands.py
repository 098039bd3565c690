"""One function a command in, the everyday commands of the application out: heavy imports wait for their use."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from pellucid.errors import UnhealthyError
from pellucid.surfaces.cli import present
from pellucid.surfaces.cli.instant_flags import AsKnownAt, AsOf, instants
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import (
    Agent,
    Home,
    Json,
    Namespace,
    Scopes,
    Session,
    astray,
    emit,
    note,
    opened,
    progress,
    settings,
    write,
)

Without = Annotated[list[str] | None, typer.Option("--without", help="Leave out a leg or stage; may be repeated.")]


@app.command()
def init(home: Home = None, as_json: Json = False) -> None:
    """Create a home for memories, readable by you alone.

    It holds a vault of Markdown files and its databases. Safe to repeat.
    """
    from pellucid.operations.house import inspect

    with opened(home) as opened_app:
        report = inspect(opened_app)
    emit(report, lambda: present.home(report), as_json=as_json)


@app.command("import")
def import_(
    paths: Annotated[list[Path], typer.Argument(help="Transcript files, or folders of them.")],
    mode: Annotated[
        str, typer.Option("--mode", help="both: memories, and the turns behind them; extract; verbatim.")
    ] = "both",
    transcript_format: Annotated[
        str | None,
        typer.Option(
            "--format", help="claude-code, codex, openai-chat, plain-jsonl, markdown-chat, plain-text; else detected."
        ),
    ] = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Turn transcripts into memories. Secrets are redacted first; what was imported before is left out."""
    from pellucid.operations.importing import ImportInput, import_transcripts
    from pellucid.surfaces.cli import present_import
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app, progress("reading") as bar:
        request = checked(
            ImportInput,
            paths=tuple(paths),
            mode=mode,
            namespace=opened_app.settings.namespace,
            by_folder=not opened_app.settings.namespace_is_given,
            transcript_format=transcript_format,
        )
        outcome = import_transcripts(opened_app, request, bar)
    emit(outcome, lambda: present_import.imported(outcome), as_json=as_json)


@app.command()
def remember(
    content: Annotated[list[str], typer.Argument(help="What to remember, in words.")],
    category: Annotated[str, typer.Option("--category", help="fact, decision, preference, principle, …")] = "fact",
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")] = None,
    entity: Annotated[str | None, typer.Option("--entity", help="The thing this is about.")] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="How sure, 0 to 1.")] = 0.95,
    importance: Annotated[float, typer.Option("--importance", help="How important, 0 to 1.")] = 0.7,
    pin: Annotated[bool, typer.Option("--pin", help="Prefer it in recalls, and never let it fade.")] = False,
    attributes: Annotated[
        list[str] | None, typer.Option("--attribute", help="name=value of the entity; may be repeated.")
    ] = None,
    axiom: Annotated[bool, typer.Option("--axiom", help="Only another axiom ever replaces it by itself.")] = False,
    scope: Scopes = None,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
    agent: Agent = None,
    as_json: Json = False,
) -> None:
    """Keep one memory, in your own words."""
    from pellucid.operations.remembering import RememberInput
    from pellucid.operations.remembering import remember as keep
    from pellucid.surfaces.cli.validate import checked, pairs

    with opened(home, namespace) as opened_app:
        request = checked(
            RememberInput, content=" ".join(content), namespace=opened_app.settings.namespace, category=category,
            tags=tuple(tags or ()), entity_ref=entity, confidence=confidence, importance=importance, pinned=pin,
            scopes=tuple(scope or ()), session_id=session, agent=agent, axiom=axiom,
            attributes=pairs("--attribute", attributes or ()),
        )  # fmt: skip
        outcome = keep(opened_app, request)
        emit(outcome, lambda: present.remembered(outcome), as_json=as_json, beside=opened_app)


@app.command("list")
def list_(
    category: Annotated[str | None, typer.Option("--category", help="Only this category.")] = None,
    status: Annotated[str, typer.Option("--status", help="Only this status; `any` for all.")] = "active",
    tag: Annotated[str | None, typer.Option("--tag", help="Only with this tag.")] = None,
    entity: Annotated[str | None, typer.Option("--entity", help="Only about this thing.")] = None,
    contains: Annotated[str | None, typer.Option("--contains", help="Only with these words in the content.")] = None,
    since: Annotated[datetime | None, typer.Option("--since", help="Only created at or after.")] = None,
    until: Annotated[datetime | None, typer.Option("--until", help="Only created before.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 50,
    as_of: AsOf = None,
    as_known_at: AsKnownAt = None,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """List memories, newest first. With `--as-of`, those that could answer then."""
    from pellucid.operations.browsing import ListInput, list_memories
    from pellucid.surfaces.cli.validate import aware, checked

    with opened(home, namespace) as opened_app:
        request = checked(
            ListInput, namespace=opened_app.settings.namespace, category=category,
            status=None if status == "any" else status, tag=tag, session_id=session, entity_ref=entity,
            contains=contains, since=aware(since), until=aware(until), limit=limit,
            **instants(opened_app, as_of, as_known_at),
        )  # fmt: skip
        outcome, elsewhere = list_memories(opened_app, request), astray(opened_app)
    emit(outcome, lambda: "\n".join([present.listed(outcome), *elsewhere]), as_json=as_json)


@app.command()
def show(
    memory_id: Annotated[str, typer.Argument(help="A memory's id, its last ten digits, or its path.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show one memory with everything its file says."""
    from pellucid.operations.browsing import show_memory

    with opened(home, namespace) as opened_app:
        outcome = show_memory(opened_app, opened_app.settings.namespace, memory_id)
        emit(outcome, lambda: present.shown(outcome), as_json=as_json, beside=opened_app)


@app.command()
def audit(
    entry: Annotated[str, typer.Argument(help="An audit entry of an X-ray (aud_…).")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Follow one result of a recall to the change that wrote it."""
    from pellucid.operations.recalling import audit as follow

    with opened(home, namespace) as opened_app:
        outcome = follow(opened_app, opened_app.settings.namespace, entry)
        emit(outcome, lambda: present.audited(outcome), as_json=as_json, beside=opened_app)


@app.command()
def doctor(
    accept_loss: Annotated[
        bool,
        typer.Option(
            "--accept-loss",
            help="Give up a lost key or lost rows of the ledger: importing can then bring back what they kept out.",
        ),
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Check a home, and say what is broken and what to do.

    It looks for drift between files and index, conflicts, what cannot be read or was lost, and at the databases.
    """
    from pellucid.operations.house import diagnose, examine
    from pellucid.operations.settling import accept

    known = settings(home)
    report = diagnose(known.home)
    if report is None:
        with opened(home, adopt=False, known=known) as opened_app:
            if accept_loss:
                note(present.accepted(accept(opened_app)))
            report = examine(opened_app, sound=True)
    emit(report, lambda: present.examined(report), as_json=as_json)
    if not report.healthy:
        raise UnhealthyError(f"{len(report.findings)} problems", next_step="each line above says what to do")


@app.command()
def rebuild(home: Home = None, as_json: Json = False) -> None:
    """Make the index anew from the files of the vault. Vectors of unchanged texts are reused."""
    from pellucid.operations.house import make_room
    from pellucid.operations.house import rebuild as again

    known = settings(home)
    set_aside = make_room(known.home)
    with opened(home, adopt=False, known=known) as opened_app:
        outcome = again(opened_app, set_aside)
    emit(outcome, lambda: present.rebuilt(outcome), as_json=as_json)


@app.command()
def models(
    action: Annotated[str, typer.Argument(help="status, or pull to fetch what is missing.")] = "status",
    reranker: Annotated[
        bool, typer.Option("--reranker", help="The cross-encoder of `rerank.model`, not the embedding model.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show or fetch the embedding model, or a reranker's."""
    from pellucid.operations.models import ModelsInput
    from pellucid.operations.models import models as see
    from pellucid.surfaces.cli.validate import checked

    outcome = see(settings(home), checked(ModelsInput, action=action, reranker=reranker), note)
    emit(outcome, lambda: present.models(outcome), as_json=as_json)


@app.command()
def demo(home: Home = None) -> None:
    """Show on example sessions what Pellucid does. An import, a handful of memories, a recall, and its X-ray."""
    from pellucid.surfaces.cli.demo import run_demo

    run_demo(settings(home), write, note)
