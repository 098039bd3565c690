"""Flags in, the commands `tier …` and `lifecycle …` out."""

from datetime import datetime
from typing import Annotated

import typer

from pellucid.surfaces.cli import present_lifecycle
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened

tier_app = typer.Typer(help="See which memories are hot or cold, and why.", no_args_is_help=True, rich_markup_mode=None)
lifecycle_app = typer.Typer(help="Age memories, and report on them.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(tier_app, name="tier")
app.add_typer(lifecycle_app, name="lifecycle")


@tier_app.command("list")
def tier_list(
    tier: Annotated[str | None, typer.Option("--tier", help="Only this tier: hot or cold.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 50,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """List memories with their tiers, the most valued first. The tiers are those of the last fold."""
    from pellucid.operations.tiers import TierListInput, tiers
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(TierListInput, namespace=opened_app.settings.namespace, tier=tier, limit=limit)
        outcome = tiers(opened_app, request)
    emit(outcome, lambda: present_lifecycle.tier_list(outcome), as_json=as_json)


@tier_app.command("explain")
def tier_explain(
    memory_id: Annotated[str, typer.Argument(help="A memory's id, its last ten digits, or its path.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Say why a memory is hot or cold, and what would change it. Each value is shown as a sum of shares."""
    from pellucid.operations.tiers import explain_tier

    with opened(home, namespace) as opened_app:
        outcome = explain_tier(opened_app, opened_app.settings.namespace, memory_id)
    emit(outcome, lambda: present_lifecycle.explained(outcome), as_json=as_json)


@lifecycle_app.command("run")
def lifecycle_run(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what a pass would do, and write nothing.")] = False,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Fold every memory's use into its heat, decay and tier. Safe to repeat; meant for once a day."""
    from pellucid.operations.aging import LifecycleInput, run_lifecycle

    with opened(home, namespace) as opened_app:
        request = LifecycleInput(namespace=opened_app.settings.namespace, dry_run=dry_run)
        outcome = run_lifecycle(opened_app, request)
        emit(outcome, lambda: present_lifecycle.passed(outcome), as_json=as_json, beside=opened_app)


@lifecycle_app.command("report")
def lifecycle_report(
    since: Annotated[
        datetime | None, typer.Option("--since", help="From when on; else the last lifecycle.reportEveryDays.")
    ] = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Report what was said again, used, replaced or went cold. Also what went stale, and what nobody used."""
    from pellucid.operations.reporting import ReportInput, weekly_report
    from pellucid.surfaces.cli.validate import aware

    with opened(home, namespace) as opened_app:
        request = ReportInput(namespace=opened_app.settings.namespace, since=aware(since))
        outcome = weekly_report(opened_app, request)
    emit(outcome, lambda: present_lifecycle.reported(outcome), as_json=as_json)
