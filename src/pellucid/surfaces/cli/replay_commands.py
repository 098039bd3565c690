"""One function a command in, the commands that look at recalls again out: replay, diff, ablate, lift."""

from datetime import datetime
from typing import Annotated

import typer

from pellucid.clock import epoch_ms
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened

RecallId = Annotated[str, typer.Argument(help="A recall's id (rec_…).")]


@app.command()
def replay(
    recall_id: RecallId,
    live: Annotated[bool, typer.Option("--live", help="Ask it again, too, and say why the answer differs.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Work out an earlier recall again, from its receipt alone. The same memories, order and scores."""
    from pellucid.operations.explaining import replay_recall
    from pellucid.surfaces.cli import present_replay

    with opened(home, namespace) as opened_app:
        outcome = replay_recall(opened_app, opened_app.settings.namespace, recall_id, live=live)
        emit(outcome, lambda: present_replay.replayed(outcome), as_json=as_json)


@app.command()
def diff(
    a: Annotated[str, typer.Argument(help="The first recall's id (rec_…).")],
    b: Annotated[str, typer.Argument(help="The second recall's id.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Compare two recalls: what entered, left and moved, and why.

    Which term moved it, and what else was not the same.
    """
    from pellucid.operations.explaining import diff_recalls
    from pellucid.surfaces.cli import present_replay

    with opened(home, namespace) as opened_app:
        outcome = diff_recalls(opened_app, opened_app.settings.namespace, a, b)
        emit(outcome, lambda: present_replay.compared(outcome), as_json=as_json)


@app.command()
def ablate(
    recall_id: RecallId,
    without: Annotated[
        list[str] | None, typer.Option("--without", help="A leg, stage or term to leave out; may be repeated.")
    ] = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show what each part of the search did for one recall.

    With parts named: what leaving them out together would change.
    """
    from pellucid.operations.explaining import ablate_recall
    from pellucid.surfaces.cli import present_replay

    with opened(home, namespace) as opened_app:
        outcome = ablate_recall(opened_app, opened_app.settings.namespace, recall_id, without)
        emit(outcome, lambda: present_replay.ablated(outcome), as_json=as_json)


@app.command()
def lift(
    leg: Annotated[
        list[str] | None, typer.Option("--leg", help="A leg or term: graph and temporal, if none is named.")
    ] = None,
    last: Annotated[int, typer.Option("--last", min=1, max=10_000, help="Recalls looked at, the newest.")] = 100,
    since: Annotated[datetime | None, typer.Option("--since", help="Only recalls from then on (UTC).")] = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show what each part of the search did for recent recalls.

    It is told from their receipts; nothing is asked again.
    """
    from pellucid.operations.lifting import LiftInput, known_legs
    from pellucid.operations.lifting import lift as lift_of
    from pellucid.surfaces.cli import present_replay
    from pellucid.surfaces.cli.validate import aware

    begin = aware(since)
    with opened(home, namespace) as opened_app:
        asked = LiftInput(
            namespace=opened_app.settings.namespace, limit=last, since=epoch_ms(begin) if begin else 0,
            **({"legs": known_legs(leg, "--leg")} if leg else {}),
        )  # fmt: skip
        outcome = lift_of(opened_app, asked)
    emit(outcome, lambda: present_replay.lifted(outcome), as_json=as_json)
