"""A home in, its condition out: its places, drift and damage; and the index made anew."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

from pellucid.app import App
from pellucid.encoders.minilm.provision import MODEL_NAME, status
from pellucid.errors import NoRoomError, StoreError, step
from pellucid.memory.erasure.revival import orphans
from pellucid.memory.indexer import Drift
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.model.wire import Wire
from pellucid.operations.admin.comparison import Comparison, first_names, rebuild_step
from pellucid.operations.admin.status import PipelineStatus, is_low_on_disk, pipeline_status
from pellucid.operations.memory.lifecycle.aging import due_passes
from pellucid.operations.operation import Call, Operation, Surfaces, Text, in_home, problems_error
from pellucid.operations.remains import bytes_needed_to_finish, has_unfinished_erasure
from pellucid.operations.settling import HealthFinding, find_losses, finding
from pellucid.store.local import health
from pellucid.store.local.database import DATABASES
from pellucid.store.records import DrainReport

_DAMAGED = {
    "index.db": "run {rebuild}",
    "history.db": "move it and its `-wal` away: only explanations of past recalls are lost",
    "spool.db": ("move it and its `-wal` away: lost are the turns that waited; import their transcripts to have them"),
    "journal.db": (
        "move it and its `-wal` away, then run {doctor}: lost is what had not reached the vault yet, and which"
        " operation wrote what; turns imported before would be imported again"
    ),
}


class HomeOutput(Wire):
    """A home, the number of its files and recalls, and whether its model is ready."""

    home: str
    vault: str
    files: int
    recalls: int
    model_ready: bool


class DoctorOutput(Wire):
    """The result of a check of a home; `healthy` means that nothing needs to be done."""

    healthy: bool
    home: str
    files: int
    memories: int
    without_vector: int
    receipts: int
    receipt_bytes: int
    model: str
    findings: tuple[HealthFinding, ...] = ()
    notes: tuple[str, ...] = Field(default=())
    """Facts that need no action: drift that the next command takes over, files that the vault passes over."""
    pulse: PipelineStatus | None = None
    """The state of the pipeline; None if the databases cannot be read."""


class RebuildOutput(Wire):
    """The result of a rebuild of the index."""

    memories: int
    unreadable: tuple[str, ...] = ()
    encoder_problem: str | None = None
    set_aside: str | None = None
    """The name that a damaged index was given, beside the new index."""


def describe_home(app: App, _request: object = None) -> HomeOutput:
    """Return the home's path, the number of files in its index and of recalls in its history, and whether its embedding
    model is ready."""
    home = app.settings.home
    return HomeOutput(
        home=str(home),
        vault=str(home / "vault"),
        files=len(app.index.files()),
        recalls=app.history.counts()[0],
        model_ready=status(home / "models" / MODEL_NAME).ready,
    )


def check_databases(home: Path) -> DoctorOutput | None:
    """Return an unhealthy report, of the damaged databases alone, with all counts 0; None if all databases are sound or
    missing, so that the home can be opened. StoreError if one cannot be read for another reason, such as a lock.
    Changes nothing."""
    damaged = list(health.integrity(home))
    if not damaged:
        return None
    steps = {"rebuild": step("home.rebuild"), "doctor": step("home.doctor")}
    findings = tuple(finding("database", name, why, _DAMAGED[name].format_map(steps)) for name, why in damaged)
    return DoctorOutput(
        healthy=False,
        home=str(home),
        files=0,
        memories=0,
        without_vector=0,
        receipts=0,
        receipt_bytes=0,
        model="",
        findings=findings,
        notes=("nothing else was looked at: that takes databases that can be read",),
    )


def examine_home(app: App, *, is_sound: bool = False) -> DoctorOutput:
    """Check databases, journal, vault, index, vectors, model files and pipeline of a home, and report what is wrong.
    Changes nothing, except that it finishes interrupted writes if the home is writable. `is_sound`: the databases have
    just been checked; else they are checked first, and if any is damaged, the report is of the damaged databases alone.
    """
    if not is_sound and (damaged := check_databases(app.settings.home)):
        return damaged
    waiting, stuck = (DrainReport(), []) if app.read_only else _drain_journal(app)
    drift = app.indexer.drift()
    comparison = Comparison(app, health.indexed_memories(app.settings.home), app.index.files(), frozenset(drift.paths))
    comparison.run()
    rows, vectors = health.totals(app.settings.home)
    findings = (
        *stuck,
        *find_losses(app),
        *_registry_findings(app),
        *_conflict_findings(app, waiting),
        *comparison.found,
        *comparison.doubled(),
        *comparison.differing(),
        *_orphan_findings(app),
        *_vector_findings(app, rows, vectors),
        *_model_findings(app.settings.home / "models" / MODEL_NAME),
    )
    receipts, size = app.history.counts()
    beat = pipeline_status(app, map(str, due_passes(app, app.settings.namespace, app.clock.now())))
    findings = (*findings, *_pipeline_findings(app, beat))
    return DoctorOutput(
        healthy=not findings,
        home=str(app.settings.home),
        files=len(app.index.files()),
        memories=rows,
        without_vector=rows - vectors,
        receipts=receipts,
        receipt_bytes=size,
        model=app.index.state().model,
        findings=findings,
        pulse=beat,
        notes=(*app.settings.notes, *_drift_notes(drift), *_limit_notes(app), *_waiting_notes(beat)),
    )


def _registry_findings(app: App) -> Iterator[HealthFinding]:
    """Yield a finding if the list of projects cannot be read."""
    try:
        app.projects.known()
    except StoreError as error:
        yield finding("projects", "projects.json", error.message, error.next_step)


def set_damaged_index_aside(home: Path) -> str | None:
    """Rename `index.db` if it is damaged, so that a new index can be made; to be called before the home is opened.
    Return the new name; None if `index.db` is sound or missing."""
    damaged = dict(health.integrity(home))
    return health.set_aside(home, datetime.now(UTC)) if "index.db" in damaged else None


def rebuild(app: App, set_aside: str | None = None) -> RebuildOutput:
    """Take over others' edits of the vault (unless another process is writing, or the disk is full), then index every
    file anew. Return the number of memories indexed, and why files could not be read. `set_aside` is the name that a
    damaged index was moved to, for the output."""
    # edits come first, so that each row of the index names the operation that recorded them
    app.unit_of_work.take_over_edits()
    done = app.indexer.rebuild(None)
    return RebuildOutput(
        memories=done.memories,
        unreadable=tuple(why for _, why in done.unreadable),
        encoder_problem=done.encoder_problem or None,
        set_aside=set_aside,
    )


def _pipeline_findings(app: App, beat: PipelineStatus) -> Iterator[HealthFinding]:
    """Yield a finding for each obstacle of the pipeline, whose state is `beat`: sessions whose turns could not be
    extracted when last tried, a disk with less than 200 MiB free, an erasure that could not be finished."""
    for each in beat.backlog:
        if each.attempts:
            what = f"{each.turns} turns wait after {each.attempts} failed attempts: {each.problem or 'unknown'}"
            yield finding(
                "spool", each.session_id, what, f"mend that, then run {step('session.observe', flush_due=True)}"
            )
    if is_low_on_disk(beat):
        yield finding("disk", str(app.settings.home), f"{beat.disk['free'] >> 20} MiB are free", "make room")
    if has_unfinished_erasure(app):
        needed, free = bytes_needed_to_finish(app), beat.disk["free"]
        what = "what was forgotten is found by nothing any more, but bytes of it may still stand in unused pages of "
        what += f"{', '.join(DATABASES)}: to write them anew takes up to {needed:,} bytes, and {free:,} are free"
        yield finding("forget", str(app.settings.home), what, "make room if it is short; any command finishes it")


def _waiting_notes(beat: PipelineStatus) -> Iterator[str]:
    """Yield a note with the number of turns of live sessions that wait to be made into memories, if any, and a note for
    each pass (lifecycle, consolidate, report) that is due by `beat`."""
    turns = sum(each.turns for each in beat.backlog)
    if turns:
        yield f"{turns} turns of {len(beat.backlog)} sessions wait in the spool"
    yield from (f"overdue: {each}" for each in beat.overdue)


def _drain_journal(app: App) -> tuple[DrainReport, list[HealthFinding]]:
    """Write the vault files that wait in the journal. Return the report and no findings; if the disk is full, an empty
    report and a finding. StoreError if a file cannot be written for another reason."""
    try:
        return app.records.drain(), []
    except NoRoomError as error:
        return DrainReport(), [finding("journal", "journal.db", f"changes wait for room: {error}", "make room")]


def _conflict_findings(app: App, waiting: DrainReport) -> Iterator[HealthFinding]:
    """Yield a finding for each path of the vault at which two versions of a memory met, for a person to merge;
    `waiting` is the report of the journal's writes that were just filed."""
    for path in sorted({*app.records.conflicts(), *waiting.conflicts}):
        what = "two versions of a memory met"
        yield finding("conflict", path, what, "merge it into the file beside it, then delete it")


