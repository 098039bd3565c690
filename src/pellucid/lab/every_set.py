"""A folder of data sets in, one row a set out: what the recall is worth everywhere, beside its floors and its price."""

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from pellucid.errors import InputError, field_name
from pellucid.lab.datasets.files import held
from pellucid.lab.documents import Report
from pellucid.lab.measuring import LabInput, LabOutput, run_lab
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.operations.session.intake import Mode
from pellucid.settings import Settings

SetName = Literal["locomo", "longmemeval", "scifact", "qmsum", "sessions", "eips"]
SETS: tuple[SetName, ...] = get_args(SetName)
MARKS: dict[SetName, str] = {
    "locomo": "locomo*.json",
    "longmemeval": "evidence*.json",
    "scifact": "qrels*.tsv",
    "qmsum": "val.jsonl*",
    "sessions": "durable.jsonl*",
    "eips": "edges.tsv",
}
"""A file by which the folder of each set is known."""
DOCUMENTS = ("scifact", "eips")
"""Sets that are no conversation: `mode` says nothing of them."""
BUDGET = 2_000


class LabAllInput(Wire):
    """Which sets below a folder to measure (`()`: all that are there), and how; see `LabInput`."""

    data: Annotated[Path, Flag("The folder of the data sets.")]
    sets: tuple[SetName, ...] = ()
    mode: Mode = "verbatim"
    without: tuple[str, ...] = ()
    ablate: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)


class LabTable(Wire):
    """A row a set. `evidence@2000` is the share of evidence in a context of 2,000 characters."""

    rows: dict[str, LabOutput]


def run_all(settings: Settings, request: LabAllInput, report: Report) -> LabTable:
    """Measure each set in a throw-away home of its own, imported once, one after another.

    Raises:
        InputError: no set lies below the folder, or one that is asked for does not.
    """
    asked: tuple[SetName, ...] = request.sets or SETS
    files: dict[SetName, Path | None] = {name: held(request.data, MARKS[name]) for name in asked}
    there: dict[SetName, Path] = {name: file.parent for name, file in files.items() if file}
    missing = [f"{name} ({MARKS[name]})" for name in files if name not in there]
    if missing and (request.sets or not there):
        raise InputError(
            f"{field_name('data')} {request.data} holds no {', no '.join(missing)}",
            code="invalid_data",
            next_step="name the folder that holds the folders of the sets",
        )
    rows: dict[str, LabOutput] = {}
    for name, folder in there.items():
        found = run_lab(settings, _asked(request, name, folder), report)
        if isinstance(found, LabOutput):
            rows[name] = found
    return LabTable(rows=rows)


def _asked(request: LabAllInput, name: SetName, folder: Path) -> LabInput:
    return LabInput(
        dataset=name,
        data=folder,
        mode="verbatim" if name in DOCUMENTS else request.mode,
        without=request.without,
        ablate=request.ablate,
        budgets=(BUDGET,),
        settings=request.settings,
    )


LAB_ALL = Operation(
    "lab.run_all",
    "Measure recall on every data set below a folder.",
    LabAllInput,
    lambda call, asked: run_all(call.settings, asked, call.report),
    "read",
    Surfaces(),
)
