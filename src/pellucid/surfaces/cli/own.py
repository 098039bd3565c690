"""A row and what was typed in, its answer told out: of commands that a row alone does not say in full."""

import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from pellucid.errors import InputError
from pellucid.operations.operation import Call
from pellucid.surfaces.answers import json_text
from pellucid.surfaces.cli import performing
from pellucid.surfaces.cli.acts import Given, Own, Row
from pellucid.surfaces.cli.derived import NAMESPACE, Parameter, values
from pellucid.surfaces.cli.hooks import HOOKS
from pellucid.surfaces.cli.out_file import deliver, out_file
from pellucid.surfaces.cli.questions import QUESTIONS
from pellucid.surfaces.cli.serving import DASHBOARD, SERVE, dashboard, mcp, serve
from pellucid.surfaces.cli.session import note, settings, write
from pellucid.surfaces.texts import presenter

if TYPE_CHECKING:
    from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput
    from pellucid.operations.session.observing import Observer

_OUT = Parameter("out", "Write to this file; - is standard output.", flag="--out")


def import_sessions(row: Row, given: Given) -> None:
    """Import, and print what became of it; Ctrl-C ends it in good order and says what was kept and how to undo it."""
    with performing.opened_for(row, given) as call:
        asked = call.input_of(row.input, values(row.input, given, call.now))
        with _stopping_gently(call.deadline.cancel):
            outcome = row.perform(call, asked)
        performing.print_answer(row, outcome, asked, call, as_json=given["as_json"])


def observe(row: Row, given: Given) -> None:
    """Read a stream line by line, each line acknowledged before the next is read, and print what became of it."""
    from pellucid.operations.session.observing import WAITING, Observer

    if given["status"]:
        performing.answer(WAITING, given)
        return
    with performing.opened_for(row, given) as call:
        asked = call.input_of(row.input, values(row.input, given, call.now))
        observer = Observer(call.app, asked)
        if not given["flush_due"]:
            _observe_lines(observer, given["file"], unasked=bool(asked.flush or asked.retry))
        performing.print_answer(row, observer.finish(), asked, call, as_json=given["as_json"])


def _observe_lines(observer: "Observer", file: Path | None, *, unasked: bool) -> None:
    """Everything the file or the standard input brings, until its end or Ctrl-C; a terminal is read only if asked."""
    with _open_stream(file) as descriptor, suppress(KeyboardInterrupt):
        if not (unasked and file is None and os.isatty(descriptor)):
            observer.follow(lambda most: os.read(descriptor, most))


@contextmanager
def _open_stream(file: Path | None) -> Generator[int]:
    """The file, or standard input, opened for reading as a descriptor."""
    if file is None or str(file) == "-":
        yield sys.stdin.fileno()
        return
    try:
        stream = file.open("rb")
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}", code="invalid_file", next_step="check the path"
        ) from error
    with stream:
        yield stream.fileno()


def index_docs(row: Row, given: Given) -> None:
    """Tell what became of the files, or of `--history-file` alone what its rows changed; with `--watch`, again."""
    is_watching = given["watch"]
    if is_watching and given["dry_run"]:
        raise InputError("--watch and --dry-run exclude each other", next_step="leave one of them out")
    if is_watching and not given["paths"]:
        raise InputError("--watch needs something to watch", code="missing_path", next_step="name files or folders")
    as_json = given["as_json"]
    with performing.opened_for(row, given, title="indexing") as call:
        asked: IndexDocsInput = call.input_of(row.input, values(row.input, given, call.now))
        if is_watching:
            _watch_docs(call, asked, as_json=as_json)
            return
        outcome: IndexDocsOutput = row.perform(call, asked)
        if not asked.paths and (loaded := outcome.loaded):
            write(json_text(loaded) if as_json else presenter("index.history")(loaded))
        else:
            performing.print_answer(row, outcome, asked, call, as_json=as_json)
    if outcome.problems and not outcome.files:
        sys.exit(InputError.exit_code)  # and no error beside it, as `failure` of a row would be: the answer says each


def _watch_docs(call: Call, asked: "IndexDocsInput", *, as_json: bool) -> None:
    """Index again whenever files change, telling of each time, until Ctrl-C."""
    from pellucid.operations.document.watching import watch_docs

    def report(outcome: "IndexDocsOutput") -> None:
        write(json.dumps(outcome.to_wire(), ensure_ascii=True) if as_json else presenter("index.indexed")(outcome))

    stop = Event()
    with _stopping_gently(stop.set):
        watch_docs(call.app, asked, report, stop.wait)


@contextmanager
def _stopping_gently(stop: Callable[[], None]) -> Generator[None]:
    """What Ctrl-C does, so that what is under way is finished; a second Ctrl-C ends at once."""

    def end(_number: int, _frame: object) -> None:
        stop()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def graph_show(row: Row, given: Given) -> None:
    """Print a graph's neighbourhood as text, or write it as SVG."""
    drawing = given["svg"]
    with performing.opened_for(row, given) as call:
        asked = call.input_of(row.input, values(row.input, given, call.now))
        seen = row.perform(call, asked)
        if drawing:
            deliver(seen.svg(), out_file(drawing), call.settings.home)
        if drawing != "-":
            performing.print_answer(row, seen, asked, call, as_json=given["as_json"])


def adopt(row: Row, given: Given) -> None:
    """A preview, unless `--yes` says otherwise."""
    if given["look"] and given["preview"]:  # which is what `--yes` was made of
        raise InputError("--preview and --yes exclude each other", next_step="leave one of them out")
    performing.answer(row, given)