def _orphan_findings(app: App) -> Iterator[HealthFinding]:
    """Yield a finding for each memory, of any namespace, whose successor (the memory that superseded it) was forgotten
    since, so that nothing in force replaces it; not for a memory that was merely reworded."""
    for namespace in app.lookup.namespaces():
        for each in orphans(app.index.memories(namespace), lifecycle_rows(app.ledger, namespace)):
            what = f"superseded by {each.memory.superseded_by}, which was forgotten: nothing in force replaces it"
            undo = f"{step('change.undo', target=each.memory.id)}, asked in {namespace}, puts it in force again"
            yield finding("superseded", each.memory.id, what, undo)


def _vector_findings(app: App, rows: int, vectors: int) -> Iterator[HealthFinding]:
    """Yield a finding if the index was made with another encoder, else if it has fewer `vectors` than memories
    (`rows`)."""
    model = app.index.state().model
    if model and model != app.embedder.model:
        yield finding("model", model, f"the encoder is now {app.embedder.model}", rebuild_step())
    elif vectors < rows:
        missing = f"{rows - vectors} memories have no vector"
        yield finding(
            "vectors", "index.db", missing, f"run {step('home.models', action='pull')}, then {step('home.rebuild')}"
        )


def _model_findings(folder: Path) -> Iterator[HealthFinding]:
    """Yield a finding for each file of the embedding model that is damaged or was changed; missing files are not
    reported, since they are fetched when needed."""
    found = status(folder)
    for name, state in found.files.items():
        if state == "damaged":
            yield finding(
                "model", str(folder / name), "it is not the file expected", f"run {step('home.models', action='pull')}"
            )
    for name in found.changed:
        what = "it was changed after it was built: vectors made with it may be wrong"
        yield finding(
            "model", str(folder / name), what, f"delete it (the next use builds it), then {step('home.rebuild')}"
        )


