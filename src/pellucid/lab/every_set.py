"""A folder of data sets in, one row for each set out: the recall's quality on it, beside its floors and its price.

With the gains of its parts, and the gains if the other sets had chosen them.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from pellucid.errors import InputError, field_name
from pellucid.lab.choosing import AS_SET, Choice, choices, options
from pellucid.lab.datasets.files import first_match
from pellucid.lab.keeping import Report, code_hash, prepare_kept_folder, read, signature, write
from pellucid.lab.measuring import LabOutput, run_lab, run_together
from pellucid.lab.run import BUDGET
from pellucid.lab.sets import LabInput, check_files, share_of
from pellucid.lab.variants import TRIED
from pellucid.model.wire import Wire
from pellucid.operations.operation import Call, Flag, Operation, Surfaces, Text
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
"""A file by which the folder of each set is recognised."""
DOCUMENTS = ("scifact", "eips")  # sets that are no conversation: `mode` says nothing of them


class LabAllInput(Wire):
    """Which sets below a folder to measure (`()` for all that are found), and how; see `LabInput`."""

    data: Annotated[Path, Flag("The folder of the data sets.")]
    sets: tuple[SetName, ...] = ()
    mode: Mode = "verbatim"
    without: tuple[str, ...] = ()
    ablate: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    sample: str = "1"
    limit: Annotated[int, Field(ge=0)] = 0
    keep: Path | None = None
    """Measured rows are stored there, too, and reused if the same code would measure the same."""


class LabTable(Wire):
    """A row a set. `evidence@2000` is the share of evidence in a context of 2,000 characters."""

    rows: dict[str, LabOutput]
    missing: dict[str, str] = Field(default_factory=dict)
    """Maps sets that were asked for and are missing to the file by which each is recognised."""
    choices: dict[str, dict[str, Choice]] = Field(default_factory=dict)
    """Maps part and set to the choice of the other sets, and its gain on this set."""
    together: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Maps set and metric to the gain of all these choices made at once."""


def run_all(settings: Settings, request: LabAllInput, report: Report) -> LabTable:
    """Measure each data set below the folder `request.data` in its own home, and, with `ablate` and two sets or more,
    again with the options of the recall's parts that the other sets would choose; return a table with a row for each
    set.

    With `request.keep`, results are stored there and used again (`_row`). `report` gets lines about the progress.
    Raises InputError if one of `request.sets` is missing, or all are (other missing sets are listed in the table), and
    if a file is of another form or a field is not valid.
    """
    share_of(request.sample)
    changed(settings, request.settings)
    if request.keep:
        prepare_kept_folder(request.keep)
    names: tuple[SetName, ...] = request.sets or SETS
    files: dict[SetName, Path | None] = {name: first_match(request.data, MARKS[name]) for name in names}
    folders: dict[SetName, Path] = {name: file.parent for name, file in files.items() if file}
    missing: dict[str, str] = {name: MARKS[name] for name in files if name not in folders}
    if missing and (request.sets or not folders):
        raise _absent(missing, f"{field_name('data')} {request.data} holds")
    for name, folder in folders.items():
        check_files(name, folder)
    with TemporaryDirectory(prefix="pellucid-lab-") as temporary:  # each set is asked once more in the end
        request = request if request.keep else request.model_copy(update={"keep": Path(temporary)})
        return _table(settings, request, folders, missing, report)


def _table(
    settings: Settings, request: LabAllInput, folders: Mapping[SetName, Path], missing: dict[str, str], report: Report
) -> LabTable:
    """Measure the sets in `folders`, and each once more with the choices of the others, if there are choices; return
    the table, in which `missing` are the sets that are not there and their marks.
    """
    rows: dict[str, LabOutput] = {}
    for number, (name, folder) in enumerate(folders.items(), start=1):
        report(f"{name}: set {number} of {len(folders)}")
        rows[name] = _row(settings, _lab_input(request, name, folder), report)
    chosen = _choices(rows)
    joint: dict[str, dict[str, Any]] = {}
    for name, folder in folders.items() if chosen else ():
        options = {part: each[name].option for part, each in chosen.items() if each[name].option != AS_SET}
        report(f"{name}: asking with what the others would choose")
        joint[name] = run_together(settings, _lab_input(request, name, folder), options, report)
    return LabTable(rows=rows, missing=missing, choices=chosen, together=joint)


def _row(settings: Settings, request: LabInput, report: Report) -> LabOutput:
    """Measure one set and store the result in `request.keep`, or read the stored result if code, settings, request and
    files are the same.

    Without `keep` the set is always measured, and nothing is stored.
    """
    if request.keep is None:
        return _measured(settings, request, report)
    path = prepare_kept_folder(request.keep) / f"{request.dataset}-row.json"
    # a set's files stand in its folder, or one below (`files.first_match`)
    every = sorted(each for pattern in ("*", "*/*") for each in request.data.glob(pattern) if each.is_file())
    files = ((str(each.relative_to(request.data)), each.read_bytes()) for each in every)
    inputs = settings.model_dump_json(exclude={"home", "namespace"}), request.model_dump_json(exclude={"data", "keep"})
    sign = signature(code_hash(without=("surfaces",)), *inputs, *files)
    if (stored := read(path)).get("sign") == sign:
        report(f"{request.dataset}: measured before by the same code, with the same settings and files; kept in {path}")
        return LabOutput.model_validate(stored["row"])
    row = _measured(settings, request, report)
    write(path, {"sign": sign, "row": row.to_wire()})
    return row


def _measured(settings: Settings, request: LabInput, report: Report) -> LabOutput:
    """Run the lab on one set, and return its row of the table; the request must not ask for `updates`."""
    output = run_lab(settings, request, report)
    assert isinstance(output, LabOutput)  # what else there is, is asked for by `updates`, or of graph and asof
    return output


def _choices(rows: dict[str, LabOutput]) -> dict[str, dict[str, Choice]]:
    """Return a map from part and set to the option that the other sets of the table would choose; only sets that were
    ablated count. Empty for fewer than two of these; InputError if a part was not measured on each of them.
    """
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
    """Return the request to measure one set, whose data is in `folder`, as `request` says, with contexts of `BUDGET`
    characters; sets of documents are always measured `verbatim`.
    """
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
    """Return the error for missing sets, which `missing` maps to the file by which each is recognised; `where` begins
    its message.
    """
    named = ", no ".join(f"{name} ({mark})" for name, mark in missing.items())
    return InputError(
        f"{where} no {named}", code="invalid_data", next_step="name the folder that holds the folders of the sets"
    )


def measure_all(call: Call, request: LabAllInput) -> LabTable:
    """Return the table that `run_all` makes with the settings of the call, which gets the lines about the progress."""
    return run_all(call.settings, request, call.report)


LAB_ALL = Operation(
    "lab.run_all",
    "Measure recall on every data set below a folder.",
    LabAllInput,
    LabTable,
    measure_all,
    "read",
    Surfaces(),
    text=Text("lab.lab_text"),
    failure=lambda table: _absent(table.missing, "the table is not whole: there was") if table.missing else None,
)
