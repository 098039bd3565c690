"""A home in, its condition out: what is where, what drifted, what is broken, and the index made anew."""

from collections import Counter

from pydantic import Field

from pellucid.app import App
from pellucid.encoders.provision import MODEL_NAME, status
from pellucid.errors import InputError
from pellucid.model.wire import Wire
from pellucid.store.local.health import integrity, totals
from pellucid.vault.markdown import Identity, parse


class HomeOutput(Wire):
    """A home and what it holds."""

    home: str
    vault: str
    files: int
    recalls: int
    model_ready: bool


class Finding(Wire):
    """One thing that is not as it should be: what, where, and what to do."""

    check: str
    subject: str
    problem: str
    next_step: str


class DoctorOutput(Wire):
    """What was checked and what was found; `healthy` means that nothing needs to be done."""

    healthy: bool
    home: str
    files: int
    memories: int
    without_vector: int
    receipts: int
    receipt_bytes: int
    model: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = Field(default=())
    """Drift that the next command takes over by itself."""


class RebuildOutput(Wire):
    """What a rebuild wrote."""

    memories: int
    unreadable: tuple[str, ...] = ()
    encoder_problem: str | None = None


def inspect(app: App) -> HomeOutput:
    """What a home holds, at a glance."""
    home = app.settings.home
    return HomeOutput(
        home=str(home), vault=str(home / "vault"), files=len(app.index.files()), recalls=app.history.counts()[0],
        model_ready=status(home / "models" / MODEL_NAME).ready,
    )  # fmt: skip


def examine(app: App) -> DoctorOutput:
    """Check everything that can be checked without changing anything but what an interrupted write left behind."""
    waiting = app.records.drain()
    findings = [
        *(_finding("database", name, why, "run `pellucid rebuild`") for name, why in integrity(app.settings.home)),
        *(
            _finding(
                "conflict", path, "two versions of a memory met", "merge it into the file beside it, then delete it"
            )
            for path in sorted({*app.records.conflicts(), *waiting.conflicts})
        ),
        *_file_findings(app),
    ]
    drift = app.folder.drift()
    notes = [
        f"{len(paths)} {kind} outside Pellucid: {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}"
        for kind, paths in (("added", drift.added), ("edited", drift.edited), ("deleted", drift.deleted))
        if paths
    ]
    held, (rows, vectors) = app.index.state().model, totals(app.settings.home)
    if held and held != app.embedder.model:
        findings.append(_finding("model", held, f"the encoder is now {app.embedder.model}", "run `pellucid rebuild`"))
    elif vectors < rows:
        missing = f"{rows - vectors} memories have no vector"
        findings.append(_finding("vectors", "index.db", missing, "run `pellucid models pull`, then `pellucid rebuild`"))
    receipts, size = app.history.counts()
    return DoctorOutput(
        healthy=not findings, home=str(app.settings.home), files=len(app.index.files()), memories=rows,
        without_vector=rows - vectors, receipts=receipts, receipt_bytes=size, model=held,
        findings=tuple(findings), notes=tuple(notes),
    )  # fmt: skip


def rebuild(app: App) -> RebuildOutput:
    """Fold every file of the vault anew."""
    done = app.folder.rebuild(app.clock.new_id("op"))
    return RebuildOutput(
        memories=done.memories, unreadable=tuple(why for _, why in done.unreadable),
        encoder_problem=done.encoder_problem or None,
    )  # fmt: skip


def _file_findings(app: App) -> list[Finding]:
    """Files that cannot be read, and ids that stand in more than one file."""
    out: list[Finding] = []
    places: dict[str, list[str]] = {}
    for head in app.records.heads([stamp.path for stamp in app.records.walk()]):
        if head.data is None:
            continue
        try:
            parsed = parse(head.path, head.data, Identity(app.settings.namespace, app.key, app.clock.now()))
        except InputError as error:
            out.append(_finding("file", head.path, error.message, error.next_step))
            continue
        for memory, _ in parsed.memories:
            places.setdefault(memory.id, []).append(head.path)
    twice = Counter({memory_id: len(paths) for memory_id, paths in places.items() if len(paths) > 1})
    out += [
        _finding("id", memory_id, f"stands in {', '.join(places[memory_id])}", "give the copy no id, or delete it")
        for memory_id in twice
    ]
    return out


def _finding(check: str, subject: str, problem: str, next_step: str) -> Finding:
    return Finding(check=check, subject=subject, problem=problem, next_step=next_step)