def _drift_notes(drift: Drift) -> Iterator[str]:
    """Yield a note for each kind of edit that others made (files added, edited, deleted), if there are such files:
    their number and the first five paths."""
    for kind, paths in (("added", drift.added), ("edited", drift.edited), ("deleted", drift.deleted)):
        if paths:
            yield f"{len(paths)} {kind} outside Pellucid: {first_names(paths)}"


def _limit_notes(app: App) -> Iterator[str]:
    """Yield notes on the limits of this home: it is read-only, or its file system cannot exchange two files; and a note
    for each kind of files in the vault that are passed over."""
    if app.read_only:
        yield "the home may only be read: nothing is kept or taken over, and what an interrupted write left waits"
    elif not health.replaces_atomically(app.records):
        yield "this file system cannot exchange two files: a save while a memory is being replaced may be lost"
    by_kind: dict[str, list[str]] = {}
    for kind, path in health.skipped(app.settings.home):
        by_kind.setdefault(kind, []).append(path)
    for kind, paths in by_kind.items():
        yield f"{len(paths)} passed over in the vault ({kind}): {first_names(paths)}"


class HomeInput(Wire):
    """No fields: the home is that of the call."""


def doctor(call: Call, _asked: HomeInput) -> DoctorOutput:
    """Check the call's home. If databases are damaged, report these alone, without opening the home; else open it and
    go on as `examine_home` does. StoreError if a database cannot be read for another reason, such as a lock."""
    return check_databases(call.settings.home) or examine_home(call.app, is_sound=True)


def rebuild_home(call: Call, _asked: HomeInput) -> RebuildOutput:
    """Rename the home's index if it is damaged, then open the home and do as `rebuild`: take over edits of the vault,
    index every file anew, and return the counts."""
    set_aside = set_damaged_index_aside(call.settings.home)  # before `call.app` opens the home
    return rebuild(call.app, set_aside)


INIT = Operation(
    "home.init",
    "Create a home for memories, readable by you alone.\n\n"
    "It holds a vault of Markdown files and its databases. Safe to repeat.\n",
    HomeInput,
    HomeOutput,
    in_home(describe_home),
    "append",
    Surfaces("init"),
    text=Text("everyday.home_text"),
)
DOCTOR = Operation(
    "home.doctor",
    "Check a home, and say what is broken and what to do.\n\n"
    "It looks for drift between files and index, conflicts, what cannot be read or was lost, and at the databases.\n",
    HomeInput,
    DoctorOutput,
    doctor,
    "read",
    Surfaces("doctor", http=("GET /v1/doctor",)),
    text=Text("everyday.doctor_text"),
    failure=lambda output: problems_error(len(output.findings)),
    as_it_stands=True,
    needs="admin",
)
REBUILD = Operation(
    "home.rebuild",
    "Make the index anew from the files of the vault. Vectors of unchanged texts are reused.",
    HomeInput,
    RebuildOutput,
    rebuild_home,
    "read",
    Surfaces("rebuild", http=("POST /v1/rebuild",)),
    text=Text("everyday.rebuild_text"),
    as_it_stands=True,
    needs="admin",
)
