"""One function a command in, the commands about earlier recalls out: explain, and snapshots list, export, pin."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from pellucid.surfaces.cli.recall_commands import Verbose
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, Session, deliver, emit, note, opened, write

Since = Annotated[str | None, typer.Option("--since", help="From when on: 2026-04-20, 2026-04-20T17:30, or 7d ago.")]


@app.command()
def explain(
    output: Annotated[str, typer.Option("--format", help="text, markdown, json or html.")] = "text",
    out: Annotated[str | None, typer.Option("--out", help="Write it to this file; - is standard output.")] = None,
    verbose: Verbose = False,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """Explain the last recall. That of a session; or of the namespace, where no session is given."""
    from pellucid.operations.snapshots import ExplainInput
    from pellucid.operations.snapshots import explain as tell
    from pellucid.xray.options import parse_format, parse_out
    from pellucid.xray.render import render

    form, target = parse_format("json" if as_json else output), parse_out(out)
    with opened(home, namespace) as opened_app:
        request = ExplainInput(namespace=opened_app.settings.namespace, session_id=session)
        deliver(render(tell(opened_app, request), form, verbose=verbose), target, opened_app.settings.home)


snapshots_app = typer.Typer(
    help="Look at earlier recalls, and keep their explanations.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(snapshots_app, name="snapshots")


@snapshots_app.command("list")
def snapshots_list(
    since: Since = None,
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 20,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """List recalls, newest first, with their questions.

    Of each: how many memories it served, and what is kept of it.
    """
    from pellucid.operations.snapshots import SnapshotsInput, list_snapshots, parse_since
    from pellucid.surfaces.cli import present_snapshot
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(
            SnapshotsInput, namespace=opened_app.settings.namespace, session_id=session, limit=limit,
            since=parse_since(since, opened_app.clock.now()),
        )  # fmt: skip
        outcome = list_snapshots(opened_app, request)
    emit(outcome, lambda: present_snapshot.listed(outcome), as_json=as_json)


@snapshots_app.command("export")
def snapshots_export(
    since: Since = None,
    out: Annotated[str | None, typer.Option("--out", help="Write to this file; - is standard output.")] = None,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
) -> None:
    """Print every recall kept in full as a line of JSON. Each line is an X-ray; newest first."""
    from pellucid.operations.snapshots import ExportInput, export_snapshots, parse_since
    from pellucid.xray.options import parse_out

    target, results_only = parse_out(out), list[str]()
    with opened(home, namespace) as opened_app:
        at = parse_since(since, opened_app.clock.now())
        request = ExportInput(namespace=opened_app.settings.namespace, session_id=session, since=at)
        _stream(export_snapshots(opened_app, request, results_only.append), target, opened_app.settings.home)
    if results_only:
        many = "1 recall" if len(results_only) == 1 else f"{len(results_only)} recalls"
        note(f"left out {many} of which only the results are kept")


def _stream(lines: Iterable[str], target: Path | None, home: Path) -> None:
    """Line after line to the terminal as each is made, or into a file that is written whole or not at all."""
    from pellucid.xray.options import write_out

    if target is None:
        for line in lines:
            write(line)
    else:
        write_out(target, (f"{line}\n" for line in lines), home)
        note(f"wrote {target}")


@snapshots_app.command("pin")
def snapshots_pin(
    recall_id: Annotated[str, typer.Argument(help="A recall's id (rec_…).")],
    off: Annotated[bool, typer.Option("--off", help="Let it go again.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Keep a recall in full whatever its age. It can always be explained."""
    from pellucid.operations.snapshots import PinSnapshotInput, pin_snapshot
    from pellucid.surfaces.cli import present_snapshot

    with opened(home, namespace) as opened_app:
        request = PinSnapshotInput(namespace=opened_app.settings.namespace, recall_id=recall_id, pinned=not off)
        outcome = pin_snapshot(opened_app, request)
    emit(outcome, lambda: present_snapshot.pinned(outcome), as_json=as_json)
