"""One function a command in, the command that measures recall on labelled data out."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, emit, note, settings

Many = list[str] | None
lab_app = typer.Typer(help="Measure recall on labelled data.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(lab_app, name="lab")


@lab_app.command("run")
def lab_run(
    data: Annotated[Path, typer.Option("--data", help="The folder (or file) of the data set, or of all of them.")],
    dataset: Annotated[
        str | None,
        typer.Argument(help="locomo, longmemeval, scifact, qmsum, sessions, eips, graph or asof."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every set below the folder, one row a set.")] = False,
    sets: Annotated[str | None, typer.Option("--sets", help="With --all only these: locomo,sessions.")] = None,
    mode: Annotated[str, typer.Option("--mode", help="What is remembered, as in `pellucid import`.")] = "verbatim",
    updates: Annotated[
        bool, typer.Option("--updates", help="Only the order of facts that changed (longmemeval).")
    ] = False,
    without: Annotated[Many, typer.Option("--without", help="Leave out a leg or stage; may be repeated.")] = None,
    changes: Annotated[
        Many, typer.Option("--set", help="A setting for this run: recall.topKFacts=20; may be repeated.")
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Also without each leg and stage, as paired differences, with costs.")
    ] = False,
    context: Annotated[
        bool, typer.Option("--context", help="Also how much evidence the assembled contexts hold.")
    ] = False,
    details: Annotated[bool, typer.Option("--details", help="Add one row a question.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure recall on a data set, or on all.

    Its floors (BM25 alone, vectors alone) stand beside it, with 95 % intervals.
    """
    from pellucid.errors import InputError
    from pellucid.operations.lab import LabInput, run_lab
    from pellucid.operations.lab_all import LabAllInput, run_all
    from pellucid.surfaces.cli import present_lab
    from pellucid.surfaces.cli.validate import checked, setting

    shared: dict[str, Any] = {"data": data, "mode": mode, "without": tuple(without or ()), "ablate": ablate}
    shared["settings"] = dict(map(setting, changes or ()))
    if every and (dataset or updates or context or details):
        raise InputError("--all measures every set in one way", next_step="leave the set's name or the other flag out")
    if every:
        names = tuple(name.strip() for name in (sets or "").split(",") if name.strip())
        outcome = run_all(settings(home), checked(LabAllInput, sets=names, **shared), note)
    elif sets or dataset is None:
        raise InputError("the lab needs the name of one set, or --all", next_step="for example: lab run --all --data .")
    else:
        request = checked(LabInput, dataset=dataset, updates=updates, context=context, details=details, **shared)
        outcome = run_lab(settings(home), request, note)
    emit(outcome, lambda: present_lab.measured(outcome), as_json=as_json)
