"""Commands about hooks in; hooks installed, shown, removed or run out."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pellucid.errors import InputError
from pellucid.surfaces.answers import json_text, presenter
from pellucid.surfaces.cli import running
from pellucid.surfaces.cli.running import Args, Own, Row, field_values
from pellucid.surfaces.cli.session import settings, write
from pellucid.surfaces.command_line import Parameter

if TYPE_CHECKING:
    from pellucid.model.wire import Wire
    from pellucid.operations.hooks.hosts import HostName
    from pellucid.surfaces.hooks.hostfile import Scope

_PROGRAMS = ("claude-code", "codex", "cursor")
_WHERE = (
    Parameter("program", "claude-code, codex or cursor.", flag="--for", required=True),
    Parameter("project", "In this project alone.", "switch", "--project"),
    Parameter("user", "In every project (the default).", "switch", "--user"),
    Parameter("dry_run", "Show what would be written, and write nothing.", "switch", "--dry-run"),
)


def event(row: Row, args: Args) -> None:
    """Read one hook event, a JSON object, from standard input, have the operation `row` handle it for the agent's
    program in `args["host"]`, and print the answer; `InputError` if it is not JSON.
    """
    try:
        payload: object = json.loads(sys.stdin.buffer.read())
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the standard input is no JSON: {error}", next_step="give one event as a hook gets it"
        ) from error
    running.run_and_print(row, args, lambda _call: {"host": args["host"], "event": payload})


def claim(row: Row, args: Args) -> None:
    """Read an agent's claims (statements that it wants remembered) from standard input, a JSON object per line, have
    the operation `row` judge them, and print which became memories. `InputError` if a line is not JSON.
    """
    try:
        claims: list[object] = [json.loads(each) for each in sys.stdin.buffer.read().splitlines() if each.strip()]
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"no JSON came in: {error}", next_step='a line a claim: {"statement": …, "quote": …}'
        ) from error
    running.run_and_print(row, args, lambda call: {**field_values(row.input, args, call.now), "claims": claims})


def install(_row: None, args: Args) -> None:
    """Install our hooks and, unless `--no-mcp`, our MCP server in an agent program's files. Print the changes written,
    or with `--dry-run` the changes that would be. `InputError` for wrong flags or a file that cannot be changed,
    `ConflictError` for one that was changed meanwhile, `StoreError` for one that cannot be written.
    """
    from pellucid.surfaces.hooks import install

    flags = {"tools": not args["no_mcp"], "dry_run": args["dry_run"]}
    _print(install.install(*_target(args), settings(args["home"]), **flags), "installed_text", args)


def remove(_row: None, args: Args) -> None:
    """Remove our hooks and MCP server from an agent program's files, and print the changes; with `--dry-run` only print
    them. `NotFoundError` if there is nothing of ours; other errors as for `install`.
    """
    from pellucid.surfaces.hooks import install

    _print(install.remove(*_target(args), dry_run=args["dry_run"]), "installed_text", args)


def _target(args: Args) -> tuple["HostName", "Scope"]:
    """Return the agent's program and the scope that the flags name: `project` with `--project`, else `user`.
    `InputError` for an unknown program, or both flags.
    """
    if args["program"] not in _PROGRAMS:
        raise InputError(f"--for expects one of {', '.join(_PROGRAMS)}; got {args['program']!r}", code="invalid_for")
    if args["project"] and args["user"]:
        raise InputError("--project and --user exclude each other", next_step="leave one of them out")
    return args["program"], "project" if args["project"] else "user"


def status(_row: None, args: Args) -> None:
    """Print where our hooks are installed, whether a server runs, and how many sessions they reported."""
    from pellucid.surfaces.hooks import install

    _print(install.status(settings(args["home"])), "status_text", args)


def _print(answer: "Wire", presenter_name: str, args: Args) -> None:
    """Print a record as JSON if `--json` was given (`args`), else as the text that the function `presenter_name` of
    `surfaces/present/hooks.py` makes of it.
    """
    write(json_text(answer) if args["as_json"] else presenter(f"hooks.{presenter_name}")(answer))


def work(_row: None, args: Args) -> None:
    """Print `serving`, then serve the home until it was idle for `hooks.idleMinutes` (`surfaces.hooks.work.work`)."""
    from pellucid.surfaces.hooks.work import work as serve

    write("serving")
    serve(settings(args["home"]))


_NO_MCP = Parameter("no_mcp", "Hooks alone: register no MCP server, and no tools for the agent.", "switch", "--no-mcp")
OWN: Mapping[str, Own] = {
    "hooks install": Own(install, (*_WHERE, _NO_MCP), text="Have an agent's program tell and be told, by itself."),
    "hooks status": Own(status, text="Show where hooks are installed, and what they told."),
    "hooks remove": Own(remove, _WHERE, text="Take hooks and tools out of an agent's program again."),
    "claim": Own(claim, less=("claims",)),
    "hooks event": Own(event, less=("event",)),
    "hooks work": Own(
        work, as_json=False, text="Serve the home for hooks until none calls for a while. They start it by themselves."
    ),
}
"""Maps the words of a command to its code."""
