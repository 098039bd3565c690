"""A row and the arguments typed in, its answer printed out: the commands that have code of their own."""

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
from pellucid.surfaces.answers import json_text, presenter
from pellucid.surfaces.cli import running
from pellucid.surfaces.cli.out_file import deliver, out_file
from pellucid.surfaces.cli.running import Args, Own, Row, field_values
from pellucid.surfaces.cli.serving import DASHBOARD, SERVE, dashboard, mcp, serve
from pellucid.surfaces.cli.session import note, settings, write
from pellucid.surfaces.columns import count_of
from pellucid.surfaces.command_line import NAMESPACE, Parameter

if TYPE_CHECKING:
    from pellucid.operations.document.indexing import IndexDocsInput, IndexDocsOutput

_OUT = Parameter("out", "Write to this file; - is standard output.", flag="--out")


def import_sessions(row: Row, args: Args) -> None:
    """Import the transcripts that `args` name and print the outcome, then raise the failure that the outcome reports,
    if any. Ctrl-C ends the import early, with the finished part kept.
    """
    with running.open_call(row, args) as call:
        request = call.input_of(row.input, field_values(row.input, args, call.now))
        with _finishing_on_interrupt(call.deadline.cancel):
            outcome = row.perform(call, request)
        running.print_answer(row, outcome, request, call, as_json=args["as_json"])
    if failure := row.failure(outcome):
        raise failure


def observe(row: Row, args: Args) -> None:
    """Read a stream of turns, storing each line before the next is read, flush what is due, and print the outcome.
    Ctrl-C ends the reading. `--status` only prints the turns that wait; `--flush-due` reads nothing. With `--flush` or
    `--retry` and no file, a terminal is not read.
    """
    from pellucid.operations.session.observing import WAITING, ObserveInput, ObserveOutput, Observer

    if args["status"]:
        running.answer(WAITING, args)
        return

    def follow(call: Call, request: ObserveInput) -> ObserveOutput:
        """Store the turns of the stream line by line as they come, unless `--flush-due` was given (or a flush or retry
        without a file, on a terminal); then flush what is due into memories, and return the outcome.
        """
        observer = Observer(call.app, request)
        if not args["flush_due"]:
            with _open_stream(args["file"]) as descriptor, suppress(KeyboardInterrupt):
                has_other_work = (request.flush or request.retry) and args["file"] is None
                if not (has_other_work and os.isatty(descriptor)):
                    observer.follow(lambda max_bytes: os.read(descriptor, max_bytes))
        return observer.finish()

    with running.open_call(row, args) as call:
        request = call.input_of(row.input, field_values(row.input, args, call.now))
        running.print_answer(row, row.perform(call, request, follow), request, call, as_json=args["as_json"])


@contextmanager
def _open_stream(file: Path | None) -> Generator[int]:
    """Open the file, or standard input for None or `-`, for a `with` block as a descriptor; `InputError` if it cannot
    be.
    """
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


def index_docs(row: Row, args: Args) -> None:
    """Index documents and print the outcome; with `--watch` again whenever they change, until Ctrl-C. Without
    `--watch`, the exit code is 2 if there were problems and no file could be read. `InputError` for `--watch` without a
    path or with `--dry-run`.
    """
    is_watching = args["watch"]
    if is_watching and args["dry_run"]:
        raise InputError("--watch and --dry-run exclude each other", next_step="leave one of them out")
    if is_watching and not args["paths"]:
        raise InputError("--watch needs something to watch", code="missing_path", next_step="name files or folders")
    as_json = args["as_json"]
    with running.open_call(row, args, title="indexing") as call:
        request: IndexDocsInput = call.input_of(row.input, field_values(row.input, args, call.now))
        if is_watching:
            _watch_docs(call, request, as_json=as_json)
            return
        outcome: IndexDocsOutput = row.perform(call, request)
        # `--history-file` alone: no folder was looked at, so that an answer about folders would be of noughts
        if not request.paths and (loaded := outcome.loaded):
            write(json_text(loaded) if as_json else presenter("index.header_history_text")(loaded))
        else:
            running.print_answer(row, outcome, request, call, as_json=as_json)
    if outcome.problems and not outcome.files:
        sys.exit(InputError.exit_code)  # without an error message: the answer names each problem


def _watch_docs(call: Call, request: "IndexDocsInput", *, as_json: bool) -> None:
    """Index documents now and again whenever files change, until Ctrl-C. Print the first outcome and each with changes
    or problems, with `as_json` as one line of JSON.
    """
    from pellucid.operations.document.watching import watch_docs

    def report(outcome: "IndexDocsOutput") -> None:
        """Print the outcome of one indexing, as text or as one line of JSON."""
        write(
            json.dumps(outcome.to_wire(), ensure_ascii=True) if as_json else presenter("index.indexing_text")(outcome)
        )

    stop = Event()
    with _finishing_on_interrupt(stop.set):
        watch_docs(call.app, request, report, stop.wait)


