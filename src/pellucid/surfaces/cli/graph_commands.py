"""Flags in, the commands `graph show`, `graph audit` and `graph backfill` out."""

from typing import Annotated

import typer

from pellucid.surfaces.cli.instant_flags import AsKnownAt, AsOf, instants
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, deliver, emit, opened, progress

graph_app = typer.Typer(help="Look at things and how they hang together.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(graph_app, name="graph")


@graph_app.command("show")
def graph_show(
    name: Annotated[str, typer.Argument(help="A thing, an alias of it, or a memory or document by its id or path.")],
    hops: Annotated[int, typer.Option("--hops", help="How many edges away to look, 1 to 6.")] = 2,
    types: Annotated[
        list[str] | None, typer.Option("--type", help="Only edges of this type (DEPENDS_ON); may be repeated.")
    ] = None,
    direction: Annotated[str, typer.Option("--direction", help="out, in or both.")] = "both",
    closed: Annotated[bool, typer.Option("--closed", help="Also edges that hold no more.")] = False,
    svg: Annotated[str | None, typer.Option("--svg", help="Draw it as SVG to this file; - prints it.")] = None,
    as_of: AsOf = None,
    as_known_at: AsKnownAt = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show a thing: what is true of it, and what it relates to. Each with who says so."""
    from pellucid.operations.graphing import GraphShowInput, edge_types, look
    from pellucid.surfaces.cli import present_graph
    from pellucid.surfaces.cli.validate import checked
    from pellucid.xray.options import parse_out

    with opened(home, namespace) as opened_app:
        request = checked(
            GraphShowInput, namespace=opened_app.settings.namespace, name=name, hops=hops,
            types=edge_types(types or (), "--type"), direction=direction, closed=closed,
            **instants(opened_app, as_of, as_known_at),
        )  # fmt: skip
        seen = look(opened_app, request)
        if svg:
            deliver(seen.svg(), parse_out(svg), opened_app.settings.home)
    if svg == "-":
        return
    emit(seen.output, lambda: present_graph.shown(seen), as_json=as_json)


@graph_app.command("audit")
def graph_audit(home: Home = None, namespace: Namespace = None, as_json: Json = False) -> None:
    """Check what does not fit together in the graph.

    Dangling names, orphans, contradictions, one-sided supersessions.
    """
    from pellucid.errors import UnhealthyError
    from pellucid.operations.graphing import audit
    from pellucid.surfaces.cli import present_graph

    with opened(home, namespace) as opened_app:
        outcome = audit(opened_app, opened_app.settings.namespace)
    emit(outcome, lambda: present_graph.audited(outcome), as_json=as_json)
    if outcome.problems:
        raise UnhealthyError(f"{len(outcome.problems)} problems", next_step="each line above says what to do")


@graph_app.command("backfill")
def graph_backfill(
    apply: Annotated[bool, typer.Option("--apply", help="Go on from looking to doing.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Read every file again, and show how the graph would change.

    As after other settings; `--apply` changes it.
    """
    from pellucid.operations.backfilling import BackfillInput, backfill
    from pellucid.surfaces.cli import present_graph

    with opened(home, namespace) as opened_app, progress("reading") as bar:
        outcome = backfill(opened_app, BackfillInput(namespace=opened_app.settings.namespace, apply=apply), bar)
    emit(outcome, lambda: present_graph.backfilled(outcome), as_json=as_json)