def doctor(row: Row, given: Given) -> None:
    """Print the health of a home; where that is asked, first give up what is lost there."""
    if given["accept_loss"]:
        from pellucid.operations.admin.health import diagnose
        from pellucid.operations.settling import ACCEPT_LOSS

        if diagnose(settings(given["home"]).home) is None:
            with performing.opened_for(ACCEPT_LOSS, given) as call:
                note(presenter("everyday.accepted")(ACCEPT_LOSS(call)))
    performing.answer(row, given)


def lab_run(row: Row, given: Given) -> None:
    """Measure one labelled set, or all of them, and print the figures."""
    from pellucid.lab.every_set import LAB_ALL

    alone = ("dataset", "updates", "context", "details")
    if given["every"] and any(given[name] for name in alone):
        raise InputError("--all measures every set in one way", next_step="leave the set's name or the other flag out")
    if given["every"]:
        names = [name.strip() for name in (given["sets"] or "").split(",") if name.strip()]
        with performing.opened_for(LAB_ALL, given) as call:
            shared = {name: value for name, value in values(row.input, given, call.now).items() if name not in alone}
            asked = call.input_of(LAB_ALL.input, {**shared, "sets": tuple(names)})
            table = LAB_ALL.perform(call, asked)
            performing.print_answer(LAB_ALL, table, asked, call, as_json=given["as_json"])
        if failure := LAB_ALL.failure(table):
            raise failure
    elif given["sets"] or given["dataset"] is None:
        raise InputError("the lab needs the name of one set, or --all", next_step="for example: lab run --all --data .")
    else:
        performing.answer(row, given)


def export_rows(row: Row, given: Given) -> None:
    """Write rows as lines of JSON, whole or not at all."""
    target = out_file(given["out"])
    with performing.opened_for(row, given) as call:
        lines = list(row(call, **values(row.input, given, call.now)))
        deliver(lines, target, call.settings.home, f"{len(lines)} rows to ")


def export_snapshots(row: Row, given: Given) -> None:
    """Write X-rays as lines of JSON, each as it is made."""
    target, results_only = out_file(given["out"]), list[str]()
    with performing.opened_for(row, given) as call:
        noting = Call(call.settings, lambda: call.app, report=results_only.append)
        lines: Iterator[str] = row(noting, **values(row.input, given, call.now))
        deliver(lines, target, call.settings.home)
    if results_only:
        many = "1 recall" if len(results_only) == 1 else f"{len(results_only)} recalls"
        note(f"left out {many} of which only the results are kept")


def demo(_row: None, given: Given) -> None:
    """Run the example from end to end; or, with `--month`, make a home with a month of it to look at."""
    if given["month"]:
        from pellucid.surfaces.cli.month import run_month

        home = settings(given["home"])
        made = run_month(home, note)
        write(f"{made.sessions} sessions, {made.recalls} recalls and {made.citations} citations are in {home.home}")
        write(f"To look at them: pellucid dashboard --home {home.home}")
        return
    from pellucid.surfaces.cli.demo import run_demo

    run_demo(settings(given["home"]), write, note)


OWN: Mapping[str, Own] = {
    "demo": Own(
        demo,
        (Parameter("month", "Fill an empty home with a month of a small team's work.", "switch", "--month"),),
        as_json=False,
        text="Show on example sessions what Pellucid does. An import, a handful of memories, a recall, and its X-ray.",
    ),
    "mcp": Own(
        mcp,
        (NAMESPACE,),
        as_json=False,
        text="Serve memory to an agent over MCP. On standard input and output, until the input ends.",
    ),
    **QUESTIONS,
    "import": Own(import_sessions),
    "observe": Own(
        observe,
        (
            Parameter("file", "JSON lines of turns; `-` or nothing: standard input.", "file"),
            Parameter("flush_due", "Read nothing; flush the sessions that have been silent.", "switch", "--flush-due"),
            Parameter("status", "Read nothing; show what waits.", "switch", "--status"),
        ),
    ),
    **HOOKS,
    "index docs": Own(
        index_docs, (Parameter("watch", "Go on indexing what changes, until Ctrl-C.", "switch", "--watch"),)
    ),
    "graph show": Own(graph_show, (Parameter("svg", "Draw it as SVG to this file; - prints it.", flag="--svg"),)),
    "adopt": Own(adopt, (Parameter("look", "Only show what would be kept (the default).", "switch", "--preview"),)),
    "doctor": Own(
        doctor,
        (
            Parameter(
                "accept_loss",
                "Give up a lost key or lost rows of the ledger: importing can then bring back what they kept out.",
                "switch",
                "--accept-loss",
            ),
        ),
    ),
    "lab run": Own(
        lab_run,
        (
            Parameter("dataset", "locomo, longmemeval, scifact, qmsum, sessions, eips, graph or asof."),
            Parameter("every", "Every set below the folder, one row a set.", "switch", "--all"),
            Parameter("sets", "With --all only these: locomo,sessions.", flag="--sets"),
        ),
    ),
    "dashboard": Own(
        dashboard,
        DASHBOARD,
        as_json=False,
        text="Look at memory in a browser. Prints a link that works once, and opens it; starts a server if none runs.",
    ),
    "serve": Own(
        serve,
        SERVE,
        as_json=False,
        text="Serve a home over HTTP and MCP. It looks after it meanwhile: edits are taken over, due passes run.",
    ),
    "data export": Own(export_rows, (_OUT,), as_json=False),
    "ledger export": Own(export_rows, (_OUT,), as_json=False),
    "snapshots export": Own(export_snapshots, (_OUT,), as_json=False),
}
"""By the words of the command."""
