"""A folder of data sets in, one row a set out: what the recall is worth everywhere, beside its floors and its price.

With the gains of its parts, and what they would be if the other sets had chosen them.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from pellucid.errors import InputError, field_name
from pellucid.lab.choosing import AS_SET, Choice, choices, options
from pellucid.lab.datasets.files import held
from pellucid.lab.keeping import Report, code_hash, ours, read, signature, write
from pellucid.lab.measuring import LabOutput, run_lab, run_together
from pellucid.lab.run import BUDGET
from pellucid.lab.sets import LabInput, check_files, share_of
from pellucid.lab.variants import TRIED
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.operations.session.intake import Mode
from pellucid.settings import Settings
from pellucid.settings.changed import changed

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
DOCUMENTS = ("scifact", "eips")  # sets that are no conversation: `mode` says nothing of them


class LabAllInput(Wire):
    """Which sets below a folder to measure (`()`: all that are there), and how; see `LabInput`."""

    data: Annotated[Path, Flag("The folder of the data sets.")]
    sets: tuple[SetName, ...] = ()
    mode: Mode = "verbatim"
    without: tuple[str, ...] = ()
    ablate: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    sample: str = "1"
    limit: Annotated[int, Field(ge=0)] = 0
    keep: Path | None = None
    """A row that was measured is kept there, too, and read where the same code would measure the same."""


class LabTable(Wire):
    """A row a set. `evidence@2000` is the share of evidence in a context of 2,000 characters."""

    rows: dict[str, LabOutput]
    missing: dict[str, str] = Field(default_factory=dict)
    """Sets that were asked for and are not there, with the file by which each is known."""
    choices: dict[str, dict[str, Choice]] = Field(default_factory=dict)
    """By part and set: what the other sets would choose, and what that changes here."""
    together: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """By set and metric: what these choices of the others change here when all are made at once."""


def run_all(settings: Settings, request: LabAllInput, report: Report) -> LabTable:
    """Measure each data set below a folder in its own home, and again with what the other sets would choose.

    Raises InputError if one of `request.sets` is not there, or none is; other missing sets are listed in the table.
    """
    share_of(request.sample)
    changed(settings, request.settings)
    if request.keep:
        ours(request.keep)
    asked: tuple[SetName, ...] = request.sets or SETS
    files: dict[SetName, Path | None] = {name: held(request.data, MARKS[name]) for name in asked}
    there: dict[SetName, Path] = {name: file.parent for name, file in files.items() if file}
    missing: dict[str, str] = {name: MARKS[name] for name in files if name not in there}
    if missing and (request.sets or not there):
        raise _absent(missing, f"{field_name('data')} {request.data} holds")
    for name, folder in there.items():
        check_files(name, folder)
    with TemporaryDirectory(prefix="pellucid-lab-") as gone:  # each set is asked once more in the end
        request = request if request.keep else request.model_copy(update={"keep": Path(gone)})
        return _table(settings, request, there, missing, report)


def _table(
    settings: Settings, request: LabAllInput, there: Mapping[SetName, Path], missing: Mapping[str, str], report: Report
) -> LabTable:
    """Measure the sets that are there, and once more each with what the others would choose."""
    rows: dict[str, LabOutput] = {}
    for number, (name, folder) in enumerate(there.items(), start=1):
        report(f"{name}: set {number} of {len(there)}")
        rows[name] = _row(settings, _lab_input(request, name, folder), report)
    chosen = _choices(rows)
    joint: dict[str, dict[str, Any]] = {}
    for name, folder in there.items() if chosen else ():
        options = {part: each[name].option for part, each in chosen.items() if each[name].option != AS_SET}
        report(f"{name}: asking with what the others would choose")
        joint[name] = run_together(settings, _lab_input(request, name, folder), options, report)
    return LabTable(rows=rows, missing=dict(missing), choices=chosen, together=joint)


def _row(settings: Settings, request: LabInput, report: Report) -> LabOutput:
    """Measure one set, or read the kept result if code, settings and files are the same; without `keep` it is always
    measured."""
    if request.keep is None:
        return _measured(settings, request, report)
    path = ours(request.keep) / f"{request.dataset}-row.json"
    files = ((each.name, each.read_bytes()) for each in sorted(request.data.iterdir()) if each.is_file())
    how = settings.model_dump_json(exclude={"home", "namespace"}), request.model_dump_json(exclude={"data", "keep"})
    sign = signature(code_hash(without=("surfaces",)), *how, *files)
    if (found := read(path)).get("sign") == sign:
        report(f"{request.dataset}: measured before by the same code, with the same settings and files; kept in {path}")
        return LabOutput.model_validate(found["row"])
    row = _measured(settings, request, report)
    write(path, {"sign": sign, "row": row.to_wire()})
    return row


def _measured(settings: Settings, request: LabInput, report: Report) -> LabOutput:
    """Run the lab on one set."""
    found = run_lab(settings, request, report)
    assert isinstance(found, LabOutput)  # what else there is, is asked for by `updates`, or of graph and asof
    return found


def _choices(rows: dict[str, LabOutput]) -> dict[str, dict[str, Choice]]:
    """Return, for each part and set that was ablated, what the other sets of the table would choose."""
    return choices(
        {
            name: {
                part: options(gains, row.weights.get(part, {}), tried=part in TRIED)
                for part, gains in row.ablation.items()
            }
            for name, row in rows.items()
            if row.ablation
        }
    )


def _lab_input(request: LabAllInput, name: SetName, folder: Path) -> LabInput:
    """Return the request to measure one of the sets; documents are always measured `verbatim`."""
    return LabInput(
        dataset=name,
        data=folder,
        mode="verbatim" if name in DOCUMENTS else request.mode,
        without=request.without,
        ablate=request.ablate,
        budgets=(BUDGET,),
        settings=request.settings,
        sample=request.sample,
        limit=request.limit,
        keep=request.keep,
    )


def _absent(missing: dict[str, str], where: str) -> InputError:
    """Make the error for missing sets; `where` begins its message."""
    named = ", no ".join(f"{name} ({mark})" for name, mark in missing.items())
    return InputError(
        f"{where} no {named}", code="invalid_data", next_step="name the folder that holds the folders of the sets"
    )


LAB_ALL = Operation(
    "lab.run_all",
    "Measure recall on every data set below a folder.",
    LabAllInput,
    LabTable,
    lambda call, asked: run_all(call.settings, asked, call.report),
    "read",
    Surfaces(),
    failure=lambda table: _absent(table.missing, "the table is not whole: there was") if table.missing else None,
)