@contextmanager
def _finishing_on_interrupt(stop: Callable[[], None]) -> Generator[None]:
    """Have the first Ctrl-C call `stop` during a `with` block; a second one interrupts as usual."""

    def end(_number: int, _frame: object) -> None:
        """Call `stop` and restore the old handler, as the signal's handler."""
        stop()
        signal.signal(signal.SIGINT, old_handler)

    old_handler = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, old_handler)


def graph_show(row: Row, args: Args) -> None:
    """Print an entity's neighbourhood as text or JSON. `--svg FILE` also writes its drawing; `--svg -` prints only
    that. `InputError` if that file cannot be written.
    """
    svg_file = args["svg"]
    with running.open_call(row, args) as call:
        request = call.input_of(row.input, field_values(row.input, args, call.now))
        outcome = row.perform(call, request)
        if svg_file:
            deliver(outcome.svg(), out_file(svg_file), call.settings.home)
        if svg_file != "-":
            running.print_answer(row, outcome, request, call, as_json=args["as_json"])


def adopt(row: Row, args: Args) -> None:
    """Preview, or with `--yes` do, the adoption of other tools' memories, and print the outcome. `InputError` if both
    `--preview` and `--yes` were given.
    """
    if args["look"] and args["preview"]:  # `--yes` arrives as `preview`
        raise InputError("--preview and --yes exclude each other", next_step="leave one of them out")
    running.answer(row, args)


def doctor(row: Row, args: Args) -> None:
    """Print the health of a home, and raise the failure that it reports, if any; with `--accept-loss`, first give up a
    lost key or lost rows of the ledger, and say on standard error what was given up. Nothing is given up if a database
    is damaged."""
    if args["accept_loss"]:
        from pellucid.operations.admin.health import check_databases
        from pellucid.operations.settling import ACCEPT_LOSS

        if check_databases(settings(args["home"]).home) is None:
            with running.open_call(ACCEPT_LOSS, args) as call:
                note(presenter("everyday.accepted_loss_text")(ACCEPT_LOSS(call)))
    running.answer(row, args)


def lab_run(row: Row, args: Args) -> None:
    """Measure one labelled set, or with `--all` every set (of `--sets`, if given), and print the figures. `InputError`
    for `--all` beside a set's name or a flag of single sets, for `--sets` without `--all`, and for neither a set nor
    `--all`.
    """
    from pellucid.lab.every_set import LAB_ALL

    single_set_flags = ("dataset", "updates", "context", "details")
    if args["every"] and any(args[name] for name in single_set_flags):
        raise InputError("--all measures every set in one way", next_step="leave the set's name or the other flag out")
    if args["every"]:
        sets = tuple(name.strip() for name in (args["sets"] or "").split(",") if name.strip())
        shared = {name: value for name, value in args.items() if name not in single_set_flags}
        running.answer(LAB_ALL, args, lambda call: {**field_values(row.input, shared, call.now), "sets": sets})
    elif args["sets"] or args["dataset"] is None:
        raise InputError("the lab needs the name of one set, or --all", next_step="for example: lab run --all --data .")
    else:
        running.answer(row, args)


def export_rows(row: Row, args: Args) -> None:
    """Read all rows of the operation `row`, then print them as lines of JSON, or write them to the file of `--out` and
    note how many they are. `InputError` if that file cannot be written.
    """
    target = out_file(args["out"])
    with running.open_call(row, args) as call:
        lines = list(row(call, **field_values(row.input, args, call.now)))
        deliver(lines, target, call.settings.home, f"{len(lines)} rows to ")


def export_snapshots(row: Row, args: Args) -> None:
    """Print X-rays (explanations of recalls) as lines of JSON, each as it is made, or write them to the file of
    `--out`. Note how many recalls were left out, as only their results are still kept.
    """
    target, left_out = out_file(args["out"]), list[str]()
    with running.open_call(row, args) as call:
        reporting = Call(call.settings, lambda: call.app, report=left_out.append)
        lines: Iterator[str] = row(reporting, **field_values(row.input, args, call.now))
        deliver(lines, target, call.settings.home)
    if left_out:
        note(f"left out {count_of(len(left_out), 'recall')} of which only the results are kept")


def demo(_row: None, args: Args) -> None:
    """Run the demo; with `--month`, fill an empty home with a month of a team's sessions instead."""
    if args["month"]:
        from pellucid.surfaces.cli.month import run_month

        home = settings(args["home"])
        month = run_month(home, note)
        write(f"{month.sessions} sessions, {month.recalls} recalls and {month.citations} citations are in {home.home}")
        write(f"To look at them: pellucid dashboard --home {home.home}")
        return
    from pellucid.surfaces.cli.demo import run_demo

    run_demo(settings(args["home"]), write, note)


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
    "import": Own(import_sessions),
    "observe": Own(
        observe,
        (
            Parameter("file", "JSON lines of turns; `-` or nothing: standard input.", "file"),
            Parameter("flush_due", "Read nothing; flush the sessions that have been silent.", "switch", "--flush-due"),
            Parameter("status", "Read nothing; show what waits.", "switch", "--status"),
        ),
    ),
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
"""Maps the words of a command to its code."""
